import type { World } from '../support/world.ts'

export const fields = `figure interval currency since until total previousTotal
  points { start date value previous }`

export interface Series {
  total: string
  previousTotal: string
  currency: string | null
  since: string
  until: string
  points: { start: string; date: string; value: string; previous: string }[]
}

/** Names of the arguments, with their types. */
const variables = (type: string) =>
  `$figure: ${type}Figure!, $interval: Interval, $period: Period, $range: DateRangeInput, $timezone: String`
const values = 'figure: $figure, interval: $interval, period: $period, range: $range, timezone: $timezone'

export const AccountSeries = `query (${variables('Account')}, $currency: CurrencyCode) {
  account { series(${values}, currency: $currency) { ${fields} } } }`

/** A query of the series of a node. */
export const NodeSeries = (type: string) => `query ($id: ID!, ${variables(type)}) {
  node(id: $id) { ... on ${type} { series(${values}) { ${fields} } } } }`

/** Returns a figure of the account. */
export async function seriesOf(world: World, figure: string, args: object = {}): Promise<Series> {
  return (await world.run(AccountSeries, { figure, ...args })).account.series
}

/** Returns a figure of an object. */
export async function seriesOfNode(
  world: World,
  [type, { id }]: readonly [string, { id: string }],
  figure: string,
  args: object = {},
): Promise<Series> {
  return (await world.run(NodeSeries(type), { id, figure, ...args })).node.series
}

/** Returns the values of a series that are not 0, by the start of their interval. */
export function valuesOf({ points }: Series): Record<string, string> {
  return Object.fromEntries(points.filter(({ value }) => Number(value) !== 0).map(({ start, value }) => [start, value]))
}

/** Creates a segment of the contacts with a first name, and returns its id. */
export async function newSegment(world: World, firstName = 'Ada'): Promise<{ id: string }> {
  const create = `mutation ($filter: ContactFilterInput!) {
    segmentCreate(input: { name: "named", filter: $filter }) { segment { id } } }`
  return (await world.run(create, { filter: { firstName: { eq: firstName } } })).segmentCreate.segment
}
