import { beforeAll, describe, expect, it } from 'vitest'
import { listDocument, listed, walked } from '../support/listed.ts'
import { newWorld, type World } from '../support/world.ts'

const campaigns = { type: 'Campaign', field: 'campaigns', name: 'name' }

let world: World
let own: string
let foreign: string

beforeAll(async () => {
  world = await newWorld()
  const create = async (name: string, subject: string, sql: string, fromEmail = 'ada@example.com') => {
    const { id, databaseId } = await world.campaign({ name, subject, fromEmail, fromName: 'Ada' })
    await world.rows(`UPDATE campaign SET ${sql} WHERE account_id = $1 AND id = $2`, [world.accountId, databaseId])
    return id
  }
  own = await create(
    'spring',
    'New bowls for you',
    "status = 'SENT', sent_at = '2026-03-02Z', recipients_count = 9, sent_to = 8",
  )
  await create('Autumn', 'Bowls again', "status = 'SENT', sent_at = '2026-03-01Z', scheduled_for = '2026-02-28Z'")
  await create('draft', 'spring bowls', "scheduled_for = '2026-02-27Z', paused_at = now()", 'bob@shop.example')
  await create('Broken', '', "status = 'ERROR', error_code = 'NO_RECIPIENTS', created_at = '2026-01-01Z'")
  const other = await world.other()
  foreign = (await other.campaign({ name: 'spring' })).id
})

it.each([
  [() => ({ id: { in: [own, foreign] } }), ['spring']],
  [() => ({ name: { startsWith: 'aut' } }), ['Autumn']],
  [() => ({ subject: { contains: 'BOWLS' } }), ['draft', 'Autumn', 'spring']],
  [() => ({ subject: { exists: false } }), ['Broken']],
  [() => ({ not: { subject: { eq: 'bowls again' } } }), ['draft', 'spring', 'Broken']],
  [() => ({ fromEmail: { eq: 'bob@shop.example' }, fromName: { eq: 'ada' } }), ['draft']],
  [() => ({ status: ['SENT', 'SENDING'] }), ['Autumn', 'spring']],
  [() => ({ errorCode: ['NO_RECIPIENTS'] }), ['Broken']],
  [() => ({ not: { errorCode: ['NO_RECIPIENTS'] } }), ['draft', 'Autumn', 'spring']],
  [() => ({ recipientsCount: { gte: 9 }, sentTo: { lte: 8 } }), ['spring']],
  [() => ({ sentAt: { gte: '2026-03-02T00:00:00Z' } }), ['spring']],
  [() => ({ scheduledFor: { exists: true }, pausedAt: { exists: false } }), ['Autumn']],
  [() => ({ createdAt: { lt: '2026-01-02T00:00:00Z' } }), ['Broken']],
  [() => ({ search: 'spring bowls' }), ['draft', 'spring']],
  [() => ({ search: 'yo' }), ['spring']],
  [() => ({ search: 'ou' }), []],
])('campaigns are filtered: case %#', async (filter, names) => {
  expect(await listed(world, campaigns, { filter: filter() })).toEqual(names)
})

it.each([
  ['NAME', ['Autumn', 'Broken', 'draft', 'spring']],
  ['SENT_AT', ['draft', 'Broken', 'Autumn', 'spring']],
  ['SCHEDULED_FOR', ['spring', 'Broken', 'draft', 'Autumn']],
  ['STATUS', ['draft', 'Broken', 'spring', 'Autumn']],
])('campaigns are ordered by %s, and paged with cursors', async (field, names) => {
  const walk = (direction: string) => walked(world, campaigns, { orderBy: { field, direction } })
  expect(await walk('ASC')).toEqual(names)
  expect(await walk('DESC')).toEqual(names.toReversed())
})

describe('a filter of campaigns', () => {
  it.each([
    [{ search: 'a '.repeat(11) }, 'filter.search'],
    [{ subject: { contains: 'ab' } }, 'filter.subject.contains'],
    [{ id: { in: ['x'] } }, 'filter.id.in'],
  ])('returns VALIDATION_ERROR for %j', async (filter, path) => {
    const { extensions } = await world.fault(listDocument(campaigns), { filter })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { [path]: [expect.any(String)] } })
  })
})
