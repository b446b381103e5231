import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Messages } from '@lingui/core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathWords } from '../../src/console/settings/audit-words.ts'
import { isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import { newReusableBlock } from '../content/reusable.ts'
import { newsletter } from '../mail/content.ts'
import type { World } from '../support/world.ts'
import { type Places, placesOf } from './crawl/places.ts'
import { openWatched, type WatchedTab } from './crawl/watched-tab.ts'
import { newConsole } from './open-console.ts'

/** Names of products and formats, which are the same in each language. */
const names = new Set(['Campanile', 'GraphiQL', 'Instagram', 'Mastodon', 'OpenAPI', 'PDF'])

/** What the server writes in messages that say nothing else. The canvas shows it as it will be read. */
const contents = ['Unsubscribe', 'View in browser', '▶ Watch the video']

/** A kind of blocks in the schema of messages. */
interface Kind {
  readonly properties: { readonly type: { readonly const: string } }
}

describe.skipIf(isWithoutBrowser)('the texts of the console', { timeout: 180_000 }, () => {
  let browser: Browser
  let world: World
  let places: Places
  let messages: readonly string[]
  let tab: WatchedTab
  const data = new Set<string>(contents)
  const reading: Promise<void>[] = []
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    places = await placesOf(world)
    messages = [await messageOfAllKinds(world), ...(places['/campaigns/$id'] ?? [])]
    tab = await openWatched(browser, world, 'OWNER')
    await tab.context.addInitScript("localStorage.setItem('language', 'en')")
    await usePseudoLocale(tab.page)
    tab.page.on('response', (response) => {
      const read = async () => collect(await response.json().catch(() => null), data)
      // A stream has no end.
      if (/json/.test(response.headers()['content-type'] ?? '')) reading.push(read())
    })
  })
  afterAll(() => browser?.close())

  it('are in the catalogue, also those behind tabs and in menus', async () => {
    const { page } = tab
    const read = new Set<string>()
    const opened = new Set<string>()
    const found: string[] = []
    const check = async (place: string) => {
      await tab.settle()
      await Promise.all(reading)
      for (const text of await page.evaluate<string[]>('crawl.texts()')) {
        const words = read.has(text) ? [] : untranslated(text, data)
        read.add(text)
        if (words.length > 0) found.push(`${place}: ${words.join(' ')} in “${text}”`)
      }
    }
    /** Goes to another screen without loading the page again, which takes most of the time. */
    const show = async (address: string) => {
      const before = await page.title()
      const isSameScreen = new URL(page.url()).pathname === `/console${address.replace(/\?.*/, '')}`
      await page.evaluate(`history.pushState(null, '', '/console${address}')`)
      if (!isSameScreen) await expect.poll(() => page.title()).not.toBe(before)
    }
    const { messageSchema } = await world.run('{ messageSchema }')
    const kinds: string[] = messageSchema.$defs.Block.oneOf.map(({ properties }: Kind) => properties.type.const)
    await tab.go('/nowhere')
    for (const [route, addresses] of Object.entries({ ...places, '/campaigns/$id': messages })) {
      for (const address of addresses) {
        await show(address)
        // The editor is loaded when it is shown.
        if (route.endsWith('$stepId') || address === messages[0]) await page.locator('.canvas').waitFor()
        await check(route)
        for (const block of await blocks(page)) {
          const face = page.locator(`#main button.block-face:has([data-type=${block}])`).first()
          const kind = `${block} of ${route}`
          if (opened.has(kind) || !(await face.isVisible())) continue
          opened.add(kind)
          await face.click()
          await page.locator('.block-settings details').evaluateAll(openAll)
          await check(`the block ${kind}`)
        }
        for (const each of await page.locator('#main [role=tab][aria-selected=false]').all()) {
          await each.click()
          await check(`a tab of ${route}`)
        }
        for (const each of await page.locator('#main [aria-haspopup=menu]:enabled:visible').all()) {
          await each.click()
          await check(`a menu of ${route}`)
          await page.keyboard.press('Escape')
        }
      }
    }
    expect(opened.size).toBeGreaterThan(kinds.length + 3)
    expect(kinds.filter((kind) => !opened.has(`${kind} of /campaigns/$id`))).toEqual([])
    expect(found).toEqual([])
    expect([...read].filter((text) => text.includes(sign)).length).toBeGreaterThan(400)
  })
})

