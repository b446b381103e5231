import { statSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, colorRules, desktop, isWithoutBrowser, openBrowser, phone } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

const firstIds = `{
  contacts(first: 1, filter: { hasOrders: true }) { nodes { id } }
  sent: campaigns(first: 1, filter: { status: [SENT] }) { nodes { id } }
  draft: campaigns(first: 1, filter: { status: [DRAFT] }) { nodes { id } }
  segments(first: 1) { nodes { id } }
  sequences(first: 1) { nodes { id } }
  forms(first: 1) { nodes { id } }
  funnels(first: 1) { nodes { id steps { id } } }
}`

/** Maximum size of the scripts, styles and texts of a screen in brotli, until it is whole. */
const maxFirstLoad = 250_000

/** Tables that are wider than their place, so that columns are cut off. */
const wideTables = `[...document.querySelectorAll('#main [role=region]')]
  .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.ariaLabel)`

describe.skipIf(isWithoutBrowser)('the screens of the console', { timeout: 180_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  let ids: Record<string, string>
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
    const found = (await world.run(firstIds)) as Record<string, { nodes: { id: string; steps?: { id: string }[] }[] }>
    ids = Object.fromEntries(Object.entries(found).map(([name, { nodes }]) => [name, nodes[0]?.id ?? '']))
    ids['step'] = found['funnels']?.nodes[0]?.steps?.[0]?.id ?? ''
  })
  afterAll(() => browser?.close())

  /** Each screen: its path, its query, and its subscriptions. */
  const screens: [path: () => string, query: string, subscriptions: string[]][] = [
    [() => '', 'Overview', ['LiveActivity', 'Changes']],
    [() => '/contacts', 'Contacts', ['Changes']],
    [() => `/contacts/${ids['contacts']}`, 'Contact', ['Changes']],
    [() => '/contacts/import', 'Imports', []],
    [() => '/campaigns', 'Campaigns', ['Changes']],
    [() => `/campaigns/${ids['sent']}`, 'Campaign', ['Changes']],
    [() => `/campaigns/${ids['draft']}`, 'Campaign', ['Changes']],
    [() => '/segments', 'Segments', ['Changes']],
    [() => `/segments/${ids['segments']}`, 'Segment', []],
    [() => '/sequences', 'Sequences', ['Changes']],
    [() => `/sequences/${ids['sequences']}`, 'Sequence', ['Changes']],
    [() => '/forms', 'Forms', ['Changes']],
    [() => `/forms/${ids['forms']}`, 'Form', ['FormChanges']],
    [() => `/forms/${ids['forms']}?tab=build`, 'Form', ['FormChanges']],
    [() => `/forms/${ids['forms']}/confirmation`, 'FormConfirmation', ['Changes']],
    [() => '/funnels', 'Funnels', ['Changes']],
    [() => `/funnels/${ids['funnels']}`, 'Funnel', ['Changes']],
    [() => `/funnels/${ids['funnels']}/steps/${ids['step']}`, 'Step', ['Changes']],
    [() => `/funnels/${ids['funnels']}/confirmation`, 'FunnelConfirmation', ['Changes']],
    [() => '/media', 'MediaFiles', ['Changes']],
    [() => '/brand', 'BrandSettings', ['Changes']],
    [() => '/sales', 'Sales', ['Changes']],
    [() => '/settings', 'Settings', []],
    [() => '/settings?tab=users', 'Settings', []],
    [() => '/settings?tab=webhooks', 'Settings', []],
    [() => '/developer', 'Developer', ['DeveloperEvents']],
  ]

  it.each(screens)('%# take one query, can be used by all, and fit a phone', async (path, query, subscriptions) => {
    const { page, operations, faults } = tab
    for (const list of [operations, tab.subscriptions, faults]) list.length = 0
    await page.setViewportSize(desktop)
    await page.emulateMedia({ colorScheme: 'light' })
    await tab.go(path())
    await expect.poll(() => tab.subscriptions).toEqual(subscriptions)
    await tab.settled()
    expect(operations).toEqual([query])
    expect(await axeFaults(page)).toEqual([])
    expect(await page.evaluate(wideTables)).toEqual([])
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await axeFaults(page, 'serious', colorRules)).toEqual([])
    await page.setViewportSize(phone)
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    await expect.poll(overflow).toBeLessThanOrEqual(0)
    await expect.poll(() => page.evaluate(wideTables)).toEqual([])
    expect(faults).toEqual([])
    expect(operations).toEqual([query])
  })

  it('load at most 250 kB until they are whole, plots included', async () => {
    const first = await openTab(browser, world)
    await first.go('')
    const { files } = first
    const sizes = files.map((path) => statSync(`dist/console/assets/${path.split('/').at(-1)}.br`).size)
    const total = sizes.reduce((sum, size) => sum + size, 0)
    expect(total).toBeGreaterThan(100_000)
    expect(total).toBeLessThan(maxFirstLoad)
    expect(files.filter((path) => /contact|campaign|funnel|settings/.test(path))).toEqual([])
    await first.context.close()
  })
})
