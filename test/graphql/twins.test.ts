import { beforeAll, describe, expect, it } from 'vitest'
import {
  announcements,
  failedCampaign,
  type Ids,
  mailSettings,
  mutationOf,
  sendingCampaign,
} from '../events/mutations.ts'
import { everything } from '../support/everything.ts'
import { newRewind } from '../support/rewind.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { documentOf, globalIds, itemsOf, tables, waysTo } from './lists.ts'

/** For each of two contacts the tags it has and the sequence it is in, by their places; and which of the two opened its mail. */
interface Links {
  readonly tags: readonly [number[], number[]]
  readonly sequences: readonly [number, number]
  readonly opener: number
}

const ownLinks: Links = { tags: [[0], []], sequences: [0, 2], opener: 0 }
const twinLinks: Links = { tags: [[1], [0]], sequences: [1, 1], opener: 1 }

/** Two of each thing, all named after the account; how they are linked is for the caller to say. */
async function inhabited(world: World, name: string, links: Links) {
  const { accountId, rows } = world
  await mailSettings(world)
  await rows('UPDATE suppression SET detail = $2 WHERE account_id = $1', [accountId, name])
  await rows('UPDATE dkim_key SET public_key = $2 WHERE account_id = $1', [accountId, name])
  const tags = [await world.tag(`${name} tag 1`), await world.tag(`${name} tag 2`)]
  const fields = [
    await world.customField({ name: `${name} field 1` }),
    await world.customField({ name: `${name} field 2` }),
  ]
  const contacts: Named[] = []
  for (const [index, own] of links.tags.entries()) {
    contacts.push(
      await world.contact({
        email: `${name}-${index}@example.com`,
        gdpr: true,
        consent: { source: name },
        tagIds: own.map((tag) => tags[tag]?.id),
        customFields: [{ customFieldId: fields[index]?.id, value: `${name} value` }],
      }),
    )
  }
  // What `contactUpsert` looks for, and whom campaigns are sent to.
  await world.contact({ email: 'ada@example.com', firstName: name, emailMarketing: true })
  const sequences: Named[] = []
  const stages: Named[] = []
  for (const index of [0, 1, 2]) {
    const sequence = await world.sequence({ name: `${name} sequence ${index}` })
    const action = { kind: 'ADD_TAG', tagId: tags[0]?.id }
    await world.stage(sequence, { name: `${name} action`, stageType: 'ACTION', action })
    stages.push(await world.stage(sequence, { name: `${name} stage`, active: true }))
    sequences.push(sequence)
  }
  for (const [index, sequence] of links.sequences.entries()) {
    await world.subscribe(contacts[index] as Named, sequences[sequence] as Named)
  }
  const campaigns: Named[] = []
  const planned: Named[] = []
  for (const all of [campaigns, planned]) {
    for (const index of [0, 1]) {
      const { email: _email, ...campaign } = await world.campaign({
        name: `${name} campaign ${index}`,
        subject: `${name} subject`,
        audience: { sendToAll: true },
      })
      all.push(campaign)
    }
  }
  for (const { id } of planned) {
    await world.run(
      'mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-12-24 18:00" }) { campaign { id } } }',
      { id },
    )
  }
  const failed = [await failedCampaign(world, `${name} failed`), await failedCampaign(world, `${name} failed`)]
  const sending = [await sendingCampaign(world, `${name} sending`), await sendingCampaign(world, `${name} sending`)]
  const sent = await world.campaign({ name: `${name} sent`, subject: `${name} subject` })
  await rows("UPDATE campaign SET status = 'SENT', filters = $3 WHERE account_id = $1 AND id = $2", [
    accountId,
    sent.databaseId,
    { match: 'ANY', includeTagIds: [tags[0]?.databaseId] },
  ])
  for (const [index, contact] of contacts.entries()) {
    await rows(
      `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, sent_at, opened_at, clicked_at)
       SELECT $1, $2, $3, 'SENT', now(), now(), opened, opened FROM (SELECT CASE WHEN $4 THEN now() END AS opened) o`,
      [accountId, sent.databaseId, contact.databaseId, index === links.opener],
    )
  }
  await rows(
    `INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, created_at)
     SELECT account_id, sequence_id, next_stage_id, id, contact_id, now() FROM enrolment WHERE account_id = $1`,
    [accountId],
  )
  await imported(world, name, fields)
  const webhooks = [await world.webhook({ description: name }), await world.webhook({ description: name })]
  const deliveries: number[] = []
  for (const { id } of webhooks) {
    const test = 'mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { id } } }'
    deliveries.push(Number((await world.run(test, { id })).webhookTest.delivery.id))
  }
  await rows(
    "UPDATE webhook_delivery SET state = 'FAILED', attempts = 1, body = $2, error = $2 WHERE account_id = $1",
    [accountId, name],
  )
  const bought = await shopped(world, name, `${name}-${links.opener}@example.com`)
  const asked = await questioned(world, name, contacts, fields)
  const led = await funnelled(world, name, { tags, sequences, orders: bought.paid })
  await rows('UPDATE api_key SET name = $2 WHERE account_id = $1', [accountId, name])
  const key = await rows<{ id: number }>('SELECT id FROM api_key WHERE account_id = $1', [accountId])
  return {
    contacts,
    tags,
    fields,
    sequences,
    stages,
    campaigns,
    planned,
    failed,
    sending,
    sent,
    bought,
    asked,
    led,
    webhooks,
    deliveries,
    key: key[0]?.id ?? 0,
  }
}

