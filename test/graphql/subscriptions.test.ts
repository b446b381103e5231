import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emitAll } from '../../src/events/index.ts'
import { cursorOf } from '../../src/kernel/feed.ts'
import { type Following, follow, followEvents } from '../events/stream.ts'
import { settled } from '../support/settled.ts'
import { newWorld, type World } from '../support/world.ts'

const Events = `subscription ($after: String, $types: [EventType!]) {
  events(after: $after, types: $types) { cursor type name occurredAt
    ... on ContactEvent { contactId contactDatabaseId contact { email } } } }`

type Follow = (world: World, query: string, variables?: Record<string, unknown>, key?: string) => Promise<Following>

const transports: [string, Follow][] = [
  [
    'a socket',
    (world, query, variables, key = world.mainKey) => follow({ server: world.server, key }, query, variables),
  ],
  [
    'server-sent events',
    (world, query, variables = {}, key = world.mainKey) =>
      followEvents({ server: world.server, key }, query, { variables }),
  ],
]

const [[, overSocket]] = transports as [[string, Follow]]

const cursorIn = async (world: World) => (await world.run('{ eventCursor }')).eventCursor as string

/** Returns the errors of a subscription: of the operation, or of its only result. */
async function codeOf(following: Following): Promise<string> {
  const refused = await Promise.race([following.end, following.upTo(1).then(([answer]) => answer)])
  return refused.errors[0].extensions.code
}

describe.each(transports)('a subscription over %s', (_name, subscribe) => {
  it('returns events with the selected fields as they are at delivery', async () => {
    const world = await newWorld()
    const following = await subscribe(world, Events, { after: await cursorIn(world) })
    const contact = await world.contact({ email: 'ada@example.com' })
    await world.run(
      'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deletedContactId } }',
      contact,
    )
    const [first, second] = (await following.upTo(2)).map(({ data }) => data.events)
    expect(first).toMatchObject({
      type: 'CONTACT_CREATED',
      name: 'contact.created',
      occurredAt: expect.stringMatching(/^\d{4}-.*Z$/),
      contactId: contact.id,
      contactDatabaseId: contact.databaseId,
    })
    expect(second).toMatchObject({ type: 'CONTACT_DELETED', contactId: contact.id, contact: null })
  })

  it('starts with the requested types after the requested cursor', async () => {
    const world = await newWorld()
    const start = await cursorIn(world)
    const [one, two] = [await world.contact(), await world.contact()]
    await world.tag()
    const all = await subscribe(world, Events, { after: start })
    const [first] = await all.upTo(2)
    const later = await subscribe(world, Events, { after: first.data.events.cursor })
    expect((await later.upTo(1))[0].data.events.contactId).toBe(two.id)
    const typed = await subscribe(world, Events, { after: start, types: ['CONTACT_DELETED'] })
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deletedContactId } }', one)
    expect((await typed.upTo(1))[0].data.events).toMatchObject({ type: 'CONTACT_DELETED', contactId: one.id })
  })

  it('returns no events of another account', async () => {
    const world = await newWorld()
    const other = await world.other()
    const following = await subscribe(world, Events, { after: await cursorIn(world) })
    const [theirs, own] = [await other.contact(), await world.contact()]
    expect((await following.upTo(1))[0].data.events.contactId).toBe(own.id)
    expect(JSON.stringify(following.got)).not.toContain(theirs.id)
    // A cursor of the other account is only a position and gives no access.
    const after = await cursorIn(other)
    const next = await subscribe(world, Events, { after })
    await other.contact()
    const mine = await world.contact()
    const reported = (await next.find(({ data }) => data.events.contactId === mine.id)).data.events
    expect(reported.contact.email).toBe(mine.email)
    expect(next.got.every(({ data }) => [own.id, mine.id].includes(data.events.contactId))).toBe(true)
  })

  it.each([
    ['no cursor', 'nonsense'],
    ['a position in the clear', '12'],
    ['a cursor of a list', Buffer.from('[1,2]').toString('base64url')],
    ['a padded one', `${cursorOf(0n)}==`],
    ['one of the future', cursorOf(10n ** 12n)],
    ['text with NUL', '\0'],
  ])('returns VALIDATION_ERROR for %s', async (_what, after) => {
    const world = await newWorld()
    expect(await codeOf(await subscribe(world, Events, { after }))).toBe('VALIDATION_ERROR')
  })

  it('omits events that the key cannot read, and returns FORBIDDEN if they are requested', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['sequences:read', 'contacts:write'] })
    const after = await cursorIn(world)
    const document = `subscription ($after: String) { events(after: $after) { type
      ... on SequenceEvent { sequence { name } contact { email } } } }`
    const following = await subscribe(world, document, { after }, key)
    const contact = await world.contact()
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    await world.subscribe(contact, sequence)
    const first = await following.find(({ data }) => !/^SEQUENCE_(STAGE_)?(CREATED|UPDATED)$/.test(data.events.type))
    expect(first).toMatchObject({
      data: { events: { type: 'SEQUENCE_SUBSCRIBED', sequence: { name: sequence.name }, contact: null } },
      errors: [{ path: ['events', 'contact'], extensions: { code: 'FORBIDDEN' } }],
    })
    expect(await codeOf(await subscribe(world, Events, { types: ['CONTACT_CREATED'] }, key))).toBe('FORBIDDEN')
  })

  it('is rejected if one event could cost more than the limit per minute', async () => {
    const world = await newWorld()
    const costly = `subscription { events { ... on SequenceEvent { sequence { enrolments(first: 100) { nodes {
      contact { tags { contacts(first: 100) { nodes { id } } } } } } } } } }`
    expect(await codeOf(await subscribe(world, costly))).toBe('QUERY_TOO_COMPLEX')
  })
})

