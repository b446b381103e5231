import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'

let server: Server
beforeAll(async () => {
  server = await newServer({ DEV_MAIL: 'on', CONSOLE: 'off' })
})

describe('the start page', () => {
  it('names the product and its version, and links to pages that exist', async () => {
    const response = await fetch(`${server.url}/`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const html = await response.text()
    const { version } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(html).toContain('<h1>Campanile</h1>')
    expect(html).toContain(version)
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href)
    expect(links).toEqual(['/graphql', '/docs', '/openapi.json', '/dev/mail'])
    for (const link of links) {
      const { status } = await fetch(`${server.url}${link}`, { headers: { accept: 'text/html' } })
      expect([link, status]).toEqual([link, 200])
    }
  })

  it('requests nothing from other hosts, and runs no script', async () => {
    const response = await fetch(`${server.url}/`)
    const html = await response.text()
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
    expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(html).not.toMatch(/<script|<link|<img|https?:/)
  })

  it('does not link to the messages if they are not served', async () => {
    const other = await newServer({ CONSOLE: 'off' })
    expect(await (await fetch(`${other.url}/`)).text()).not.toContain('/dev/mail')
  })

  it('is not served on the host of an account', async () => {
    // `fetch` does not send another host than that of the URL.
    const request = httpGet(`${server.url}/`, { headers: { host: `shop.${new URL(server.url).host}` } })
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(await text(response)).not.toContain('<h1>Campanile</h1>')
  })

  it('takes no POST', async () => {
    expect((await fetch(`${server.url}/`, { method: 'POST' })).status).toBe(404)
  })
})
