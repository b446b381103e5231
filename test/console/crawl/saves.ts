import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import type { WatchedTab } from './watched-tab.ts'

/** A text field as the page describes it. */
interface Field {
  readonly number: number
  readonly name: string
  readonly type: string
  readonly value: string
  /** The text around it: its label, description and what is wrong with its value. */
  readonly note: string
}

/** A screen with fields, and what opens those that are not shown at first. */
export interface FieldPlace {
  readonly path: string
  readonly open?: (tab: WatchedTab) => Promise<unknown>
}

/** What came of changing all fields of a screen without a connection. */
export interface SavesFound {
  /** Names of the fields that tried to save. */
  readonly saved: readonly string[]
  readonly faults: readonly string[]
}

const unsaved = /Not saved|could not be reached/

const saveAfterMs = 1_500

/** Returns another valid value of a field. */
function otherValue({ type, value }: Field): string {
  if (type === 'number' || type === 'decimal') return String(Number(value || 0) + 1)
  if (type === 'email') return `x${value || '@example.com'}`
  if (type === 'url') return `${value || 'https://example.com'}/x`
  if (type === 'date') return '2031-02-03'
  if (type === 'tel') return `${value || '+41 44'} 1`
  return `${value} x`
}

/**
 * Changes each text field of a screen while no change reaches the server. What was not saved must be marked at its field, also
 * after the screen was loaded again, and can be discarded there.
 */
export async function failAllSaves(tab: WatchedTab, place: FieldPlace): Promise<SavesFound> {
  const faults: string[] = []
  const { typed, shown } = await typeWithoutConnection(tab, place, faults)
  await show(tab, place)
  // What a part of the screen loads for itself is shown after the others.
  await expect.poll(async () => (await fieldsOf(tab)).length, { timeout: 20_000 }).toBe(shown)
  const fields = await fieldsOf(tab)
  for (const [number, { name, value }] of typed) {
    const now = fields[number]
    if (now?.value !== value)
      faults.push(`${name}: “${now?.value}” instead of “${value}” after the screen was loaded again`)
    if (!unsaved.test(now?.note ?? '')) faults.push(`${name} is not marked after the screen was loaded again`)
  }
  await discardAll(tab, faults)
  await tab.happened()
  return {
    saved: [...typed.values()].map(({ name }) => name),
    faults: faults.map((fault) => `${place.path}: ${fault}`),
  }
}

const fieldsOf = (tab: WatchedTab) => tab.page.evaluate<Field[]>('crawl.fields()')

async function show(tab: WatchedTab, { path, open }: FieldPlace): Promise<void> {
  await tab.go(path)
  await open?.(tab)
  await tab.settle()
}

/** Returns what was typed in fields that tried to save it, by their numbers, and how many fields were shown in the end. */
async function typeWithoutConnection(tab: WatchedTab, place: FieldPlace, faults: string[]) {
  const { page } = tab
  await show(tab, place)
  const typed = new Map<number, { name: string; value: string }>()
  await withoutChanges(tab, async (attempts) => {
    for (const field of await fieldsOf(tab)) {
      const [before, value] = [attempts(), otherValue(field)]
      const input = page.locator(`[data-field="${field.number}"]`)
      await input.fill(value)
      await input.blur()
      await tab.settle()
      // Some texts are saved a moment after the last key.
      if (attempts() === before)
        await page.waitForEvent('requestfailed', { timeout: saveAfterMs }).catch(() => undefined)
      if (attempts() === before) continue
      await tab.settle()
      const now = (await fieldsOf(tab))[field.number]
      typed.set(field.number, { name: field.name, value })
      if (now?.value !== value) faults.push(`${field.name} is “${now?.value}” after it was not saved`)
      if (!unsaved.test(now?.note ?? '')) faults.push(`${field.name} is not marked`)
    }
  })
  return { typed, shown: (await fieldsOf(tab)).length }
}

/** Runs work while changes do not reach the server. The work can ask how many were tried. */
export async function withoutChanges(tab: WatchedTab, work: (attempts: () => number) => Promise<void>): Promise<void> {
  let attempts = 0
  const stop = async (route: Route) => {
    if (!/^\s*mutation/.test(JSON.parse(route.request().postData() ?? '{}').query)) return route.fallback()
    attempts += 1
    return route.abort()
  }
  await tab.page.route('**/graphql', stop)
  await work(() => attempts)
  await tab.page.unroute('**/graphql', stop)
}

/** Discards what is marked, and reports what is still marked then. */
async function discardAll(tab: WatchedTab, faults: string[]): Promise<void> {
  const discard = tab.page.locator('#main').getByRole('button', { name: 'Discard' })
  for (let left = await discard.count(); left > 0; left -= 1) await discard.first().click()
  const marked = await tab.page.locator('#main').getByText('Not saved').count()
  if (marked > 0) faults.push(`${marked} values are still marked after they were discarded`)
}