/** Two imports, each of a custom field and with an error, all named after the account. */
async function imported({ accountId, rows }: World, name: string, fields: readonly Named[]): Promise<void> {
  for (const { databaseId } of fields) {
    await rows(
      `WITH made AS (
         INSERT INTO contact_import (account_id, file_name, status, options, columns, created_at)
         VALUES ($1, $2, 'COMPLETED', '{}', $3, now()) RETURNING account_id, id)
       INSERT INTO contact_import_error (account_id, import_id, line, "column", message)
       SELECT account_id, id, 2, $2, 'is wrong' FROM made`,
      [accountId, name, JSON.stringify([{ column: name, field: 'CUSTOM_FIELD', customFieldId: databaseId }])],
    )
  }
}

/** Two of each thing that a shop has of a customer, all named after the account. */
async function shopped(world: World, name: string, email: string) {
  const two = <Made>(make: (index: number) => Promise<Made>) => Promise.all([0, 1].map(make))
  const customer = { email, firstName: name }
  const lines = [{ name: `${name} line`, unitPrice: '10', vatRate: '20' }]
  const attribution = [{ key: 'UTM_SOURCE', value: name }]
  const order = (index: number, status: string) =>
    world.order({ idOrder: `${name} ${status} ${index}`, status, lines, attribution, customer })
  const orders = [await order(0, 'WAITING'), await order(1, 'WAITING')]
  const paid = [await order(0, 'COMPLETED'), await order(1, 'COMPLETED')]
  const invoices = [await world.invoice({ customer, lines }), await world.invoice({ orderId: orders[0]?.id })]
  await world.creditNote(invoices[1] as Named, { amount: '6', reason: name })
  const plans = await two((index) => world.subscription({ name: `${name} plan ${index}`, customer }))
  const lapsed = await two((index) =>
    world.subscription({ name: `${name} lapsed ${index}`, customer, status: 'ERROR' }),
  )
  const payment = (index: number) => {
    const of = { orderId: orders[index]?.id, subscriptionId: plans[index]?.id }
    return world.transaction({ idTransaction: `${name} payment ${index}`, ...of })
  }
  const payments = [await payment(0), await payment(1)]
  await world.transaction({ idTransaction: `${name} bill`, invoiceId: invoices[1]?.id })
  return { orders, paid, invoices, plans, lapsed, payments }
}

/** Two of each thing that a form has, all named after the account: each contact answered one, and nobody two more. */
async function questioned(world: World, name: string, contacts: readonly Named[], fields: readonly Named[]) {
  const draft = 'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { id databaseId } } }'
  const made: { form: Named; draft: Named; question: Named; outcome: Named; submission: Named }[] = []
  for (const [index, contact] of contacts.entries()) {
    const asking = {
      name: `${name} form ${index}`,
      questions: ['one', 'two'].map((label) => ({
        label: `${name} ${label}`,
        type: 'SINGLE_CHOICE',
        options: ['yes', `${name} option`],
        points: [{ answer: `${name} option`, points: '1' }],
        customFieldId: fields[index]?.id,
      })),
      outcomes: [{ key: 'end', title: `${name} end`, bucket: 'COLD' }],
    }
    const { questions, outcomes, ...form } = await world.form(asking)
    await world.submission(form, {
      contact: { id: contact.id },
      answers: [{ questionId: questions[1]?.id, value: `${name} option` }],
      attribution: [{ key: 'UTM_SOURCE', value: name }],
      complete: true,
    })
    made.push({
      form,
      draft: (await world.run(draft, { input: { ...asking, name: `${name} draft ${index}` } })).formCreate.form,
      question: questions[0] as Named,
      outcome: outcomes[0] as Named,
      submission: await world.submission(form),
    })
  }
  return made
}

