import { describe, expect, it } from 'vitest'
import { start, temporaryFolder } from '../runtime/process.ts'

describe('cli user link', { timeout: 120_000 }, () => {
  it('leads to the server that runs, whatever its port', async () => {
    const env = { DATA_DIR: await temporaryFolder(), PORT: '0' }
    const server = start('main', [], env)
    const address = (await server.line(/^ready /)).replace('ready ', '')
    const cli = async (args: string[], more = {}) =>
      start('cli', [...args, '--json'], { DATA_DIR: env.DATA_DIR, ...more }).end
    await cli(['account', 'create', '--name', 'Ada', '--email', 'ada@example.com'])
    const link = ['user', 'link', '--account', '1', '--email', 'ada@example.com']
    const found = await cli(link)
    expect(found).toMatchObject({ code: 0, stderr: '' })
    const { url } = JSON.parse(found.stdout)
    expect(url).toContain(`${address}/console/sign-in/`)
    expect((await fetch(url)).status).toBe(200)
    const given = await cli(link, { BASE_URL: 'https://console.example' })
    expect(JSON.parse(given.stdout).url).toContain('https://console.example/')
    server.signal('SIGTERM')
    await server.end
    expect(JSON.parse((await cli(link, { PORT: '4321' })).stdout).url).toContain('http://127.0.0.1:4321/')
  })
})
