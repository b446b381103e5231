import { beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const Contacts = `query ($first: Int, $after: String, $last: Int, $before: String, $offset: Int, $orderBy: [ContactOrderInput!],
  $filter: ContactFilterInput) {
  contacts(first: $first, after: $after, last: $last, before: $before, offset: $offset, orderBy: $orderBy, filter: $filter) {
    nodes { email } pageInfo { startCursor endCursor } } }`

describe('page arguments', () => {
  let world: World
  let cursor: string
  beforeAll(async () => {
    world = await newWorld()
    for (const name of ['a', 'b', 'c']) await world.contact({ email: `${name}@example.com` })
    cursor = (await world.run(Contacts, { first: 1 })).contacts.pageInfo.endCursor
  })

  const refused = async (variables: Record<string, unknown>, argument: string) => {
    const fault = await world.fault(Contacts, variables)
    expect(fault.extensions).toEqual({
      code: 'VALIDATION_ERROR',
      details: { [argument]: [expect.any(String)] },
      fields: [{ path: expect.stringContaining(argument), code: expect.any(String), message: expect.any(String) }],
    })
    expect(fault.message).toContain(argument)
  }

  it.each([0, -1, 101, 1_000])('return VALIDATION_ERROR for a page of %i rows', async (size) => {
    await refused({ first: size }, 'first')
    await refused({ last: size }, 'last')
  })

  it.each([
    ['last', { first: 1, last: 1 }],
    ['offset', { first: 1, offset: -1 }],
  ])('return VALIDATION_ERROR for %s in %j', async (argument, variables) => {
    await refused(variables, argument)
  })

  it('return VALIDATION_ERROR for invalid combinations', async () => {
    await refused({ first: 1, after: cursor, offset: 1 }, 'offset')
    await refused({ last: 1, offset: 1 }, 'offset')
    await refused({ last: 1, after: cursor }, 'after')
    await refused({ first: 1, before: cursor }, 'before')
  })

  it('return BAD_REQUEST for a number that is not an Int', async () => {
    expect((await world.fault(Contacts, { first: 2 ** 31 })).extensions.code).toBe('BAD_REQUEST')
    expect((await world.fault(Contacts, { first: 1.5 })).extensions.code).toBe('BAD_REQUEST')
  })

  it.each([
    ['nothing', ''],
    ['no base64', '%%%'],
    ['a number', 'NQ'],
    ['an id', '5'],
    ['JSON of another shape', Buffer.from('{"a":1}').toString('base64url')],
    ['JSON with numbers', Buffer.from('["x",1,2]').toString('base64url')],
  ])('return VALIDATION_ERROR for a cursor that is %s', async (_name, forged) => {
    await refused({ after: forged }, 'after')
    await refused({ before: forged }, 'before')
  })

  /** Returns a cursor with the right list and another position, as a client could forge it. */
  const forge = (value: string, id: string) =>
    Buffer.from(JSON.stringify([JSON.parse(Buffer.from(cursor, 'base64url').toString())[0], value, id])).toString(
      'base64url',
    )

  it.each([
    ['a time that is none', 'yesterday', '1'],
    ['a month that is none', '2026-13-01T00:00:00.000Z', '1'],
    ['a day that is none', '2026-02-30T00:00:00.000Z', '1'],
    ['the year 0', '0000-01-01T00:00:00.000Z', '1'],
    ['an id that is no number', '2026-01-01T00:00:00.000Z', 'x'],
    ['an id with a sign', '2026-01-01T00:00:00.000Z', '-1'],
    ['an id beyond bigint', '2026-01-01T00:00:00.000Z', '99999999999999999999'],
    ['NUL', '2026-01-01T00:00:00.000Z\0', '1'],
  ])('return VALIDATION_ERROR for a cursor that was forged with %s', async (_name, value, id) => {
    await refused({ after: forge(value, id) }, 'after')
    await refused({ before: forge(value, id) }, 'before')
  })

  it('return VALIDATION_ERROR for a cursor in a changed encoding', async () => {
    await refused({ after: `${cursor}=` }, 'after')
    await refused({ after: ` ${cursor}` }, 'after')
  })

  it('return VALIDATION_ERROR for a cursor of another order, filter or list', async () => {
    await refused({ after: cursor, orderBy: { field: 'CREATED_AT', direction: 'ASC' } }, 'after')
    await refused({ after: cursor, orderBy: { field: 'EMAIL', direction: 'DESC' } }, 'after')
    await refused({ after: cursor, filter: { gdpr: false } }, 'after')
    await world.tag()
    const { tags } = await world.run('{ tags { pageInfo { endCursor } } }')
    await refused({ after: tags.pageInfo.endCursor }, 'after')
  })

  it('accept a cursor of the default order if the order is now explicit', async () => {
    const { contacts } = await world.run(Contacts, {
      after: cursor,
      orderBy: { field: 'CREATED_AT', direction: 'DESC' },
      filter: {},
    })
    expect(contacts.nodes).toHaveLength(2)
  })

  it('accept a cursor of another account as a position, and return no rows of that account', async () => {
    const other = await world.other()
    await other.contact({ email: 'other@example.com' })
    const { contacts } = await other.run(Contacts, { first: 10, after: cursor })
    expect(contacts.nodes.every(({ email }: { email: string }) => email === 'other@example.com')).toBe(true)
  })
})
