import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { start, temporaryFolder } from './process.ts'

const megabyte = 1024 * 1024

describe('an idle server after a load', () => {
  it('releases the memory of the load', { timeout: 240_000 }, async () => {
    const folder = await temporaryFolder()
    const server = start('main', ['--demo'], { DATA_DIR: folder, PORT: '0', RATE_LIMIT_PER_MINUTE: '1000000' })
    const key = (await server.line(/^demo key /)).slice('demo key '.length)
    const address = (await server.line(/^ready /)).slice('ready '.length)
    // Read from outside, because a process that handles a request is not idle.
    const residentBytes = () =>
      1024 * Number(execFileSync('ps', ['-o', 'rss=', '-p', String(server.pid)], { encoding: 'utf8' }))
    const query = '{ contacts(first: 100) { nodes { email tags { name } customFields { value } } totalCount } }'
    const ask = async (): Promise<unknown> =>
      await (
        await fetch(`${address}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
          body: JSON.stringify({ query }),
        })
      ).json()

    for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 50 }, ask))
    const peak = residentBytes()
    await expect.poll(residentBytes, { timeout: 200_000, interval: 500 }).toBeLessThan(peak - 64 * megabyte)
  })
})
