import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unsubscribeToken, viewToken } from '../../src/mail/messages/message-tokens.ts'
import { apiRoutes } from '../../src/server/routes.ts'
import { isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import { ensureConsole } from '../console/open-console.ts'
import { newShop, page, subdomain } from '../funnels/documents.ts'
import { requestPage } from '../funnels/visiting.ts'
import { newServer } from '../support/server.ts'
import { consoleHeaders, linkFor, newUser, type SignedIn, signIn } from '../support/session.ts'
import type { World } from '../support/world.ts'

const attack = '<img src=x onerror="alert(1)"><script>fetch("/graphql")</script>'
const secret = 'a secret that only tests know'

/** Returns the sources that a policy allows for a directive, or those of `default-src`. */
function allowed(policy: string, directive: string): string[] {
  const directives = new Map(
    policy.split(/[;,]/).map((each) => {
      const [name = '', ...sources] = each.trim().split(/\s+/)
      return [name, sources]
    }),
  )
  return directives.get(directive) ?? directives.get('default-src') ?? ['*']
}

/** The paths with content of accounts or visitors. */
const tenantPaths = apiRoutes.filter(({ area }) => typeof area === 'object').map(({ path }) => path)

/** Creates content with an attack, and returns a function from the path of a route to an address with this content. */
async function newContent(world: World, name: string) {
  const form = await world.form({ name: attack, questions: [{ type: 'YES_NO', label: attack }] })
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content: page({ type: 'text', text: attack }, { type: 'form' }) })
  const { email } = (
    await world.run(
      `mutation { campaignContentSet(input: { id: ${(await world.campaign({})).databaseId}, html: ${JSON.stringify(attack)} }) {
        campaign { email { htmlUrl } } } }`,
    )
  ).campaignContentSet.campaign
  const ref = { accountId: world.accountId, recipientId: 0n }
  const addresses: Record<string, string> = {
    '/p/:subdomain/:funnel/:path': `/p/${name}/${funnel.databaseId}/${step.path}`,
    '/p/:subdomain/:funnel': `/p/${name}/${funnel.databaseId}`,
    '/f/:form': `/f/${form.databaseId}`,
    '/d/:token': new URL(email.htmlUrl).pathname,
    '/u/:token': `/u/${unsubscribeToken(secret, ref)}`,
    '/t/v/:token': `/t/v/${viewToken(secret, ref)}`,
    '/dev/mail/:file?': '/dev/mail',
  }
  return (path: string) => addresses[path] ?? path.replaceAll(/:\w+|\*/g, 'x')
}

describe('a page of an account on the host of the console', () => {
  it('runs no script of the content, connects to nothing, and neither uses nor sets the cookie of a session', async () => {
    const name = subdomain()
    const world = await newShop({ subdomain: name })
    const { cookie } = await signIn(world)
    const addressOf = await newContent(world, name)
    for (const each of ['/f/:form', '/p/:subdomain/:funnel/:path']) {
      const { status, headers, body } = await requestPage(world.server, addressOf(each), { cookie })
      expect(status, each).toBe(200)
      expect(body).toContain('alert(1)')
      expect(body).not.toMatch(/<script>fetch|<img[^>]*onerror/)
      const policy = String(headers['content-security-policy'])
      expect(allowed(policy, 'connect-src')).toEqual(["'none'"])
      expect(allowed(policy, 'base-uri')).toEqual(["'none'"])
      for (const source of allowed(policy, 'script-src')) expect(source).toMatch(/^'(none|sha256-[\w+/=]+)'$/)
      expect(JSON.stringify(headers['set-cookie'] ?? '')).not.toContain('session')
    }
  })

  it('does not change the visitor of a browser to which it was not shown', async () => {
    const name = subdomain()
    const world = await newShop({ subdomain: name })
    const { server } = world
    const addressOf = await newContent(world, name)
    for (const path of ['/f/:form', '/p/:subdomain/:funnel/:path'].map(addressOf)) {
      const attacker = await requestPage(server, path)
      const victim = await requestPage(server, path)
      const [, pass = ''] = /name="campanile_visitor" value="([^"]+)"/.exec(attacker.body) ?? []
      const [, at = ''] = /name="at" value="(\d+)"/.exec(attacker.body) ?? []
      const form = { campanile_visitor: pass, email: 'ada@example.com', ...(at && { at, [`q${at}`]: 'yes' }) }
      const post = () =>
        requestPage(server, path, { form, headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } })
      const posted = await post()
      expect([posted.status, posted.cookie], path).toEqual([303, undefined])
      const location = new URL(String(posted.headers['location']), server.url + path)
      const target = location.pathname + location.search
      expect((await requestPage(server, target, { cookie: victim.cookie })).cookie).toBeUndefined()
      expect((await requestPage(server, target)).cookie ?? '').not.toContain(attacker.cookie)
      if (path.startsWith('/p/')) {
        expect((await requestPage(server, target, { cookie: attacker.cookie })).cookie).toMatch(/^campanile_\d+=/)
      }
    }
  })
})

