import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/**
 * Path of Chromium: `CHROMIUM_PATH`, or a common location. Undefined if it is not installed. The one without a window, which
 * takes a quarter less time, is first.
 */
export const chromiumPath: string | undefined = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path))

/**
 * Whether tests that need a browser cannot run here; `describe.skipIf(isWithoutBrowser)` reports them as skipped. If
 * `CHROMIUM_PATH` is set, a browser is expected: a wrong path fails the tests and does not skip them.
 */
export const isWithoutBrowser = chromiumPath === undefined && !process.env['CHROMIUM_PATH']

/** Time limit of an action in a page, in milliseconds: below that of a test, which would not name the action. */
const actionTimeout = 100_000

/** Starts a headless browser. The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium on this machine.')
  // Chromium's sandbox does not work for root, which most containers use.
  const args = ['--no-sandbox', '--disable-dev-shm-usage']
  const browser = await chromium.launch({ executablePath: chromiumPath, args })
  return browser.on('context', (context) => context.setDefaultTimeout(actionTimeout))
}

/** The rules that depend on colours: all that another scheme of colours can break. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/** Screen sizes of the tests. */
export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 800 }

/**
 * Returns the violations that axe finds in a page, each as `impact rule: selector`: serious and critical ones, or also
 * moderate ones. It is evaluated from outside, so that the page's policy need not allow it. `rules` are those that are checked.
 */
export async function axeFaults(
  page: Page,
  least: 'moderate' | 'serious' = 'serious',
  rules?: readonly string[],
): Promise<string[]> {
  // What is still appearing has other colours.
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
    const ends = document.getAnimations().filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    await Promise.allSettled(ends.map(({ finished }) => finished))
  })()`)
  // It is 600 kB, and stays in the page.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})`,
  )
  const counted = least === 'moderate' ? ['moderate', 'serious', 'critical'] : ['serious', 'critical']
  return violations
    .filter(({ impact }) => counted.includes(impact ?? ''))
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
