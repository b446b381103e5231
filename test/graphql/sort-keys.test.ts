import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const Contacts = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: [ContactOrderInput!],
  $filter: ContactFilterInput) {
  contacts(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: $filter) {
    nodes { email } pageInfo { startCursor endCursor } } }`

type Key = { field: string; direction: 'ASC' | 'DESC' }
const asc = (field: string): Key => ({ field, direction: 'ASC' })
const desc = (field: string): Key => ({ field, direction: 'DESC' })

describe('several sort keys', () => {
  let world: World
  const people: { email: string; first: string; last: string; day: number }[] = []

  beforeAll(async () => {
    world = await newWorld()
    for (let n = 0; n < 12; n += 1) {
      people.push({
        email: `p${n}@x.io`,
        first: ['a', 'b', 'B'][n % 3] ?? '',
        last: n % 4 === 0 ? '' : `l${n % 2}`,
        day: (n % 5) + 1,
      })
    }
    for (const { email, first, last, day } of people) {
      await world.rows(
        'INSERT INTO contact (account_id, email, first_name, last_name, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, now())',
        [world.accountId, email, first, last, `2026-03-0${day}T00:00:00Z`],
      )
    }
  })

  const textOf: Readonly<Record<string, (person: (typeof people)[number]) => string>> = {
    FIRST_NAME: ({ first }) => first.toLowerCase(),
    LAST_NAME: ({ last }) => last,
    CREATED_AT: ({ day }) => String(day),
    LAST_ACTIVE_AT: ({ day }) => String(day),
  }

  /** Sorts the people in memory. The id, which is the order of their creation, has the direction of the last key. */
  function sorted(keys: readonly Key[]): string[] {
    const signed = (key: Key, order: number) => (key.direction === 'DESC' ? -order : order)
    const compare = (a: number, b: number) => {
      for (const key of keys) {
        const [x = '', y = ''] = [a, b].map((n) => textOf[key.field]?.(people[n] as (typeof people)[number]))
        if (x !== y) return signed(key, x < y ? -1 : 1)
      }
      return signed(keys.at(-1) as Key, a - b)
    }
    return people
      .map((_, n) => n)
      .sort(compare)
      .map((n) => `p${n}@x.io`)
  }

  async function walk(orderBy: readonly Key[], isBackward: boolean): Promise<string[]> {
    const found: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = isBackward ? { last: 3, before: cursor } : { first: 3, after: cursor }
      const { nodes, pageInfo } = (await world.run(Contacts, { ...page, orderBy })).contacts
      if (nodes.length === 0) return found
      const emails = nodes.map(({ email }: { email: string }) => email)
      found.splice(isBackward ? 0 : found.length, 0, ...emails)
      cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor
    }
  }

  it.each([
    [[asc('FIRST_NAME'), asc('LAST_NAME')]],
    [[asc('FIRST_NAME'), desc('CREATED_AT')]],
    [[desc('CREATED_AT'), asc('LAST_NAME'), desc('FIRST_NAME')]],
    [[desc('LAST_NAME'), desc('LAST_ACTIVE_AT')]],
    [[asc('LAST_ACTIVE_AT'), desc('FIRST_NAME'), asc('LAST_NAME')]],
  ])('sort the pages in both directions: %j', async (keys) => {
    expect(await walk(keys, false)).toEqual(sorted(keys))
    expect(await walk(keys, true)).toEqual(sorted(keys))
  })

  it('are stored in cursors that stay valid after their row was deleted', async () => {
    const orderBy = [asc('FIRST_NAME'), desc('CREATED_AT')]
    const other = await world.other()
    const emails = ['a@x.io', 'b@x.io', 'c@x.io']
    for (const email of emails) await other.contact({ email, firstName: 'Ada' })
    const { endCursor } = (await other.run(Contacts, { first: 1, orderBy })).contacts.pageInfo
    await other.run('mutation { contactDelete(input: { contact: { email: "c@x.io" } }) { deleted } }')
    const { nodes } = (await other.run(Contacts, { first: 3, after: endCursor, orderBy })).contacts
    expect(nodes).toEqual([{ email: 'b@x.io' }, { email: 'a@x.io' }])
  })

  it('accept a single key without a list, and none', async () => {
    const query = (orderBy: string) => world.run(`{ contacts(first: 1, orderBy: ${orderBy}) { nodes { email } } }`)
    const one = { contacts: { nodes: [{ email: sorted([asc('FIRST_NAME')])[0] }] } }
    expect(await query('{ field: FIRST_NAME, direction: ASC }')).toEqual(one)
    expect((await world.run(Contacts, { first: 1, orderBy: asc('FIRST_NAME') })).contacts.nodes).toEqual(
      one.contacts.nodes,
    )
    expect(await query('[]')).toEqual({ contacts: { nodes: [{ email: sorted([desc('CREATED_AT')])[0] }] } })
  })

  it.each([
    ['orderBy', 'must have at most 3 keys', ['EMAIL', 'FIRST_NAME', 'LAST_NAME', 'CREATED_AT']],
    ['orderBy', 'must name each field once', ['EMAIL', 'EMAIL']],
    ['orderBy.1.field', 'RELEVANCE requires filter.search', ['EMAIL', 'RELEVANCE']],
  ])('return VALIDATION_ERROR for %s: %s', async (path, message, fields) => {
    const { extensions } = await world.fault(Contacts, { orderBy: fields.map(asc) })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [message] } })
  })

  it('return VALIDATION_ERROR for the cursor of other keys, and for one that was forged', async () => {
    const orderBy = [asc('FIRST_NAME'), desc('CREATED_AT')]
    const { endCursor } = (await world.run(Contacts, { first: 1, orderBy })).contacts.pageInfo
    const refused = async (after: string, keys: readonly Key[]) =>
      expect((await world.fault(Contacts, { after, orderBy: keys })).extensions.details).toEqual({
        after: [expect.any(String)],
      })
    await refused(endCursor, [desc('CREATED_AT'), asc('FIRST_NAME')])
    await refused(endCursor, [asc('FIRST_NAME')])
    const [identity, , id] = JSON.parse(Buffer.from(endCursor, 'base64url').toString())
    for (const value of [
      'x',
      '["a"]',
      '["a","yesterday"]',
      '["a\\u0000","2026-03-01T00:00:00.000Z"]',
      '["a", "2026-03-01T00:00:00.000Z"]',
    ]) {
      await refused(Buffer.from(JSON.stringify([identity, value, id])).toString('base64url'), orderBy)
    }
  })
})
