// @module-tag rows
import { getNamedType, isInputObjectType } from 'graphql'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { announcements } from '../events/announcements.ts'
import { newFullWorld } from '../events/inhabited.ts'
import { type Announcement, callerOf, type Ids, mutationOf } from '../events/mutations.ts'
import { newRewind } from '../support/rewind.ts'
import type { SignedIn } from '../support/session.ts'
import type { World } from '../support/world.ts'

/** The mutations whose input has `expectedUpdatedAt`. */
const conditional = Object.values(schema.getMutationType()?.getFields() ?? {})
  .filter(({ args }) =>
    args.some(({ type }) => {
      const input = getNamedType(type)
      return isInputObjectType(input) && 'expectedUpdatedAt' in input.getFields()
    }),
  )
  .map(({ name }) => name)

const isUpdate = (name: string) => /(Update|ContentSet)$/.test(name)

describe('expectedUpdatedAt', () => {
  let world: World
  let ids: Ids
  let user: SignedIn
  let rewind: () => Promise<void>
  beforeAll(async () => {
    const created = await newFullWorld()
    ;({ world, ids, user } = created)
    rewind = await newRewind(world)
  })
  beforeEach(() => rewind())

  const ask = async (name: string, more: object) => {
    const announcement = announcements[name] as Announcement
    const input = { ...announcement.input(ids), ...more }
    const { body } = await world.ask(mutationOf(name, announcement.select), { input }, callerOf(announcement, user))
    return body.errors?.[0]?.extensions ?? {}
  }
  const outdated = '2001-01-01T00:00:00.000Z'

  it('is an input of every update', () => {
    expect(conditional).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).filter(isUpdate))
  })

  it.each(conditional)('lets %s change what the client has seen, and nothing else', async (name) => {
    const refused = await ask(name, { expectedUpdatedAt: outdated })
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      fields: [{ path: 'input.expectedUpdatedAt', code: 'OUTDATED' }],
      updatedAt: expect.stringMatching(/^2\d{3}-.*Z$/),
    })
    expect(await world.announced('*')).toEqual([])
    const { updatedAt } = refused
    expect(await ask(name, { expectedUpdatedAt: updatedAt })).toEqual({})
    expect(await ask(name, { expectedUpdatedAt: updatedAt })).toMatchObject({
      code: 'CONFLICT',
      updatedAt: expect.not.stringContaining(updatedAt),
    })
  })

  it.each(conditional)('is not checked again when %s is repeated with its idempotency key', async (name) => {
    const { updatedAt } = await ask(name, { expectedUpdatedAt: outdated })
    const request = { expectedUpdatedAt: updatedAt, idempotencyKey: 'once' }
    expect(await ask(name, request)).toEqual({})
    expect(await ask(name, request)).toEqual({})
  })

  it('lets one of two clients change an object at the same time', async () => {
    const { updatedAt } = await ask('contactUpdate', { expectedUpdatedAt: outdated })
    const codes = await Promise.all(
      ['Bern', 'Basel'].map((city) => ask('contactUpdate', { city, expectedUpdatedAt: updatedAt })),
    )
    expect(codes.map(({ code }) => code).toSorted()).toEqual(['CONFLICT', undefined])
  })

  it('returns NOT_FOUND for an object of another account', async () => {
    const other = await world.other()
    const { id } = await other.tag()
    expect(await ask('tagUpdate', { id, expectedUpdatedAt: outdated })).toMatchObject({ code: 'NOT_FOUND' })
  })
})
