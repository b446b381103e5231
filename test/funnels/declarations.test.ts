import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { eraseContact } from '../contacts/erasure.ts'
import { download, exportContact } from '../contacts/export.ts'
import type { World } from '../support/world.ts'
import { page, StepUpdate } from './documents.ts'
import { newOptInFunnel } from './opt-in.ts'
import { requestPage } from './visiting.ts'

const words = {
  termsText: 'I want to receive e-mails, says clause 7.',
  marketingConsentText: 'Tell me about new bowls.',
}
const order = {
  type: 'order_form',
  id: 'buy',
  product: { name: 'Bowl', amount: '49.90', currency: 'USD' },
  ...words,
}
const email = 'ada@example.com'

const read = `query ($e: String!) { contact(ref: { email: $e }) { emailMarketing tags { name } enrolments { totalCount }
  consents { nodes { kind granted source text ip } } timeline(first: 50) { nodes { __typename } } } }`
const contactOf = async (world: World) => (await world.run(read, { e: email })).contact
const proof = 'acceptedTerms { source text documentVersion ip acceptedAt }'
const ordersOf = async (world: World) => (await world.run(`{ orders { nodes { status ${proof} } } }`)).orders.nodes
const submissionsOf = async (world: World) =>
  (await world.run(`{ submissions { nodes { status ${proof} } } }`)).submissions.nodes
const totals = 'totals { visitors optIns ordersPlaced orders optInRate orderRate revenue { amount } }'
const statsOf = async (world: World, funnel: { id: string }, args = '') =>
  (await world.run(`query ($id: ID!) { funnel(id: $id) { stats${args} { ${totals} } } }`, funnel)).funnel.stats.totals

/** Creates a page with an order form. Its step adds a tag and enrols in a sequence. */
async function newOrderPage(elements: object[] = [order], settings = {}) {
  const made = await newOptInFunnel({ elements })
  const { world, step } = made
  const tag = await world.tag('buyers')
  const sequence = await world.sequence()
  await world.stage(sequence, { active: true })
  await world.run(StepUpdate, { input: { id: step.id, tagIds: [tag.id], sequenceIds: [sequence.id] } })
  if (Object.keys(settings).length > 0)
    await world.run(
      'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }',
      { input: { id: step.id, content: { ...page(...elements), settings }, publish: true } },
    )
  const post = (fields: Record<string, string>) =>
    requestPage(world.server, made.path, { form: { form: 'buy', [made.mail]: email, ...fields } })
  return { ...made, post }
}

