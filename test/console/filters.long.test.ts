import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

describe.skipIf(isWithoutBrowser)('the filter builder of the contacts', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  it('finds contacts by a stage, a number and a day, and keeps the conditions in the address', async () => {
    const { page } = tab
    const sequence = await world.sequence({ name: 'Greetings' })
    await world.stage(sequence, { name: 'Second letter' })
    const [size, birthday] = [
      await world.customField({ name: 'Shoe size', type: 'NUMBER' }),
      await world.customField({ name: 'Day of birth', type: 'DATE' }),
    ]
    const customFields = [
      { customFieldId: size.id, value: '41' },
      { customFieldId: birthday.id, value: '1990-05-06' },
    ]
    await world.contact({ email: 'found@example.com', firstName: 'Fay', lastName: 'Found', customFields })
    await world.contact({ email: 'other@example.com', firstName: 'Otto', lastName: 'Other' })
    const choose = async (position: number, label: string, option: string) => {
      const row = page.getByRole('group', { name: `Condition ${position}` })
      await row
        .getByRole('combobox', { name: label })
        .or(row.getByLabel(label, { exact: true }))
        .first()
        .click()
      await page.getByRole('option', { name: option, exact: true }).click()
      return row
    }
    await tab.go('/contacts')
    await page.getByRole('button', { name: 'Conditions' }).click()
    await page.getByRole('button', { name: 'Add condition' }).click()
    await choose(1, 'Field', 'Shoe size')
    const number = await choose(1, 'Comparison', 'is')
    await number.getByLabel('Value').fill('41')
    await number.getByLabel('Value').press('Enter')
    await page.getByRole('button', { name: 'Add condition' }).click()
    await choose(2, 'Field', 'Day of birth')
    const day = await choose(2, 'Comparison', 'is between')
    await day.getByLabel('First day').fill('1990-05-01')
    await day.getByLabel('First day').press('Enter')
    await day.getByLabel('Last day').fill('1990-05-31')
    await day.getByLabel('Last day').press('Enter')
    await page.getByRole('link', { name: 'Fay Found' }).waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Otto Other' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Add condition' }).click()
    await choose(3, 'Field', 'Received stages')
    const stage = await choose(3, 'Comparison', 'has none of')
    await stage.getByLabel('Values').click()
    await page.getByRole('option', { name: 'Greetings: Second letter' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Fay Found' }).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await page.reload()
    await page.getByRole('link', { name: 'Fay Found' }).waitFor()
    expect(decodeURIComponent(new URL(page.url()).search)).toContain('stagesSent')
  })

  it('say that one needs a value, and change nothing that is stored until it has it', async () => {
    const { page } = tab
    const filter = { and: [{ city: { eq: 'Bern' } }, { country: { eq: 'CH' } }] }
    const hint = page.getByText('It needs a value, and does not apply until then.')
    const second = page.getByRole('group', { name: 'Condition 2' })
    const change = async (name: string) => {
      await second.getByRole('combobox', { name: 'Field' }).click()
      await page.getByRole('option', { name, exact: true }).click()
      await hint.waitFor()
    }
    const { id } = await world.segment(filter)
    await tab.go(`/segments/${id}`)
    await change('Company')
    const save = page.getByRole('button', { name: 'Save conditions' })
    expect(await save.getAttribute('aria-description')).toBe('Condition 2 needs a value.')
    await save.click({ force: true })
    expect((await world.run('query ($id: ID!) { segment(id: $id) { filter } }', { id })).segment.filter).toEqual(filter)
    await second.getByLabel('Value').fill('Bells')
    await second.getByLabel('Value').press('Enter')
    await hint.waitFor({ state: 'detached' })
    await save.click()
    await page.getByText('Not saved', { exact: true }).waitFor({ state: 'detached' })

    const campaign = await world.campaign({ audience: { filter } })
    const stored = async () =>
      (await world.run('query ($id: ID!) { campaign(id: $id) { audience { filter } } }', { id: campaign.id })).campaign
        .audience.filter
    await tab.go(`/campaigns/${campaign.id}?step=audience`)
    await change('Company')
    await tab.settled()
    expect(await stored()).toEqual(filter)
    await page.getByRole('button', { name: 'Remove condition 2' }).click()
    await expect.poll(stored).toEqual({ city: { eq: 'Bern' } })
  })
})
