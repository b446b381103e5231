import { type GraphQLEnumType, type GraphQLInputObjectType, getNamedType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { plansOf } from '../support/explain.ts'
import { newWorld, type World } from '../support/world.ts'

/** Names in the order of UTS #10 with the root of CLDR: letters, accents, case, bytes. The id decides between equal ones. */
const ordered = [
  ...[
    '',
    '',
    '-',
    '😀',
    '1',
    '10',
    '2',
    'a b',
    'Ägir',
    'ägir 2',
    'anna',
    'Anna',
    'Anna',
    'ANNA',
    'ánna',
    'Anna-Lena',
    'Åse',
  ],
  ...['cote', 'Cote', 'coté', 'côte', 'côté', 'Eduard', 'E\u0301mile', 'Émile', 'ﬁsh', 'fisk', 'Łódź', 'Lucy', 'Œuvre'],
  ...['Östberg', 'Østberg', 'Otto', 'Straße', 'Strasse 2', 'Zoë', 'Ωmega', 'Жук', 'чай', 'محمد', 'ไก่', '伊藤', '日本'],
]

const Names = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: [ContactOrderInput!]) {
  contacts(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
    nodes { lastName databaseId } pageInfo { startCursor endCursor } } }`

describe('names', () => {
  let world: World

  beforeAll(async () => {
    world = await newWorld()
    // Each seventh, so that two in a row are not created one after the other. Equal ones stay in their order.
    const places = ordered.map((_, place) => place).toSorted((a, b) => (a % 7) - (b % 7) || a - b)
    const rows = places.map((place) => [ordered[place], `p${place}@x.io`])
    await world.rows(
      `INSERT INTO contact (account_id, last_name, email, created_at, updated_at)
       SELECT $1, g ->> 0, g ->> 1, now(), now() FROM jsonb_array_elements($2::jsonb) WITH ORDINALITY AS e(g, place) ORDER BY place`,
      [world.accountId, JSON.stringify(rows)],
    )
  })

  async function walk(size: number, direction: string, isBackward: boolean): Promise<string[]> {
    const found: { lastName: string; databaseId: number }[] = []
    for (let cursor: string | undefined; ; ) {
      const page = isBackward ? { last: size, before: cursor } : { first: size, after: cursor }
      const { nodes, pageInfo } = (await world.run(Names, { ...page, orderBy: { field: 'LAST_NAME', direction } }))
        .contacts
      if (nodes.length === 0) break
      found.splice(isBackward ? 0 : found.length, 0, ...nodes)
      cursor = isBackward ? pageInfo.startCursor : pageInfo.endCursor
    }
    expect(new Set(found.map(({ databaseId }) => databaseId)).size).toBe(ordered.length)
    return found.map(({ lastName }) => lastName)
  }

  it.each([1, 2, 50])(
    'sort as a dictionary does, in pages of %i, in both directions, forward and backward',
    async (size) => {
      for (const isBackward of [false, true]) {
        expect(await walk(size, 'ASC', isBackward)).toEqual(ordered)
        expect(await walk(size, 'DESC', isBackward)).toEqual(ordered.toReversed())
      }
    },
  )

  it('sort by another key before case, which does not separate equal names', async () => {
    const orderBy = [
      { field: 'LAST_NAME', direction: 'ASC' },
      { field: 'EMAIL', direction: 'DESC' },
    ]
    const { nodes } = (await world.run(Names, { first: 50, orderBy })).contacts
    const annas = nodes
      .map(({ lastName }: { lastName: string }) => lastName)
      .filter((name: string) => /^anna$/i.test(name))
    expect(annas).toEqual(['ANNA', 'Anna', 'Anna', 'anna'])
  })

  it.each([
    [{ eq: 'ANNA' }, 4],
    [{ in: ['ÉMILE', 'otto'] }, 2],
    [{ ne: 'anna' }, ordered.length - 4],
    [{ startsWith: 'an' }, 5],
    [{ startsWith: 'AN' }, 5],
    [{ startsWith: 'e' }, 2],
    [{ startsWith: 'é' }, 1],
    [{ startsWith: '1' }, 2],
    [{ startsWith: 'z' }, 1],
  ])('are found by the index that sorts them: %j', async (lastName, count) => {
    const document = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'
    expect((await world.run(document, { filter: { lastName } })).contacts.totalCount).toBe(count)
  })
})

/** The texts that lists can be sorted by, as list and field. The form of an address or a key is no text that people sort. */
function sortedTexts(): [list: string, field: string][] {
  return Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(({ name, args }) => {
    const orderBy = args.find((arg) => arg.name === 'orderBy')
    if (!orderBy) return []
    const { field } = (getNamedType(orderBy.type) as GraphQLInputObjectType).getFields()
    const fields = (getNamedType(field?.type) as GraphQLEnumType).getValues().map((value) => value.name)
    return fields.filter((each) => /NAME$|TITLE$|LABEL$|URL$/.test(each)).map((each): [string, string] => [name, each])
  })
}

describe('the lists that are sorted by a text', () => {
  it('are all known', () => {
    expect(sortedTexts().map(([list]) => list)).toEqual(
      expect.arrayContaining([
        'campaigns',
        'contacts',
        'customers',
        'forms',
        'funnels',
        'media',
        'segments',
        'tags',
        'webhooks',
      ]),
    )
  })

  it.each(sortedTexts())(
    '%s by %s use the order of a dictionary, and the same one for the next page',
    async (list, field) => {
      const world = await newWorld()
      const document = `{ ${list}(first: 2, orderBy: { field: ${field}, direction: DESC }) { nodes { __typename } } }`
      const plans = await plansOf(world.server, () => world.run(document))
      const statements = plans.map(({ statement }) => statement).join('\n')
      expect(statements).toMatch(
        /ORDER BY lower\((\w+\.\w+)\) COLLATE dictionary DESC\s*,\s*\1 COLLATE dictionary DESC\s*,\s*\w+\.id DESC/,
      )
    },
  )
})
