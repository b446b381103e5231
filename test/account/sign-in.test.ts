import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { temporaryFolder, until } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import { consoleHeaders, cookieOf, follow, linkFor, newUser, signIn, signInAgain } from '../support/session.ts'
import { newSocket } from '../support/socket.ts'
import { newWorld, type World } from '../support/world.ts'

const Viewer = '{ viewer { accountName keyName role scopes user { email role sessions { id isCurrent userAgent } } } }'
const dayMs = 24 * 60 * 60 * 1000

const askAs = (world: World, headers: Readonly<Record<string, string>>, query = '{ viewer { role } }') =>
  world.ask(query, {}, { key: null, headers })
const post = (server: Pick<Server, 'url'>, email: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/console/sign-in`, {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-origin', ...headers },
    body: new URLSearchParams({ email }),
  })

describe('a link to sign in', () => {
  it('signs the user in once, and GET does not use it', async () => {
    const world = await newWorld()
    const user = await newUser(world, 'OWNER', 'Ada@Example.com')
    const link = await linkFor(world, user.id)
    for (const method of ['GET', 'HEAD', 'GET']) expect((await fetch(link, { method })).status).toBe(200)
    expect(await (await fetch(link)).text()).toContain('Sign in to Ada &#38; Co as ada@example.com.')
    const used = await follow(link, { 'user-agent': 'Browser' })
    expect([used.status, used.headers.get('location')]).toEqual([303, '/console'])
    expect(used.headers.get('set-cookie')).toMatch(
      /^campanile-session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/,
    )
    expect([(await follow(link)).status, (await fetch(link)).status]).toEqual([410, 410])
    const { body } = await askAs(world, { ...consoleHeaders, cookie: cookieOf(used) }, Viewer)
    const sessions = [{ id: expect.any(String), isCurrent: true, userAgent: 'Browser' }]
    const viewer = { accountName: 'Ada & Co', keyName: '', role: 'OWNER', scopes: null }
    expect(body.data.viewer).toEqual({ ...viewer, user: { email: 'ada@example.com', role: 'OWNER', sessions } })
  })

  it('signs one of two concurrent browsers in', async () => {
    const world = await newWorld()
    const link = await linkFor(world, (await newUser(world, 'ADMIN')).id)
    const statuses = await Promise.all(Array.from({ length: 5 }, async () => (await follow(link)).status))
    expect(statuses.sort()).toEqual([303, 410, 410, 410, 410])
  })

  it('expires after 15 minutes', async () => {
    const clock = settableClock(new Date())
    const world = await newWorld({ server: await newServer({}, { clock }) })
    const link = await linkFor(world, (await newUser(world, 'ADMIN')).id)
    clock.set(new Date(clock.now().getTime() + 15 * 60_000))
    expect([(await fetch(link)).status, (await follow(link)).status]).toEqual([410, 410])
  })

  it('is stored as a hash, like the token of a session', async () => {
    const world = await newWorld()
    const link = await linkFor(world, (await newUser(world, 'ADMIN')).id)
    const { cookie } = await signIn(world)
    const stored = JSON.stringify([
      await world.rows('SELECT * FROM sign_in_link'),
      await world.rows('SELECT * FROM session'),
    ])
    expect(stored).not.toContain(link.split('/').at(-1))
    expect(stored).not.toContain(cookie.split('=')[1])
  })

  it('returns 403 to a form of another site, which could sign a browser in as another user', async () => {
    const world = await newWorld()
    const link = await linkFor(world, (await newUser(world, 'ADMIN')).id)
    const foreign = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
    ]
    for (const headers of foreign) expect((await follow(link, headers)).status).toBe(403)
    expect((await follow(link, { origin: world.server.url })).status).toBe(303)
  })

  it.each(['x', 'A'.repeat(43), '%00', 'A'.repeat(5000)])(
    'returns 410 for a token that does not exist: %#',
    async (token) => {
      const { server } = await newWorld()
      for (const method of ['GET', 'POST'])
        expect((await fetch(`${server.url}/console/sign-in/${token}`, { method })).status).toBe(410)
    },
  )
})

describe('a session', () => {
  it('has a new token at each sign-in, whatever cookie the browser sends, and ends the session before', async () => {
    const world = await newWorld()
    const user = await newUser(world, 'EDITOR')
    const fixed = `campanile-session=${'A'.repeat(43)}`
    const first = cookieOf(await follow(await linkFor(world, user.id), { cookie: fixed }))
    expect(first).not.toBe(fixed)
    const second = cookieOf(await follow(await linkFor(world, user.id), { cookie: first }))
    expect(second).not.toBe(first)
    expect((await askAs(world, { ...consoleHeaders, cookie: first })).status).toBe(401)
    expect((await askAs(world, { ...consoleHeaders, cookie: second })).body.data.viewer.role).toBe('EDITOR')
  })

  it('ends after 30 days without a request, and after 90 days', async () => {
    const clock = settableClock(new Date())
    const world = await newWorld({ server: await newServer({}, { clock }) })
    const [idle, used] = [await signIn(world), await signIn(world)]
    const later = (days: number) => clock.set(new Date(clock.now().getTime() + days * dayMs))
    later(20)
    expect((await askAs(world, used.headers)).status).toBe(200)
    later(20)
    expect((await askAs(world, idle.headers)).status).toBe(401)
    expect((await askAs(world, used.headers)).status).toBe(200)
    later(25)
    expect((await askAs(world, used.headers)).status).toBe(200)
    later(26)
    expect((await askAs(world, used.headers)).status).toBe(401)
  })

  it('is listed and revoked by its user only, and signs out', async () => {
    const world = await newWorld()
    const user = await newUser(world, 'ANALYST')
    const [one, two, three] = [
      await signInAgain(world, user),
      await signInAgain(world, user),
      await signInAgain(world, user),
    ]
    const stranger = await signIn(world)
    const sessionsOf = async (headers: Readonly<Record<string, string>>) =>
      (await askAs(world, headers, Viewer)).body.data.viewer.user.sessions as { id: string; isCurrent: boolean }[]
    const mine = await sessionsOf(one.headers)
    expect(mine.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, false, true])
    const { body } = await askAs(world, stranger.headers, '{ users { nodes { sessions { id } } } }')
    expect(body.data.users.nodes.filter((each: { sessions: unknown }) => each.sessions === null)).toHaveLength(1)

    const revoke = (headers: Readonly<Record<string, string>>, id?: string) =>
      askAs(world, headers, `mutation { sessionRevoke(input: { id: "${id}" }) { deletedSessionId } }`)
    const other = mine.find(({ isCurrent }) => !isCurrent)
    expect((await revoke(stranger.headers, other?.id)).body.errors[0].extensions.code).toBe('NOT_FOUND')
    expect((await revoke(one.headers, other?.id)).body.data.sessionRevoke.deletedSessionId).toBe(other?.id)
    expect(await sessionsOf(one.headers)).toHaveLength(2)
    const others = await askAs(world, one.headers, 'mutation { sessionRevokeOthers(input: {}) { count } }')
    expect(others.body.data.sessionRevokeOthers.count).toBe(1)
    for (const { headers } of [two, three]) expect((await askAs(world, headers)).status).toBe(401)
    expect(
      (await askAs(world, one.headers, 'mutation { sessionEnd(input: {}) { deletedSessionId } }')).body.errors,
    ).toBeUndefined()
    expect((await askAs(world, one.headers)).status).toBe(401)
  })

  it('returns FORBIDDEN for a key that ends sessions', async () => {
    const world = await newWorld()
    for (const mutation of [
      'sessionEnd(input: {}) { deletedSessionId }',
      'sessionRevokeOthers(input: {}) { count }',
      'sessionRevoke(input: { id: 1 }) { deletedSessionId }',
    ])
      expect((await world.fault(`mutation { ${mutation} }`)).extensions.code).toBe('FORBIDDEN')
  })

  it('has links and access tokens that end with it', async () => {
    const world = await newWorld()
    const analyst = await signIn(world, 'ANALYST')
    const link = await askAs(world, analyst.headers, '{ exportLink(list: CONTACTS) { url } }')
    const url = new URL(link.body.data.exportLink.url, world.server.url)
    expect((await fetch(url)).status).toBe(200)
    const token = await askAs(
      world,
      analyst.headers,
      'mutation { accessTokenCreate(input: { scopes: [CONTACTS_READ] }) { token } }',
    )
    expect(token.body.data.accessTokenCreate.token).toMatch(/^cma_/)
    await askAs(world, analyst.headers, 'mutation { sessionEnd(input: {}) { deletedSessionId } }')
    expect((await fetch(url)).status).toBe(404)
  })
})

describe('the session cookie', () => {
  it('is accepted only from a page of this origin', async () => {
    const world = await newWorld()
    const { cookie } = await signIn(world)
    const own = world.server.url
    const statusOf = async (headers: Record<string, string>) => (await askAs(world, { cookie, ...headers })).status
    const header = { 'x-campanile-console': '1' }
    expect(await statusOf({ ...header })).toBe(200)
    expect(await statusOf({ ...header, 'sec-fetch-site': 'same-origin', origin: own })).toBe(200)
    expect(await statusOf({})).toBe(401)
    expect(await statusOf({ origin: own, 'sec-fetch-site': 'same-origin' })).toBe(401)
    expect(await statusOf({ ...header, origin: 'https://evil.example' })).toBe(401)
    expect(await statusOf({ ...header, origin: 'null' })).toBe(401)
    for (const site of ['cross-site', 'same-site', 'none'])
      expect(await statusOf({ ...header, 'sec-fetch-site': site })).toBe(401)
    const form = await fetch(`${own}/graphql`, {
      method: 'POST',
      headers: { cookie },
      body: new URLSearchParams({ query: '{ viewer { role } }' }),
    })
    expect(form.status).toBe(401)
  })

  it('is ignored with an Authorization header', async () => {
    const world = await newWorld()
    const { headers } = await signIn(world)
    expect((await world.run('{ viewer { keyName role } }', {}, { headers })).viewer).toEqual({
      keyName: 'main',
      role: null,
    })
    expect((await askAs(world, { ...headers, authorization: 'Bearer cmp_wrong' })).status).toBe(401)
  })

  it('is ignored by the REST API, and no other origin can read a response with credentials', async () => {
    const world = await newWorld()
    const { headers } = await signIn(world)
    for (const path of ['/v1/contacts', '/sequences'])
      expect((await fetch(`${world.server.url}${path}`, { headers })).status).toBe(401)
    const preflight = await fetch(`${world.server.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-campanile-console',
      },
    })
    expect(preflight.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('has the prefix __Host- and is secure if BASE_URL has https', async () => {
    const world = await newWorld({ server: await newServer({ BASE_URL: 'https://app.example.com' }) })
    const user = await newUser(world, 'OWNER')
    const token = (await linkFor(world, user.id)).split('/').at(-1)
    const used = await follow(`http://127.0.0.1:${world.server.app.address.port}/console/sign-in/${token}`, {
      origin: 'https://app.example.com',
    })
    expect(used.headers.get('set-cookie')).toMatch(
      /^__Host-session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
    )
  })

  it('opens a WebSocket of the same origin without a key, and not one of another origin', async () => {
    const world = await newWorld()
    const { cookie } = await signIn(world)
    const own = newSocket(world.server, undefined, { cookie, origin: world.server.url })
    expect(await own.ask('{ viewer { role } }')).toMatchObject({ data: { viewer: { role: 'OWNER' } } })
    for (const origin of ['https://evil.example', 'null', ''])
      await expect(
        newSocket(world.server, undefined, { cookie, ...(origin && { origin }) }).ask('{ viewer { role } }'),
      ).rejects.toMatchObject({ code: 4401 })
  })
})

