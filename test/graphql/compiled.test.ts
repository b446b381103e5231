import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

it.each(['Contact', 'Tag', 'Campaign', 'Order'])(
  'a frequent query with a %s filter takes not much more of the processor than one without',
  async (type) => {
    const world = await newWorld()
    const name = `${type.toLowerCase()}s`
    /** Measures the second to fifth request, in microseconds of this thread: garbage may be collected in others. */
    const measure = async (document: string, variables = {}) => {
      await world.run(document, variables)
      const start = process.threadCpuUsage()
      for (let time = 0; time < 4; time += 1) await world.run(document, variables)
      return process.threadCpuUsage(start).user
    }
    const without = await measure(`{ ${name} { totalCount } }`)
    const filtered = await measure(`query ($f: ${type}FilterInput) { ${name}(filter: $f) { totalCount } }`, {
      f: { not: { id: { in: [1] } } },
    })
    // A function for all conditions would take seconds to compile, which is more than a hundred times as much.
    expect(filtered).toBeLessThan(50 * without)
  },
)

// The first two requests with a document are interpreted. After that it is compiled.
const documents: readonly [what: string, query: string, variables?: Record<string, unknown>][] = [
  [
    'scalars, enums and nested objects',
    '{ viewer { email scopes } account { id plan createdAt quota { contacts { used } } } }',
  ],
  [
    'connections with edges, cursors and nested lists',
    `{ contacts(first: 2, orderBy: { field: EMAIL, direction: ASC }) { totalCount pageInfo { hasNextPage endCursor }
       edges { cursor node { id email tags { name } customFields { label } consents { totalCount nodes { kind } } } } } }`,
  ],
  ['a refusal, with its path and place', '{ contacts(first: 101) { nodes { id } } }'],
  ['a refusal beside an answer', '{ a: account { contacts(first: 0) { nodes { id } } name } viewer { email } }'],
  [
    'refusals of root fields beside an answer',
    '{ contacts(first: 0) { nodes { id } } nodes(ids: [""]) { id } viewer { email } }',
  ],
  ['wrong variables', 'query ($n: Int!) { contacts(first: $n) { nodes { id } } }', { n: 'x' }],
  ['missing variables', 'query ($n: Int!) { contacts(first: $n) { nodes { id } } }'],
  [
    'a wrong enum value',
    'query ($f: ContactFilterInput) { contacts(filter: $f) { nodes { id } } }',
    { f: { createdAt: { period: 'X' } } },
  ],
  [
    'a period without its range',
    'query ($f: ContactFilterInput) { contacts(filter: $f) { nodes { id } } }',
    { f: { createdAt: { period: 'BETWEEN' } } },
  ],
  [
    'NUL in text',
    'query ($f: ContactFilterInput) { contacts(filter: $f) { nodes { id } } }',
    { f: { search: 'a\0b' } },
  ],
  [
    'skip, include, fragments and type names',
    `query ($yes: Boolean!) { contacts(first: 2) { nodes { id email @include(if: $yes) gdpr @skip(if: $yes) ...Tagged } } }
     fragment Tagged on Contact { firstName tags { ... on Tag { name } __typename } }`,
    { yes: true },
  ],
  [
    'a single value where a list is taken',
    'query ($t: [ID!]) { contacts(filter: { tags: { any: $t } }) { totalCount } }',
    { t: 1 },
  ],
  [
    'default values',
    'query ($n: Int = 1, $r: ContactRefInput = { email: "ANN@example.com" }) { contact(ref: $r) { email } contacts(first: $n) { totalCount } }',
  ],
  [
    'nodes of several types',
    'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Contact { email } ... on Tag { name } } }',
    { ids: ['VGFnOjE', 'nothing'] },
  ],
  [
    'introspection',
    '{ __schema { queryType { name } types { name kind fields { name args { name defaultValue } } } } }',
  ],
]

describe('a frequent document', () => {
  let world: World

  beforeAll(async () => {
    world = await newWorld()
    const tag = await world.tag('often')
    await world.contact({ email: 'ann@example.com', addTagIds: [tag.id], gdpr: true })
    await world.contact({ email: 'bob@example.com', emailMarketing: true })
    await world.contact({ email: 'cid@example.com' })
  })

  it.each(documents)('returns the same result each time: %s', async (_what, query, variables) => {
    const answers: unknown[] = []
    for (let time = 0; time < 5; time += 1) {
      const { status, body } = await world.ask(query, variables)
      const { extensions: _figures, ...rest } = body
      answers.push(JSON.stringify({ status, rest }))
    }
    expect(new Set(answers).size, answers.join('\n')).toBe(1)
  })

  it('is compiled for each of its operations', async () => {
    const query = 'query A { viewer { email } } query B { account { name } }'
    for (let time = 0; time < 4; time += 1) {
      expect(await world.run(query, {}, { more: { operationName: 'A' } })).toHaveProperty('viewer')
      expect(await world.run(query, {}, { more: { operationName: 'B' } })).toHaveProperty('account')
    }
  })
})

describe('a list inside the results of two mutations of one document', () => {
  it('contains the changes of both', async () => {
    const world = await newWorld()
    const tag = await world.tag('shared')
    await world.contact({ email: 'ann@example.com' })
    await world.contact({ email: 'bob@example.com' })
    const add = (name: string) =>
      `${name}: contactTagAdd(input: { contact: { email: "${name}@example.com" }, tagId: "${tag.id}" }) {
        tag { contacts(first: 10) { nodes { email } } } }`
    const result = await world.run(`mutation { ${add('ann')} ${add('bob')} }`)
    expect(result).toMatchObject({
      ann: { tag: { contacts: { nodes: [{ email: 'ann@example.com' }] } } },
      bob: { tag: { contacts: { nodes: [{ email: 'bob@example.com' }, { email: 'ann@example.com' }] } } },
    })
  })
})
