import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { unfinishedPerNetwork } from '../../src/server/http/slow-clients.ts'
import { page } from '../funnels/documents.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { type NamedForm, newWorld, type World } from '../support/world.ts'

const bounceKeys = {
  BOUNCES_DSN_KEY: 'only-the-mail-server-knows-this',
  BOUNCES_MAILGUN_KEY: 'only-the-provider-knows-this',
  BOUNCES_SES_TOPICS: 'arn:aws:sns:eu-west-1:123456789012:bounces',
}

let world: World
let form: NamedForm
beforeAll(async () => {
  // Few slots: four requests are executed at a time, 128 may wait.
  const env = { TRUST_PROXY: '1', DATABASE_POOL_SIZE: '1', ...bounceKeys }
  const timeouts = { bodyMs: 30_000, responseMs: 30_000, transferMs: 300 }
  world = await newWorld({ server: await newServer(env, { timeouts }) })
  form = await world.form()
})

/** Opens a connection of this network and sends the start of a request. */
async function begin(from: string, path: string, { method = 'POST', length = 1_000 } = {}): Promise<Socket> {
  const socket = connect(world.server.app.address.port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${from}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`,
  )
  return socket
}

const beginAll = (count: number, from: string, path: string) =>
  Promise.all(Array.from({ length: count }, () => begin(from, path)))

const report = async (from: string, provider: string, body: object) => {
  const headers = { 'x-forwarded-for': from, 'content-type': 'application/json' }
  const url = `${world.server.url}/hooks/bounces/${provider}`
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

const paths = () => ['/graphql', `/f/${form.databaseId}`, '/console/sign-in', '/hooks/bounces/generic?key=x']

describe('strangers with unfinished requests', () => {
  it('take nothing from tenants and visitors', async () => {
    for (const [n, path] of paths().entries()) await beginAll(100, `203.0.113.${n}`, path)
    await until(async () => (await fetch(`${world.server.url}/livez`)).status === 200)
    for (let turn = 0; turn < 5; turn += 1) {
      expect((await world.ask('{ viewer { email } }')).status).toBe(200)
      const rest = await fetch(`${world.server.url}/v1/contacts`, {
        headers: { authorization: `Bearer ${world.mainKey}` },
      })
      expect(rest.status).toBe(200)
      const visitor = {
        'x-forwarded-for': '198.51.100.9',
        accept: 'application/json',
        'content-type': 'application/json',
      }
      const page = await fetch(`${world.server.url}/f/${form.databaseId}`, { headers: visitor })
      expect(page.status).toBe(200)
      const answers = { [form.questions[0]?.databaseId ?? 0]: 'yes' }
      const submitted = await fetch(`${world.server.url}/f/${form.databaseId}`, {
        method: 'POST',
        headers: visitor,
        body: JSON.stringify({ answers, complete: true }),
      })
      expect(submitted.status).toBe(200)
    }
  })

  it('lose the oldest of one network above its limit, and others keep theirs', async () => {
    const other = await begin('198.51.100.9', '/graphql')
    const first = await begin('192.0.2.1', '/graphql')
    const dropped = once(first, 'close')
    // The first two seconds of an unfinished request belong to it.
    const later: Socket[] = []
    await until(async () => {
      if (first.destroyed) return true
      if (later.length < unfinishedPerNetwork + 10) later.push(await begin('192.0.2.1', '/graphql'))
      else later.shift()?.destroy()
      return first.destroyed
    })
    await dropped
    expect(other.destroyed).toBe(false)
  })

  it('are refused before a body of megabytes is read, if their credentials are in the headers', async () => {
    const socket = await begin('203.0.113.50', '/hooks/bounces/dsn', { length: 10_000_000 })
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401 /)
  })

  it('are refused before a signed body is read, if four of their network are being read', async () => {
    const path = '/hooks/bounces/ses'
    const first = await beginAll(4, '203.0.113.52', path)
    const [refused] = (await once(await begin('203.0.113.52', path), 'data')) as [Buffer]
    expect(refused.toString()).toMatch(/^HTTP\/1.1 503 /)
    // The rest of the body is not read.
    expect(refused.toString()).toMatch(/^Connection: close\r$/im)
    expect(await report('203.0.113.53', 'mailgun', { signature: 'none' })).toBe(401)
    for (const socket of first) socket.destroy()
    await until(async () => (await report('203.0.113.52', 'ses', {})) === 400)
  })

  it('are refused before a signed body is read, if sixty of their network had no valid signature', async () => {
    const sign = (timestamp: string, token: string) =>
      createHmac('sha256', bounceKeys.BOUNCES_MAILGUN_KEY).update(`${timestamp}${token}`).digest('hex')
    const signed = () => {
      const [timestamp, token] = [String(Math.floor(Date.now() / 1_000)), randomBytes(25).toString('hex')]
      return { signature: { timestamp, token, signature: sign(timestamp, token) }, 'event-data': { event: 'opened' } }
    }
    const [provider, stranger] = ['203.0.113.54', '203.0.113.55']
    expect(await report(provider, 'mailgun', signed())).toBe(200)
    for (const from of [provider, stranger])
      for (let turn = 0; turn < 60; turn += 1) expect(await report(from, 'mailgun', {})).toBe(401)
    const [refused] = (await once(await begin(stranger, '/hooks/bounces/mailgun'), 'data')) as [Buffer]
    expect(refused.toString()).toMatch(/^HTTP\/1.1 429 /)
    expect(refused.toString()).toMatch(/^Retry-After: \d+\r$/im)
    expect(await report(provider, 'mailgun', signed())).toBe(200)
    expect(await report('203.0.113.56', 'mailgun', signed())).toBe(200)
  })

  it('are refused before a body that is too large is read', async () => {
    const funnel = await world.funnel()
    const step = await world.step(funnel, { content: page({ type: 'form' }) })
    const { subdomain } = (await world.run('{ account { subdomain } }')).account
    const paths = [`/f/${form.databaseId}`, `/p/${subdomain}/${funnel.databaseId}/${step.path}`]
    for (const path of paths) {
      const socket = await begin('203.0.113.51', path, { length: 3_000_000 })
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /)
    }
  })

  it('do not keep the slot of an upload that hardly moves', async () => {
    const document = 'mutation ($input: ContactImportCreateInput!) { contactImportCreate(input: $input) { uploadUrl } }'
    const { uploadUrl } = (await world.run(document, { input: {} })).contactImportCreate
    const { pathname, search } = new URL(uploadUrl)
    const socket = await begin('203.0.113.60', pathname + search, { method: 'PUT', length: 1_000_000 })
    socket.resume()
    await once(socket, 'close')
  })
})
