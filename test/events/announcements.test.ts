import { beforeAll, describe, expect, it } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit, emitAll } from '../../src/events/index.ts'
import { newCtx } from '../../src/kernel/context.ts'
import { schema } from '../../src/schema.ts'
import { advance } from '../../src/sequences/index.ts'
import { newRewind } from '../support/rewind.ts'
import { newWorld, type World } from '../support/world.ts'
import { announcements } from './announcements.ts'
import { failedCampaign, type Ids, mailSettings, mutationOf, sendingCampaign } from './mutations.ts'

async function inhabited(): Promise<{ world: World; ids: Ids }> {
  const world = await newWorld()
  await mailSettings(world)
  const { nodes } = (await world.run('{ apiKeys { nodes { databaseId } } }')).apiKeys
  await world.key()
  const contact = await world.contact({ email: 'ada@example.com' })
  await world.contact({ emailMarketing: true })
  const [sequence, free] = [await world.sequence(), await world.sequence()]
  const done = await world.stage(sequence, { active: true })
  const stage = await world.stage(sequence, { active: true })
  await world.stage(free)
  const enrolment = await world.subscribe(contact, sequence)
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  await advance(ctx, { enrolmentId: enrolment.databaseId, stageId: done.databaseId })
  const planned = await world.campaign()
  await world.run(
    'mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-12-24 18:00" }) { campaign { id } } }',
    planned,
  )
  const webhook = await world.webhook()
  const { delivery } = (
    await world.run('mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { id } } }', webhook)
  ).webhookTest
  const ids = {
    contact: contact.databaseId,
    sequence: sequence.databaseId,
    stage: stage.databaseId,
    free: free.databaseId,
    campaign: (await world.campaign({ audience: { sendToAll: true } })).databaseId,
    planned: planned.databaseId,
    failed: (await failedCampaign(world)).databaseId,
    sending: (await sendingCampaign(world)).databaseId,
    tag: (await world.tag()).databaseId,
    field: (await world.customField()).databaseId,
    webhook: webhook.databaseId,
    delivery: Number(delivery.id),
    key: nodes[0].databaseId as number,
    order: (await world.order()).databaseId,
    paid: (await world.order({ status: 'COMPLETED' })).databaseId,
    payment: (await world.transaction()).databaseId,
    invoice: (await world.invoice()).databaseId,
    plan: (await world.subscription()).databaseId,
    lapsed: (await world.subscription({ status: 'ERROR' })).databaseId,
    ...(await askedIds(world)),
    ...(await funnelIds(world)),
  }
  await world.rows('DELETE FROM outbox_event WHERE account_id = $1', [world.accountId])
  return { world, ids }
}

/** A funnel with a step whose page is published. */
async function funnelIds(world: World) {
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content: { version: 1, root: [] } })
  return { funnel: funnel.databaseId, step: step.databaseId }
}

/** A form, a draft, and what the first has. */
async function askedIds(world: World) {
  const asking = {
    questions: ['one', 'two'].map((label) => ({ label, type: 'YES_NO' })),
    outcomes: [{ key: 'end', title: 'The end', bucket: 'COLD' }],
  }
  const form = await world.form(asking)
  const draft = 'mutation ($input: FormCreateInput!) { formCreate(input: $input) { form { databaseId } } }'
  return {
    form: form.databaseId,
    draft: (await world.run(draft, { input: { name: 'draft', ...asking } })).formCreate.form.databaseId as number,
    question: form.questions[0]?.databaseId ?? 0,
    outcome: form.outcomes[0]?.databaseId ?? 0,
    submission: (await world.submission(form)).databaseId,
  }
}

describe('what is announced', () => {
  let world: World
  let ids: Ids
  let rewind: () => Promise<void>
  // One account for all tests, which find it as it was at first.
  beforeAll(async () => {
    const made = await inhabited()
    world = made.world
    ids = made.ids
    rewind = await newRewind(world)
  })

  it('is known of every mutation', () => {
    expect(Object.keys(announcements).sort()).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).sort())
  })

  it.each(Object.entries(announcements))(
    'by %s is this, with ids and facts, once',
    async (field, { input, select, events }) => {
      await rewind()
      await world.run(mutationOf(field, select), { input: input(ids) })
      expect((await world.announced()).map(({ type, data }) => [type, data])).toEqual(events(ids))
    },
  )

  it('belongs to the account alone that changed', async () => {
    await rewind()
    const other = await world.other()
    await other.contact()
    expect(await world.announced()).toEqual([])
    expect(await other.announced()).toHaveLength(1)
  })

  it('of one document stays where a later field of it fails', async () => {
    await rewind()
    const { body } = await world.ask(`mutation {
      a: contactUpdate(input: { contact: { id: ${ids.contact} }, city: "Paris" }) { contact { id } }
      b: contactUpdate(input: { contact: { id: 0 }, city: "Paris" }) { contact { id } }
      c: contactFieldSet(input: { contact: { id: ${ids.contact} }, customFieldId: ${ids.field}, value: "v" }) { value } }`)
    expect(body.errors).toMatchObject([{ path: ['b'] }])
    // Payload fields are not null, so the failed one takes the answer with it; what was done stays done.
    expect((await world.announced()).map(({ type }) => type).slice(0, 1)).toEqual(['contact.updated'])
  })
})

describe('an announcement', () => {
  it('goes with its transaction: undone together, nested or not', async () => {
    const { server, accountId, announced } = await newWorld()
    const ctx = newCtx(server.system, { accountId })
    const failing = inTransaction(ctx, async (tx) => {
      await emit(tx, 'contact.created', { contactId: 1 })
      await inTransaction(tx, (inner) => emit(inner, 'contact.deleted', { contactId: 1 }))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await announced()).toEqual([])
    await inTransaction(ctx, (tx) => emitAll(tx, 'contact.created', [{ contactId: 1 }, { contactId: 2 }]))
    expect(await announced()).toEqual([
      { type: 'contact.created', data: { contactId: 1 } },
      { type: 'contact.created', data: { contactId: 2 } },
    ])
  })

  it('is refused outside of a transaction', async () => {
    const { server, accountId, announced } = await newWorld()
    const ctx = newCtx(server.system, { accountId })
    await expect(emit(ctx, 'contact.created', { contactId: 1 })).rejects.toThrow('outside of a transaction')
    expect(await announced()).toEqual([])
  })
})