describe('the page that sends links', () => {
  it('answers the same for an address without user, and sends a link to each account of the address', async () => {
    const folder = await temporaryFolder()
    const world = await newWorld({
      server: await newServer({ ROLES: 'api,worker', DATA_DIR: folder, PUBLIC_RATE_PER_IP: '100000' }),
    })
    const email = 'grace@example.com'
    await newUser(world, 'EDITOR', email)
    await newUser(await world.other(), 'OWNER', email)
    const page = async (address: string) => {
      const response = await post(world.server, address)
      return [response.status, (await response.text()).replace(address, '')]
    }
    expect(await page('nobody@example.com')).toEqual(await page(email))
    const mails = async () => {
      const files = await readdir(join(folder, 'mail')).catch(() => [])
      const names = files.filter((name) => name.endsWith('.eml'))
      return Promise.all(names.map(async (name) => simpleParser(await readFile(join(folder, 'mail', name)))))
    }
    await until(async () => (await mails()).length === 2)
    const links = (await mails()).map(({ text }) => /http\S+/.exec(text ?? '')?.[0] ?? '')
    for (const link of links) expect((await follow(link)).status).toBe(303)
    // A message is sent before its job ends.
    const jobs = async () => (await world.rows('SELECT FROM graphile_worker._private_jobs')).length
    await until(async () => (await jobs()) === 0)
  })

  it('does the same work for each address: it stores a job, and reads no user', async () => {
    const world = await newWorld()
    const { email } = await newUser(world, 'EDITOR')
    for (const each of [email, 'nobody@example.com']) expect((await post(world.server, each)).status).toBe(200)
    const jobs = await world.rows<{ payload: unknown }>('SELECT payload FROM graphile_worker._private_jobs')
    expect(jobs.map(({ payload }) => payload)).toEqual([{ email }, { email: 'nobody@example.com' }])
    const links = await world.rows('SELECT 1 FROM sign_in_link WHERE account_id = $1', [world.accountId])
    expect(links).toEqual([])
  })

  it('returns 422 for another text, 403 for another site, and 429 for too many requests', async () => {
    const server = await newServer({ PUBLIC_RATE_PER_IP: '30' })
    expect((await fetch(`${server.url}/console/sign-in`)).status).toBe(200)
    expect((await post(server, 'no address')).status).toBe(422)
    expect((await post(server, 'a@example.com', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    for (let count = 0; count < 10; count += 1) {
      expect((await post(server, `b${count}@example.com`)).status).toBe(200)
    }
    expect((await post(server, 'c@example.com')).status).toBe(429)
  })

  it('answers the same to a person for whom others ask all the time, and sends three links a minute', async () => {
    const world = await newWorld({ server: await newServer({ TRUST_PROXY: '1' }) })
    const { email } = await newUser(world, 'EDITOR', 'asked-for@example.com')
    const pages = new Set<string>()
    for (let count = 0; count < 12; count += 1) {
      const response = await post(world.server, email, { 'x-forwarded-for': `203.0.113.${count}` })
      pages.add(`${response.status} ${await response.text()}`)
    }
    expect([...pages]).toEqual([expect.stringMatching(/^200 .*Check your mailbox/s)])
    expect(await world.rows('SELECT FROM graphile_worker._private_jobs')).toHaveLength(3)
  })

  it('is absent with CONSOLE=off, and sessions are not accepted', async () => {
    const world = await newWorld()
    const { headers } = await signIn(world)
    const off = await newServer({ CONSOLE: 'off', DATABASE_URL: world.server.databaseUrl })
    expect((await fetch(`${off.url}/console/sign-in`)).status).toBe(404)
    expect((await world.ask('{ viewer { role } }', {}, { key: null, headers, server: off })).status).toBe(401)
  })
})
