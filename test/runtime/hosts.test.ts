import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { signIn } from '../support/session.ts'
import { newWorld, type World } from '../support/world.ts'

let world: World
let port: number
beforeAll(async () => {
  const server = await newServer({ DEV_MAIL: 'on', BASE_URL: 'http://mail.example.com' })
  world = await newWorld({ server })
  port = server.app.address.port
})

/** Sends a request with this `Host` header, which `fetch` cannot set. */
async function ask(host: string, path: string, headers: object = {}, to: { port?: number; body?: string } = {}) {
  const method = to.body === undefined ? 'GET' : 'POST'
  const sent = request({ port: to.port ?? port, host: '127.0.0.1', path, method, headers: { ...headers, host } })
  sent.end(to.body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, body: await text(response) }
}

const pages = ['/console', '/console/contacts', '/console/sign-in', '/dev/mail']

describe('a page that needs no key', () => {
  it.each(['localhost', '127.0.0.1', '127.0.0.2', '[::1]', 'mail.example.com'])('is served as %s', async (host) => {
    for (const name of [host, `${host}:${port}`, host.toUpperCase()]) {
      for (const path of pages) expect([name, path, (await ask(name, path)).status]).toEqual([name, path, 200])
    }
  })

  it.each([
    'attacker.example',
    'mail.example.com.attacker.example',
    'e-mail.example.com',
    'localhost.attacker.example',
  ])('is refused as %s, with the variable to set', async (host) => {
    for (const path of pages) {
      const { status, body } = await ask(host, path)
      expect([path, status]).toEqual([path, 421])
      expect(body).toContain(`not served as ${host}. Set BASE_URL or CONSOLE_URL`)
    }
  })

  it('is not served on the host of an account', async () => {
    for (const path of pages) expect((await ask('shop.mail.example.com', path)).status).toBe(404)
  })
})

describe('a session', () => {
  it('counts on the hosts of the server only', async () => {
    const own = await newWorld()
    const { port } = own.server.app.address
    const { headers } = await signIn(own, 'OWNER')
    const statusAs = async (host: string) => {
      const body = JSON.stringify({ query: '{ viewer { user { role } } }' })
      return (await ask(host, '/graphql', { ...headers, 'content-type': 'application/json' }, { port, body })).status
    }
    expect([await statusAs(`localhost:${port}`), await statusAs(`attacker.example:${port}`)]).toEqual([200, 401])
  })
})

describe('what needs a key or is public', () => {
  it.each(['localhost', 'mail.example.com', 'attacker.example'])('is served as %s', async (host) => {
    for (const path of ['/livez', '/readyz', '/openapi.json', '/metrics'])
      expect((await ask(host, path)).status).toBe(200)
    expect((await ask(host, '/v1/contacts', { authorization: `Bearer ${world.mainKey}` })).status).toBe(200)
  })
})

describe('/metrics', () => {
  it('is refused without a token if the server listens on more than a loopback address', async () => {
    const open = await newServer({ HOST: '0.0.0.0' })
    const response = await fetch(`http://127.0.0.1:${open.app.address.port}/metrics`)
    expect([response.status, (await response.json()).message]).toEqual([403, expect.stringContaining('METRICS_TOKEN')])
  })
})
