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

  it('warns before messages are sent from a domain that is not verified', async () => {
    const { page } = tab
    const { id } = await world.campaign({ fromEmail: 'me@unproven.example', audience: { sendToAll: true } })
    await tab.go(`/campaigns/${id}?step=review`)
    await page.getByText('The domain unproven.example is not verified').waitFor()
    await button('Send now').click()
    await page.getByRole('dialog').getByText('The sender domain unproven.example is not verified').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await tab.confirm('Cancel')
  })

  it('shows each DNS record of a domain with its type, name and value, to be copied', async () => {
    const { page } = tab
    await tab.go('/settings?tab=domains')
    await page.getByLabel('New domain').fill('records.example')
    await button('Add domain').click()
    const records = page.getByRole('table', { name: 'DNS records of records.example' })
    await records.getByText('TXT').waitFor()
    const [record] = (await world.run('{ senderDomains { domain records { name value } } }')).senderDomains.find(
      ({ domain }: { domain: string }) => domain === 'records.example',
    ).records
    await records.getByText(record.value).waitFor()
    expect(await axeFaults(page)).toEqual([])
    await button(`Copy the name ${record.name}`).click()
    await button(`Copy the value of ${record.name}`).click()
    await expect.poll(() => records.getByText('Copied').count()).toBeGreaterThan(0)
  })

  it('does not list what another filter found while there is no connection', async () => {
    const { page } = tab
    const { campaigns } = await world.run('{ campaigns(first: 1, filter: { status: [SENT] }) { nodes { name } } }')
    await tab.go('/campaigns')
    const sent = page.getByRole('link', { name: campaigns.nodes[0].name, exact: true }).first()
    await sent.waitFor()
    await tab.context.setOffline(true)
    await page.getByRole('radiogroup', { name: 'Status' }).getByText('Drafts').click()
    await sent.waitFor({ state: 'detached' })
    await tab.context.setOffline(false)
  })

  it('says how many go on only of steps that another one follows', async () => {
    const { funnels } = await world.run('{ funnels(first: 1) { nodes { id steps { name } } } }')
    const [{ id, steps }] = funnels.nodes
    await tab.go(`/funnels/${id}`)
    await tab.page.getByRole('heading', { name: 'Conversion' }).waitFor()
    expect(await tab.page.getByText(/ go on$/).count()).toBe(steps.length - 1)
  })

  it('saves what is typed while an earlier save is under way, and shows the newest if the responses change places', async () => {
    const { page } = tab
    const { form } = await world
      .run('mutation { formCreate(input: { name: "Slow", type: QUIZ }) { form { id } } }', {})
      .then(({ formCreate }) => formCreate)
    const question = await world
      .run(
        `mutation ($form: ID!) { formQuestionCreate(input: { formId: $form, type: SINGLE_CHOICE, label: "Heat",
          options: ["Low", "High"], points: [{ answer: "High", points: "3" }] }) { question { id } } }`,
        { form: form.id },
      )
      .then(({ formQuestionCreate }) => formQuestionCreate.question)
    const stored = async () =>
      (
        await world.run(
          'query ($id: ID!) { node(id: $id) { ... on Question { label options points { answer points } } } }',
          question,
        )
      ).node
    const releases: (() => void)[] = []
    /** Where a save is held: its request, or its response. */
    const held = new Map<number, 'request' | 'response'>()
    let saves = 0
    const isReleased = () => new Promise<void>((resolve) => releases.push(resolve))
    await page.route('**/graphql', async (route) => {
      if (!/QuestionUpdate/.test(route.request().postData() ?? '')) return route.continue()
      saves += 1
      const at = held.get(saves)
      if (at === 'request') await isReleased()
      const response = await route.fetch()
      if (at === 'response') await isReleased()
      await route.fulfill({ response })
    })
    const fill = async (name: string, text: string) => {
      await page.getByLabel(name, { exact: true }).fill(text)
      await page.keyboard.press('Tab')
    }
    await tab.go(`/forms/${form.id}`)
    await page.getByRole('button', { name: /^Heat/ }).click()

    held.set(1, 'request')
    await fill('Answer 2', 'Higher')
    await expect.poll(() => releases.length).toBe(1)
    await fill('Points of Higher', 'many')
    await page.getByText('Points must be numbers.').waitFor()
    releases.splice(0)[0]?.()
    await expect.poll(stored).toMatchObject({ options: ['Low', 'Higher'], points: [{ answer: 'Higher', points: '3' }] })
    await fill('Points of Higher', '7')
    await expect.poll(stored).toMatchObject({ points: [{ answer: 'Higher', points: '7' }] })
    await page.getByText('Not saved').waitFor({ state: 'detached' })

    // The response to the change of the name comes after that to the change of the answers.
    held.set(saves + 1, 'response')
    await fill('Question', 'How hot?')
    await expect.poll(() => releases.length).toBe(1)
    const later = page.waitForResponse((response) => /QuestionUpdate/.test(response.request().postData() ?? ''))
    await fill('Answer 1', 'Lower')
    await expect.poll(stored).toMatchObject({ label: 'How hot?', options: ['Lower', 'Higher'] })
    await (await later).finished()
    // The screen shows it before it has nothing to do.
    await page.evaluate('new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))')
    const read = page.waitForResponse((response) => /Current/.test(response.request().postData() ?? ''))
    releases.splice(0)[0]?.()
    await read
    await expect.poll(() => page.getByLabel('Answer 1', { exact: true }).inputValue()).toBe('Lower')
    await page.unroute('**/graphql')
  })

  it('saves what was left while an older state of it was shown, when the newer one arrives', async () => {
    const { page } = tab
    const { form } = (
      await world.run('mutation { formCreate(input: { name: "Late", type: QUIZ }) { form { id } } }', {})
    ).formCreate
    const { question } = (
      await world.run(
        `mutation ($form: ID!) { formQuestionCreate(input: { formId: $form, type: SINGLE_CHOICE, label: "Heat",
          options: ["Low", "High"] }) { question { id } } }`,
        { form: form.id },
      )
    ).formQuestionCreate
    const options = async () =>
      (await world.run('query ($id: ID!) { node(id: $id) { ... on Question { options } } }', question)).node.options
    /** What the server has sent on the socket, while it is held. */
    const held: (() => void)[] = []
    let isHeld = false
    await page.routeWebSocket(/\/graphql/, (socket) => {
      const server = socket.connectToServer()
      server.onMessage((message) => {
        const isEvent = isHeld && String(message).includes('"type":"next"')
        if (isEvent) held.push(() => socket.send(message))
        else socket.send(message)
      })
    })
    const fill = (name: string, text: string) => page.getByLabel(name, { exact: true }).fill(text)
    const save = async (text: string) => {
      const saved = page.waitForResponse((response) => /QuestionUpdate/.test(response.request().postData() ?? ''))
      await fill('Answer 2', text)
      await page.keyboard.press('Tab')
      await (await saved).finished()
      await expect.poll(options).toEqual(['Low', text])
    }
    await tab.go(`/forms/${form.id}`)
    await page.getByRole('button', { name: /^Heat/ }).click()
    isHeld = true
    await save('Higher')
    await expect.poll(() => held.length).toBe(1)
    await save('Highest')
    await expect.poll(() => held.length).toBe(2)
    await fill('Answer 1', 'Lower')
    held[0]?.()
    await page.getByText('Another one was saved meanwhile', { exact: false }).waitFor()
    await page.keyboard.press('Tab')
    expect(await options()).toEqual(['Low', 'Highest'])
    isHeld = false
    for (const send of held.splice(1)) send()
    await expect.poll(options).toEqual(['Lower', 'Highest'])
    await page.getByText('Not saved').waitFor({ state: 'detached' })
  })

  it('shows bars of values that are all below zero', async () => {
    const { page } = tab
    await page.route('**/graphql', async (route) => {
      const body = (await (await route.fetch()).text()).replace(/"value":"[^"]*"/g, '"value":"-3"')
      await route.fulfill({ status: 200, contentType: 'application/json', body })
    })
    await tab.go('')
    const bars = page.locator('.plot-bars span')
    await bars.first().waitFor()
    const heights = await bars.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
    expect(Math.min(...heights)).toBeGreaterThan(20)
    await page.unroute('**/graphql')
  })

  it('says at a column of a file what was found by its name', async () => {
    const { page } = tab
    await tab.go('/contacts/import')
    const csv = 'Email,Unsubscribed from all email\nleft@example.com,true\n'
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'left.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
    const field = page.getByRole('combobox', { name: 'Field of the column Unsubscribed from all email' })
    await expect.poll(() => field.inputValue()).toBe('By its name')
    await button('Check the file').click()
    await page.getByRole('table', { name: 'What was found' }).waitFor()
    await button('Change the file or the fields').click()
    await expect.poll(() => field.inputValue()).toBe('Refuses e-mail (by its name)')
  })
})
