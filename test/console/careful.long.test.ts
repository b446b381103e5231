import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

const AddStage = 'mutation ($input: SequenceStageCreateInput!) { sequenceStageCreate(input: $input) { stage { id } } }'

describe.skipIf(isWithoutBrowser)('the console asks before it acts', { timeout: 120_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  const button = (name: string | RegExp) => tab.page.getByRole('button', { name })

  it('activates stages for which contacts wait only after a question that names how many get what', async () => {
    const { page } = tab
    const sequence = await world.sequence()
    for (const [name, smsText] of [
      ['Welcome', 'hello'],
      ['Offer', undefined],
    ])
      await world.run(AddStage, {
        input: { sequenceId: sequence.id, stageType: 'SEND_SMS', name, timeValue: 0, ...(smsText && { smsText }) },
      })
    for (let each = 0; each < 2; each += 1) await world.subscribe(await world.contact(), sequence)
    const active = async () =>
      (await world.run('query ($id: ID!) { sequence(id: $id) { stages { active } } }', sequence)).sequence.stages.map(
        (stage: { active: boolean }) => stage.active,
      )
    await tab.go(`/sequences/${sequence.id}`)
    await button('Activate all stages').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 contacts get “Welcome” now.').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await tab.confirm('Activate')
    await page.getByText(/Is required for the active stage “Offer”/).waitFor()
    expect(await active()).toEqual([false, false])
    const toggle = page.getByLabel('Welcome is active')
    await toggle.press('Space')
    await dialog.getByText('2 contacts get “Welcome” now.').waitFor()
    await tab.confirm('Cancel')
    expect(await active()).toEqual([false, false])
    await toggle.press('Space')
    await tab.confirm('Activate')
    await expect.poll(active).toEqual([true, false])
    expect(await toggle.isChecked()).toBe(true)
  })
})