describe('a stream of server-sent events', () => {
  it('resumes after Last-Event-ID, whatever cursor the document contains', async () => {
    const world = await newWorld()
    const to = { server: world.server, key: world.mainKey }
    const after = await cursorIn(world)
    const created = [await world.contact(), await world.contact()]
    const first = await followEvents(to, Events, { variables: { after } })
    const [{ eventId }] = await first.upTo(1)
    expect(eventId).toBe(first.got[0].data.events.cursor)
    const again = await followEvents(to, Events, { variables: { after }, headers: { 'last-event-id': eventId } })
    expect((await again.upTo(1))[0].data.events.contactId).toBe(created[1]?.id)
  })

  it('can be requested by GET', async () => {
    const world = await newWorld()
    const query = encodeURIComponent(`subscription { events(after: "${await cursorIn(world)}") { type } }`)
    await world.contact()
    const response = await fetch(`${world.server.url}/graphql?query=${query}`, {
      headers: { accept: 'text/event-stream', authorization: `Bearer ${world.mainKey}` },
    })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      // A chunk can end within an event.
      if (/event: next\n.*?\n\n/s.test(text)) break
    }
    expect(text).toContain('data: {"data":{"events":{"type":"CONTACT_CREATED"}}}')
  })
})

describe('many subscribers', () => {
  it('share one execution of the same document; subscribers with fewer scopes get their own', async () => {
    const world = await newWorld()
    const remaining = async () => (await world.ask('{ __typename }')).body.extensions.cost.remaining as number
    const spentFor = async (keys: string[]) => {
      const after = await cursorIn(world)
      const followings = await Promise.all(keys.map((key) => overSocket(world, Events, { after }, key)))
      // A subscription that has received this event is live.
      const { id } = await world.contact()
      await Promise.all(followings.map((each) => each.find(({ data }) => data.events.contactId === id)))
      const [statements, points] = [world.server.app.database.statements(), await remaining()]
      const next = await world.contact()
      await Promise.all(followings.map((each) => each.find(({ data }) => data.events.contactId === next.id)))
      for (const each of followings) each.stop()
      return { statements: world.server.app.database.statements() - statements, points: points - (await remaining()) }
    }
    const many = Array<string>(20).fill(world.mainKey)
    const scoped = await world.key({ scopes: ['contacts:read'] })
    const [one, twenty, mixed] = [
      await spentFor([world.mainKey]),
      await spentFor(many),
      await spentFor([...many, scoped, scoped]),
    ]
    // Cost points are charged per execution by the size of the result, so they show the number of executions.
    expect(twenty.points).toBe(one.points)
    expect(mixed.points).toBeGreaterThan(one.points)
    expect(mixed.points).toBeLessThan(2 * one.points)
    // The sequencer and the feed may poll once more or less in the meantime.
    expect(Math.abs(mixed.statements - one.statements)).toBeLessThan(10)
  })

  it('read the rows again for an event that another subscription has read before', async () => {
    const world = await newWorld()
    const after = await cursorIn(world)
    const email = (alias: string) =>
      `subscription ($after: String) { events(after: $after) { ... on ContactEvent { ${alias}: contact { email } } } }`
    const read = async (alias: string) => {
      const following = await overSocket(world, email(alias), { after })
      const [event] = await following.upTo(1)
      following.stop()
      return event.data.events[alias].email
    }
    const contact = await world.contact()
    expect(await read('before')).toBe(contact.email)
    await world.rows("UPDATE contact SET email = 'new@example.com' WHERE account_id = $1", [world.accountId])
    expect(await read('later')).toBe('new@example.com')
  })
})

