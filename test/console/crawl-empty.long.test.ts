import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { Crawler } from './crawl/crawler.ts'
import { emptyPlacesOf, lists } from './crawl/places.ts'
import { expected } from './crawl/roles.ts'
import { openWatched } from './crawl/watched-tab.ts'
import { ensureConsole } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('an account without data', { timeout: 1_200_000 }, () => {
  let browser: Browser
  let world: World
  beforeAll(async () => {
    await ensureConsole()
    const env = { ROLES: 'api,worker', DEV_MAIL: 'on' }
    ;[browser, world] = await Promise.all([openBrowser(), newServer(env).then((server) => newWorld({ server }))])
  })
  afterAll(() => browser?.close())

  /** What creates the first object of each list. */
  const creates: Readonly<Record<string, RegExp>> = {
    '/contacts': /^New contact$/,
    '/contacts/import': /^Check the file$/,
    '/campaigns': /^New campaign$/,
    '/segments': /^New segment from contacts$/,
    '/sequences': /^New sequence$/,
    '/forms': /^New form$/,
    '/funnels': /^Choose a subdomain/,
    '/media': /^Upload files$/,
    '/sales': /^funnels$/,
    '/settings?tab=webhooks': /^Create webhook$/,
    '/settings?tab=domains': /^Add domain$/,
  }

  it.each(['OWNER', 'ANALYST'] as const)('offers what creates the first object to the role %s', async (role) => {
    const tab = await openWatched(browser, world, role)
    for (const [path, name] of Object.entries(creates)) {
      await tab.go(path)
      const { controls, shown } = await tab.look()
      expect(shown.empties.length, path).toBeGreaterThan(0)
      const offered = controls.filter((each) => name.test(each.name) && !each.isDisabled)
      // A link changes nothing.
      const isOffered = role === 'OWNER' || offered.some((each) => each.role === 'link')
      expect(offered.length, path).toBe(isOffered ? 1 : 0)
    }
    await tab.context.close()
  })

  it('leads on from each of its screens', async () => {
    const tab = await openWatched(browser, world, 'OWNER')
    const crawler = new Crawler(tab, { isExpected: (fault) => expected.all.test(fault), maxTrail: 1 })
    for (const path of Object.values(lists).flat()) await crawler.visit(path)
    const objects = await emptyPlacesOf(world)
    for (const path of Object.values(objects).flat()) await crawler.visit(path)
    const { faults, screens, clicks } = crawler.found
    expect(faults).toEqual([])
    expect(screens).toBeGreaterThanOrEqual(19)
    expect(clicks).toBeGreaterThanOrEqual(200)
    await tab.context.close()
  })
})
