// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newBlocker } from '../support/blocker.ts'
import { newServer } from '../support/server.ts'
import { settled } from '../support/settled.ts'
import { type Named, newWorld, type World } from '../support/world.ts'
import { type Followed, followContacts } from './live-view.ts'
import { follow } from './stream.ts'

const tag = (world: World, contact: Named, of: Named, field: 'contactTagAdd' | 'contactTagRemove' = 'contactTagAdd') =>
  world.run(
    `mutation ($contact: ID!, $tag: ID!) { ${field}(input: { contact: { id: $contact }, tagId: $tag }) { __typename } }`,
    { contact: contact.id, tag: of.id },
  )
const rename = (world: World, contact: Named, firstName: string) =>
  world.run(
    'mutation ($id: ID!, $firstName: String) { contactUpdate(input: { contact: { id: $id }, firstName: $firstName }) { contact { id } } }',
    { id: contact.id, firstName },
  )
const named = (world: World, name: string) => world.contact({ email: `${name}@example.com` })
const lastCursor = (followed: Followed): string => followed.got.at(-1).data.contactsChanged.cursor

describe('contactsChanged', () => {
  it('begins with the list, and returns what enters it, changes in it and leaves it, with the new number', async () => {
    const world = await newWorld()
    const vip = await world.tag('vip')
    const [ada, bob] = [await named(world, 'ada'), await named(world, 'bob')]
    await tag(world, ada, vip)
    await settled(world)
    const list = await followContacts(world, { tags: { any: [vip.id] } })
    await list.changes(1)
    await tag(world, bob, vip)
    await list.changes(2)
    await rename(world, ada, 'Ada')
    await list.changes(3)
    await tag(world, ada, vip, 'contactTagRemove')
    await list.changes(4)
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { __typename } }', bob)
    expect(await list.changes(5)).toEqual([
      'LISTED ada 1',
      'ENTERED bob 2',
      'CHANGED ada 2',
      'LEFT ada 1',
      `LEFT ${bob.id} 0`,
    ])
    expect(list.got.every(({ data, errors }) => data.contactsChanged.cursor && !errors)).toBe(true)
  })

  it('follows all contacts without a filter', async () => {
    const world = await newWorld()
    const list = await followContacts(world)
    await list.changes(1)
    await named(world, 'ada')
    expect(await list.changes(2)).toEqual(['LISTED  0', 'ENTERED ada 1'])
  })

  it('follows conditions on rows of other modules: submissions, orders and suppressions', async () => {
    const world = await newWorld()
    const ada = await named(world, 'ada')
    const form = await world.form()
    const answered = await followContacts(world, { forms: { any: [form.id] } })
    const bought = await followContacts(world, { purchases: { orders: { gte: 1 } } })
    const suppressed = await followContacts(world, { suppressed: true })
    await Promise.all([answered, bought, suppressed].map((each) => each.changes(1)))
    await world.submission(form, { contact: { id: ada.id }, complete: true })
    expect((await answered.changes(2))[1]).toBe('ENTERED ada 1')
    const order = await world.order({ customer: { email: 'ada@example.com', firstName: 'Ada', lastName: 'L' } })
    await world.run('mutation ($id: ID!) { orderComplete(input: { id: $id }) { order { id } } }', order)
    expect((await bought.changes(2))[1]).toBe('ENTERED ada 1')
    await world.run('mutation { suppressionAdd(input: { email: "ada@example.com" }) { suppression { id } } }')
    expect((await suppressed.changes(2))[1]).toBe('ENTERED ada 1')
  })

  it('sends the list again when a tag or a segment changes it at once', async () => {
    const world = await newWorld()
    const [vip, other] = [await world.tag('vip'), await world.tag('other')]
    const [ada] = [await named(world, 'ada'), await named(world, 'bob')]
    await tag(world, ada, vip)
    await settled(world)
    const segment = await world.segment({ tags: { any: [vip.id] } })
    const list = await followContacts(world, { segments: { any: [segment.id] } })
    expect(await list.changes(1)).toEqual(['LISTED ada 1'])
    const filter = { tags: { none: [other.id] } }
    await world.run(
      'mutation ($id: ID!, $filter: ContactFilterInput) { segmentUpdate(input: { id: $id, filter: $filter }) { segment { id } } }',
      { ...segment, filter },
    )
    expect((await list.changes(2))[1]).toBe('LISTED ada+bob 2')
    const tagged = await followContacts(world, { tags: { any: [vip.id] } })
    await tagged.changes(1)
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { __typename } }', vip)
    expect(await tagged.changes(2)).toEqual(['LISTED ada 1', 'LISTED  0'])
  })

  it('follows what a segment is about after a change, and ends if that cannot be followed', async () => {
    const world = await newWorld()
    await named(world, 'ada')
    const segment = await world.segment({ firstName: { eq: 'none' } })
    const change = (filter: object) =>
      world.run(
        'mutation ($id: ID!, $filter: ContactFilterInput) { segmentUpdate(input: { id: $id, filter: $filter }) { segment { id } } }',
        { ...segment, filter },
      )
    await settled(world)
    const filter = { segments: { any: [segment.id] } }
    const list = await followContacts(world, filter)
    await list.changes(1)
    await change({ purchases: { orders: { gte: 1 } } })
    await list.changes(2)
    const order = await world.order({ customer: { email: 'ada@example.com', firstName: 'Ada', lastName: 'L' } })
    await world.run('mutation ($id: ID!) { orderComplete(input: { id: $id }) { order { id } } }', order)
    expect(await list.changes(3)).toEqual(['LISTED  0', 'LISTED  0', 'ENTERED ada 1'])
    const after = lastCursor(list)
    await change({ createdAt: { withinDays: 3 } })
    await list.end
    const [{ errors }] = await (await followContacts(world, filter, { after })).upTo(1)
    expect(Object.keys(errors[0].extensions.details)).toEqual(['filter.segments'])
  })

  it('continues after a cursor: nothing is lost or repeated', async () => {
    const world = await newWorld()
    const vip = await world.tag('vip')
    const [ada, bob] = [await named(world, 'ada'), await named(world, 'bob')]
    await tag(world, ada, vip)
    await settled(world)
    const filter = { tags: { any: [vip.id] } }
    const first = await followContacts(world, filter)
    await first.changes(1)
    first.stop()
    await first.end
    await tag(world, bob, vip)
    await tag(world, ada, vip, 'contactTagRemove')
    const second = await followContacts(world, filter, { after: lastCursor(first) })
    expect(await second.changes(2)).toEqual([expect.stringMatching(/^ENTERED bob/), 'LEFT ada 1'])
    const third = await followContacts(world, filter, { after: lastCursor(second) })
    await rename(world, bob, 'Bob')
    expect(await third.changes(1)).toEqual(['CHANGED bob 1'])
  })

  it('names what leaves it, if a server that is behind finds several events of the row at once', async () => {
    const world = await newWorld()
    const server = await newServer({ DATABASE_URL: world.server.databaseUrl })
    const [vip, ada, bob] = [await world.tag('vip'), await named(world, 'ada'), await named(world, 'bob')]
    const filter = { or: [{ tags: { any: [vip.id] } }, { purchases: { orders: { gte: 1 } } }] }
    await settled(world)
    await (await followContacts(world, filter, { server })).changes(1)
    // After an evaluation that takes long, the server waits four times as long.
    const blocker = await newBlocker(world)
    await blocker.query('LOCK TABLE "order"')
    await rename(world, bob, 'Bob')
    await blocker.waited()
    for (let time = 0; time < 40; time += 1) await world.tag()
    await blocker.query('ROLLBACK')
    const first = await followContacts(world, filter)
    await first.changes(1)
    await tag(world, ada, vip)
    await first.changes(2)
    first.stop()
    const second = await followContacts(world, filter, { server, after: lastCursor(first) })
    await tag(world, ada, vip, 'contactTagRemove')
    expect([...(await first.changes(2)), ...(await second.changes(1))]).toEqual([
      'LISTED  0',
      'ENTERED ada 1',
      'LEFT ada 0',
    ])
  })

  it('continues after the cursor of a query', async () => {
    const world = await newWorld()
    const vip = await world.tag('vip')
    const ada = await named(world, 'ada')
    const { eventCursor } = await world.run('{ eventCursor }')
    await tag(world, ada, vip)
    await settled(world)
    const list = await followContacts(world, { tags: { any: [vip.id] } }, { after: eventCursor })
    const [change] = await list.changes(1)
    expect(change).toMatch(/^(CHANGED|ENTERED) ada 1$/)
  })

  it('begins with the list if a reset or too many changes follow the cursor', async () => {
    const world = await newWorld()
    const [vip, other] = [await world.tag('vip'), await world.tag('other')]
    const { eventCursor } = await world.run('{ eventCursor }')
    await named(world, 'ada')
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { __typename } }', other)
    await settled(world)
    const list = await followContacts(world, { tags: { none: [vip.id] } }, { after: eventCursor })
    expect(await list.changes(1)).toEqual(['LISTED ada 1'])
  })

  it.each([
    ['a time relative to now', { createdAt: { withinDays: 3 } }, 'filter.createdAt'],
    ['a negated one', { not: { updatedAt: { beforeDays: 3 } } }, 'filter.not.updatedAt'],
    ['a period', { or: [{ createdAt: { period: 'TODAY' } }] }, 'filter.or.0.createdAt'],
    ['activity', { lastActiveAt: { gte: '2026-01-01T00:00:00Z' } }, 'filter.lastActiveAt'],
  ])('refuses %s, and names it', async (_name, filter, path) => {
    const world = await newWorld()
    const refused = await followContacts(world, filter)
    const [{ errors }] = await refused.upTo(1)
    expect(errors[0].extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [expect.any(String)] } })
  })

  it('refuses a segment with a condition that is relative to now', async () => {
    const world = await newWorld()
    const segment = await world.segment({ createdAt: { withinDays: 3 } })
    const refused = await followContacts(world, { segments: { any: [segment.id] } })
    const [{ errors }] = await refused.upTo(1)
    expect(Object.keys(errors[0].extensions.details)).toEqual(['filter.segments'])
  })

  it('refuses more than 20 different lists of an account, and shares equal ones', async () => {
    const world = await newWorld()
    const lists = Array.from({ length: 20 }, (_, index) => followContacts(world, { firstName: { eq: `n${index}` } }))
    await Promise.all((await Promise.all(lists)).map((each) => each.changes(1)))
    const equal = await followContacts(world, { firstName: { eq: 'n7' } })
    expect(await equal.changes(1)).toEqual(['LISTED  0'])
    const [{ errors }] = await (await followContacts(world, { firstName: { eq: 'more' } })).upTo(1)
    expect(errors[0].extensions.code).toBe('RATE_LIMITED')
    const other = await world.other()
    expect(await (await followContacts(other)).changes(1)).toEqual(['LISTED  0'])
  })

  it('needs the scope of the list, and that of a condition', async () => {
    const world = await newWorld()
    const codes = async (key: string, filter?: object) => {
      const [{ errors }] = await (await followContacts(world, filter, { key })).upTo(1)
      return errors[0].extensions.code
    }
    expect(await codes(await world.key({ scopes: ['mail:read'] }))).toBe('FORBIDDEN')
    expect(await codes(await world.key({ scopes: ['contacts:read'] }), { hasOrders: true })).toBe('FORBIDDEN')
  })

  it('replaces the changes that a slow client has not read by the list', async () => {
    const world = await newWorld()
    const list = await followContacts(world)
    await list.changes(1)
    await world.rows(`WITH made AS (INSERT INTO contact (account_id, email, created_at, updated_at)
        SELECT ${world.accountId}, 'c' || n || '@example.com', now(), now() FROM generate_series(1, 4000) n RETURNING id)
      INSERT INTO outbox_event (account_id, type, data, created_at)
        SELECT ${world.accountId}, 'contact.created', jsonb_build_object('contactId', id), now() FROM made`)
    const changes = () => list.got.map(({ data }) => data.contactsChanged)
    const lastListed = () => changes().findLastIndex(({ kind }) => kind === 'LISTED')
    const count = () => {
      const entered = changes()
        .slice(lastListed())
        .filter(({ kind }) => kind === 'ENTERED')
      return changes()[lastListed()].totalCount + entered.length
    }
    await list.find(() => count() === 4000)
    expect(lastListed()).toBeGreaterThan(0)
  })
})