/** Two funnels, all named after the account, each with a step that brings its tag and its sequence and has sold an order. */
async function funnelled(
  world: World,
  name: string,
  { tags, sequences, orders }: Readonly<Record<'tags' | 'sequences' | 'orders', readonly Named[]>>,
) {
  const made: { funnel: Named; step: Named }[] = []
  for (const index of [0, 1]) {
    const funnel = await world.funnel({ name: `${name} funnel ${index}` })
    const content = { version: 1, settings: { name }, root: [] }
    const { form: _form, ...step } = await world.step(funnel, { name: `${name} step ${index}`, content })
    const links = { tagIds: [tags[index]?.id], sequenceIds: [sequences[index]?.id] }
    await world.run('mutation ($input: FunnelStepUpdateInput!) { funnelStepUpdate(input: $input) { step { id } } }', {
      input: { id: step.id, ...links },
    })
    await world.run('mutation ($input: VisitRecordInput!) { visitRecord(input: $input) { counted } }', {
      input: { stepId: step.id, visitorId: name, attribution: [{ key: 'UTM_SOURCE', value: name }] },
    })
    await world.rows('UPDATE "order" SET step_id = $3 WHERE account_id = $1 AND id = $2', [
      world.accountId,
      orders[index]?.databaseId,
      step.databaseId,
    ])
    made.push({ funnel, step })
  }
  return made
}

/** What else holds the ids of a table's rows, without a foreign key that would change with them. */
const holders: Readonly<Record<string, readonly [table: string, column: string][]>> = {
  sequence: [['mail_recipient', 'sequence_id']],
  sequence_stage: [
    ['mail_recipient', 'stage_id'],
    ['enrolment', 'next_stage_id'],
  ],
  enrolment: [['mail_recipient', 'enrolment_id']],
  campaign: [
    ['mail_recipient', 'campaign_id'],
    ['mail_source', 'campaign_id'],
  ],
  email: [['mail_recipient', 'email_id']],
  funnel: [['visit', 'funnel_id']],
  funnel_step: [
    ['visit', 'step_id'],
    ['"order"', 'step_id'],
  ],
  webhook: [['webhook_delivery', 'webhook_id']],
}

/** Gives the rows of one account the ids that those of the other have, in the order in which they were made. */
async function assimilate(twin: World, world: World): Promise<void> {
  const idsOf = (table: string, { accountId, rows }: World) =>
    rows<{ id: number }>(`SELECT id FROM ${table} WHERE account_id = $1 ORDER BY id`, [accountId])
  for (const table of [
    ...Object.values(tables),
    'api_key',
    'contact_consent',
    'document',
    'mail_recipient',
    'order_line',
    'answer',
    'webhook_delivery',
    'suppression',
    'contact_import_error',
  ]) {
    const [from, to] = [await idsOf(table, twin), await idsOf(table, world)]
    expect(from, table).toHaveLength(to.length)
    for (const [place, { id }] of from.entries()) {
      for (const [holder, column] of [[table, 'id'], ...(holders[table] ?? [])]) {
        await twin.rows(`UPDATE ${holder} SET ${column} = $3 WHERE account_id = $1 AND ${column} = $2`, [
          twin.accountId,
          id,
          to[place]?.id,
        ])
      }
    }
  }
  // What they hold as JSON names the other tag than their twins do.
  const [, second] = await idsOf('tag', world)
  await twin.rows(
    `UPDATE sequence_stage SET action = jsonb_build_object('kind', 'ADD_TAG', 'tagId', $2::int)
     WHERE account_id = $1 AND stage_type = 'ACTION'`,
    [twin.accountId, second?.id],
  )
  await twin.rows("UPDATE campaign SET filters = $2 WHERE account_id = $1 AND status = 'SENT'", [
    twin.accountId,
    { match: 'ANY', includeTagIds: [second?.id] },
  ])
  await twin.rows(
    `UPDATE funnel_step SET tag_ids = ARRAY[$2::int], sequence_ids = (SELECT array_agg(id) FROM sequence WHERE account_id = $1)
     WHERE account_id = $1`,
    [twin.accountId, second?.id],
  )
  await twin.rows("UPDATE document SET body = 'twin' WHERE account_id = $1", [twin.accountId])
  await twin.rows('UPDATE enrolment SET anchor_date = now() WHERE account_id = $1', [twin.accountId])
  // And what can be done with its own cannot be done with theirs.
  await twin.rows(`UPDATE "order" SET status = 'CANCELLED' WHERE account_id = $1`, [twin.accountId])
  await twin.rows("UPDATE transaction SET status = 'CANCELLED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE invoice SET status = 'PAID' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE billing_subscription SET status = 'INACTIVE' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE form SET status = 'ARCHIVED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE submission SET status = 'COMPLETED' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE campaign SET status = 'SENT' WHERE account_id = $1", [twin.accountId])
  await twin.rows("UPDATE sequence SET type = 'INVERTED' WHERE account_id = $1", [twin.accountId])
}

