import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { follow } from '../events/stream.ts'
import { newShop, page } from '../funnels/documents.ts'
import { desktop, isWithoutBrowser, openBrowser, phone } from './chromium.ts'

const Events = `subscription ($after: String) {
  events(after: $after, types: [FUNNEL_OPT_IN, FORM_SUBMISSION_STARTED, FORM_SUBMISSION_UPDATED, FORM_SUBMISSION_COMPLETED]) {
    cursor name
    ... on FormSubmissionEvent { form { name } submission { contact { email } } }
  } }`

describe.skipIf(isWithoutBrowser)('a visitor', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  })
  afterAll(() => browser?.close())

  it('opts in, is greeted by name and completes a quiz in two visits, and a subscriber receives the events', async () => {
    const world = await newShop()
    const funnel = await world.funnel({ name: 'Guide' })
    const consentText = 'Yes, write to me.'
    await world.step(funnel, {
      name: 'Get the guide',
      content: page(
        { type: 'title', text: 'The guide' },
        { type: 'form', marketingConsentText: consentText, buttonText: 'Send it' },
      ),
    })
    await world.step(funnel, {
      name: 'Thanks',
      content: page({ type: 'title', text: 'Welcome, {{FIRST_NAME:friend}}' }),
    })
    const quiz = await world.form({
      name: 'Are you ready?',
      hotFrom: '5',
      questions: [
        { label: 'Do you sell online?', type: 'YES_NO', required: true, points: [{ answer: 'yes', points: '5' }] },
        { label: 'Do you have a shop?', type: 'YES_NO' },
        { label: 'How many people are you?', type: 'NUMBER' },
      ],
      outcomes: [{ key: 'call', title: 'Let us talk', bucket: 'HOT' }],
    })
    const following = await follow({ server: world.server, key: world.mainKey }, Events, {
      after: (await world.run('{ eventCursor }')).eventCursor,
    })
    const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
      world.accountId,
    ])

    const context = await browser.newContext({ viewport: phone })
    const tab = await context.newPage()
    await tab.goto(`${world.server.url}/p/${account?.subdomain}/${funnel.databaseId}?utm_source=news`)
    await tab.getByLabel('E-mail').fill('ada@example.com')
    await tab.getByLabel('First name').fill('Ada <b>')
    await tab.getByLabel(consentText).check()
    await tab.getByRole('button', { name: 'Send it' }).click()
    await tab.getByRole('heading', { name: 'Welcome, Ada <b>' }).waitFor()

    await tab.goto(`${world.server.url}/f/${quiz.databaseId}`)
    for (const question of ['Do you sell online?', 'Do you have a shop?']) {
      await tab.getByText(question).waitFor()
      await tab.keyboard.press('y')
      await tab.keyboard.press('Enter')
    }
    await tab.getByText('How many people are you?').waitFor()
    // The browser was closed for days: only its cookies are left.
    const state = await context.storageState()
    await context.close()
    const later = await browser.newContext({ viewport: desktop, storageState: state })
    const again = await later.newPage()
    await again.goto(`${world.server.url}/f/${quiz.databaseId}`)
    await again.getByText('How many people are you?').waitFor()
    await again.keyboard.type('3')
    await again.keyboard.press('Enter')
    await again.getByText('Let us talk').waitFor()
    await later.close()

    const reported = (await following.upTo(6)).map(({ data }) => [data.events.name, data.events.form?.name])
    expect(reported.filter(([name]) => name === 'funnel.opt_in')).toHaveLength(1)
    expect(reported.filter(([, form]) => form === 'Are you ready?').map(([name]) => name)).toEqual([
      'form_submission.started',
      'form_submission.updated',
      'form_submission.completed',
    ])
    const { submissions, funnel: figures } = await world.run(
      `query ($form: ID!, $funnel: ID!) {
        submissions(filter: { forms: { any: [$form] } }) { nodes { status score outcomeKey contact { email } } }
        funnel(id: $funnel) { stats { totals { visitors optIns } } } }`,
      { form: quiz.id, funnel: funnel.id },
    )
    expect(submissions.nodes).toEqual([
      {
        status: 'COMPLETED',
        score: expect.stringMatching(/^5(\.00)?$/),
        outcomeKey: 'call',
        contact: { email: 'ada@example.com' },
      },
    ])
    expect(figures.stats.totals).toEqual({ visitors: 1, optIns: 1 })
  }, 120_000)
})
