import { afterAll, describe, expect, it } from 'vitest'
import { payloads } from '../../rest-bridge/events/payloads.ts'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { declarationOf, type EventData, emit, eventTypes } from '../../src/events/index.ts'
import { newWorld, type World } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { assigned, Create, newSender, newWebhook, Update } from './webhook-world.ts'

const usual = newSender()
const newPayloadWorld = async () => newWorld({ server: await usual })
const DryRun = `query ($webhookId: ID, $document: String, $type: EventType!, $subjectId: ID) {
  webhookDryRun(webhookId: $webhookId, document: $document, type: $type, subjectId: $subjectId) { body } }`

afterAll(async () => {
  expect((await usual).errors).toEqual([])
})

/** Emits events that no operation of the test emits. */
async function announce<Type extends keyof EventData>(world: World, type: Type, data: EventData[Type]): Promise<void> {
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  await inTransaction(ctx, (tx) => emit(tx, type, data as never))
}

describe('the payload of a webhook', () => {
  it('is a REST resource only for declared kinds of events, each of which is a GraphQL type', async () => {
    const kinds = new Set<string>(eventTypes().map((type) => declarationOf(type).kind))
    expect(Object.keys(payloads).filter((kind) => !kinds.has(kind))).toEqual([])
    const possible = '{ __type(name: "Event") { possibleTypes { name } } }'
    const { body } = await (await newPayloadWorld()).ask(possible)
    expect(body.data.__type.possibleTypes.map(({ name }: { name: string }) => name).sort()).toEqual([...kinds].sort())
  })

  it('is the object, the pair or the facts of the event, as in the REST API', async () => {
    const world = await newPayloadWorld()
    const receiver = await newReceiver()
    const contact = await world.contact({ email: 'ada@example.com' })
    const campaign = await world.campaign({ name: 'spring' })
    const { databaseId: contactId } = contact
    const { databaseId: campaignId } = campaign
    await assigned(world)
    await newWebhook(world, receiver.url)
    const pairs: { [Type in keyof EventData]?: [EventData[Type], unknown] } = {
      'contact.updated': [
        { contactId },
        expect.objectContaining({ id: contactId, email: 'ada@example.com', tags: [] }),
      ],
      'contact.deleted': [{ contactId }, { id: contactId }],
      'contact.tag_added': [
        { contactId, tagId: 5, changes: ['1'] },
        { contact_id: contactId, tag_id: 5 },
      ],
      'contact.tag_removed': [
        { contactId, tagId: 5 },
        { contact_id: contactId, tag_id: 5 },
      ],
      'contact.field_updated': [
        { contactId, customFieldId: 6, value: 'x', changes: ['2'] },
        { contact_id: contactId, custom_field_id: 6, value: 'x' },
      ],
      'sequence.completed': [
        { contactId, sequenceId: 7 },
        { contact_id: contactId, sequence_id: 7 },
      ],
      'email.opened': [
        { contactId, campaignId, stageId: null },
        { contact_id: contactId, campaign_id: campaignId },
      ],
      'email.clicked': [
        { contactId, campaignId: null, stageId: 8, url: 'https://example.com/' },
        { contact_id: contactId, stage_id: 8, url: 'https://example.com/' },
      ],
      'campaign.scheduled': [
        { campaignId },
        expect.objectContaining({ id: campaignId, name: 'spring', status: 'draft', sent_at: null }),
      ],
      'funnel.opt_in': [
        { funnelId: 1, stepId: 2, contactId },
        { funnel_id: 1, step_id: 2, contact_id: contactId },
      ],
      'quota.reached': [
        { slot: 'contacts', limit: 10, used: 12 },
        { name: 'contacts', limit: 10, used: 12, remaining: 0 },
      ],
    }
    for (const [type, [data]] of Object.entries(pairs)) await announce(world, type as 'contact.updated', data as never)
    const calls = await receiver.upTo(Object.keys(pairs).length)
    expect(Object.fromEntries(calls.map(({ body }) => [body.type, body.data]))).toEqual(
      Object.fromEntries(Object.entries(pairs).map(([type, [, shown]]) => [type, shown])),
    )
  })

  it('is only the ID if the object was deleted', async () => {
    const world = await newPayloadWorld()
    const receiver = await newReceiver()
    await newWebhook(world, receiver.url)
    await announce(world, 'contact.updated', { contactId: 2_000_000_000 })
    await announce(world, 'campaign.sending', { campaignId: 2_000_000_001 })
    const calls = await receiver.upTo(2)
    expect(calls.map(({ body }) => body.data.id).sort()).toEqual([2_000_000_000, 2_000_000_001])
  })

  it('does not count against the rate limits of the account', async () => {
    const world = await newPayloadWorld()
    const receiver = await newReceiver()
    await newWebhook(world, receiver.url)
    const remaining = async () => Number((await world.ask('{ viewer { email } }')).body.extensions.rateLimit.remaining)
    const before = await remaining()
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    await inTransaction(ctx, async (tx) => {
      for (let n = 0; n < 20; n += 1) await emit(tx, 'contact.updated', { contactId: 1 })
    })
    await receiver.upTo(20)
    expect(await remaining()).toBeGreaterThanOrEqual(before - 1)
  })
})

