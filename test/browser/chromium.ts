import { existsSync } from 'node:fs'
import axe, { type AxeResults } from 'axe-core'
import { type Browser, chromium, type Page } from 'playwright-core'

/** Where a Chromium is: `CHROMIUM_PATH`, or where systems put it. Undefined on a machine without one. */
export const chromiumPath: string | undefined = [
  process.env['CHROMIUM_PATH'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
].find((path) => path !== '' && existsSync(path))

/**
 * Whether tests that need a browser cannot run here; `describe.skipIf(isWithoutBrowser)` reports them as skipped. Where
 * `CHROMIUM_PATH` is set, a browser is expected, and a wrong path is a failure and no reason to skip.
 */
export const isWithoutBrowser = chromiumPath === undefined && !process.env['CHROMIUM_PATH']

/** A headless browser, to be closed by whoever opened it. */
export async function openBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('There is no Chromium on this machine.')
  // Root, as in most containers, has no sandbox of Chromium's.
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** Screens that a page is looked at on. */
export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 800 }

/**
 * What axe finds wrong with a page, each as `impact rule: where`: what is serious or critical, or from `moderate` on. It is
 * evaluated from outside, so that the page's policy need not allow it.
 */
export async function axeFaults(page: Page, least: 'moderate' | 'serious' = 'serious'): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  const counted = least === 'moderate' ? ['moderate', 'serious', 'critical'] : ['serious', 'critical']
  return violations
    .filter(({ impact }) => counted.includes(impact ?? ''))
    .map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}