describe('an order with its terms accepted', () => {
  it('is placed without a consent, whatever the words of the terms are', async () => {
    const { world, funnel, post } = await newOrderPage()
    expect((await post({ terms: 'yes' })).status).toBe(303)
    const contact = await contactOf(world)
    expect(contact).toMatchObject({ emailMarketing: false, tags: [{ name: 'buyers' }], enrolments: { totalCount: 1 } })
    expect(contact.consents.nodes).toEqual([])
    expect(contact.timeline.nodes.map(({ __typename }: { __typename: string }) => __typename)).not.toContain('Consent')
    const filter = 'query ($is: Boolean) { contacts(filter: { emailMarketing: $is }) { totalCount } }'
    const count = async (is: boolean) => (await world.ask(filter, { is })).body.data?.contacts.totalCount
    expect([await count(true), await count(false)]).toEqual([0, 1])
    const { json } = await download((await exportContact(world, { email })).url)
    expect(json.consents).toEqual([])
    expect(json.contact[0].email_marketing).toBe(false)
    expect(await ordersOf(world)).toEqual([
      {
        status: 'WAITING',
        acceptedTerms: [
          {
            source: `funnel:${funnel.databaseId}/welcome`,
            text: words.termsText,
            documentVersion: '1',
            ip: '127.0.0.1',
            acceptedAt: expect.stringMatching(/^\d{4}-.*Z$/),
          },
        ],
      },
    ])
    expect(await submissionsOf(world)).toEqual([{ status: 'COMPLETED', acceptedTerms: [] }])
    expect(await world.announced('funnel.opt_in')).toHaveLength(1)
  })

  it('grants consent only if the box for it is ticked too', async () => {
    const { world, funnel, post } = await newOrderPage()
    await post({ terms: 'yes', consent: 'yes' })
    const contact = await contactOf(world)
    expect([contact.emailMarketing, contact.consents.nodes]).toEqual([
      true,
      [
        {
          kind: 'EMAIL_MARKETING',
          granted: true,
          source: `funnel:${funnel.databaseId}/welcome`,
          text: words.marketingConsentText,
          ip: '127.0.0.1',
        },
      ],
    ])
  })

  it('grants nothing by a field that the form does not have', async () => {
    const { world, post } = await newOrderPage([{ ...order, marketingConsentText: undefined }])
    expect((await post({ terms: 'on', consent: 'yes' })).status).toBe(303)
    expect(await contactOf(world)).toMatchObject({ emailMarketing: false, consents: { nodes: [] } })
  })

  it('does not need a question for consent that other forms of the step require', async () => {
    const { world, step, post } = await newOrderPage()
    const question = { formId: step.form.id, label: 'Write to me.', type: 'CONSENT', required: true }
    await world.run(
      'mutation ($input: FormQuestionCreateInput!) { formQuestionCreate(input: $input) { question { id } } }',
      {
        input: question,
      },
    )
    expect((await post({ terms: 'yes' })).status).toBe(303)
    expect(await contactOf(world)).toMatchObject({ emailMarketing: false, consents: { nodes: [] } })
    expect(await ordersOf(world)).toHaveLength(1)
  })

  it('is refused without the terms, in the language of the page and as JSON, and stores nothing', async () => {
    const { world, path, mail, post } = await newOrderPage([order], { language: 'fr' })
    const refused = await post({ consent: 'yes' })
    expect(refused.status).toBe(422)
    expect(refused.body).toContain('<p class="q-fault" id="buy-terms-fault">Veuillez accepter.</p>')
    expect(refused.body).toMatch(/id="buy-consent" name="consent" value="yes" checked/)
    const json = await requestPage(world.server, path, { json: { form: 'buy', [mail]: email, terms: false } })
    expect([json.status, JSON.parse(json.body).details]).toEqual([422, { terms: ['This must be accepted.'] }])
    expect([await ordersOf(world), await submissionsOf(world), await contactOf(world)]).toEqual([[], [], null])
    const taken = await requestPage(world.server, path, { json: { form: 'buy', [mail]: email, terms: true } })
    expect(taken.status).toBe(200)
    expect((await ordersOf(world))[0].acceptedTerms).toMatchObject([{ text: words.termsText, documentVersion: '2' }])
    expect(await contactOf(world)).toMatchObject({ emailMarketing: false })
  })

  it('is refused if the page has other words by now than the visitor saw, and stores nothing', async () => {
    const { world, step, path, post } = await newOrderPage()
    const shownOn = async () =>
      /name="shown" value="([^"]+)"/.exec((await requestPage(world.server, path)).body)?.[1] ?? ''
    const shown = await shownOn()
    await world.run(
      'mutation ($input: FunnelStepContentSetInput!) { funnelStepContentSet(input: $input) { version } }',
      { input: { id: step.id, content: page({ ...order, termsText: 'Other terms.' }), publish: true } },
    )
    expect((await post({ terms: 'yes', shown })).status).toBe(409)
    expect([await ordersOf(world), await contactOf(world)]).toEqual([[], null])
    expect((await post({ terms: 'yes', shown: await shownOn() })).status).toBe(303)
    expect((await ordersOf(world))[0].acceptedTerms).toMatchObject([{ text: 'Other terms.', documentVersion: '2' }])
  })

  it('counts as placed and not as an opt-in, in the figures and in their check', async () => {
    const { world, funnel, post, path, mail } = await newOrderPage([
      order,
      { type: 'form', id: 'join', marketingConsentText: 'News, please.' },
    ])
    await requestPage(world.server, path)
    await post({ terms: 'yes' })
    const none = { optIns: 0, optInRate: 0, orders: 0, orderRate: 0, revenue: [] }
    for (const args of ['', '(period: ALL)', '(groupBy: DAY)'])
      expect(await statsOf(world, funnel, args)).toMatchObject({ ...none, ordersPlaced: 1 })
    await requestPage(world.server, path, { form: { form: 'join', [mail]: 'b@example.com', consent: 'yes' } })
    const series = `query ($id: ID!) { funnel(id: $id) { series(figure: OPT_INS) { total } }
      account { series(figure: ORDERS_PLACED, currency: "USD") { total } orders: series(figure: ORDERS, currency: "USD") { total } } }`
    expect(await world.run(series, funnel)).toEqual({
      funnel: { series: { total: '1' } },
      account: { series: { total: '1' }, orders: { total: '0' } },
    })
    const [{ id }] = (await world.run('{ orders { nodes { id } } }')).orders.nodes
    await world.run('mutation ($id: ID!) { orderComplete(input: { id: $id }) { order { status } } }', { id })
    for (const args of ['', '(period: ALL)'])
      expect(await statsOf(world, funnel, args)).toMatchObject({ optIns: 1, ordersPlaced: 1, orders: 1 })
    await world.run('mutation ($id: ID!) { orderRefund(input: { id: $id }) { order { status } } }', { id })
    expect(await statsOf(world, funnel)).toMatchObject({ optIns: 1, ordersPlaced: 1, orders: 0, revenue: [] })
    const drifts = await checkFigures(world.server.system)
    expect(drifts.filter(({ accountId }) => accountId === world.accountId)).toEqual([])
  })
})

