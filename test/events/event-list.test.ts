// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { declarationOf, type EventData, emitAll, eventTypes } from '../../src/events/index.ts'
import { plansOf } from '../support/explain.ts'
import { settled } from '../support/settled.ts'
import { newWorld, type World } from '../support/world.ts'
import { type Following, follow, followEvents } from './stream.ts'

const Page = `query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int, $filter: EventFilterInput,
    $orderBy: [EventOrderInput!]) {
  events(first: $first, after: $after, last: $last, before: $before, offset: $offset, filter: $filter, orderBy: $orderBy) {
    nodes { cursor name } edges { cursor } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`
const Follow = `subscription ($after: String, $types: [EventType!], $filter: EventFilterInput) {
  events(after: $after, types: $types, filter: $filter) { cursor name } }`

const nameOf = (type: string) => type.replace('.', '_').toUpperCase()
const emitted = async <Type extends keyof EventData>(
  { server, accountId }: World,
  type: Type,
  all: readonly EventData[Type][],
) => inTransaction(newCtx(server.system, { accountId }), (tx) => emitAll(tx, type, all))
const subscribe = (world: World, variables: Record<string, unknown>, key = world.mainKey) =>
  follow({ server: world.server, key }, Follow, variables)

const addTag = (world: World, contact: { id: string }, tag: { id: string }) =>
  world.run(
    `mutation ($contact: ID!, $tag: ID!) {
      contactTagAdd(input: { contact: { id: $contact }, tagId: $tag }) { tagId } }`,
    { contact: contact.id, tag: tag.id },
  )

/** The error of a subscription that is refused. */
async function refusal(following: Following) {
  const refused = await Promise.race([following.end, following.upTo(1).then(([answer]) => answer)])
  return refused.errors[0].extensions
}

/** All events of an account with their types, oldest first, after they have a position. */
async function logOf(world: World): Promise<{ type: string; data: Record<string, number> }[]> {
  await settled(world)
  return world.rows('SELECT type, data FROM outbox_event WHERE account_id = $1 ORDER BY position', [world.accountId])
}

