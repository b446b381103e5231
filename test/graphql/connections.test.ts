import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

type Page = {
  nodes: { email: string }[]
  edges: { cursor: string; node: { email: string } }[]
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }
  totalCount: number
}

const page = `{ nodes { email } edges { cursor node { email } } totalCount
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`
const parameters =
  '$first: Int, $after: String, $last: Int, $before: String, $offset: Int, $orderBy: [ContactOrderInput!], $filter: ContactFilterInput'
const args =
  'first: $first, after: $after, last: $last, before: $before, offset: $offset, orderBy: $orderBy, filter: $filter'

/** The three lists of the account's contacts. */
const lists = {
  contacts: {
    document: `query (${parameters}) { page: contacts(${args}) ${page} }`,
    read: (data: { page: Page }) => data.page,
  },
  'Account.contacts': {
    document: `query (${parameters}) { account { page: contacts(${args}) ${page} } }`,
    read: (data: { account: { page: Page } }) => data.account.page,
  },
  'Tag.contacts': {
    document: `query (${parameters}) { tags(first: 1) { nodes { page: contacts(${args}) ${page} } } }`,
    read: (data: { tags: { nodes: { page: Page }[] } }) => data.tags.nodes[0]?.page as Page,
  },
}
const orders = [
  { field: 'CREATED_AT', direction: 'DESC' },
  { field: 'CREATED_AT', direction: 'ASC' },
  { field: 'EMAIL', direction: 'ASC' },
  { field: 'EMAIL', direction: 'DESC' },
  { field: 'UPDATED_AT', direction: 'DESC' },
  { field: 'FIRST_NAME', direction: 'ASC' },
  { field: 'LAST_NAME', direction: 'DESC' },
] as const

/** UTS #10 with the root of CLDR. */
const inDictionary = new Intl.Collator('und')

const emails = ['m@x.io', 'B@x.io', 'a@x.io', 'Z@x.io', 'k@x.io', 'c@x.io', 'Q@x.io', 'd@x.io', 'e@x.io']

/** Creates nine contacts with a tag, five of them in the same millisecond. */
async function newContactsWorld(): Promise<World> {
  const world = await newWorld()
  const tag = await world.tag('all')
  const names = ['ada', '', 'Ada', 'Zoé', 'bo']
  for (const [index, email] of emails.entries()) {
    const [firstName, lastName] = [names[index % 5], names[(index * 3) % 5]]
    await world.contact({ email, firstName, lastName, addTagIds: [tag.id] })
  }
  await world.rows(
    `UPDATE contact SET created_at = '2026-01-02T03:04:05.678Z', updated_at = timestamptz '2026-01-02T03:04:05.678Z' + id % 2 * interval '1 day'
     WHERE account_id = $1 AND id % 9 IN (2, 3, 5, 7, 8)`,
    [world.accountId],
  )
  return world
}

async function expected(world: World, { field, direction }: (typeof orders)[number]): Promise<string[]> {
  const rows = await world.rows<Record<string, string | Date> & { id: number; email: string }>(
    'SELECT * FROM contact WHERE account_id = $1',
    [world.accountId],
  )
  const value = (row: (typeof rows)[number]) => {
    const key = row[field.toLowerCase()] as string | Date
    return typeof key === 'string' ? key : key.getTime()
  }
  const isName = field.endsWith('NAME')
  const compare = (a: string | number, b: string | number) => {
    if (isName) return inDictionary.compare(String(a), String(b))
    const [one, other] = [a, b].map((each) => (typeof each === 'string' ? each.toLowerCase() : each)) as [
      number,
      number,
    ]
    return one < other ? -1 : one > other ? 1 : 0
  }
  const ordered = rows.sort((a, b) => compare(value(a), value(b)) || a.id - b.id)
  return (direction === 'ASC' ? ordered : ordered.reverse()).map(({ email }) => email)
}