describe('the terms of a form', () => {
  it('are stored with its submission, also beside a consent, exported, and kept without the address after an erasure', async () => {
    const { world, path, mail } = await newOptInFunnel({ elements: [{ type: 'form', id: 'join', ...words }] })
    await requestPage(world.server, path, { form: { form: 'join', [mail]: email, terms: 'yes', consent: 'yes' } })
    expect(await submissionsOf(world)).toMatchObject([
      { acceptedTerms: [{ text: words.termsText, documentVersion: '1', ip: '127.0.0.1' }] },
    ])
    expect((await contactOf(world)).consents.nodes).toMatchObject([{ text: words.marketingConsentText }])
    const { json } = await download((await exportContact(world, { email })).url)
    expect(json.submissions[0].accepted_terms).toMatchObject([{ text: words.termsText, ip: '127.0.0.1' }])
    await eraseContact(world, { email })
    expect(await submissionsOf(world)).toMatchObject([{ acceptedTerms: [{ text: words.termsText, ip: '' }] }])
  })

  it('of an order lose the address after an erasure, and go with the person in a merge', async () => {
    const { world, post } = await newOrderPage()
    await post({ terms: 'yes' })
    await world.contact({ email: 'other@example.com' })
    await world.run(
      'mutation ($c: ContactRefInput!, $i: ContactRefInput!) { contactMerge(input: { contact: $c, into: $i }) { contact { id emailMarketing } } }',
      { c: { email }, i: { email: 'other@example.com' } },
    )
    const { json } = await download((await exportContact(world, { email: 'other@example.com' })).url)
    expect(json.orders[0].accepted_terms).toMatchObject([{ text: words.termsText, document_version: '1' }])
    await eraseContact(world, { email: 'other@example.com' })
    expect((await ordersOf(world))[0].acceptedTerms).toMatchObject([{ text: words.termsText, ip: '' }])
  })
})
