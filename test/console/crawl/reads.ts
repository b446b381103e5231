import type { Route } from 'playwright-core'
import type { WatchedTab } from './watched-tab.ts'

/** Fields without which there is no screen at all. */
const kept = new Set(['viewer', 'account', 'eventCursor', '__typename'])

/** Answers a query as if each of its lists and objects had failed. */
async function failParts(route: Route): Promise<void> {
  if (!/^\s*query/.test(JSON.parse(route.request().postData() ?? '{}').query)) return route.fallback()
  const response = await route.fetch()
  const { data } = await response.json()
  const failed = Object.keys(data).filter((name) => !kept.has(name))
  const errors = failed.map((name) => ({ message: 'It failed.', path: [name], extensions: { code: 'INTERNAL_ERROR' } }))
  for (const name of failed) data[name] = null
  return route.fulfill({ response, json: { data, errors } })
}

const ways = {
  'nothing can be read': (route: Route) => route.abort(),
  'each part fails': failParts,
} as const

/**
 * Opens screens while nothing can be read. Returns where an error is not said, nothing leads on, or a list is shown as empty that
 * was not read.
 */
export async function failAllReads(tab: WatchedTab, paths: readonly string[]): Promise<string[]> {
  const faults: string[] = []
  for (const [way, answer] of Object.entries(ways)) {
    await tab.page.route('**/graphql', answer)
    for (const path of paths) {
      const where = `${path || '/'}, ${way}`
      await tab.page.goto(`${tab.console}${path}`)
      const alert = tab.page.getByRole('alert').filter({ hasText: 'Not everything could be read' })
      const isSaid = await alert
        .getByRole('button', { name: 'Try again' })
        .waitFor({ timeout: 60_000 })
        .then(
          () => true,
          () => false,
        )
      const isOver = await tab.page
        .locator('#main [aria-busy=true]')
        .first()
        .waitFor({ state: 'detached', timeout: 60_000 })
        .then(
          () => true,
          () => false,
        )
      const { empties, heading } = await tab.read()
      if (!isSaid) faults.push(`${where}: no error, but ${heading}`)
      if (!isOver) faults.push(`${where}: placeholders beside the error`)
      for (const { text } of empties) if (text !== 'This could not be read.') faults.push(`${where}: “${text}”`)
    }
    await tab.page.unroute('**/graphql', answer)
  }
  await tab.happened()
  return faults
}
