import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { newWorld, type World } from '../support/world.ts'
import { createObjects, ownLinks } from './account-objects.ts'
import { isConnection } from './lists.ts'

const hasRange = (type: GraphQLInputObjectType) => 'range' in type.getFields() && 'period' in type.getFields()

/** The root lists that can be filtered by a period, and the path of the input that has the period. */
const places: [list: string, path: string[]][] = Object.values(schema.getQueryType()?.getFields() ?? {}).flatMap(
  ({ name, type, args }) => {
    const filter = getNamedType(args.find((arg) => arg.name === 'filter')?.type)
    if (!isConnection(getNamedType(type)) || !isInputObjectType(filter)) return []
    const within = Object.values(filter.getFields()).flatMap((field): string[][] => {
      const to = getNamedType(field.type)
      return isInputObjectType(to) && hasRange(to) ? [['filter', field.name]] : []
    })
    return [...(hasRange(filter) ? [['filter']] : []), ...within].map((path): [string, string[]] => [name, path])
  },
)

const always = { from: '0001-01-01', to: '9999-12-31' }
const earlier = { from: '2001-01-01', to: '2001-12-31' }

describe('a range', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
    await createObjects(world, 'own', ownLinks)
  })

  const documentOf = (list: string) => {
    const field = schema.getQueryType()?.getFields()[list]
    const type = field?.args.find((arg) => arg.name === 'filter')?.type
    return `query ($filter: ${type}) { list: ${list}(filter: $filter) { totalCount } }`
  }
  const variables = (path: readonly string[], input: object) =>
    path.toReversed().reduce((inner: object, name) => ({ [name]: inner }), input)

  it('is an input of many lists', () => {
    expect(places.length).toBeGreaterThan(10)
  })

  it.each(places)('without a period selects the rows of its days: %s %s', async (list, path) => {
    const count = async (input: object) =>
      (await world.run(documentOf(list), variables(path, input))).list.totalCount as number
    // A time that no row has selects no row.
    const all = await count({ exists: true })
    // The objects of the test account have few of the other times.
    if (/^(created|enrolled)At$/.test(path.at(-1) ?? '')) expect(all).toBeGreaterThan(0)
    expect(await count({ range: always })).toBe(all)
    expect(await count({ period: 'BETWEEN', range: always })).toBe(all)
    expect(await count({ period: null, range: earlier })).toBe(0)
  })

  it.each(places)('returns VALIDATION_ERROR with another period than BETWEEN: %s %s', async (list, path) => {
    for (const period of ['ALL', 'TODAY']) {
      const fault = await world.fault(documentOf(list), variables(path, { period, range: always }))
      expect(fault.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: {
          [`${path.join('.')}.range`]: [`goes with the period BETWEEN or without a period, not with ${period}`],
        },
      })
    }
  })

  it.each([
    ['salesAmount', '{ salesAmount(ARGS) { amount } }', ['range: RANGE', 'period: BETWEEN, range: RANGE']],
    ['revenue', '{ revenue(ARGS) { orders } }', ['range: RANGE', 'period: BETWEEN, range: RANGE']],
    [
      'Funnel.stats',
      '{ funnels(first: 1) { nodes { stats(ARGS) { since until } } } }',
      ['range: RANGE', 'period: BETWEEN, range: RANGE'],
    ],
  ])('selects the days of %s, and cannot be combined with another period', async (_field, query, accepted) => {
    const withArgs = (args: string, range: string) => query.replace('ARGS', args.replace('RANGE', range))
    const [days, none] = ['{ from: "0001-01-01", to: "9999-12-31" }', '{ from: "2001-01-01", to: "2001-12-31" }']
    const results = (range: string) => Promise.all(accepted.map((args) => world.run(withArgs(args, range))))
    expect(new Set((await results(days)).map((each) => JSON.stringify(each))).size).toBe(1)
    expect(await results(none)).not.toEqual(await results(days))
    const fault = await world.fault(withArgs('period: TODAY, range: RANGE', days))
    expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { range: [expect.any(String)] } })
  })
})
