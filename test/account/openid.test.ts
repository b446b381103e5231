import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { consoleHeaders, cookieOf, follow, newUser } from '../support/session.ts'
import { newWorld, type World } from '../support/world.ts'
import { newProvider, type Provider } from './openid-provider.ts'

const start = '/console/sign-in/openid'
const get = (url: string, cookie = '') => fetch(url, { redirect: 'manual', headers: { ...(cookie && { cookie }) } })
const locationOf = (response: Response) => response.headers.get('location') ?? ''

describe('the sign-in with OpenID Connect', () => {
  let provider: Provider
  let world: World
  beforeAll(async () => {
    provider = await newProvider()
    world = await newWorld({
      server: await newServer({
        OPENID_ISSUER: provider.issuer,
        OPENID_CLIENT_ID: 'campanile',
        OPENID_CLIENT_SECRET: 'shh',
        PUBLIC_RATE_PER_IP: '100000',
      }),
    })
  })

  /** Signs in at the provider. Returns the URL to which it sends the browser back, and the cookie of the attempt. */
  async function visitProvider(claims: object) {
    provider.claims = { email_verified: true, ...claims }
    const started = await get(world.server.url + start)
    expect(started.status).toBe(302)
    const asked = new URL(locationOf(started))
    const back = await get(asked.href)
    return { asked, url: locationOf(back), cookie: cookieOf(started), line: started.headers.getSetCookie()[0] ?? '' }
  }
  /** Returns the status of the return, the text of its page, and the cookies that it sets. */
  async function comeBack(url: string, cookie: string) {
    const response = await get(url, cookie)
    const cookies = response.headers.getSetCookie().join('\n')
    return {
      status: response.status,
      text: await response.text(),
      cookies,
      hasSession: /-session=[\w-]{43}/.test(cookies),
    }
  }

  it('signs a user in by the verified address, with the cookie of all sessions', async () => {
    const user = await newUser(world, 'EDITOR', 'grace@example.com')
    const { asked, url, cookie, line } = await visitProvider({ email: 'Grace@Example.com' })
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'campanile',
      scope: 'openid email',
      redirect_uri: `${world.server.url}${start}/callback`,
      code_challenge_method: 'S256',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(line).toMatch(/^campanile-openid=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
    for (const hidden of ['state', 'nonce']) expect(line).not.toContain(asked.searchParams.get(hidden))
    const done = await get(url, cookie)
    expect([done.status, locationOf(done)]).toEqual([303, '/console'])
    expect(provider.tokenRequests.at(-1)?.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    const session = /campanile-session=[\w-]{43}/.exec(done.headers.getSetCookie().join(';'))?.[0] ?? ''
    const headers = { ...consoleHeaders, cookie: session }
    const { body } = await world.ask('{ viewer { role user { email signedInAt } } }', {}, { key: null, headers })
    expect(body.data.viewer).toEqual({ role: user.role, user: { email: user.email, signedInAt: expect.any(String) } })
    expect(done.headers.getSetCookie()[0]).toMatch(/^campanile-openid=; Max-Age=0/)
  })

  it('lets a person with users in several accounts choose one', async () => {
    const email = 'both@example.com'
    await newUser(world, 'EDITOR', email)
    await newUser(await world.other(), 'OWNER', email)
    const { url, cookie } = await visitProvider({ email })
    const { status, text, hasSession } = await comeBack(url, cookie)
    expect([status, hasSession]).toEqual([200, false])
    const links = [...text.matchAll(/href="(\/console\/sign-in\/[\w-]{43})"/g)].map(([, path]) => path ?? '')
    expect(links).toHaveLength(2)
    for (const link of links) expect((await follow(world.server.url + link)).status).toBe(303)
  })

  it.each([
    ['an address without user', { email: 'nobody@example.com' }, 'There is no user'],
    ['an address that is not verified', { email: 'grace@example.com', email_verified: false }, 'has not verified'],
    ['a verification that is a text', { email: 'grace@example.com', email_verified: 'true' }, 'has not verified'],
    ['no address', {}, 'has not verified'],
    ['another nonce', { email: 'grace@example.com', nonce: 'other' }, 'did not confirm'],
    ['another audience', { email: 'grace@example.com', aud: 'other' }, 'did not confirm'],
  ])('refuses %s on a page', async (_what, claims, message) => {
    const { url, cookie } = await visitProvider(claims)
    const { status, text, hasSession } = await comeBack(url, cookie)
    expect([status, hasSession]).toEqual([403, false])
    expect(text).toContain(message)
  })

  it('refuses another state, the answer to another browser, a second use, and a refusal of the provider', async () => {
    const { url, cookie } = await visitProvider({ email: 'grace@example.com' })
    const other = new URL(url)
    other.searchParams.set('state', 'A'.repeat(43))
    expect(await comeBack(other.href, cookie)).toMatchObject({ status: 403, hasSession: false })
    expect(await comeBack(url, '')).toMatchObject({ status: 400, hasSession: false })
    const stranger = await visitProvider({ email: 'grace@example.com' })
    expect(await comeBack(url, stranger.cookie)).toMatchObject({ status: 403, hasSession: false })
    const refused = new URL(url)
    refused.searchParams.delete('code')
    refused.searchParams.set('error', 'access_denied')
    expect(await comeBack(refused.href, cookie)).toMatchObject({ status: 403, hasSession: false })
  })

  it('refuses a token with the signature of another key', async () => {
    const { url, cookie } = await visitProvider({ email: 'grace@example.com' })
    provider.isForging = true
    const answered = await comeBack(url, cookie)
    provider.isForging = false
    expect(answered).toMatchObject({ status: 403, hasSession: false })
  })

  it('says so on a page within seconds if the provider does not answer', { timeout: 30_000 }, async () => {
    const { url, cookie } = await visitProvider({ email: 'grace@example.com' })
    provider.isSilent = true
    const { status, text, hasSession } = await comeBack(url, cookie)
    provider.isSilent = false
    expect([status, hasSession]).toEqual([502, false])
    expect(text).toContain('cannot be reached')
  })

  it('is offered on the page only if it is configured', async () => {
    expect(await (await get(`${world.server.url}/console/sign-in`)).text()).toContain(`href="${start}"`)
    const other = await newServer()
    expect(await (await get(`${other.url}/console/sign-in`)).text()).not.toContain(start)
    expect((await get(other.url + start)).status).toBe(404)
  })

  it('recovers when the provider was down at the first sign-in', async () => {
    const down = await newServer({
      OPENID_ISSUER: 'http://127.0.0.1:9',
      OPENID_CLIENT_ID: 'campanile',
      OPENID_CLIENT_SECRET: 'shh',
    })
    for (const _ of [1, 2]) {
      const response = await get(down.url + start)
      expect([response.status, await response.text()]).toEqual([502, expect.stringContaining('use a link by e-mail')])
    }
  })
})
