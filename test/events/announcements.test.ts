import { beforeAll, describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit, emitAll } from '../../src/events/index.ts'
import { schema } from '../../src/server/schema.ts'
import { newRewind } from '../support/rewind.ts'
import type { SignedIn } from '../support/session.ts'
import { newWorld, type World } from '../support/world.ts'
import { announcements } from './announcements.ts'
import { newFullWorld } from './inhabited.ts'
import { callerOf, type Ids, mutationOf } from './mutations.ts'

describe('the events of mutations', () => {
  let world: World
  let ids: Ids
  let user: SignedIn
  let rewind: () => Promise<void>
  // One account for all tests. Each test restores it.
  beforeAll(async () => {
    const created = await newFullWorld()
    world = created.world
    ids = created.ids
    user = created.user
    rewind = await newRewind(world)
  })

  it('are listed for every mutation', () => {
    expect(Object.keys(announcements).sort()).toEqual(Object.keys(schema.getMutationType()?.getFields() ?? {}).sort())
  })

  it.each(Object.entries(announcements))('of %s have the expected IDs and facts, once', async (field, announcement) => {
    const { input, select, events } = announcement
    await rewind()
    await world.run(mutationOf(field, select), { input: input(ids) }, callerOf(announcement, user))
    expect((await world.announced('*')).map(({ type, data }) => [type, data])).toEqual(events(ids))
  })

  it('belong only to the account that changed', async () => {
    await rewind()
    const other = await world.other()
    await other.contact()
    expect(await world.announced('*')).toEqual([])
    expect(await other.announced('*')).toHaveLength(1)
  })

  it('of a document are kept if a later field of the document fails', async () => {
    await rewind()
    const { body } = await world.ask(`mutation {
      a: contactUpdate(input: { contact: { id: ${ids.contact} }, city: "Paris" }) { contact { id } }
      b: contactUpdate(input: { contact: { id: 0 }, city: "Paris" }) { contact { id } }
      c: contactFieldSet(input: { contact: { id: ${ids.contact} }, customFieldId: ${ids.field}, value: "v" }) { value } }`)
    expect(body.errors).toMatchObject([{ path: ['b'] }])
    // Payload fields are not null, so the error of one removes the data of all, but its changes are committed.
    expect((await world.announced('*')).map(({ type }) => type).slice(0, 1)).toEqual(['contact.updated'])
  })
})

describe('an event', () => {
  it('is rolled back with its transaction, nested or not', async () => {
    const { server, accountId, announced } = await newWorld()
    const ctx = newCtx(server.system, { accountId })
    const failing = inTransaction(ctx, async (tx) => {
      await emit(tx, 'contact.created', { contactId: 1 })
      await inTransaction(tx, (inner) => emit(inner, 'contact.deleted', { contactId: 1 }))
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await announced()).toEqual([])
    await inTransaction(ctx, (tx) => emitAll(tx, 'contact.created', [{ contactId: 1 }, { contactId: 2 }]))
    expect(await announced()).toEqual([
      { type: 'contact.created', data: { contactId: 1 } },
      { type: 'contact.created', data: { contactId: 2 } },
    ])
  })

  it('cannot be emitted outside a transaction', async () => {
    const { server, accountId, announced } = await newWorld()
    const ctx = newCtx(server.system, { accountId })
    await expect(emit(ctx, 'contact.created', { contactId: 1 })).rejects.toThrow('must be emitted inside a transaction')
    expect(await announced()).toEqual([])
  })
})
