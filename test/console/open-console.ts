import { existsSync, globSync, statSync } from 'node:fs'
import type { Browser, BrowserContext, Page } from 'playwright-core'
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
  /** Confirms the open question by its button. */
  confirm(verb: string): Promise<void>
}

const operationName = /(?:query|mutation|subscription) (\w+)/

/** Signs a user in, in a browser context of its own. */
export async function openTab(browser: Browser, world: World, role: Role = 'OWNER'): Promise<Tab> {
  const { url } = world.server
  const context = await browser.newContext({ viewport: desktop, locale: 'en-GB', reducedMotion: 'reduce' })
  const { cookie } = await signIn(world, role)
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Lax' }])
  const page = await context.newPage()
  const [operations, subscriptions, faults]: [string[], string[], string[]] = [[], [], []]
  const files: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url)) faults.push(`request to ${request.url()}`)
    if (request.url().includes('/console/assets/')) files.push(new URL(request.url()).pathname)
    if (request.url() === `${url}/graphql`) operations.push(JSON.parse(request.postData() ?? '{}').operationName)
  })
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
    confirm: (verb) => page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click(),
  }
}
