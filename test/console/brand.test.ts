import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('the brand in the console', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  it('is saved field by field, and shown in the sample', async () => {
    const { page } = tab
    await tab.go('/brand')
    const sample = page.frameLocator('iframe[title="Sample message"]')
    await sample.getByText('A sample message').waitFor()
    const set = async (label: string, value: string) => {
      await page.getByLabel(label, { exact: true }).fill(value)
      await page.getByLabel(label, { exact: true }).blur()
    }
    await set('Buttons and links', '#8a1c4a')
    await sample.locator('[style*="#8a1c4a"]').first().waitFor()
    await set('Postal address', 'Bell Street 1\nGhent')
    await sample.getByText('Bell Street 1').waitFor()
    await page.getByLabel('Font').selectOption('GEORGIA')
    await sample.locator('[style*="Georgia"]').first().waitFor()
    await set('Text', '#eeeeee')
    await page.getByText('Must have a contrast of at least 4.5').first().waitFor()
    expect(await axeFaults(page)).toEqual([])
    await set('Text', '#333333')
    const read = async () => (await world.run('{ brand { accentColor textColor font address } }')).brand
    await expect
      .poll(read)
      .toEqual({ accentColor: '#8a1c4a', textColor: '#333333', font: 'GEORGIA', address: 'Bell Street 1\nGhent' })
  })

  it('is shown as wide as a phone, and in dark colours, which a message can ask for', async () => {
    const { page } = tab
    await tab.go('/brand')
    const frame = page.locator('iframe[title="Sample message"]')
    await page.frameLocator('iframe[title="Sample message"]').getByText('A sample message').waitFor()
    const inside = await (await frame.elementHandle())?.contentFrame()
    const isDark = () => inside?.evaluate('matchMedia("(prefers-color-scheme: dark)").matches')
    const wide = (await frame.boundingBox())?.width ?? 0
    expect([wide > 375, await isDark()]).toEqual([true, false])
    await page.getByRole('radiogroup', { name: 'Width of the preview' }).getByText('Phone').click()
    await page.getByRole('radiogroup', { name: 'Colours of the preview' }).getByText('Dark').click()
    await expect.poll(isDark).toBe(true)
    expect((await frame.boundingBox())?.width).toBe(375)
    expect(await axeFaults(page)).toEqual([])
    await page.getByRole('radiogroup', { name: 'Colours of the preview' }).getByText('Light').click()
    await expect.poll(isDark).toBe(false)
  })
})
