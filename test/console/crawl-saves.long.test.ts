import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { type Places, placesOf } from './crawl/places.ts'
import { type FieldPlace, failAllSaves, withoutChanges } from './crawl/saves.ts'
import { openWatched, type WatchedTab } from './crawl/watched-tab.ts'
import { newConsole } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('what could not be saved', { timeout: 300_000 }, () => {
  let browser: Browser
  let world: World
  let places: Places
  let tab: WatchedTab
  let form: { id: string }
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    await world.webhook()
    const questions = [{ label: 'Which?', type: 'SINGLE_CHOICE', options: ['This', 'That'] }]
    form = await world.form({ questions, outcomes: [{ title: 'Thank you', key: 'warm', bucket: 'WARM' }] })
    places = await placesOf(world)
    tab = await openWatched(browser, world, 'OWNER')
  })
  afterAll(() => browser?.close())

  const pathOf = (route: string, number = 0) => places[route]?.[number] ?? ''
  /** Opens an entry of an ordered list. */
  const entry = (list: string, number: number) => (each: WatchedTab) =>
    each.page.getByRole('list', { name: list }).locator('.entry-head').nth(number).click()
  const details = (each: WatchedTab) =>
    each.page.locator('#main details').evaluateAll((all) => {
      for (const one of all) (one as HTMLDetailsElement).open = true
    })
  const stage = (number: number) => async (each: WatchedTab) => {
    await entry('Stages', number)(each)
    await each.page.getByText('UTM parameters of links').waitFor()
    await details(each)
  }
  const tabNamed = (name: string) => (each: WatchedTab) => each.page.getByRole('tab', { name }).click()

  /** The screens with fields that are saved when they are left, and how many of them there are at least. */
  const screens: [name: string, fields: number, place: () => FieldPlace][] = [
    ['a contact', 10, () => ({ path: pathOf('/contacts/$id') })],
    ['a campaign', 12, () => ({ path: pathOf('/campaigns/$id', 1), open: details })],
    ['a segment', 1, () => ({ path: pathOf('/segments/$id') })],
    ['the first stage', 6, () => ({ path: pathOf('/sequences/$id'), open: stage(0) })],
    ['the second stage', 6, () => ({ path: pathOf('/sequences/$id'), open: stage(1) })],
    ['a question', 8, () => ({ path: `/forms/${form.id}?tab=build`, open: entry('Questions', 0) })],
    ['a result', 5, () => ({ path: `/forms/${form.id}?tab=build`, open: entry('Results', 0) })],
    ['a funnel', 2, () => ({ path: pathOf('/funnels/$id'), open: entry('Steps', 0) })],
    ['a step', 4, () => ({ path: pathOf('/funnels/$id/steps/$stepId'), open: tabNamed('Address and opt-ins') })],
    ['the account', 5, () => ({ path: '/settings' })],
    ['the brand', 4, () => ({ path: '/brand' })],
    ['a webhook', 2, () => ({ path: '/settings?tab=webhooks' })],
  ]

  it.each(screens)('is marked at each field of %s, also later', async (_name, fields, place) => {
    const { saved, faults } = await failAllSaves(tab, place())
    expect(faults.join('\n')).toBe('')
    expect(saved.length, saved.join(', ')).toBeGreaterThanOrEqual(fields)
  })

  /** Does something whose change does not reach the server, and returns how often it was tried. */
  const tryWithout = async (work: () => Promise<unknown>): Promise<number> => {
    let tried = 0
    await withoutChanges(tab, async (attempts) => {
      await work()
      await expect.poll(attempts).toBeGreaterThan(0)
      await tab.settle()
      tried = attempts()
    })
    return tried
  }

  it('is marked at the audience of a campaign, and can be saved later', async () => {
    const { page } = tab
    const { id } = await world.campaign()
    await tab.go(`/campaigns/${id}`)
    await tryWithout(() => page.getByRole('radio', { name: 'All contacts' }).check())
    await page.getByText('The audience is not saved').waitFor()
    await tab.go(`/campaigns/${id}`)
    await page.getByText('The audience is not saved').waitFor()
    expect(await page.getByRole('radio', { name: 'All contacts' }).isChecked()).toBe(true)
    await page.getByRole('button', { name: 'Save again' }).click()
    await page.getByText('The audience is not saved').waitFor({ state: 'detached' })
    const read = () => world.run('query ($id: ID!) { campaign(id: $id) { audience { sendToAll } } }', { id })
    // The mark ends when the save begins.
    await expect.poll(async () => (await read()).campaign.audience.sendToAll).toBe(true)
  })

  it('is marked at the conditions of a segment, and can be saved or discarded later', async () => {
    const { page } = tab
    const { id } = await world.segment({ city: { eq: 'Bern' } })
    const value = page.getByRole('textbox', { name: 'Value' })
    const change = async () => {
      await value.fill('Basel')
      await value.press('Enter')
    }
    await tab.go(`/segments/${id}`)
    await change()
    await tryWithout(() => page.getByRole('button', { name: 'Save conditions' }).click())
    await tab.go(`/segments/${id}`)
    await page.getByText('Not saved', { exact: true }).waitFor()
    expect(await value.inputValue()).toBe('Basel')
    await page.getByRole('button', { name: 'Save conditions' }).click()
    await page.getByText('Not saved', { exact: true }).waitFor({ state: 'detached' })
    const { segment } = await world.run('query ($id: ID!) { segment(id: $id) { filter } }', { id })
    expect(segment.filter).toEqual({ city: { eq: 'Basel' } })
  })

  it('is marked at the events of a webhook', async () => {
    const { page } = tab
    const field = () => page.locator('.mantine-InputWrapper-root', { hasText: 'Save again' }).getByText('contact.*')
    await tab.go('/settings?tab=webhooks')
    await tryWithout(async () => {
      await page.getByRole('combobox', { name: 'Events', exact: true }).fill('contact.*')
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
    })
    await field().waitFor()
    await tab.go('/settings?tab=webhooks')
    await field().waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await field().waitFor({ state: 'detached' })
  })

  it('is marked at the address that a stage calls', async () => {
    const { page } = tab
    const sequence = await world.sequence()
    await world.stage(sequence, { stageType: 'ACTION' })
    const show = async () => {
      await tab.go(`/sequences/${sequence.id}`)
      await entry('Stages', 0)(tab)
    }
    await show()
    await page.getByRole('combobox', { name: 'Action' }).selectOption('WEBHOOK')
    await tryWithout(async () => {
      await page.getByLabel('URL').fill('https://example.com/stage')
      await page.keyboard.press('Tab')
    })
    await show()
    await page.getByText('Not saved.').waitFor()
    expect(await page.getByLabel('URL').inputValue()).toBe('https://example.com/stage')
  })

  it('is marked at the page of a step', async () => {
    const { page } = tab
    await tab.go(pathOf('/funnels/$id/steps/$stepId'))
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('option', { name: 'Section', exact: true }).click()
    await tryWithout(() => page.getByRole('button', { name: 'Publish' }).click())
    await page.getByRole('status').getByText('Not saved').waitFor()
    await tab.go(pathOf('/funnels/$id/steps/$stepId'))
    await page.getByRole('status').getByText('Not saved').waitFor()
  })

  it('is a choice that returns to what is stored, with the reason', async () => {
    const { page } = tab
    const choice = page.getByRole('switch', { name: 'New contacts of forms confirm their address' })
    await tab.go('/settings')
    const before = await choice.isChecked()
    await tryWithout(() => choice.press('Space'))
    await page.getByText('The server could not be reached. Nothing was changed.').waitFor()
    expect(await choice.isChecked()).toBe(before)
  })
})