describe.skipIf(isWithoutBrowser)('whatever an account or a visitor stores', () => {
  let browser: Browser
  let context: BrowserContext
  let world: World
  let user: SignedIn
  let addressOf: (path: string) => string
  beforeAll(async () => {
    const name = subdomain()
    ;[browser, world] = await Promise.all([
      openBrowser(),
      newServer({ DEV_MAIL: 'on' }).then((server) => newShop({ subdomain: name, server })),
      ensureConsole(),
    ])
    addressOf = await newContent(world, name)
    user = await signIn(world)
    context = await browser.newContext()
    const [cookie = '', value = ''] = user.cookie.split('=')
    await context.addCookies([{ name: cookie, value, url: world.server.url, httpOnly: true, sameSite: 'Lax' }])
  })
  afterAll(() => browser?.close())

  /** Opens a path as if the server's own escaping and content policies had failed: only the sandbox is left. */
  async function openAttacked(path: string) {
    const tab = await context.newPage()
    await tab.route(world.server.url + path, async (route) => {
      const response = await route.fetch({ maxRedirects: 0 })
      const policies = response.headersArray().filter(({ name }) => name.toLowerCase() === 'content-security-policy')
      const sandbox = policies.flatMap(({ value }) => (value.startsWith('sandbox') ? value : []))
      await route.fulfill({
        headers: { 'content-type': 'text/html', 'content-security-policy': sandbox.join(', ') },
        body: '<!doctype html><title>attacked</title><script>document.title = "script"</script><form method="post"><button>x</button></form>',
      })
    })
    await tab.goto(world.server.url + path)
    return tab
  }

  /** What a script of the page has of the origin of the console. */
  const look = `(() => {
    const attempt = (act) => { try { return act() } catch { return 'blocked' } }
    return {
      origin: String(self.origin),
      cookie: attempt(() => document.cookie),
      storage: attempt(() => { localStorage.setItem('x', '1'); return localStorage.getItem('x') }),
    }
  })()`
  /** What it can do there. Only a page that may run scripts executes it. */
  const steal = `(async () => {
    const attempt = async (act) => { try { return await act() } catch { return 'blocked' } }
    const ask = (headers) => fetch('/graphql', { method: 'POST', credentials: 'include', headers,
      body: JSON.stringify({ query: '{ viewer { user { email } } }' }) }).then((response) => response.text())
    const frame = document.body.appendChild(document.createElement('iframe'))
    frame.src = '/livez'
    await new Promise((resolve) => { frame.onload = resolve })
    return {
      graph: await attempt(() => ask({ 'content-type': 'application/json', 'x-campanile-console': '1' })),
      frame: await attempt(() => frame.contentWindow.document.body.textContent),
    }
  })()`

  it.each(tenantPaths)('cannot use the session or the origin of the console: %s', async (path) => {
    const tab = await openAttacked(addressOf(path))
    expect(await tab.evaluate(look)).toEqual({ origin: 'null', cookie: 'blocked', storage: 'blocked' })
    const runsScripts = /^\/[cfp]\//.test(path)
    expect(await tab.title()).toBe(runsScripts ? 'script' : 'attacked')
    if (runsScripts) {
      expect(await tab.evaluate(steal)).toEqual({ graph: expect.not.stringContaining(user.email), frame: 'blocked' })
    }
    await tab.close()
  })

  it('could read the account if the page had the origin of the console, so that this test would notice', async () => {
    const tab = await context.newPage()
    await tab.goto(`${world.server.url}/livez`)
    expect(await tab.evaluate(look)).toMatchObject({ origin: world.server.url, storage: '1' })
    expect(await tab.evaluate(steal)).toEqual({ graph: expect.stringContaining(user.email), frame: '{"status":"ok"}' })
    await tab.close()
  })

  it('cannot sign the browser in or out', async () => {
    const tab = await openAttacked(addressOf('/f/:form'))
    const answered = tab.waitForResponse((response) => response.url().endsWith('/console/sign-in'))
    await tab.evaluate(`document.forms[0].action = '/console/sign-in'`)
    // A script that submits while the page still loads may be ignored.
    await tab.getByRole('button').click()
    expect((await answered).status()).toBe(403)
    // A tab that is closed while a page arrives may never say that it is closed.
    await tab.waitForURL(`${world.server.url}/console/sign-in`)
    await tab.close()
  })
})

describe('a console with a host of its own', () => {
  it('exists with its sessions on that host only, and the pages of accounts on all others, without a sandbox', async () => {
    await ensureConsole()
    const server = await newServer({ CONSOLE_URL: 'http://console.test', DEV_MAIL: 'on' })
    const name = subdomain()
    const world = await newShop({ subdomain: name, server })
    const addressOf = await newContent(world, name)
    const [there, here] = [{ host: 'console.test' }, { host: 'pages.test' }]
    for (const path of tenantPaths) {
      expect((await requestPage(server, addressOf(path), { headers: there })).status, path).toBe(404)
    }
    for (const path of ['/f/:form', '/p/:subdomain/:funnel/:path'].map(addressOf)) {
      const { status, headers } = await requestPage(server, path, { headers: here })
      expect([status, String(headers['content-security-policy']).includes('sandbox')]).toEqual([200, false])
    }
    for (const path of ['/console', '/console/sign-in', '/console/preview']) {
      expect((await requestPage(server, path, { headers: there })).status, path).toBe(200)
      expect((await requestPage(server, path, { headers: here })).status, path).toBe(421)
    }
    expect((await requestPage(server, '/', { headers: here })).headers['location']).toBe('http://console.test/console')
    const link = new URL(await linkFor(world, (await newUser(world, 'OWNER')).id))
    const sameOrigin = { ...consoleHeaders, ...there }
    const { cookie } = await requestPage(server, link.pathname, { method: 'POST', headers: sameOrigin })
    const viewer = async (headers: Record<string, string>) =>
      (
        await requestPage(server, '/graphql', {
          ...{ json: { query: '{ viewer { role } }' }, cookie, headers: { ...consoleHeaders, ...headers } },
        })
      ).status
    expect([await viewer(there), await viewer(here)]).toEqual([200, 401])
  })
})