describe('campaignProgress', () => {
  const Progress = `subscription ($id: ID!, $after: String) { campaignProgress(campaignId: $id, after: $after) {
    cursor status errorCode recipientsCount sentTo campaign { name } } }`

  const schedule = `mutation ($id: ID!) { campaignSchedule(input: { id: $id, scheduledFor: "2099-12-24 18:00" }) {
    campaign { id } } }`

  it('returns the current state, then each change of this campaign', async () => {
    const world = await newWorld()
    const [campaign, other] = [await world.campaign(), await world.campaign()]
    // The subscription would return the later of these changes as another element.
    await settled(world)
    const following = await overSocket(world, Progress, { id: campaign.id, after: await cursorIn(world) })
    const [first] = await following.upTo(1)
    expect(first.data.campaignProgress).toMatchObject({ status: 'DRAFT', recipientsCount: 0, sentTo: 0 })
    await world.run(schedule, other)
    await world.run(schedule, campaign)
    expect((await following.upTo(2))[1].data.campaignProgress).toMatchObject({ status: 'SCHEDULED' })
    await world.rows('UPDATE campaign SET sent_to = 7 WHERE account_id = $1 AND id = $2', [
      world.accountId,
      campaign.databaseId,
    ])
    const sent = { contactId: 1, campaignId: campaign.databaseId, stageId: null }
    const counted = 1_000
    await inTransaction(newCtx(world.server.system, { accountId: world.accountId }), (tx) =>
      emitAll(
        tx,
        'email.sent',
        Array.from({ length: counted }, () => sent),
      ),
    )
    expect((await following.upTo(3))[2].data.campaignProgress).toMatchObject({ status: 'SCHEDULED', sentTo: 7 })
    await world.run('mutation ($id: ID!) { campaignUnschedule(input: { id: $id }) { campaign { id } } }', campaign)
    await following.find(({ data }) => data.campaignProgress.status === 'DRAFT')
    // Many changes in a short time are one element.
    expect(following.got.length).toBeLessThan(10)
  })

  it.each(transports)(
    'over %s completes after the final state, also for a late subscriber',
    async (_name, subscribe) => {
      const world = await newWorld()
      const { id } = await world.campaign()
      const following = await subscribe(world, Progress, { id })
      await following.upTo(1)
      const send = 'mutation ($id: ID!) { campaignSend(input: { id: $id, errorAsStatus: true }) { campaign { id } } }'
      await world.run(send, { id })
      const final = { status: 'ERROR', errorCode: 'NO_RECIPIENTS', campaign: { name: expect.any(String) } }
      expect(await following.end).toEqual({})
      expect(following.got.at(-1).data.campaignProgress).toMatchObject(final)
      const late = await subscribe(world, Progress, { id, after: following.got[0].data.campaignProgress.cursor })
      expect(await late.end).toEqual({})
      expect(late.got.map(({ data }) => data.campaignProgress)).toEqual([expect.objectContaining(final)])
    },
  )

  it('completes with null after the campaign was deleted', async () => {
    const world = await newWorld()
    const { id } = await world.campaign()
    const following = await overSocket(world, Progress, { id })
    await following.upTo(1)
    await world.run('mutation ($id: ID!) { campaignDelete(input: { id: $id }) { deletedCampaignId } }', { id })
    expect(await following.end).toEqual({})
    expect(following.got.at(-1).data.campaignProgress).toMatchObject({ status: null, campaign: null })
  })

  it("returns NOT_FOUND for an unknown campaign or another account's, and FORBIDDEN without the scope", async () => {
    const world = await newWorld()
    const theirs = await (await world.other()).campaign()
    for (const { id } of [theirs, { id: 0 }])
      expect(await codeOf(await overSocket(world, Progress, { id }))).toBe('NOT_FOUND')
    expect(await codeOf(await overSocket(world, Progress, { id: 'x' }))).toBe('VALIDATION_ERROR')
    const key = await world.key({ scopes: ['contacts:read'] })
    const own = await world.campaign()
    expect(await codeOf(await overSocket(world, Progress, { id: own.id }, key))).toBe('FORBIDDEN')
  })
})
