// @module-tag rows
import { getNamedType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { declarationOf, type EventType } from '../../src/events/index.ts'
import { cursorOf } from '../../src/kernel/feed.ts'
import { senderProblems } from '../../src/mail/index.ts'
import { schema } from '../../src/server/schema.ts'
import { announcements } from '../events/announcements.ts'
import { callerOf, type Ids, mutationOf } from '../events/mutations.ts'
import { follow } from '../events/stream.ts'
import { newRewind } from '../support/rewind.ts'
import { asUser } from '../support/session.ts'
import type { World } from '../support/world.ts'
import { createTimelines, whileSuppressed } from './timelines.ts'
import { newTwins } from './twin-accounts.ts'
import { allOf, rootArguments, type Shown, walk } from './walk.ts'

const Node = 'query ($id: ID!) { node(id: $id) { __typename id } }'
const objects = Object.values(schema.getTypeMap()).filter(isObjectType)

/** Returns whether a field of an object type is an ID. */
const isId = (type: string, field: string) => {
  const found = schema.getType(type)
  return isObjectType(found) && getNamedType(found.getFields()[field]?.type)?.name === 'ID'
}

/** An ID in a response, with the field that returned it: `Parent.field`. */
interface Returned {
  readonly field: string
  readonly id: string
}

/** Returns the IDs of all objects in a response that was selected with `__typename`. */
function idsIn(value: unknown): Returned[] {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  if (typeof value !== 'object' || value === null) return []
  const { __typename: type, ...fields } = value as Shown
  return Object.entries(fields).flatMap(([name, shown]) =>
    typeof type === 'string' && isId(type, name) && shown !== null
      ? [{ field: `${type}.${name}`, id: String(shown) }]
      : idsIn(shown),
  )
}

/** Returns the type that a global ID names. */
const typeIn = (id: string) => /^[A-Z]\w*(?=:[1-9]\d*$)/.exec(Buffer.from(id, 'base64url').toString())?.[0]

/** Types whose fields named after another type contain its ID: `stepId` is the ID of a FunnelStep. */
const named: Readonly<Record<string, string>> = {
  stepId: 'FunnelStep',
  stageId: 'SequenceStage',
  deliveryId: 'WebhookDelivery',
  subscriptionId: 'BillingSubscription',
}

/** IDs of deleted objects that other objects still return: an answer returns its question. */
const kept = ['FormQuestionDeletePayload.deletedQuestionId']

/** Fields with the IDs of objects of any type, which may be deleted. */
const mixed = ['Actor.objectId', 'AuditEntry.objectIds']

/** Returns the type of the object whose ID is in a field. */
function typeOf(field: string): string | undefined {
  const [parent = '', name = ''] = field.split('.')
  if (name === 'id') return parent
  return (
    named[name] ??
    name.replace(/^deleted(.)/, '$1').replace(/^(.)(.*)Id$/, (_, first, rest) => first.toUpperCase() + rest)
  )
}

let siblings: Awaited<ReturnType<typeof newTwins>>
let world: World
let stranger: World
/** A key that no mutation disables. */
let key: string
const checked = new Set<string>()
beforeAll(async () => {
  siblings = await newTwins()
  world = siblings.world
  await createTimelines(world)
  stranger = await world.other()
  key = await world.key()
})

/** The field of an event with the ID of its subject. */
function subjectOf(type: string): string {
  const { kind, sample } = declarationOf(type as EventType)
  return `${kind}.${Object.keys(sample)[0]}`
}

/** Expects of each ID that `node` returns the object of the same type, and to another account null. */
async function expectNodes(ids: readonly Returned[]): Promise<void> {
  const first = new Map(ids.map((each) => [`${each.field} ${typeIn(each.id)}`, each]))
  for (const { field, id } of first.values()) {
    if (mixed.includes(field)) {
      for (const each of id.split(',')) expect(typeIn(each), field).toBeDefined()
      checked.add(field)
      continue
    }
    const type = typeOf(field)
    expect(typeIn(id), field).toBe(type)
    // Only its user reads a session.
    const reader = type === 'Session' ? asUser(siblings.user) : { key }
    expect(await world.run(Node, { id }, reader), field).toEqual({ node: { __typename: type, id } })
    expect(await stranger.run(Node, { id }), field).toEqual({ node: null })
    checked.add(field)
  }
}

describe('every ID in a response', { timeout: 120_000 }, () => {
  it('is a global ID that `node` resolves: queries', async () => {
    await whileSuppressed(world, async () => {
      const { shown } = await walk(world, { caller: {}, scopes: undefined, roots: await rootArguments(world) })
      await expectNodes(idsIn(shown))
    })
  })

  it.each([
    ['contactsChanged', 'contactId'],
    ['campaignsChanged', 'campaignId'],
    ['ordersChanged', 'orderId'],
    ['submissionsChanged', 'submissionId'],
  ])('is a global ID that `node` resolves: %s', async (name, field) => {
    const following = await follow(
      { server: world.server, key },
      `subscription ($after: String) { ${name}(after: $after) { __typename kind ${field} } }`,
      { after: cursorOf(0n) },
    )
    const { data } = await following.find((found) => found.data[name].kind === 'CHANGED')
    await expectNodes(idsIn(data[name]))
  })

  describe('of a mutation and its events', () => {
    let rewind: () => Promise<void>
    beforeAll(async () => {
      rewind = await newRewind(world)
    })

    it.each(Object.keys(announcements))('%s', async (name) => {
      await rewind()
      const announcement = announcements[name] as (typeof announcements)[string]
      const payload = getNamedType(schema.getMutationType()?.getFields()[name]?.type)
      if (!isObjectType(payload)) throw new Error(`${name} returns no object.`)
      const [last] = await world.rows<{ id: string }>('SELECT coalesce(max(id), 0)::text AS id FROM outbox_event')
      // The first contact has orders, so it is not deleted.
      const ids = name === 'contactDelete' ? siblings.second : siblings.ids
      const { body } = await world.ask(
        mutationOf(name, allOf(payload, 2)),
        { input: announcement.input(ids) },
        callerOf(announcement, siblings.user),
      )
      const events = await world.rows<{ type: string }>(
        'SELECT DISTINCT type FROM outbox_event WHERE account_id = $1 AND id > $2',
        [world.accountId, last?.id],
      )
      if (name !== 'visitRecord') await expectAudited(name, body.data[name])
      const returned = idsIn(body.data[name])
      const isDeletion = ({ field }: { field: string }) => field.includes('.deleted') && !kept.includes(field)
      const gone = new Set(returned.filter(isDeletion).map(({ id }) => id))
      for (const { type } of events) {
        const message = idsIn(await messageOf(type))
        returned.push(...message)
        const subjects: readonly string[] = type.endsWith('.deleted') ? [subjectOf(type)].flat() : []
        for (const { field, id } of message) if (subjects.includes(field)) gone.add(id)
      }
      for (const { field, id } of returned.filter((each) => gone.has(each.id))) {
        expect(typeIn(id), field).toBe(typeOf(field))
        expect(await world.run(Node, { id }, { key }), field).toEqual({ node: null })
        checked.add(field)
      }
      await expectNodes(returned.filter(({ id }) => !gone.has(id)))
    })

    it.each([
      ['email.sent', ({ contact, campaign }: Ids) => ({ contactId: contact, campaignId: campaign, stageId: null })],
      [
        'email.clicked',
        ({ contact, stage }: Ids) => ({ contactId: contact, campaignId: null, stageId: stage, url: 'x' }),
      ],
      ['funnel.visited', ({ funnel }: Ids) => ({ funnelId: funnel, visits: 1 })],
      ['funnel.opt_in', ({ contact, funnel, step }: Ids) => ({ contactId: contact, funnelId: funnel, stepId: step })],
    ])('%s, which no mutation emits', async (type, dataOf) => {
      await rewind()
      await world.rows('INSERT INTO outbox_event (account_id, type, data, created_at) VALUES ($1, $2, $3, now())', [
        world.accountId,
        type,
        dataOf(siblings.ids),
      ])
      await expectNodes(idsIn(await messageOf(type)))
    })
  })

  it('is a global ID that `node` resolves: the contact of a suppressed address', async () => {
    const { email } = await world.contact()
    await world.run(
      'mutation ($email: String!) { suppressionAdd(input: { email: $email }) { suppression { id } } }',
      { email },
      { key },
    )
    await expectNodes(idsIn(await messageOf('suppression.created')))
  })

  it('is a global ID that `node` resolves: the problem of a sender', async () => {
    await inTransaction(newCtx(world.server.system, { accountId: world.accountId }), (tx) =>
      senderProblems.addProblem(tx, { email: 'bob@refusing.example', cause: 'POLICY', detail: '550' }),
    )
    await expectNodes(idsIn(await messageOf('sender_problem.created')))
  })

  it('was compared, whatever field returns it', () => {
    const all = objects.flatMap((type) =>
      Object.keys(type.getFields())
        .filter((name) => isId(type.name, name))
        .map((name) => `${type.name}.${name}`),
    )
    expect(all.filter((field) => !checked.has(field))).toEqual([])
  })
})

/** Expects that the last entry of the audit log is of the mutation, and contains the objects whose IDs its payload has. */
async function expectAudited(mutation: string, payload: Record<string, unknown>): Promise<void> {
  const { auditLog } = await world.run('{ auditLog(first: 1) { nodes { action objectIds } } }', {}, { key })
  const ids = Object.entries(payload).filter(
    ([name, value]) => isId(String(payload['__typename']), name) && value !== null,
  )
  expect(auditLog.nodes[0].action).toBe(mutation)
  expect(auditLog.nodes[0].objectIds).toEqual(expect.arrayContaining(ids.map(([, id]) => id)))
}

/** Returns the message of a webhook with all fields of the last event of a type. Progress has no message. */
async function messageOf(type: string): Promise<unknown> {
  const event = schema.getType('Event') as never as { resolveType(event: { type: string }): string | undefined }
  const kind = schema.getType(event.resolveType({ type }) ?? '')
  if (!isObjectType(kind)) return null
  const document = `subscription { events { __typename ... on ${kind.name} { ${allOf(kind, 1)} } } }`
  const { webhookDryRun } = await world.run(
    'query ($type: EventType!, $document: String) { webhookDryRun(type: $type, document: $document) { body } }',
    { document, type: type.replace('.', '_').toUpperCase() },
    { key },
  )
  return JSON.parse(webhookDryRun.body).data
}