/** Moves an account's rows behind its twin's, for whoever reads the first row that is found. */
async function stepBack({ accountId, rows }: World): Promise<void> {
  for (const table of Object.values(tables))
    await rows(`UPDATE ${table} SET id = id WHERE account_id = $1`, [accountId])
}

/** Two accounts whose rows will have the same ids: where a statement forgets the account, one sees the other's. */
async function newSiblings() {
  const world = await newWorld()
  const twin = await world.other()
  const [own] = await Promise.all([inhabited(world, 'own', ownLinks), inhabited(twin, 'twin', twinLinks)])
  const idsAt = (index: number): Ids => ({
    contact: own.contacts[index]?.databaseId ?? 0,
    tag: own.tags[index]?.databaseId ?? 0,
    field: own.fields[index]?.databaseId ?? 0,
    sequence: own.sequences[index]?.databaseId ?? 0,
    stage: own.stages[index]?.databaseId ?? 0,
    free: own.sequences[2]?.databaseId ?? 0,
    campaign: own.campaigns[index]?.databaseId ?? 0,
    planned: own.planned[index]?.databaseId ?? 0,
    failed: own.failed[index]?.databaseId ?? 0,
    webhook: own.webhooks[index]?.databaseId ?? 0,
    delivery: own.deliveries[index] ?? 0,
    sending: own.sending[index]?.databaseId ?? 0,
    key: own.key,
    order: own.bought.orders[index]?.databaseId ?? 0,
    paid: own.bought.paid[index]?.databaseId ?? 0,
    payment: own.bought.payments[index]?.databaseId ?? 0,
    invoice: own.bought.invoices[index]?.databaseId ?? 0,
    plan: own.bought.plans[index]?.databaseId ?? 0,
    lapsed: own.bought.lapsed[index]?.databaseId ?? 0,
    funnel: own.led[index]?.funnel.databaseId ?? 0,
    step: own.led[index]?.step.databaseId ?? 0,
    form: own.asked[index]?.form.databaseId ?? 0,
    draft: own.asked[index]?.draft.databaseId ?? 0,
    question: own.asked[index]?.question.databaseId ?? 0,
    outcome: own.asked[index]?.outcome.databaseId ?? 0,
    submission: own.asked[index]?.submission.databaseId ?? 0,
  })
  return { world, twin, sent: own.sent.databaseId, ids: idsAt(0), second: idsAt(1) }
}