describe('the other lists', () => {
  it('campaignsChanged, ordersChanged and submissionsChanged follow their filters', async () => {
    const world = await newWorld()
    const form = await world.form()
    const changed = (name: string, type: string, filter: object) =>
      follow(
        { server: world.server, key: world.mainKey },
        `subscription ($filter: ${type}FilterInput) { ${name}(filter: $filter) { kind totalCount } }`,
        { filter },
      )
    const campaigns = await changed('campaignsChanged', 'Campaign', { name: { startsWith: 'live' } })
    const orders = await changed('ordersChanged', 'Order', { status: ['COMPLETED'] })
    const submissions = await changed('submissionsChanged', 'Submission', { forms: { any: [form.id] } })
    await Promise.all([campaigns, orders, submissions].map((each) => each.upTo(1)))
    const order = await world.order()
    await world.run('mutation ($id: ID!) { orderComplete(input: { id: $id }) { order { id } } }', order)
    expect((await orders.upTo(2))[1].data.ordersChanged).toEqual({ kind: 'ENTERED', totalCount: 1 })
    await world.submission(form)
    expect((await submissions.upTo(2))[1].data.submissionsChanged).toEqual({ kind: 'ENTERED', totalCount: 1 })
    await world.campaign({ name: 'live one' })
    expect((await campaigns.upTo(2))[1].data.campaignsChanged).toEqual({ kind: 'ENTERED', totalCount: 1 })
  })
})
