import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Role, roles } from '../../../src/kernel/scopes.ts'
import { isWithoutBrowser, openBrowser } from '../../browser/chromium.ts'
import type { World } from '../../support/world.ts'
import { newConsole } from '../open-console.ts'
import { Crawler, type Sent } from './crawler.ts'
import type { Places } from './places.ts'
import { openWatched, type WatchedTab } from './watched-tab.ts'

/** Failures that are as they should be. */
export const expected: Readonly<Partial<Record<Role, RegExp>>> & { readonly all: RegExp } = {
  // An element that was just added has no address yet, and the preview says so beside it.
  // A stage that is not complete says what it lacks.
  // A save that another one of the screen overtook is repeated. If it must not be, the screen says so.
  all: /^CONFLICT |^VALIDATION_ERROR StepPreview|^refused: .* Is required for the active stage|^VALIDATION_ERROR Stages?Update.*active stage/,
  // Only administrators read keys. The tab of the keys says so.
  EDITOR: /^FORBIDDEN Settings: This requires a key|^shown: This could not be read at \/console\/settings\?tab=keys/,
  ANALYST: /^FORBIDDEN Settings: This requires a key|^shown: This could not be read at \/console\/settings\?tab=keys/,
}

/**
 * Crawls these screens as a user with each role. A role clicks what the roles before it have not clicked, and what sends
 * something that it has not sent. The role with most controls comes first. `least` has numbers of controls, so that a crawl that
 * finds nothing to click fails.
 */
export function testCrawl(
  placesOf: (world: World) => Places | Promise<Places>,
  least: Readonly<Record<Role, number>>,
): void {
  describe.skipIf(isWithoutBrowser)('every control of the console', { timeout: 1_200_000 }, () => {
    let browser: Browser
    let world: World
    let places: Places
    let known: Sent = new Map()
    beforeAll(async () => {
      ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
      places = await placesOf(world)
    })
    afterAll(() => browser?.close())

    it.each(roles)('leads on for the role %s', async (role) => {
      const tab = await openWatched(browser, world, role)
      const isExpected = (fault: string) => expected.all.test(fault) || (expected[role]?.test(fault) ?? false)
      const crawler = new Crawler(tab, { isExpected, known })
      for (const path of Object.values(places).flat()) await crawler.visit(path)
      const { found } = crawler
      // The first role has the most: a later one did not send what was covered.
      known = new Map([...crawler.sent, ...known])
      expect(found.faults).toEqual([])
      const controls = found.clicks + found.covered
      expect(found.lost.length, found.lost.join(', ')).toBeLessThan(controls / 10)
      expect(controls).toBeGreaterThanOrEqual(least[role])
      await signOut(tab)
      await tab.context.close()
    })
  })
}

/** Ends the session, which is the last thing that can be clicked. */
async function signOut({ page, go }: WatchedTab): Promise<void> {
  // A dialog can still be open.
  await go('')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'You are not signed in' }).waitFor()
}