describe('an account whose rows have the same ids as another’s', () => {
  let siblings: Awaited<ReturnType<typeof newSiblings>>
  /** What the account saw before the other became its twin. */
  const before = new Map<string, unknown>()
  const look = async (steps: readonly string[]) =>
    siblings.world.run(documentOf(steps), { n: 50, ids: await globalIds(siblings.world, 50) })
  beforeAll(async () => {
    siblings = await newSiblings()
    for (const [field, steps] of Object.entries(waysTo)) before.set(field, await look(steps))
    await assimilate(siblings.twin, siblings.world)
  })

  it.each(Object.entries(waysTo))('sees in %s only its own, as before', async (field, steps) => {
    const data = await look(steps)
    expect(JSON.stringify(data)).not.toContain('twin')
    expect(data).toEqual(before.get(field))
    if (!/^AudienceCriteria|scopes$|values$/.test(field)) expect(itemsOf(data, steps)).not.toEqual([])
  })

  it('counts and filters only its own', async () => {
    const { world, ids, second } = siblings
    const data = await world.run(
      `query ($tag: ID!, $second: ID!, $id: ID!) {
        contacts(filter: { tagIds: [$second] }) { totalCount }
        mine: contacts(filter: { tagIds: [$tag] }) { totalCount }
        tag(id: $tag) { name contacts { totalCount nodes { email } } }
        other: tag(id: $second) { name contacts { totalCount } }
        contact(ref: { id: $id }) { email tags { name } customFields { label value customField { name } } consents { totalCount nodes { source } } } }`,
      { tag: ids.tag, second: second.tag, id: ids.contact },
    )
    expect(data).toEqual({
      contacts: { totalCount: 0 },
      mine: { totalCount: 1 },
      tag: { name: 'own tag 1', contacts: { totalCount: 1, nodes: [{ email: 'own-0@example.com' }] } },
      other: { name: 'own tag 2', contacts: { totalCount: 0 } },
      contact: {
        email: 'own-0@example.com',
        tags: [{ name: 'own tag 1' }],
        customFields: [{ label: 'own field 1', value: 'own option', customField: { name: 'own field 1' } }],
        consents: { totalCount: 1, nodes: [{ source: 'own' }] },
      },
    })
  })

  it('counts its own enrolments and messages', async () => {
    const { world, ids, second, sent } = siblings
    const data = await world.run(
      `query ($sequence: ID!, $second: ID!, $sent: ID!, $id: ID!) {
        sequence(id: $sequence) { name activeContacts enrolments { totalCount } contacts { totalCount } }
        other: sequence(id: $second) { activeContacts enrolments { totalCount } contacts { totalCount } }
        campaign(id: $sent) { name stats { sent opened } opened: recipients(filter: { opened: true }) { totalCount nodes { contact { email } } } }
        contact(ref: { id: $id }) { stats { sent opened } messages { totalCount } enrolments { totalCount } sequences { name } }
        deliverability { sent uniqueOpens uniqueClicks } }`,
      { sequence: ids.sequence, second: second.sequence, sent, id: ids.contact },
    )
    expect(data).toEqual({
      sequence: {
        name: 'own sequence 0',
        activeContacts: 1,
        enrolments: { totalCount: 1 },
        contacts: { totalCount: 1 },
      },
      other: { activeContacts: 0, enrolments: { totalCount: 0 }, contacts: { totalCount: 0 } },
      campaign: {
        name: 'own sent',
        stats: { sent: 2, opened: 1 },
        opened: { totalCount: 1, nodes: [{ contact: { email: 'own-0@example.com' } }] },
      },
      contact: {
        stats: { sent: 1, opened: 1 },
        messages: { totalCount: 2 },
        enrolments: { totalCount: 1 },
        sequences: [{ name: 'own sequence 0' }],
      },
      deliverability: { sent: 2, uniqueOpens: 1, uniqueClicks: 1 },
    })
  })

  it.each([
    ['Tag', 'tag', [['own-0'], []]],
    ['Sequence', 'sequence', [['own-0'], []]],
    ['Opened', 'sent', [['own-0']]],
    ['NotOpened', 'sent', [['own-1']]],
    ['Clicked', 'sent', [['own-0']]],
    ['NotClicked', 'sent', [['own-1']]],
  ] as const)('chooses its own by %s', async (criterion, kind, choices) => {
    const { world, ids, second, sent } = siblings
    for (const [index, chosen] of choices.entries()) {
      const all = index === 0 ? ids : second
      const list = [kind === 'sent' ? sent : all[kind]]
      for (const [direction, names] of [
        ['include', chosen],
        ['exclude', ['ada', 'own-0', 'own-1'].filter((each) => !(chosen as readonly string[]).includes(each))],
      ] as const) {
        const { audience } = await world.run(
          'query ($filter: AudienceFilter) { audience(filter: $filter) { total contacts(orderBy: { field: EMAIL, direction: ASC }) { nodes { email } } } }',
          { filter: { [`${direction}${criterion}Ids`]: list } },
        )
        expect(audience, direction).toEqual({
          total: names.length,
          contacts: { nodes: names.map((each) => ({ email: `${each}@example.com` })) },
        })
      }
    }
  })

  describe('of which one changes', () => {
    let pair: Awaited<ReturnType<typeof newSiblings>>
    let rewind: () => Promise<void>
    let all: Awaited<ReturnType<typeof everything>>
    beforeAll(async () => {
      pair = await newSiblings()
      await assimilate(pair.twin, pair.world)
      await stepBack(pair.world)
      all = await everything(pair.twin)
      rewind = await newRewind(pair.world)
    })

    it.each(Object.entries(announcements))('changes by %s nothing of the other', async (field, { input, select }) => {
      const { world, twin, ids, second } = pair
      await rewind()
      await world.run(mutationOf(field, select), { input: input(ids) })
      // Again where its rows are linked otherwise, if that can be.
      await world.ask(mutationOf(field, select), { input: input(second) })
      expect(await everything(twin)).toEqual(all)
    })
  })
})
