import { readFileSync } from 'node:fs'
import type { Browser, Request, Response } from 'playwright-core'
import type { Role } from '../../../src/kernel/scopes.ts'
import type { World } from '../../support/world.ts'
import { openTab, type Tab } from '../open-console.ts'

/** A control as the page describes it. */
export interface Control {
  /** Identifies it on its screen: its place, role and name, without what names the object it belongs to. */
  readonly key: string
  readonly name: string
  readonly role: string
  readonly place: string
  readonly isDisabled: boolean
  readonly href?: string
  /** Whether it is a link to a page that is no screen of the console. */
  readonly isOutside: boolean
  readonly isExpanded?: 'true' | 'false'
}

/** What is shown. */
export interface Shown {
  readonly text: string
  /** Texts of programs, which are no words of people. */
  readonly codes: readonly string[]
  readonly heading: string
  /** Reasons at fields, and alerts. */
  readonly errors: readonly string[]
  /** Messages at the edge of the window that report a failure. */
  readonly refusals: readonly string[]
  /** How many dialogs have no name. */
  readonly nameless: number
  readonly empties: readonly { readonly text: string; readonly isOnward: boolean }[]
}

/** All that is shown at a time. */
export interface Look {
  /** What is still under way after the limit. */
  readonly late: string
  readonly controls: readonly Control[]
  readonly shown: Shown
  /** What an open dialog, menu or list of choices is called; empty if none is open. */
  readonly overlay: string
}

/** What a click did, or that there was nothing to click. */
export type Effect = 'address' | 'request' | 'content' | 'focus' | 'file' | 'page' | 'current' | '' | undefined

/** A tab that can be asked for its controls, and reports what must not happen. */
export interface WatchedTab extends Tab {
  /** Address of the console. */
  readonly console: string
  /** Waits until nothing is under way, and returns all that is shown. */
  look(): Promise<Look>
  /** Returns to the screen before, without loading it again. Returns whether that was possible. */
  back(): Promise<boolean>
  click(key: string): Promise<Effect>
  /** Waits until nothing is under way. Returns what is still under way after the limit. */
  settle(): Promise<string>
  read(): Promise<Shown>
  /** Waits until the dialog at a place, or else each dialog, menu and list of choices, is closed. Returns whether that is so. */
  closed(place?: string): Promise<boolean>
  /** Returns what happened since the last call: script errors, failed requests, and errors that were shown for a moment. */
  happened(): Promise<string[]>
  /** Returns the operations, and the paths of other requests, that were sent since the last call. */
  sent(): ReadonlySet<string>
}

const script = readFileSync(new URL('in-page.browser.js', import.meta.url), 'utf8')

/** Signs a user in, in a tab that is watched. */
export async function openWatched(browser: Browser, world: World, role: Role): Promise<WatchedTab> {
  const tab = await openTab(browser, world, role)
  const { page, context } = tab
  await context.addInitScript(script)
  const events: string[] = []
  page.on('console', (message) => {
    const [, shown] = /^crawl: (.*)/.exec(message.text()) ?? []
    if (shown) events.push(`shown: ${shown}`)
  })
  // A body is read after the screen shows it, so what happened is known when those that arrived were read.
  const reading = new Set<Promise<void>>()
  let sent = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/console/assets')) sent.add(operationOf(request) ?? pathname)
  })
  page.on('response', (response) => {
    const read = failuresOf(response).then((found) => {
      events.push(...found)
      reading.delete(read)
    })
    reading.add(read)
  })
  page.on('dialog', (dialog) => {
    events.push(`a dialog of the browser: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const ask = <Answer>(call: string) => page.evaluate<Answer>(`crawl.${call}`)
  return {
    ...tab,
    console: `${world.server.url}/console`,
    look: () => ask('look()'),
    back: () => ask<boolean>('back()').catch(() => false),
    // A click that leaves the page ends the evaluation.
    click: (key) => ask<Effect>(`click(${JSON.stringify(key)})`).catch(() => 'page' as const),
    settle: () => ask('settle()'),
    read: () => ask('read()'),
    closed: (place) => ask(`closed(${JSON.stringify(place ?? '')})`),
    async go(path) {
      await tab.go(path)
      await ask('settle()')
    },
    async happened() {
      await Promise.all(reading)
      // The log names a request that was refused without its reason, which the response contains.
      const faults = tab.faults.splice(0).filter((fault) => !fault.startsWith('Failed to load resource'))
      return [...new Set([...events.splice(0), ...faults])]
    },
    sent() {
      const before = sent
      sent = new Set()
      return before
    },
  }
}

/** Returns the name of the GraphQL operation of a request. */
function operationOf(request: Request): string | undefined {
  return request.url().endsWith('/graphql') ? JSON.parse(request.postData() ?? '{}').operationName : undefined
}

/** Returns the failures in a response: each with its code, operation and message. */
async function failuresOf(response: Response): Promise<string[]> {
  const url = new URL(response.url())
  if (url.pathname !== '/graphql') return response.status() < 400 ? [] : [`${response.status()} ${url.pathname}`]
  // A stream has no end.
  if (!/json/.test(response.headers()['content-type'] ?? ''))
    return response.status() < 400 ? [] : [`${response.status()} ${url.pathname}`]
  const body = await response.json().catch(() => undefined)
  const name = operationOf(response.request())
  if (body === undefined) return response.status() < 400 ? [] : [`${response.status()} ${name}`]
  const errors = (body.errors ?? []) as { message: string; extensions?: { code?: string } }[]
  return errors.map(({ message, extensions }) => `${extensions?.code} ${name}: ${message}`)
}
