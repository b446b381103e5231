import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { axeFaults, isWithoutBrowser, openBrowser } from '../browser/chromium.ts'
import type { World } from '../support/world.ts'
import { newConsole, openTab, type Tab } from './open-console.ts'

/** Polls the graph until the effect of a click has arrived. */
const eventually = <Value>(read: () => Value) => expect.poll(read)

describe.skipIf(isWithoutBrowser)('a user of the console builds', { timeout: 240_000 }, () => {
  let browser: Browser
  let world: World
  let tab: Tab
  beforeAll(async () => {
    ;[browser, world] = await Promise.all([openBrowser(), newConsole()])
    tab = await openTab(browser, world)
  })
  afterAll(() => browser?.close())

  const idIn = (pattern: RegExp) => pattern.exec(new URL(tab.page.url()).pathname)?.[1]
  const button = (name: string | RegExp) => tab.page.getByRole('button', { name })
  const item = (name: string | RegExp) => tab.page.getByRole('menuitem', { name })
  const field = (name: string) => tab.page.getByLabel(name, { exact: true })
  const input = (name: string) => tab.page.locator('input').and(field(name))
  const fill = async (name: string, text: string) => {
    await field(name).fill(text)
    await tab.page.keyboard.press('Tab')
  }
  const preview = (title: string) => tab.page.frameLocator(`iframe[title="${title}"]`)

  it('a form with questions, points and results, and sees a submission arrive', async () => {
    const { page } = tab
    await tab.go('/forms')
    await button('New form').click()
    await item(/^Quiz/).click()
    await page.waitForURL(/\/forms\/[^/?]+/)
    const id = idIn(/forms\/([^/]+)$/)
    const read = async () =>
      (
        await world.run(
          `query ($id: ID!) { form(id: $id) { databaseId name status warmFrom outcomes { title }
            questions { label type required options points { answer points } contactField } } }`,
          { id },
        )
      ).form
    await fill('Name', 'Which kiln?')
    await page.getByRole('heading', { name: 'Which kiln?', level: 1 }).waitFor()
    await button(/^First question/).click()
    await fill('Question', 'How hot?')
    await fill('Answer 2', 'Very hot')
    await fill('Points of Very hot', 'many')
    await page.getByText('Points must be numbers.').waitFor()
    await fill('Points of Very hot', '99999')
    await page.getByText(/Must be between/).waitFor()
    await fill('Points of Very hot', '7.5')
    await preview('Preview of the form').getByText('Very hot').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await button('Add question').click()
    await item('Rating, 1 to 5').click()
    await page.getByRole('button', { name: /^New question: Rating/, expanded: true }).waitFor()
    await fill('Question', 'How patient are you?')
    await button('Move How patient are you? up').click()
    await eventually(async () => (await read()).questions[1].label).toBe('How patient are you?')
    await button('Remove Your e-mail address').click()
    await tab.confirm('Remove')
    await eventually(read).toMatchObject({
      name: 'Which kiln?',
      questions: [
        {
          label: 'How hot?',
          options: ['First answer', 'Very hot'],
          points: [
            { answer: 'First answer', points: '0' },
            { answer: 'Very hot', points: '7.5' },
          ],
        },
        { label: 'How patient are you?', type: 'RATING', required: false },
      ],
    })
    await button(/^A perfect match/).click()
    await fill('Title', 'A wood kiln')
    await preview('Preview of the form').getByText('A wood kiln').waitFor()
    await fill('Warm from (points)', '100')
    await page.getByText(/Must not be above hotFrom/).waitFor()
    await button('Publish').click()
    await eventually(read).toMatchObject({ status: 'PUBLISHED', warmFrom: '1.00' })
    await page.getByRole('tab', { name: 'Answers' }).click()
    await page.getByText('The form was not submitted yet.').waitFor()
    const { questions } = (await world.run('query ($id: ID!) { form(id: $id) { questions { id } } }', { id })).form
    await world.run('mutation ($input: SubmissionSaveInput!) { submissionSave(input: $input) { submission { id } } }', {
      input: { formId: id, complete: true, answers: [{ questionId: questions[0].id, value: 'Very hot' }] },
    })
    await page.getByText('7.5 points').click()
    await page.getByText('Very hot').last().waitFor()
    await button('More actions').click()
    await item('Archive').click()
    await tab.confirm('Archive')
    await button('Restore').click()
    await button('Copy link').waitFor()
    await button('More actions').click()
    await item('Duplicate').click()
    await page.getByRole('heading', { name: /Copy of Which kiln/, level: 1 }).waitFor()
    expect(tab.faults).toEqual([])
  })

  it('a sequence of an e-mail, a text message and an action', async () => {
    const { page } = tab
    await tab.go('/sequences')
    await button('New sequence').click()
    await page.waitForURL(/\/sequences\/[^/]+/)
    const id = idIn(/sequences\/([^/]+)$/)
    const read = async () =>
      (
        await world.run(
          `query ($id: ID!) { sequence(id: $id) { stages { name stageType active timeValue timeType smsText
            email { subject html language utm { source medium term } } action { kind tag { name } } } } }`,
          { id },
        )
      ).sequence.stages
    await button('Add stage').click()
    await item('E-mail').click()
    await field('Subject').waitFor()
    await page.getByLabel('Step 1 is active').press('Space')
    await page.getByText(/Subject: Is required/).waitFor()
    await fill('Subject', 'Welcome to the studio')
    await fill('Wait', '2')
    await button('HTML of your own').click()
    await field('HTML of the message').fill('<p>Hello <b>potter</b></p>')
    await preview('Preview of the message').getByText('potter').waitFor()
    await page.getByText(/^Sender: /).click()
    await fill('Language', 'en-GB')
    await page.getByText('UTM parameters of links').click()
    await fill('Source', 'studio')
    await eventually(async () => (await read())[0].email.utm.source).toBe('studio')
    await fill('Medium', 'email')
    expect(await axeFaults(page)).toEqual([])
    await button('Add stage').click()
    await item('Action').click()
    await input('Tag').waitFor()
    await fill('Name of the stage', 'Tag it')
    await input('Tag').fill('first guest')
    await page.getByRole('option', { name: 'Create “first guest”' }).click()
    await eventually(async () => (await read())[1].action?.tag).toEqual({ name: 'first guest' })
    await input('Tag').fill('vip')
    await page.getByRole('option', { name: 'vip', exact: true }).click()
    await button('Add stage').click()
    await item('Text message').click()
    await field('Text of the message').waitFor()
    await fill('Text of the message', 'Open today')
    await button('Move Tag it up').click()
    await page.getByText('Add tag vip').waitFor()
    await button('Activate all stages').click()
    await eventually(read).toMatchObject([
      { name: 'Tag it', stageType: 'ACTION', active: true, action: { kind: 'ADD_TAG', tag: { name: 'vip' } } },
      {
        stageType: 'SEND_EMAIL',
        active: true,
        timeValue: 2,
        email: {
          ...{ subject: 'Welcome to the studio', html: '<p>Hello <b>potter</b></p>', language: 'en-GB' },
          utm: { source: 'studio', medium: 'email', term: '' },
        },
      },
      { stageType: 'SEND_SMS', active: true, smsText: 'Open today' },
    ])
    await button('Remove Step 3').click()
    await tab.confirm('Remove')
    await eventually(async () => (await read()).length).toBe(2)
    expect(tab.faults).toEqual([])
  })

  it('a webhook: its events, a dry run, a test, a new secret, and its end', async () => {
    const { page } = tab
    const read = async () =>
      (await world.run('{ webhooks(first: 5) { nodes { url active eventPatterns } } }')).webhooks.nodes
    await tab.go('/settings?tab=webhooks')
    const url = page.getByRole('textbox', { name: 'URL' })
    await url.first().fill('https://user@example.com/hook')
    await button('Create webhook').click()
    await page.getByText(/Must not contain/).waitFor()
    await url.first().fill('https://example.com/hook')
    await button('Create webhook').click()
    await page.getByText(/^whsec_/).waitFor()
    const secret = await page.getByText(/^whsec_/).textContent()
    const events = input('Events')
    await events.press('Backspace')
    await events.fill('no such event')
    await events.press('Enter')
    await events.press('Tab')
    await page.getByText(/unknown: "no such event"/).waitFor()
    await events.press('Backspace')
    await events.fill('contact.*')
    await events.press('Enter')
    await events.press('Tab')
    await eventually(read).toMatchObject([{ url: 'https://example.com/hook', eventPatterns: ['contact.*'] }])
    await page.getByLabel('Try an event').selectOption('form_submission.completed')
    await button('Show the message').click()
    await page.getByText('"form_submission.completed"').waitFor()
    expect(await axeFaults(page)).toEqual([])
    await button('New secret').click()
    await tab.confirm('Create secret')
    await eventually(() => page.getByText(/^whsec_/).textContent()).not.toBe(secret)
    await button('Send a test').click()
    await button('Send again: webhook.test').click()
    await page.getByText('The message is sent again.').waitFor()
    await page.getByLabel('Receives events').press('Space')
    await eventually(read).toMatchObject([{ active: false }])
    await button('Delete webhook').click()
    await tab.confirm('Delete')
    await page.getByText('There are no webhooks yet.').waitFor()
    expect(await read()).toEqual([])
    expect(tab.faults).toEqual([])
  })

  it('a funnel with the keyboard, whose page a visitor then sees', async () => {
    const { page } = tab
    const press = (name: string | RegExp, key = 'Enter') => button(name).press(key)
    const open = async (name: RegExp) => {
      await press(name)
      await page.getByRole('button', { name, expanded: true }).waitFor()
    }
    await tab.go('/funnels')
    await press('New funnel')
    await item(/^Lead funnel/).press('Enter')
    await page.waitForURL(/\/funnels\/[^/]+$/)
    const id = idIn(/funnels\/([^/]+)$/)
    const read = async () =>
      (
        await world.run(
          'query ($id: ID!) { funnel(id: $id) { steps { id name url content publishedVersion form { id } } } }',
          {
            id,
          },
        )
      ).funnel.steps
    await open(/^Thank you/)
    await fill('Name of the step', 'Welcome')
    await press(/^Welcome/, 'Alt+ArrowUp')
    await eventually(async () => (await read()).map(({ name }: { name: string }) => name)).toEqual([
      'Welcome',
      'Opt-in',
    ])
    await eventually(() => button('Move Welcome up').isDisabled()).toBe(true)
    await press(/^Welcome/, 'Alt+ArrowDown')
    await eventually(async () => (await read())[0].name).toBe('Opt-in')
    await open(/^Opt-in/)
    await page.getByRole('link', { name: 'Edit the page' }).press('Enter')
    await press(/^Heading: What you get/)
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('The book of kilns')
    await page.keyboard.press('Tab')
    await preview('Preview of the page').getByText('The book of kilns').waitFor()
    await press('Add block to column 1 of section 1')
    await page.getByLabel('Search blocks').fill('button')
    await page.getByLabel('Search blocks').press('ArrowDown')
    await page.getByLabel('Search blocks').press('Enter')
    await fill('Label', 'Read a chapter')
    await press('Move Button up')
    await page.getByLabel('Leads to').selectOption('A link')
    await fill('Link', 'javascript:alert(1)')
    await page.getByText('The page cannot be saved like this').waitFor()
    await fill('Link', 'https://example.com/chapter')
    await page.getByText('The page cannot be saved like this').waitFor({ state: 'detached' })
    await press('Undo')
    await press('Redo')
    expect(await axeFaults(page)).toEqual([])
    await press('Publish')
    await page.getByRole('status').filter({ hasText: 'Published' }).waitFor()
    await page.getByRole('tab', { name: 'Address and opt-ins' }).press('Enter')
    const survey = await world.form({ name: 'Which kiln do you have?' })
    await input('Form that visitors answer').fill('kiln do you')
    await page.getByRole('option', { name: 'Which kiln do you have?' }).click()
    await page.getByRole('link', { name: 'Edit the form Which kiln do you have?' }).waitFor()
    await eventually(async () => (await read())[0].form.id).toBe(survey.id)
    const [step] = await read()
    expect(step).toMatchObject({ name: 'Opt-in', publishedVersion: 2 })
    const html = await (await fetch(step.url)).text()
    expect(html).toMatch(/The book of kilns[\s\S]*href="[^"]*example\.com[^"]*"[^>]*>Read a chapter/)
    expect(tab.faults).toEqual([])
  })

  it('nothing without the permission, and reads why', async () => {
    const analyst = await openTab(browser, world, 'ANALYST')
    const { forms } = await world.run('{ forms(first: 1) { nodes { id } } }')
    await analyst.go(`/forms/${forms.nodes[0].id}?tab=build`)
    await analyst.page.getByText('The role Analyst can read forms, but not change anything there.').first().waitFor()
    expect(await analyst.page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true)
    await analyst.go('/forms')
    const create = analyst.page.getByRole('button', { name: 'New form' })
    expect(await create.getAttribute('aria-disabled')).toBe('true')
    expect(await axeFaults(analyst.page)).toEqual([])
    await analyst.context.close()
  })
})