describe('the events of an account', () => {
  it('are paged in both directions as they are in the log', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await world.tag(name)
    const tag = await world.tag('f')
    await addTag(world, contact, tag)
    const types = (await logOf(world)).map(({ type }) => type)
    const read = async (variables: object) => (await world.run(Page, variables)).events
    const all = await read({})
    expect(all.nodes.map(({ name }: { name: string }) => name)).toEqual(types.toReversed())
    expect(all.totalCount).toBe(types.length)
    const forwards: string[] = []
    for (let after: string | undefined; ; ) {
      const { nodes, pageInfo } = await read({ first: 3, after })
      forwards.push(...nodes.map(({ name }: { name: string }) => name))
      after = pageInfo.endCursor
      if (!pageInfo.hasNextPage) break
    }
    expect(forwards).toEqual(types.toReversed())
    const oldest = await read({ last: 2 })
    expect(oldest.nodes).toEqual(all.nodes.slice(-2))
    expect(oldest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
    expect((await read({ last: 3, before: oldest.pageInfo.startCursor })).nodes).toEqual(all.nodes.slice(-5, -2))
    expect((await read({ first: 2, offset: 3 })).nodes).toEqual(all.nodes.slice(3, 5))
    const ascending = await read({ orderBy: { direction: 'ASC' }, first: 2 })
    expect(ascending.nodes).toEqual(all.nodes.toReversed().slice(0, 2))
    const { account } = await world.run('{ account { events(first: 1) { nodes { name } } } }')
    expect(account.events.nodes).toEqual([{ name: types.at(-1) }])
  })

  it('continue without a gap in a subscription after the start cursor of a page', async () => {
    const world = await newWorld()
    await world.tag()
    await logOf(world)
    const { startCursor } = (await world.run(Page, { first: 1 })).events.pageInfo
    await world.contact()
    const following = await subscribe(world, { after: startCursor })
    await world.campaign()
    const names = (await following.upTo(3)).map(({ data }) => data.events.name)
    expect(names).toEqual(['contact.created', 'campaign.created', 'campaign.updated'])
  })

  it('are selected by type and by each kind of object, in pages and in subscriptions', async () => {
    const world = await newWorld()
    const [one, two] = [await world.contact(), await world.contact()]
    const [vip, other] = [await world.tag(), await world.tag()]
    const start = (await world.run('{ eventCursor }')).eventCursor
    for (const contact of [one, two]) for (const tag of [vip, other]) await addTag(world, contact, tag)
    const ids = { formId: 71, submissionId: 1, stepId: 1 }
    await emitted(world, 'form.updated', [ids])
    await emitted(world, 'funnel.opt_in', [{ ...ids, funnelId: 72, contactId: 1 }])
    await emitted(world, 'sequence.completed', [{ sequenceId: 73, contactId: one.databaseId }])
    await emitted(world, 'email.sent', [{ campaignId: 74, contactId: one.databaseId, stageId: null }])
    await emitted(world, 'campaign.sent', [{ campaignId: 74 }])
    const log = await logOf(world)
    const cases: [object, (event: (typeof log)[number]) => boolean][] = [
      [{ types: ['FORM_UPDATED', 'CAMPAIGN_SENT'] }, ({ type }) => ['form.updated', 'campaign.sent'].includes(type)],
      [{ contactIds: [one.id] }, ({ data }) => data['contactId'] === one.databaseId],
      [
        { contactIds: [one.databaseId], tagIds: [vip.id] },
        ({ data }) => data['contactId'] === one.databaseId && data['tagId'] === vip.databaseId,
      ],
      [{ tagIds: [vip.id, other.id], types: ['CONTACT_TAG_ADDED'] }, ({ type }) => type === 'contact.tag_added'],
      [{ formIds: [71] }, ({ type }) => type === 'form.updated'],
      [{ funnelIds: [72] }, ({ type }) => type === 'funnel.opt_in'],
      [{ sequenceIds: [73] }, ({ type }) => type === 'sequence.completed'],
      [{ campaignIds: [74] }, ({ data }) => data['campaignId'] === 74],
      [{ contactIds: [] }, () => false],
    ]
    for (const [filter, isWanted] of cases) {
      const wanted = log.filter(isWanted).map(({ type }) => type)
      const { nodes, totalCount } = (await world.run(Page, { filter })).events
      expect(nodes.map(({ name }: { name: string }) => name)).toEqual(wanted.toReversed())
      expect(totalCount).toBe(wanted.length)
    }
    const caughtUp = await subscribe(world, { after: start, filter: { contactIds: [two.id], tagIds: [vip.id] } })
    // The response to server-sent events says that the subscription has begun; a socket does not.
    const live = await followEvents({ server: world.server, key: world.mainKey }, Follow, {
      variables: { filter: { contactIds: [two.id], types: ['CONTACT_UPDATED'] } },
    })
    const update = 'mutation ($id: ID!) { contactUpdate(input: { contact: { id: $id }, city: "Paris" }) { contactId } }'
    expect((await caughtUp.upTo(1))[0].data.events.name).toBe('contact.tag_added')
    for (const contact of [one, two]) await world.run(update, contact)
    await live.upTo(1)
    expect([caughtUp.got.length, live.got.length]).toEqual([1, 1])
  })

  it('are those that the key can read, and only of its account', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    await world.campaign()
    const other = await world.other()
    await other.contact()
    await logOf(world)
    const key = await world.key({ scopes: ['contacts:read'] })
    const names = async (filter: object, as: World, options?: { key: string }) =>
      (await as.run(Page, { filter }, options)).events.nodes.map(({ name }: { name: string }) => name)
    expect(await names({}, world, { key })).toEqual(['contact.created'])
    expect(await names({}, other)).toEqual(['contact.created'])
    expect(await names({ contactIds: [contact.id] }, other)).toEqual([])
    const refused = await world.fault(Page, { filter: { types: ['CAMPAIGN_CREATED'] } }, { key })
    expect(refused.extensions.code).toBe('FORBIDDEN')
    const following = await subscribe(world, { filter: { types: ['CAMPAIGN_CREATED'] } }, key)
    expect((await refusal(following)).code).toBe('FORBIDDEN')
  })

  it.each([
    [{ filter: { types: [] } }, 'filter.types'],
    [{ filter: { contactIds: Array.from({ length: 21 }, (_, n) => n) } }, 'filter.contactIds'],
    [{ filter: { tagIds: ['x'] } }, 'filter.tagIds'],
    [{ after: 'x' }, 'after'],
  ])('are not returned for %j', async (variables, path) => {
    const world = await newWorld()
    const { extensions } = await world.fault(Page, variables)
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ path }] })
  })

  it('are not selected by two lists of types', async () => {
    const following = await subscribe(await newWorld(), {
      types: ['TAG_CREATED'],
      filter: { types: ['TAG_DELETED'] },
    })
    expect(await refusal(following)).toMatchObject({
      fields: [{ path: 'types', code: 'NOT_COMBINABLE' }],
    })
  })

  it('are read through an index, however many others there are', async () => {
    const world = await newWorld()
    const noise = Array.from({ length: 20_000 }, (_, n) => ({ contactId: n, campaignId: 5, stageId: null }))
    await emitted(world, 'email.sent', noise)
    await emitted(world, 'campaign.sent', [{ campaignId: 5 }])
    await emitted(world, 'email.sent', noise)
    await logOf(world)
    await world.rows('ANALYZE outbox_event')
    const pages = [
      {},
      { types: ['CAMPAIGN_SENT'] },
      { campaignIds: [5] },
      { campaignIds: [5], types: ['CAMPAIGN_SENT'] },
      { contactIds: [77] },
    ]
    for (const filter of pages) {
      const read = () =>
        world.run('query ($filter: EventFilterInput) { events(first: 5, filter: $filter) { nodes { name } } }', {
          filter,
        })
      for (const { looked, statement } of await plansOf(world.server, read)) {
        if (statement.includes('outbox_event')) expect([filter, looked < 300]).toEqual([filter, true])
      }
    }
    expect(
      eventTypes()
        .filter((type) => declarationOf(type).isEdit)
        .map(nameOf),
    ).toContain('TAG_CREATED')
  })
})
