import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

const Create = 'mutation { campaignCreate(input: { name: "News", subject: "News" }) { campaign { id } } }'
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

  it('treats another tab of the same person like another person, in a field', async () => {
    const { page } = tab
    const { id } = await world.contact({ email: 'tabs@example.com', firstName: 'Ada', city: 'Bern' })
    await tab.go(`/contacts/${id}`)
    const other = await tab.context.newPage()
    await other.goto(page.url())
    await other.getByLabel('City').waitFor()
    await page.getByLabel('City').fill('Basel')
    await other.getByLabel('City').fill('Chur')
    await other.getByLabel('First name').fill('Zelda')
    await other.keyboard.press('Tab')
    await page.getByRole('heading', { name: 'Zelda', level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.getByText('It was changed to “Chur” meanwhile.').waitFor()
    const read = async () =>
      (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { city } }', { id })).contact.city
    expect(await read()).toBe('Chur')
    await other.close()
    await tab.go(`/contacts/${id}`)
    await expect.poll(() => page.getByLabel('City').inputValue()).toBe('Basel')
    await button('Overwrite').click()
    await expect.poll(read).toBe('Basel')
    await page.getByText('meanwhile').waitFor({ state: 'detached' })
  })

  it.each([
    ['blocks', 'Begin with a blank message'],
    ['HTML', 'HTML of your own'],
  ])('treats another tab of the same person like another person, in %s', async (kind, begin) => {
    const { page } = tab
    const { id } = (await world.run(Create)).campaignCreate.campaign
    await tab.go(`/campaigns/${id}?step=content`)
    await button(begin).click()
    const html = (text: string) => ({ id, html: `<p>${text}</p>` })
    if (kind === 'HTML')
      await world.run(
        'mutation ($input: CampaignContentSetInput!) { campaignContentSet(input: $input) { campaign { id } } }',
        { input: html('First') },
      )
    const stored = async () =>
      JSON.stringify(
        (await world.run('query ($id: ID!) { campaign(id: $id) { email { content html } } }', { id })).campaign.email,
      )
    if (kind === 'blocks') await expect.poll(stored).toContain('Hello')
    const other = await tab.context.newPage()
    const write = async (to: typeof page, text: string) => {
      if (kind === 'HTML') return to.getByLabel('HTML of the message').fill(`<p>${text}</p>`)
      const field = to.getByRole('textbox', { name: 'Text', exact: true })
      if ((await field.count()) === 0) await to.getByRole('button', { name: /^Text: Hello/ }).click()
      await field.press('End')
      await field.pressSequentially(text)
    }
    await tab.go(`/campaigns/${id}?step=content`)
    await other.goto(page.url())
    await (kind === 'HTML'
      ? other.getByLabel('HTML of the message')
      : other.getByRole('button', { name: /^Text: Hello/ })
    ).waitFor()
    const isSave = (body: string | null) => body?.includes('ContentSet') ?? false
    await page.route('**/graphql', (route) => (isSave(route.request().postData()) ? route.abort() : route.continue()))
    await write(page, ' Mine.')
    await page.getByText('The server could not be reached').first().waitFor()
    await write(other, ' Theirs.')
    await expect.poll(stored).toContain('Theirs.')
    await page.getByText(/(was changed|was saved) meanwhile/).waitFor()
    await page.unroute('**/graphql')
    await write(page, ' More.')
    expect(await stored()).toContain('Theirs.')
    await other.close()
    await page.getByRole('button', { name: /^Overwrite/ }).click()
    await expect.poll(stored).toContain('More.')
    expect(await stored()).not.toContain('Theirs.')
  })
})