/** Creates a message with a block of each kind, and returns the address of its editor. */
async function messageOfAllKinds(world: World): Promise<string> {
  const [{ id }, reusable] = [await world.campaign(), await newReusableBlock(world)]
  const last = { type: 'section', columns: [{ blocks: [{ type: 'reusable', reusableBlockId: reusable.id }] }] }
  await world.run(
    'mutation ($id: ID!, $content: JSON) { campaignContentSet(input: { id: $id, content: $content }) { campaign { id } } }',
    { id, content: { ...newsletter, sections: [...(newsletter['sections'] as object[]), last] } },
  )
  return `/campaigns/${id}?step=content`
}

const openAll = (all: readonly Element[]) => {
  for (const each of all) (each as HTMLDetailsElement).open = true
}

/** The kinds of blocks that are shown on a canvas. */
async function blocks(page: Page): Promise<string[]> {
  const faces = await page.locator('#main button.block-face > [data-type]').all()
  return [...new Set(await Promise.all(faces.map((each) => each.getAttribute('data-type'))))].flatMap(
    (type) => type ?? [],
  )
}

/** Added to each character of a word. */
const sign = '\u0301'

/** Serves the English catalogue with signs on its words, so that a text which is not in it is recognized. */
async function usePseudoLocale(page: Page): Promise<void> {
  const [path = ''] = globSync('dist/console/assets/en-*.js')
  const { messages } = (await import(resolve(path))) as { messages: Messages }
  const body = `export const messages = ${JSON.stringify(withSigns(messages))}`
  await page.route('**/assets/en-*.js', (route) => route.fulfill({ contentType: 'text/javascript', body }))
}

/** Adds the sign to the texts of compiled messages: `["Send ", ["n", "plural", { one: ["#", " mail"] }]]`. */
function withSigns(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/<[^>]*>|\p{L}/gu, (part) => (part.length > 1 ? part : part + sign))
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(Object(value)).map(([key, each]) => [key, withSigns(each)]))
  return value.map((token) => {
    if (!Array.isArray(token)) return withSigns(token)
    const [name, kind, forms] = token
    return forms === undefined ? token : [name, kind, withSigns(forms)]
  })
}

/** Collects the texts of an answer: what people have typed, and names of the graph, of which the audit log makes words. */
function collect(value: unknown, texts: Set<string>): void {
  if (typeof value === 'string')
    for (const text of [value, value.replace(/<[^>]*>/g, ' '), pathWords(value), nameOf(value)]) texts.add(text.trim())
  else {
    const { field, message } = Object(value)
    // A finding begins with the name of its field, in whose place the console has words.
    if (field && typeof message === 'string') texts.add(message.replace(/^[a-z]\w* /, ''))
    if (Array.isArray(value)) texts.add(nameOf(value.join(', ')))
    for (const each of Object.values(Object(value))) collect(each, texts)
  }
}

/** Returns the beginning of a text, with which a block is named. */
const nameOf = (text: string) => text.slice(0, 60)

/** Returns the words of a text that are neither in the catalogue nor data. */
function untranslated(text: string, data: ReadonlySet<string>): string[] {
  const known = [...data].filter((each) => each !== '' && text.includes(each))
  known.sort((one, other) => other.length - one.length)
  const pattern = (each: string) => new RegExp(`(?<!\\p{L})${RegExp.escape(each)}(?![\\p{L}\\p{M}])`, 'gu')
  const rest = known.reduce((left, each) => left.replace(pattern(each), ' '), text)
  return wordsIn(rest).filter((word) => !names.has(word) && !wordsOfDates.has(word))
}

/** Returns the words without signs. Merge fields, addresses, and names of files and events are none. */
function wordsIn(text: string): string[] {
  const own = text.replace(/\{\{[^}]*\}\}|\S*[@/_.]\S+/g, ' ')
  return own.match(/(?<![\p{L}\p{M}])[A-Za-z]{2,}(?![\p{L}\p{M}])/gu) ?? []
}

/** What the browser writes in dates and spans of time. */
const wordsOfDates = new Set(
  [
    ...Array.from({ length: 12 }, (_, month) =>
      new Intl.DateTimeFormat('en-GB', { month: 'long' }).format(new Date(0, month)),
    ),
    ...Array.from({ length: 12 }, (_, month) =>
      new Intl.DateTimeFormat('en-GB', { month: 'short' }).format(new Date(0, month)),
    ),
    ...(['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const).flatMap((unit) =>
      [-2, -1, 0, 1, 2].map((value) => new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' }).format(value, unit)),
    ),
  ].flatMap(wordsIn),
)
