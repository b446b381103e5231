import { beforeAll, describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { ensureConsole } from './open-console.ts'

let server: Server
beforeAll(async () => {
  await ensureConsole()
  server = await newServer()
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}${path}`, { headers, redirect: 'manual' })

describe('the server of the console', () => {
  it('sends index.html on all its paths, each time with another nonce', async () => {
    const [one, other] = await Promise.all([get('/console'), get('/console/contacts/abc')])
    expect([one.status, other.status, one.headers.get('cache-control')]).toEqual([200, 200, 'no-store'])
    const nonces = [one, other].map(
      (each) => /'nonce-([^']+)'/.exec(each.headers.get('content-security-policy') ?? '')?.[1] ?? '',
    )
    expect(nonces[0]).not.toBe(nonces[1])
    const html = await one.text()
    expect(html).toContain(`nonce="${nonces[0]}"`)
    expect(html).not.toContain('__NONCE__')
    expect(one.headers.get('content-security-policy')).not.toContain('unsafe')
  })

  it('names the scripts of the screen in the page', async () => {
    const scriptsAt = async (path: string) => {
      const html = await (await get(path)).text()
      return [...html.matchAll(/rel="modulepreload"[^>]* href="([^"]+)"/g)].map(([, href = '']) => href)
    }
    const [overview, contact] = await Promise.all([scriptsAt('/console'), scriptsAt('/console/contacts/abc')])
    expect(overview.filter((path) => /-screen-/.test(path))).toEqual([expect.stringContaining('overview-screen')])
    expect(contact.filter((path) => /-screen-/.test(path))).toEqual([expect.stringContaining('contact-screen')])
    const statuses = await Promise.all([...overview, ...contact].map(async (path) => (await get(path)).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('sends assets compressed, to be cached without a limit, and 404 for others', async () => {
    const [, path = ''] = /src="(\/console\/assets\/[^"]+)"/.exec(await (await get('/console')).text()) ?? []
    for (const encoding of ['br', 'gzip']) {
      const asset = await get(path, { 'accept-encoding': encoding })
      expect([asset.status, asset.headers.get('content-encoding'), asset.headers.get('cache-control')]).toEqual([
        ...[200, encoding, 'public, max-age=31536000, immutable'],
      ])
    }
    for (const wrong of ['/console/assets/none.js', '/console/assets/.hidden.js']) {
      expect((await get(wrong)).headers.get('content-type')).not.toContain('javascript')
    }
    expect((await get('/console/assets/none.js')).status).toBe(404)
  })

  it('previews e-mails in a frame with an origin of its own', async () => {
    const policy = (await get('/console/preview')).headers.get('content-security-policy')
    expect(policy).toContain('sandbox allow-scripts;')
    expect(policy).toContain("frame-ancestors 'self'")
  })

  it('leads from / to the console', async () => {
    const response = await get('/')
    expect([response.status, response.headers.get('location')]).toEqual([302, '/console'])
  })

  it('is not served with CONSOLE=off', async () => {
    const other = await newServer({ CONSOLE: 'off' })
    for (const path of ['/console', '/console/preview']) expect((await fetch(`${other.url}${path}`)).status).toBe(404)
    expect((await fetch(`${other.url}/`)).status).toBe(200)
  })
})
