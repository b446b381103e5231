import { beforeAll, describe, expect, it } from 'vitest'
import { message } from '../mail/support.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const Contacts = `query ($filter: ContactFilterInput) { contacts(filter: $filter, first: 100, orderBy: { field: EMAIL, direction: ASC }) {
  totalCount nodes { email } } }`

async function namesOf(world: World, filter: object): Promise<string> {
  const { contacts } = await world.run(Contacts, { filter })
  expect(contacts.totalCount).toBe(contacts.nodes.length)
  return contacts.nodes.map(({ email }: { email: string }) => email.replace('@x.io', '')).join(' ')
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

async function newPeople(world: World, ...names: string[]) {
  const people: Record<string, Named> = {}
  for (const name of names) people[name] = await world.contact({ email: `${name}@x.io` })
  return people as Readonly<Record<string, Named>>
}

describe('the filter of contacts by their sales', () => {
  let world: World

  beforeAll(async () => {
    world = await newWorld()
    await newPeople(world, 'ada', 'bob', 'eve')
    const order = (name: string, days: number, input: object) =>
      world.order({
        status: 'COMPLETED',
        customer: { email: `${name}@x.io` },
        createdAt: daysAgo(days),
        currency: 'EUR',
        ...input,
      })
    const bowl = { lines: [{ name: 'Blue Bowl', unitPrice: '100', vatRate: '0' }], amount: '100' }
    const first = await order('ada', 100, bowl)
    await order('ada', 5, { amount: '50' })
    await order('ada', 5, { amount: '70', currency: 'USD' })
    await order('bob', 50, { lines: [{ name: 'Red Cup', unitPrice: '20', vatRate: '0' }], amount: '20' })
    await order('eve', 1, { ...bowl, status: 'WAITING' })
    await world.transaction({ orderId: first.id, amount: '30', status: 'REFUNDED' })
    await world.subscription({ customer: { email: 'ada@x.io' } })
    await world.subscription({ customer: { email: 'bob@x.io' }, status: 'INACTIVE' })
  })

  it.each([
    [{ purchases: { orders: { gte: 1 } } }, 'ada bob'],
    [{ purchases: { orders: { eq: 3 } } }, 'ada'],
    [{ purchases: { orders: { lt: 2 } } }, 'bob eve'],
    [{ purchases: { orders: { eq: 0 } } }, 'eve'],
    [{ purchases: { orders: { ne: 1 } } }, 'ada eve'],
    [{ not: { purchases: { orders: { lte: 1 } } } }, 'ada'],
    [{ purchases: { lifetimeValue: { eq: '120' } } }, 'ada'],
    [{ purchases: { lifetimeValue: { lte: '20' } } }, 'bob eve'],
    [{ purchases: { lifetimeValue: { gt: '69.99' }, currency: 'USD' } }, 'ada'],
    [{ purchases: { lifetimeValue: { eq: 0 }, currency: 'USD' } }, 'bob eve'],
    [{ purchases: { lifetimeValue: { gte: 0 }, orders: { lte: 1 } } }, 'bob eve'],
    [{ purchases: { lifetimeValue: { lte: 500 }, orders: { gte: 1 } } }, 'ada bob'],
    [{ purchases: { lastOrderAt: { withinDays: 10 } } }, 'ada'],
    [{ purchases: { lastOrderAt: { beforeDays: 10 } } }, 'bob'],
    [{ not: { purchases: { lastOrderAt: { withinDays: 10 } } } }, 'bob eve'],
    [{ purchases: { firstOrderAt: { beforeDays: 60 } } }, 'ada'],
    [{ purchases: { lastOrderAt: { exists: false } } }, 'eve'],
    [{ purchases: { firstOrderAt: { ne: '2020-01-01T00:00:00Z' } } }, 'ada bob eve'],
    [{ or: [{ purchases: { orders: { eq: 0 } } }, { purchases: { orders: { eq: 3 } } }] }, 'ada eve'],
    [{ purchases: {} }, 'ada bob eve'],
    [{ products: { eq: 'blue bowl' } }, 'ada'],
    [{ products: { contains: 'red' } }, 'bob'],
    [{ products: { ne: 'Blue Bowl' } }, 'bob eve'],
    [{ products: { exists: false } }, 'eve'],
    [{ subscriptionStatus: ['ACTIVE'] }, 'ada'],
    [{ subscriptionStatus: ['ACTIVE', 'INACTIVE'] }, 'ada bob'],
    [{ not: { subscriptionStatus: ['ACTIVE'] } }, 'bob eve'],
    [{ subscriptionStatus: [] }, ''],
  ])('%j finds “%s”', async (filter, names) => {
    expect(await namesOf(world, filter)).toBe(names)
  })

  it('has the number and the value that Contact.purchases returns', async () => {
    const { contact } = await world.run(
      '{ contact(ref: { email: "ada@x.io" }) { purchases { orders lifetimeValue { amount currency } } } }',
    )
    expect(contact.purchases.orders).toBe(3)
    expect(contact.purchases.lifetimeValue).toMatchObject([{ currency: 'EUR' }, { amount: '70.00', currency: 'USD' }])
    expect(Number(contact.purchases.lifetimeValue[0].amount)).toBe(120)
  })

  it('gives a segment the contacts of the time at which it is queried', async () => {
    const segment = await world.segment({ purchases: { lastOrderAt: { withinDays: 10 } } })
    const document = 'query ($id: ID!) { segment(id: $id) { contacts { totalCount nodes { email segments { id } } } } }'
    const read = async () => (await world.run(document, { id: segment.id })).segment.contacts
    expect(await read()).toEqual({ totalCount: 1, nodes: [{ email: 'ada@x.io', segments: [{ id: segment.id }] }] })
    await world.rows(`UPDATE "order" SET created_at = created_at - interval '30 days' WHERE account_id = $1`, [
      world.accountId,
    ])
    expect(await read()).toEqual({ totalCount: 0, nodes: [] })
  })
})

describe('the filter of contacts by their messages, forms and visits', () => {
  let world: World
  let ids: Readonly<Record<'stage' | 'outcome' | 'funnel' | 'step', string>>

  beforeAll(async () => {
    world = await newWorld()
    const { ada, bob, eve } = await newPeople(world, 'ada', 'bob', 'eve')
    if (!ada || !bob || !eve) throw new Error('A contact is missing.')
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { active: true })
    const stageId = stage.databaseId
    const at = { sequenceId: sequence.databaseId, stageId }
    await message(world, ada, { ...at, opened: true, clicked: true })
    await message(world, bob, { ...at })
    await message(world, eve, { ...at, sent: false })
    await world.subscribe(eve, sequence)
    const form = await world.form({ outcomes: [{ key: 'cold', title: 'Cold', bucket: 'COLD' }] })
    const [outcome = { id: '' }] = form.outcomes
    await world.submission(form, { contact: { id: ada.id }, complete: true })
    await world.submission(await world.form(), { contact: { id: bob.id }, complete: true })
    const funnel = await world.funnel()
    const [step, other] = [await world.step(funnel), await world.step(await world.funnel())]
    const visit = (of: Named, contact: Named, isBot = false) =>
      world.run('mutation ($input: VisitRecordInput!) { visitRecord(input: $input) { counted } }', {
        input: { stepId: of.id, visitorId: contact.id, contact: { id: contact.id }, isBot },
      })
    await visit(step, ada)
    await visit(other, bob)
    await visit(step, eve, true)
    await world.run('mutation { suppressionAdd(input: { email: "ADA@X.io" }) { suppression { id } } }')
    await world.rows(
      `INSERT INTO suppression (account_id, email, reason, cause, created_at) VALUES ($1, 'bob@x.io', 'BOUNCE', 'MAILBOX_FULL', now())`,
      [world.accountId],
    )
    await world.rows(
      `UPDATE contact SET last_active_at = now() - interval '40 days' WHERE account_id = $1 AND email = 'bob@x.io'`,
      [world.accountId],
    )
    await world.rows(`UPDATE contact SET last_active_at = NULL WHERE account_id = $1 AND email = 'eve@x.io'`, [
      world.accountId,
    ])
    ids = { stage: stage.id, outcome: outcome.id, funnel: funnel.id, step: step.id }
  })

  it.each([
    [() => ({ stagesSent: { any: [ids.stage] } }), 'ada bob'],
    [() => ({ stagesOpened: { any: [ids.stage] } }), 'ada'],
    [() => ({ stagesClicked: { exists: true } }), 'ada'],
    [() => ({ stagesSent: { any: [ids.stage] }, not: { stagesOpened: { any: [ids.stage] } } }), 'bob'],
    [() => ({ nextStages: { any: [ids.stage] } }), 'eve'],
    [() => ({ nextStages: { none: [ids.stage] } }), 'ada bob'],
    [() => ({ outcomes: { all: [ids.outcome] } }), 'ada'],
    [() => ({ outcomes: { any: [0] } }), ''],
    [() => ({ funnelsVisited: { any: [ids.funnel] } }), 'ada'],
    [() => ({ funnelsVisited: { exists: true } }), 'ada bob'],
    [() => ({ stepsVisited: { any: [ids.step] } }), 'ada'],
    [() => ({ stepsVisited: { none: [ids.step] } }), 'bob eve'],
    [() => ({ suppressed: true }), 'ada bob'],
    [() => ({ suppressed: false }), 'eve'],
    [() => ({ suppressionReason: ['MANUAL'] }), 'ada'],
    [() => ({ suppressionReason: ['MANUAL', 'BOUNCE'] }), 'ada bob'],
    [() => ({ suppressionCause: ['MAILBOX_FULL'] }), 'bob'],
    [() => ({ lastActiveAt: { withinDays: 30 } }), 'ada'],
    [() => ({ lastActiveAt: { beforeDays: 30 } }), 'bob'],
    [() => ({ not: { lastActiveAt: { withinDays: 30 } } }), 'bob eve'],
    [() => ({ lastActiveAt: { exists: false } }), 'eve'],
  ])('finds the contacts: case %#', async (filter, names) => {
    expect(await namesOf(world, filter())).toBe(names)
  })
})

it.each([
  [{ purchases: { orders: { gte: 1 } } }, 'FINANCE_READ'],
  [{ products: { eq: 'x' } }, 'FINANCE_READ'],
  [{ subscriptionStatus: ['ACTIVE'] }, 'FINANCE_READ'],
  [{ suppressed: true }, 'MAIL_READ'],
  [{ suppressionReason: ['MANUAL'] }, 'MAIL_READ'],
  [{ suppressionCause: ['RATE'] }, 'MAIL_READ'],
  [{ nextStages: { exists: true } }, 'SEQUENCES_READ'],
  [{ stagesSent: { exists: true } }, 'SEQUENCES_READ'],
  [{ stagesOpened: { exists: true } }, 'SEQUENCES_READ'],
  [{ stagesClicked: { exists: true } }, 'SEQUENCES_READ'],
  [{ outcomes: { exists: true } }, 'FORMS_READ'],
  [{ funnelsVisited: { exists: true } }, 'FUNNELS_READ'],
  [{ stepsVisited: { exists: true } }, 'FUNNELS_READ'],
])('a filter by %j returns FORBIDDEN without %s', async (filter, scope) => {
  const world = await newWorld()
  const key = await world.key({ scopes: ['contacts:read'] })
  expect((await world.fault(Contacts, { filter }, { key })).extensions).toMatchObject({ code: 'FORBIDDEN', scope })
})
