// @module-tag rows
import { beforeAll, describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emit, emitAll } from '../../src/events/index.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { type Following, follow } from './stream.ts'
import { Contacts, faultsOf, noFaults, writeFor, writeWhile } from './writers.ts'

let server: Server

beforeAll(async () => {
  server = await newServer({ DATABASE_POOL_SIZE: '30' })
})

describe('a subscriber of the event log', () => {
  it('receives all committed events once and in order, and no event that was rolled back', async () => {
    const world = await newWorld({ server })
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const following = await follow({ server, key: world.mainKey }, Contacts, { after })
    const written = await writeFor(world, 2_500)
    await following.upTo(2 * written.committed.length)
    // The last event shows that no other one follows.
    const { databaseId } = await world.contact()
    await following.find(({ data }) => data.events.contactDatabaseId === databaseId)
    const delivered = following.got.slice(0, -1).map(({ data }) => data.events)
    expect(written.committed.length).toBeGreaterThan(20)
    expect(faultsOf(written, delivered)).toEqual(noFaults)
  })

  it('misses and repeats no event, however often it disconnects and resumes', async () => {
    const world = await newWorld({ server })
    let { eventCursor: after } = await world.run('{ eventCursor }')
    const delivered: { type: string; contactDatabaseId: number }[] = []
    let breaks = 0
    const writing = writeWhile(world, () => breaks < 10)
    const followed = async (enough: (following: Following) => Promise<unknown>) => {
      const following = await follow({ server, key: world.mainKey }, Contacts, { after })
      await enough(following)
      following.stop()
      for (const { data } of following.got) {
        delivered.push(data.events)
        after = data.events.cursor
      }
    }
    for (; breaks < 10; breaks += 1) await followed((following) => following.upTo(20 * breaks + 1))
    const written = await writing
    await followed((following) => following.upTo(2 * written.committed.length - delivered.length))
    expect(faultsOf(written, delivered)).toEqual(noFaults)
  })

  it('does not wait for an open transaction of the same or another account', async () => {
    const world = await newWorld({ server })
    const other = await world.other()
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const followings = await Promise.all(
      [world, other].map(({ mainKey: key }) => follow({ server, key }, Contacts, { after })),
    )
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>()
    const ctx = newCtx(server.system, { accountId: world.accountId })
    const held = inTransaction(ctx, async (tx) => {
      await emit(tx, 'contact.created', { contactId: 4711 })
      opened()
      await mayEnd
    })
    await isOpen
    await Promise.all([world.contact(), other.contact()])
    await Promise.all(followings.map((each) => each.upTo(1)))
    expect(followings[0]?.got.map(({ data }) => data.events.contactDatabaseId)).not.toContain(4711)
    end()
    await held
    // The event of the long transaction comes when it ends, after those that were committed before.
    const [, late] = (await followings[0]?.upTo(2)) ?? []
    expect(late.data.events.contactDatabaseId).toBe(4711)
  })

  it('receives all events after a state that it read before', async () => {
    const world = await newWorld({ server })
    const { eventCursor: after, contacts } = await world.run('{ eventCursor contacts { totalCount } }')
    expect(contacts.totalCount).toBe(0)
    const created = await Promise.all([world.contact(), world.contact(), world.contact()])
    const following = await follow({ server, key: world.mainKey }, Contacts, { after })
    const reported = (await following.upTo(3)).map(({ data }) => data.events.contactDatabaseId)
    expect(reported.sort()).toEqual(created.map(({ databaseId }) => databaseId).sort())
  })

  it('receives past events in pages without gaps or duplicates', async () => {
    const world = await newWorld({ server })
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const ctx = newCtx(server.system, { accountId: world.accountId })
    const ids = Array.from({ length: 1_100 }, (_, place) => place + 1)
    await inTransaction(ctx, async (tx) => {
      await emitAll(
        tx,
        'contact.created',
        ids.map((contactId) => ({ contactId })),
      )
    })
    const live = await follow({ server, key: world.mainKey }, Contacts, { after })
    await live.upTo(1_100)
    const following = await follow({ server, key: world.mainKey }, Contacts, { after })
    expect((await following.upTo(1_100)).map(({ data }) => data.events.contactDatabaseId)).toEqual(ids)
  })
})
