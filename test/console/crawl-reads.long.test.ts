import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { type Places, placesOf, routes } from './crawl/places.ts'
import { failAllReads } from './crawl/reads.ts'
import { openWatched } from './crawl/watched-tab.ts'
import { newConsole } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('the console', { timeout: 600_000 }, () => {
  let browser: Browser
  let world: World
  let places: Places
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    places = await placesOf(world)
  })
  afterAll(() => browser?.close())

  it('is on a screen that is crawled', () => {
    expect(routes().filter((path) => !places[path]?.length)).toEqual([])
  })

  it.each([
    ['campaigns', 'draft'],
    ['sequences', 'sequence'],
    ['funnels', 'funnel'],
  ])('deletes a copy of %s, and nothing else', async (name) => {
    const tab = await openWatched(browser, world, 'OWNER')
    const { page } = tab
    const count = async () => (await world.run(`{ ${name} { totalCount } }`))[name].totalCount
    const before = await count()
    await tab.go(places[`/${name}/$id`]?.at(name === 'campaigns' ? 1 : 0) ?? '')
    const original = page.url()
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: action, exact: true }).click()
    }
    await choose('Duplicate')
    await page.waitForURL((url) => url.href !== original)
    await tab.settle()
    expect(await count()).toBe(before + 1)
    await choose('Delete')
    await tab.confirm('Delete')
    await page.waitForURL(new RegExp(`/${name}$`))
    await tab.settle()
    expect(await count()).toBe(before)
    expect(await tab.happened()).toEqual([])
    await tab.context.close()
  })

  it('shows no error for what the user has just deleted, however late the code of the next screen comes', async () => {
    const sequence = await world.sequence()
    const tab = await openWatched(browser, world, 'OWNER')
    const { page } = tab
    await tab.go(`/sequences/${encodeURIComponent(sequence.id)}`)
    const readAgain = page.waitForResponse(
      async (response) => /"sequence":null/.test(await response.text().catch(() => '')),
      { timeout: 100_000 },
    )
    await page.route('**/sequences-screen*.js', async (route) => {
      await readAgain
      await route.continue()
    })
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
    await tab.confirm('Delete')
    await readAgain
    await page.getByRole('heading', { name: 'Sequences', level: 1 }).waitFor()
    expect(await tab.happened()).toEqual([])
    await tab.context.close()
  })

  it('never shows an empty list beside an error', async () => {
    const tab = await openWatched(browser, world, 'OWNER')
    expect(await failAllReads(tab, Object.values(places).flat())).toEqual([])
    await tab.context.close()
  })
})
