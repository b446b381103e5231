import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

/** Keeps the sockets of a page, so that a test can close them. */
const keepSockets = `window.sockets = []; window.WebSocket = class extends WebSocket {
  constructor(...args) { super(...args); window.sockets.push(this) } }`

/** Cuts a page from the network, also its open socket, which stays usable in an offline page. */
async function cut({ page, context }: Tab): Promise<void> {
  await context.setOffline(true)
  await page.evaluate('sockets.forEach((socket) => socket.close())')
}

describe.skipIf(isWithoutBrowser)('two browsers of the console', { timeout: 240_000 }, () => {
  let browser: Browser
  let world: World
  let one: Tab
  let other: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    one = await openTab(browser, world)
    other = await openTab(browser, world, 'ADMIN')
    for (const { page } of [one, other]) {
      await page.addInitScript(keepSockets)
    }
  })
  afterAll(() => browser?.close())

  /** Opens a screen, and waits until it follows the events. Its later requests are counted from here. */
  const follow = async (tab: Tab, path: string, subscription = 'Changes') => {
    tab.subscriptions.length = 0
    await tab.go(path)
    await expect.poll(() => tab.subscriptions).toContain(subscription)
    await tab.settled()
    tab.operations.length = 0
  }
  const type = async (page: Page, label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).fill(text)
    await page.keyboard.press('Tab')
  }

  it('show the edits of each other with the events alone', async () => {
    const { id } = await world.contact({ email: 'both@example.com', firstName: 'Before', lastName: 'Both' })
    await follow(other, `/contacts/${id}`)
    await follow(one, '/contacts')
    await one.page.getByRole('link', { name: 'Before Both' }).waitFor()
    one.operations.length = 0
    await type(other.page, 'First name', 'After')
    await one.page.getByRole('link', { name: 'After Both' }).waitFor()
    expect(one.operations).toEqual([])

    await follow(one, `/contacts/${id}`)
    other.operations.length = 0
    await type(one.page, 'City', 'Basel')
    const city = other.page.getByLabel('City', { exact: true })
    await expect.poll(() => city.inputValue()).toBe('Basel')
    expect(other.operations.filter((name) => name !== 'Contact')).toEqual([])
  })

  it('build a form together', async () => {
    const { id } = await world.form({ questions: [{ label: 'First?', type: 'SHORT_TEXT' }] })
    for (const tab of [one, other]) await follow(tab, `/forms/${id}?tab=build`, 'FormChanges')
    await type(one.page, 'Name', 'Made by two')
    await other.page.getByRole('heading', { name: 'Made by two', level: 1 }).waitFor()
    await other.page.getByRole('button', { name: /^First/ }).click()
    await type(other.page, 'Question', 'Second?')
    await one.page.getByRole('button', { name: /^Second/ }).waitFor()
    const reads = [...one.operations, ...other.operations].filter((name) => name === 'Form' || name === 'Forms')
    expect(reads).toEqual([])
  })

  it('continue after a lost connection, without a gap and with what was typed', async () => {
    const { id } = await world.contact({ email: 'draft@example.com', firstName: 'Draft' })
    await follow(other, '', 'LiveActivity')
    await follow(one, `/contacts/${id}`)
    const seen = other.page.getByRole('list').filter({ hasText: 'was added' })
    await world.contact({ email: 'first@example.com', firstName: 'Event', lastName: 'One' })
    await seen.getByText('Event One').waitFor()
    // The event announces a reload, which fails. The socket is still open.
    await one.page.route('**/graphql', (route) => route.abort('internetdisconnected'))
    await world.run('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
      input: { contact: { id }, city: 'Bern' },
    })
    const field = (label: string) => one.page.getByLabel(label, { exact: true })
    await expect.poll(() => field('City').inputValue()).toBe('Bern')
    await one.page.getByText('Not everything could be read').waitFor()
    await Promise.all([cut(one), cut(other)])
    await type(one.page, 'Company', 'Typed offline')
    await one.page.getByText('The server could not be reached. Nothing was changed.').waitFor()
    for (const lastName of ['Two', 'Three', 'Four']) {
      await world.contact({ email: `${lastName}@example.com`, firstName: 'Event', lastName })
    }
    expect(await seen.getByText('Event Two').count()).toBe(0)
    await one.page.unroute('**/graphql')
    await Promise.all([one.context.setOffline(false), other.context.setOffline(false)])
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      await seen.getByText(`Event ${name}`).waitFor()
      expect(await seen.getByText(`Event ${name}`).count()).toBe(1)
    }
    expect(other.operations).toEqual([])
    await one.page.getByText('Not everything could be read').waitFor({ state: 'detached' })
    expect(await field('Company').inputValue()).toBe('Typed offline')
    await field('Company').press('Enter')
    const stored = 'query ($id: ID!) { contact(ref: { id: $id }) { companyName } }'
    await expect.poll(async () => (await world.run(stored, { id })).contact.companyName).toBe('Typed offline')
  })
})
