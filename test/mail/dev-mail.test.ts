import { readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { createSubscriber } from './reading.ts'
import { sendCampaign } from './sending.ts'

async function page(url: string): Promise<{ status: number; text: string; csp: string }> {
  const response = await fetch(url)
  const csp = response.headers.get('content-security-policy') ?? ''
  return { status: response.status, text: await response.text(), csp }
}

describe('/dev/mail', () => {
  it('lists the messages of the file transport, and shows them in a sandbox', async () => {
    const folder = await temporaryFolder()
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker', DATA_DIR: folder, DEV_MAIL: 'on' }) })
    const { url } = world.server
    expect((await page(`${url}/dev/mail`)).text).toContain('No messages yet.')
    await createSubscriber(world, { email: 'bob@example.com', firstName: '<i>Bob</i>' })
    await sendCampaign(world, { subject: 'Hello {{FIRST_NAME}}' })
    const files = () => readdir(join(folder, 'mail')).catch(() => [])
    await until(async () => (await files()).some((name) => name.endsWith('.eml')))
    const [file = ''] = await files()
    const mode = async (path: string) => (await stat(path)).mode & 0o777
    expect([await mode(join(folder, 'mail')), await mode(join(folder, 'mail', file))]).toEqual([0o700, 0o600])
    expect(file).toMatch(/^[0-9a-z]+\.[0-9a-z]+\.[0-9a-f]{24}@example\.com\.eml$/)

    const list = await page(`${url}/dev/mail`)
    expect(list.csp).toContain("default-src 'none'")
    expect(list.text).toContain('Hello &#60;i&#62;Bob&#60;/i&#62;')
    expect(list.text).toContain('bob@example.com')
    expect(list.text).not.toContain('<i>Bob')
    const [, path = ''] = /href="(\/dev\/mail\/[^"]+)"/.exec(list.text) ?? []
    const shown = await page(`${url}${path}`)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain('<iframe sandbox srcdoc="&#60;p&#62;Hello&#60;/p&#62;')
    expect(shown.text).toContain('List-Unsubscribe: ')
    expect(shown.text).not.toContain('<i>Bob')
  })

  it('shows no other files', async () => {
    const folder = await temporaryFolder()
    const world = await newWorld({ server: await newServer({ DATA_DIR: folder, DEV_MAIL: 'on' }) })
    await writeFile(join(folder, 'secret.eml'), 'Subject: secret\r\n\r\nsecret')
    for (const name of [
      '..%2Fsecret.eml',
      '%2e%2e%2fsecret.eml',
      '.eml',
      '..eml',
      'secret.eml',
      'a%00.eml',
      '%',
      'x'.repeat(999),
    ]) {
      const { status, text } = await page(`${world.server.url}/dev/mail/${name}`)
      expect([status, text.includes('secret')], name).toEqual([404, false])
    }
    expect(world.server.errors).toEqual([])
  })

  it('returns 404 unless DEV_MAIL is set', async () => {
    for (const env of [{}, { DEV_MAIL: 'off' }, { MAIL_URL: 'smtp://127.0.0.1:9' }]) {
      const world = await newWorld({ server: await newServer(env as Record<string, string>) })
      expect((await page(`${world.server.url}/dev/mail`)).status).toBe(404)
    }
  })
})
