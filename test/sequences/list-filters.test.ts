import { beforeAll, describe, expect, it } from 'vitest'
import { listDocument, listed } from '../support/listed.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

const sequences = { type: 'Sequence', field: 'sequences', name: 'name' }

let world: World
let ids: Record<'sequence' | 'foreign' | 'stage' | 'ada', Named>
const enrolments = () => ({
  ...{ type: 'Enrolment', field: 'enrolments', name: 'contact { email }' },
  within: `sequence(id: "${ids.sequence.id}") {`,
})

beforeAll(async () => {
  world = await newWorld()
  const sequence = await world.sequence({ name: 'Welcome new buyers' })
  await world.sequence({ name: 'birthday', type: 'INVERTED' })
  const stage = await world.stage(sequence, {
    name: 'first',
    stageType: 'SEND_EMAIL',
    timeValue: 1,
    timeType: 'DAYS',
    active: true,
  })
  const [ada, bob] = [await world.contact({ email: 'ada@x.io' }), await world.contact({ email: 'bob@x.io' })]
  await world.subscribe(ada, sequence)
  await world.subscribe(bob, sequence)
  await world.rows(
    `UPDATE enrolment SET state = 'ENDED', end_reason = 'REMOVED', ended_at = '2026-02-03T10:00:00Z', due_at = NULL, next_stage_id = NULL, last_stage_id = $3,
       last_done_at = '2026-02-02T10:00:00Z', anchor_date = '2026-01-01T00:00:00Z', enrolled_at = '2026-01-02T00:00:00Z', failure = 'No number'
     WHERE account_id = $1 AND contact_id = $2`,
    [world.accountId, bob.databaseId, stage.databaseId],
  )
  ids = { sequence, stage, ada, foreign: await (await world.other()).sequence({ name: 'Welcome' }) }
})

describe('sequences', () => {
  it.each([
    [() => ({ id: { in: [ids.sequence.id, ids.foreign.id] } }), ['Welcome new buyers']],
    [() => ({ name: { startsWith: 'BIRTH' } }), ['birthday']],
    [() => ({ type: ['NORMAL'] }), ['Welcome new buyers']],
    [() => ({ not: { type: 'NORMAL' } }), ['birthday']],
    [() => ({ createdAt: { period: 'YESTERDAY' } }), []],
    [() => ({ search: 'buy WELCOME ne' }), ['Welcome new buyers']],
    [() => ({ search: 'day' }), ['birthday']],
    [() => ({ search: 'ay' }), []],
  ])('are filtered: case %#', async (filter, names) => {
    expect(await listed(world, sequences, { filter: filter() })).toEqual(names)
  })

  it('are ordered by name, regardless of case', async () => {
    const orderBy = { field: 'NAME', direction: 'ASC' }
    expect(await listed(world, sequences, { orderBy })).toEqual(['birthday', 'Welcome new buyers'])
  })

  it('return VALIDATION_ERROR for the id of another type', async () => {
    const { extensions } = await world.fault(listDocument(sequences), { filter: { id: { in: [ids.ada.id] } } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'filter.id.in': [expect.any(String)] } })
  })
})

describe('enrolments', () => {
  const [ada, bob] = [['ada@x.io'], ['bob@x.io']]
  it.each([
    [() => ({ state: ['ACTIVE'] }), ada],
    [() => ({ state: ['ENDED', 'COMPLETED'] }), bob],
    [() => ({ enrolledAt: { lt: '2026-01-03T00:00:00Z' } }), bob],
    [() => ({ anchorDate: { exists: true }, lastDoneAt: { exists: true }, endedAt: { exists: true } }), bob],
    [() => ({ dueAt: { exists: true } }), ada],
    [() => ({ failure: { contains: 'number' } }), bob],
    [() => ({ nextStages: { any: [ids.stage.id] } }), ada],
    [() => ({ lastStages: { any: [ids.stage.databaseId] } }), bob],
    [() => ({ contacts: { none: [ids.ada.id] } }), bob],
    [() => ({ sequences: { any: [ids.foreign.id] } }), []],
    [() => ({ id: { in: [] } }), []],
    [() => ({ search: 'bob x.io' }), bob],
    [() => ({ contact: { email: { startsWith: 'ada' } } }), ada],
    [() => ({ not: { contact: { sequences: { any: [ids.sequence.id] } } } }), bob],
  ])('are filtered: case %#', async (filter, emails) => {
    expect(await listed(world, enrolments(), { filter: filter() })).toEqual(emails)
  })

  it.each([
    ['contacts', { any: [] }],
    ['contact', { gdpr: true }],
    ['search', 'ada'],
  ])('return FORBIDDEN for a filter by %s without contacts:read', async (field, value) => {
    const document =
      'query ($id: ID!, $filter: EnrolmentFilterInput) { sequence(id: $id) { enrolments(filter: $filter) { totalCount } } }'
    const key = await world.key({ scopes: ['sequences:read'] })
    const fault = await world.fault(document, { id: ids.sequence.id, filter: { [field]: value } }, { key })
    expect(fault.extensions).toMatchObject({ code: 'FORBIDDEN', scope: 'CONTACTS_READ' })
  })

  it('return FORBIDDEN for a negated filter by contacts without contacts:read', async () => {
    const document =
      'query ($id: ID!, $filter: EnrolmentFilterInput) { sequence(id: $id) { enrolments(filter: $filter) { totalCount } } }'
    const variables = { id: ids.sequence.id, filter: { not: { contacts: { any: [ids.ada.databaseId] } } } }
    const key = await world.key({ scopes: ['sequences:read'] })
    expect((await world.fault(document, variables, { key })).extensions.code).toBe('FORBIDDEN')
    const both = await world.key({ scopes: ['sequences:read', 'contacts:read'] })
    expect((await world.run(document, variables, { key: both })).sequence.enrolments.totalCount).toBe(1)
  })
})
