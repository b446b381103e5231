import { describe, expect, it } from 'vitest'
import type { Condition } from '../../src/console/filters/conditions.ts'
import { globalId } from '../../src/kernel/values/ids.ts'
import { newWorld, type World } from '../support/world.ts'
import { consoleModule } from './console-module.ts'

const { filterFields, toFilter } =
  await consoleModule<typeof import('../../src/console/filters/conditions.ts')>('filters/conditions.ts')
const { fromFilter } =
  await consoleModule<typeof import('../../src/console/filters/stored-filter.ts')>('filters/stored-filter.ts')

/** The type of the objects of each kind that the builder offers. */
const types: Readonly<Record<string, string>> = {
  ...{ tags: 'Tag', topics: 'Topic', segments: 'Segment', sequences: 'Sequence', stages: 'SequenceStage' },
  ...{ forms: 'Form', outcomes: 'Outcome', campaigns: 'Campaign', funnels: 'Funnel', steps: 'FunnelStep' },
}

const update = `mutation ($id: ID!, $filter: ContactFilterInput) {
  segmentUpdate(input: { id: $id, filter: $filter }) { segment { filter } } }`

/** Returns the conditions of the builder for a segment with a filter. */
async function opened(world: World, filter: object) {
  const segment = await world.segment(filter)
  const { segment: found } = await world.run('query ($id: ID!) { segment(id: $id) { filter } }', segment)
  return { segment, conditions: fromFilter(found.filter) }
}

/** Saves conditions as the console does, after one was added. Returns those of the stored filter. */
async function savedWithCity(world: World, segment: { id: string }, conditions: readonly Condition[]) {
  const next = [...conditions, { field: 'city', op: 'contains', value: 'Paris' } as const]
  const { segmentUpdate } = await world.run(update, { id: segment.id, filter: toFilter(undefined, next) })
  expect(fromFilter(segmentUpdate.segment.filter)).toEqual(next)
}

describe('a filter that another client stored', () => {
  const fields = filterFields([]).filter(({ kind, name }) => kind && name !== 'segments')

  it('has integers for the global ids of all kinds, and can be saved', async () => {
    const world = await newWorld()
    const filters = fields.flatMap(({ name, kind = '', operators }) => {
      const type = types[kind] as string
      return operators.map((op) => ({ name, op, filter: { [name]: { [op]: [globalId(type, 7), 8, '9'] } } }))
    })
    const { segment, conditions } = await opened(world, { and: filters.map(({ filter }) => filter) })
    expect(conditions).toEqual(filters.map(({ name, op }) => ({ field: name, op, value: ['7', '8', '9'] })))
    await savedWithCity(world, segment, conditions ?? [])
  })

  it('has the segments of an audience', async () => {
    const world = await newWorld()
    const [segment, campaign] = [await world.segment(), await world.campaign()]
    const audience = { filter: { segments: { any: [segment.id] } } }
    const { campaignUpdate } = await world.run(
      'mutation ($input: CampaignUpdateInput!) { campaignUpdate(input: $input) { campaign { audience { filter } } } }',
      { input: { id: campaign.id, audience } },
    )
    expect(fromFilter(campaignUpdate.campaign.audience.filter)).toEqual([
      { field: 'segments', op: 'any', value: [String(segment.databaseId)] },
    ])
  })

  it('has the field of the global id of a custom field', async () => {
    const world = await newWorld()
    const field = await world.customField()
    const { segment, conditions } = await opened(world, { customFields: [{ id: field.id, text: { eq: 'x' } }] })
    expect(conditions).toEqual([{ field: `custom:${field.databaseId}`, op: 'eq', value: 'x' }])
    await savedWithCity(world, segment, conditions ?? [])
  })

  it('has no conditions for null, and one for a period with its range', async () => {
    const world = await newWorld()
    const range = { from: '2026-01-01', to: '2026-01-31' }
    const { segment, conditions } = await opened(world, {
      ...{ city: null, tags: { any: [5], none: null } },
      createdAt: { period: 'BETWEEN', range, timezone: null },
    })
    expect(conditions).toEqual([
      { field: 'tags', op: 'any', value: ['5'] },
      { field: 'createdAt', op: 'between', value: ['2026-01-01', '2026-01-31'] },
    ])
    await savedWithCity(world, segment, conditions ?? [])
  })

  it.each([{ tags: { any: [] } }, { id: { eq: 5 } }, { tags: { exists: true } }, { email: { eq: '' } }])(
    'is not offered for editing if the builder would change it: %j',
    async (filter) => {
      expect((await opened(await newWorld(), filter)).conditions).toBeUndefined()
    },
  )
})

describe('a time that is compared by its day', () => {
  it.each([
    ['on', '2026-03-02', 1],
    ['on', '2026-03-01', 0],
    ['from', '2026-03-02', 1],
    ['from', '2026-03-03', 0],
    ['until', '2026-03-02', 1],
    ['until', '2026-03-01', 0],
  ] as const)('%s %s is a day of the account', async (op, value, count) => {
    const world = await newWorld()
    await world.contact()
    // Half an hour after midnight in Paris, in whose days an account without a time zone reads.
    await world.rows("UPDATE contact SET created_at = '2026-03-01T23:30:00Z' WHERE account_id = $1", [world.accountId])
    const filter = toFilter(undefined, [{ field: 'createdAt', op, value }])
    const { contacts } = await world.run(
      'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }',
      {
        filter,
      },
    )
    expect(contacts.totalCount).toBe(count)
  })
})