describe.each(Object.entries(lists))('%s', (_name, { document, read }) => {
  const ask = async (world: World, variables: Record<string, unknown>) =>
    read((await world.run(document, variables)) as never)

  it.each(orders)(
    'pages by cursor through all rows, in both directions, ordered by $field $direction',
    async (orderBy) => {
      const world = await newContactsWorld()
      const all = await expected(world, orderBy)
      expect((await ask(world, { orderBy })).nodes.map(({ email }) => email)).toEqual(all)

      const forward: string[] = []
      for (let after: string | null = null; ; ) {
        const got: Page = await ask(world, { orderBy, first: 2, after })
        expect(got.edges.map(({ node }) => node)).toEqual(got.nodes)
        expect(got.totalCount).toBe(all.length)
        expect(got.pageInfo).toEqual({
          hasPreviousPage: forward.length > 0,
          hasNextPage: forward.length + got.nodes.length < all.length,
          startCursor: got.edges[0]?.cursor,
          endCursor: got.edges.at(-1)?.cursor,
        })
        forward.push(...got.nodes.map(({ email }) => email))
        after = got.pageInfo.endCursor
        if (!got.pageInfo.hasNextPage) break
      }
      expect(forward).toEqual(all)

      const backward: string[] = []
      for (let before: string | null = null; ; ) {
        const got: Page = await ask(world, { orderBy, last: 4, before })
        backward.unshift(...got.nodes.map(({ email }) => email))
        expect(got.pageInfo).toMatchObject({
          hasPreviousPage: backward.length < all.length,
          hasNextPage: backward.length > got.nodes.length,
        })
        before = got.pageInfo.startCursor
        if (!got.pageInfo.hasPreviousPage) break
      }
      expect(backward).toEqual(all)
    },
  )

  it('skips offset rows, and returns no rows after the end', async () => {
    const world = await newContactsWorld()
    const orderBy = orders[2]
    const all = await expected(world, orderBy)
    const got = await ask(world, { orderBy, first: 3, offset: 5 })
    expect(got.nodes.map(({ email }) => email)).toEqual(all.slice(5, 8))
    expect(got.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true })
    expect(await ask(world, { orderBy, first: 3, offset: 100 })).toEqual({
      nodes: [],
      edges: [],
      totalCount: 9,
      pageInfo: { hasPreviousPage: true, hasNextPage: false, startCursor: null, endCursor: null },
    })
  })

  it('loses and repeats no unchanged row if rows are added and deleted between pages', async () => {
    const world = await newContactsWorld()
    const orderBy = orders[2]
    const seen: string[] = []
    for (let after: string | null = null; ; ) {
      const got: Page = await ask(world, { orderBy, first: 2, after })
      seen.push(...got.nodes.map(({ email }) => email))
      if (!got.pageInfo.hasNextPage) break
      after = got.pageInfo.endCursor
      // Deletes the row of the cursor and inserts one before it.
      await world.rows('DELETE FROM contact WHERE account_id = $1 AND email = $2', [world.accountId, seen.at(-1)])
      await world.contact({ email: `a${seen.length}@x.io` })
    }
    expect(seen).toEqual(await expectedOf(emails))
  })

  it('applies the filter to pages and to totalCount', async () => {
    const world = await newContactsWorld()
    const got = await ask(world, { filter: { search: '@X.' }, first: 2 })
    expect(got.totalCount).toBe(9)
    const one = await ask(world, { filter: { email: { eq: 'z@X.IO' } } })
    expect(one).toMatchObject({ nodes: [{ email: 'Z@x.io' }], totalCount: 1 })
  })
})

async function expectedOf(all: readonly string[]): Promise<string[]> {
  return [...all].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
}

describe('a connection', () => {
  it.each([
    ['a list', (selection: string) => `{ contacts(first: 2) { ${selection} } }`, 0],
    ['a list of a parent', (selection: string) => `{ tags { nodes { contacts(first: 2) { ${selection} } } } }`, 1],
    ['a list of an audience', (selection: string) => `{ audience { contacts(first: 2) { ${selection} } } }`, 0],
  ])('reads the rows and the count of %s only if they are selected', async (_what, documentOf, others) => {
    const world = await newContactsWorld()
    const count = (selection: string) => world.statements(() => world.run(documentOf(selection)))
    expect(await count('__typename')).toBe(others)
    expect(await count('totalCount')).toBe(others + 1)
    expect(await count('nodes { id } edges { cursor } pageInfo { hasNextPage }')).toBe(others + 1)
    expect(await count('nodes { id } totalCount')).toBe(others + 2)
  })

  it('checks its arguments also if no row is read', async () => {
    const world = await newWorld()
    for (const args of ['first: 0', 'filter: { id: { in: ["x"] } }']) {
      expect((await world.fault(`{ contacts(${args}) { totalCount } }`)).extensions.code).toBe('VALIDATION_ERROR')
    }
  })
})

describe('pages', () => {
  it('have 50 rows by default and 100 at most', async () => {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, 120) n`,
      [world.accountId],
    )
    const { some, most } = await world.run(
      '{ some: tags { nodes { id } } most: tags(first: 100) { nodes { id } totalCount } }',
    )
    expect([some.nodes.length, most.nodes.length, most.totalCount]).toEqual([50, 100, 120])
  })

  it('of tags can be ordered by name or time, and searched', async () => {
    const world = await newWorld()
    for (const name of ['beta', 'alpha', 'Gamma_1', 'delta%']) await world.tag(name)
    const names = async (args: string) =>
      (await world.run(`{ tags(${args}) { nodes { name } } }`)).tags.nodes.map(({ name }: { name: string }) => name)
    expect(await names('first: 2')).toEqual(['delta%', 'Gamma_1'])
    expect(await names('orderBy: { field: NAME, direction: ASC }')).toEqual(['alpha', 'beta', 'delta%', 'Gamma_1'])
    expect(await names('filter: { search: "ALPH" }')).toEqual(['alpha'])
    expect(await names('filter: { search: "A_1" }')).toEqual(['Gamma_1'])
    expect(await names('filter: { search: "ta%" }')).toEqual(['delta%'])
  })
})
