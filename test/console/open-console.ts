import { existsSync, globSync, statSync } from 'node:fs'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import type { Role } from '../../src/kernel/scopes.ts'
import { desktop } from '../browser/chromium.ts'
import { start } from '../runtime/process.ts'
import { newDemo, onceInRun } from '../support/demo.ts'
import { signIn } from '../support/session.ts'
import type { World } from '../support/world.ts'

/** Builds the console of this checkout, unless the present build is newer than all its sources. */
export async function ensureConsole(): Promise<void> {
  await onceInRun('console', findConsole, async () => {
    // In the environment of the tests, NODE_ENV would select the development version of React.
    const { code, stderr } = await start('.config/build-console.ts').end
    if (code !== 0) throw new Error(`The console could not be built: ${stderr}`)
    return true
  })
}

/** Returns true if there is a build that is newer than all its sources. */
async function findConsole(): Promise<true | undefined> {
  const built = 'dist/console/index.html'
  const sources = globSync('{src/console,src/client}/**/*.*').map((path) => statSync(path).mtimeMs)
  return (existsSync(built) && statSync(built).mtimeMs > Math.max(...sources)) || undefined
}

/** Starts a server with the demonstration data, its jobs and the console. */
export async function newConsole(): Promise<World> {
  await ensureConsole()
  return newDemo({ ROLES: 'api,worker', DEV_MAIL: 'on' })
}

/** A tab in which a user is signed in. */
export interface Tab {
  readonly page: Page
  readonly context: BrowserContext
  /** Names of the GraphQL operations that were sent over HTTP. */
  readonly operations: string[]
  /** Names of the subscriptions that were started on the socket. */
  readonly subscriptions: string[]
  /** Requests to other hosts, script errors, and what the policy blocked. */
  readonly faults: string[]
  /** Paths of the assets that were loaded. */
  readonly files: string[]
  /** Opens a path of the console, and waits until its content is shown. */
  go(path: string): Promise<void>
  /** Waits until the answers to all requests of the graph have arrived, and none follows. */
  settled(): Promise<void>
  /** Confirms the open question by its button. */
  confirm(verb: string): Promise<void>
}

/** Waits until a page has rendered, and what that leads to was requested. */
const rendered =
  'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100))))'

const operationName = /(?:query|mutation|subscription) (\w+)/

/** Signs a user in, in a browser context of its own. The console can have another origin than public pages. */
export async function openTab(
  browser: Browser,
  world: World,
  role: Role = 'OWNER',
  url = world.server.url,
): Promise<Tab> {
  const own = [url, world.server.url]
  const context = await browser.newContext({
    ...{ viewport: desktop, locale: 'en-GB', reducedMotion: 'reduce' },
    // Not that of any account, whose times are never in that of the browser.
    timezoneId: 'America/New_York',
    // One that is set is that of the frames of previews too.
    colorScheme: null,
    // Without a window, Chromium asks nobody, and does not allow it.
    permissions: ['clipboard-write'],
  })
  const { cookie } = await signIn(world, role)
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  const [operations, subscriptions, faults]: [string[], string[], string[]] = [[], [], []]
  const files: string[] = []
  const pending = new Set<Request>()
  page.on('request', (request) => {
    if (!own.some((each) => request.url().startsWith(each))) faults.push(`request to ${request.url()}`)
    if (request.url().includes('/console/assets/')) files.push(new URL(request.url()).pathname)
    if (request.url() !== `${url}/graphql`) return
    operations.push(JSON.parse(request.postData() ?? '{}').operationName)
    pending.add(request)
  })
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => pending.delete(request))
  page.on('websocket', (socket) =>
    socket.on('framesent', ({ payload }) => {
      const { type, payload: sent } = JSON.parse(String(payload))
      if (type === 'subscribe') subscriptions.push(operationName.exec(sent.query)?.[1] ?? '')
    }),
  )
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()))
  page.on('pageerror', (error) => faults.push(error.message))
  return {
    ...{ page, context, operations, subscriptions, faults, files },
    async go(path) {
      await page.goto(`${url}/console${path}`)
      await page.locator('#main h1').waitFor()
      await page.locator('#main [aria-busy=true]').waitFor({ state: 'detached' })
    },
    async settled() {
      for (let known = -1; known !== operations.length || pending.size > 0; ) {
        known = operations.length
        await page.evaluate(rendered)
      }
    },
    confirm: (verb) => page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click(),
  }
}