describe('the GraphQL document of a webhook', () => {
  const document = 'subscription { events { name occurredAt ... on ContactEvent { contact { email } } } }'

  it('selects the data of its messages', async () => {
    const world = await newPayloadWorld()
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url, { document, eventPatterns: ['contact.created'] })
    await world.contact({ email: 'ada@example.com' })
    const [call] = await receiver.upTo(1)
    expect(call?.body).toEqual({
      id: call?.headers['webhook-id'],
      type: 'contact.created',
      timestamp: expect.any(String),
      data: {
        events: { name: 'contact.created', occurredAt: expect.any(String), contact: { email: 'ada@example.com' } },
      },
    })
    await world.run(Update, { input: { id, document: '' } })
    await world.contact({ email: 'grace@example.com' })
    expect((await receiver.upTo(2))[1]?.body.data).toMatchObject({ email: 'grace@example.com', first_name: '' })
  })

  it('reads what the key that set it can read', async () => {
    const world = await newPayloadWorld()
    const receiver = await newReceiver()
    const key = await world.key({ scopes: ['events:read', 'events:write', 'sequences:read'] })
    const own =
      'subscription { events { ... on SequenceEvent { contactDatabaseId contact { email } sequence { id } } } }'
    await world.run(Create, { input: { url: receiver.url, document: own, eventPatterns: ['sequence.*'] } }, { key })
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    await world.stage(sequence)
    await world.subscribe(contact, sequence)
    const [call] = await receiver.upTo(1)
    expect(call?.body.data.events).toEqual({
      contactDatabaseId: contact.databaseId,
      contact: null,
      sequence: { id: sequence.id },
    })
  })

  it.each([
    ['{ viewer { email } }', /must be a subscription/],
    ['mutation { tagCreate(input: { name: "x" }) { tag { id } } }', /must be a subscription/],
    ['subscription { events(after: "x") { name } }', /must not pass arguments to `events`/],
    ['subscription { events(types: [CONTACT_CREATED]) { name } }', /must not pass arguments to `events`/],
    ['subscription { campaignProgress(campaignId: 1) { cursor } }', /the field `events`/],
    ['subscription A { events { name } } subscription B { events { name } }', /one operation/],
    ['subscription ($x: Boolean!) { events { name @include(if: $x) } }', /variables/],
    ['subscription { events { nothing } }', /Cannot query field/],
    ['subscription { events { name }', /Syntax Error/],
    ['subscription { ...F } fragment F on Subscription { events { name } }', /the field `events`/],
    [
      'subscription { events { ... on ContactTagEvent { tag { contacts(first: 100) { nodes { messages(first: 100) { nodes { id } } } } } } } }',
      /can cost \d+ points\. The maximum is 5000/,
    ],
    [`subscription { events { ${'name '.repeat(3_000)} } }`, /tokens/],
  ])('returns VALIDATION_ERROR if it is invalid: %.60s', async (wrong, message) => {
    const world = await newPayloadWorld()
    const { extensions } = await world.fault(Create, { input: { url: 'https://hook.invalid/', document: wrong } })
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(extensions.details?.['input.document']?.join()).toMatch(message)
    const dry = await world.fault(DryRun, { document: wrong, type: 'CONTACT_CREATED' })
    expect(dry.extensions.details).toEqual({ document: extensions.details?.['input.document'] })
  })
})

describe('webhookDryRun', () => {
  it('returns the message of the last such event or of an example, and sends nothing', async () => {
    const world = await newPayloadWorld()
    const receiver = await newReceiver()
    const { id } = await newWebhook(world, receiver.url, { eventPatterns: ['webhook.test'] })
    const shown = async (variables: object) => JSON.parse((await world.run(DryRun, variables)).webhookDryRun.body)
    const could = await shown({ webhookId: id, type: 'CONTACT_CREATED' })
    expect(could).toEqual({
      id: 'msg_dry_run',
      type: 'contact.created',
      timestamp: expect.any(String),
      data: { id: 1 },
    })
    const [ada, grace] = [await world.contact({ email: 'ada@example.com' }), await world.contact()]
    const last = await shown({ webhookId: id, type: 'CONTACT_CREATED' })
    expect(last.data).toMatchObject({ id: grace.databaseId })
    const about = await shown({ webhookId: id, type: 'CONTACT_CREATED', subjectId: ada.id })
    expect(about.data).toMatchObject({ email: 'ada@example.com' })
    const document = 'subscription { events { ... on ContactEvent { contact { email } } } }'
    const never = { document, type: 'CONTACT_RESUBSCRIBED', subjectId: ada.databaseId }
    expect((await shown(never)).data).toEqual({ events: { contact: { email: 'ada@example.com' } } })
    expect(receiver.calls).toEqual([])
  })

  it('returns nothing that the key cannot read', async () => {
    const world = await newPayloadWorld()
    const key = await world.key({ scopes: ['events:read'] })
    const fault = await world.fault(DryRun, { type: 'CONTACT_CREATED' }, { key })
    expect(fault.extensions.code).toBe('FORBIDDEN')
  })
})
