import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { sql } from '../../src/db/sql.ts'
import { newWorld } from '../support/world.ts'

describe('the database client', () => {
  it('rejects access to rows of an account without the account', async () => {
    const { server, accountId } = await newWorld()
    const { db } = server.system
    const at = new Date()
    const refused = 'does not name its account'
    await expect(db.contact.findMany({})).rejects.toThrow(refused)
    await expect(db.contact.findMany({ where: { id: 1 } })).rejects.toThrow(refused)
    await expect(db.contact.findFirst({ where: { OR: [{ accountId }, { id: 1 }] } })).rejects.toThrow(refused)
    await expect(db.contact.findFirst({ where: { accountId: { gt: 0 } } })).rejects.toThrow(refused)
    await expect(db.contact.count()).rejects.toThrow(refused)
    await expect(db.contact.aggregate({ _count: true })).rejects.toThrow(refused)
    await expect(db.contact.groupBy({ by: ['city'] })).rejects.toThrow(refused)
    await expect(db.contact.updateMany({ data: { city: 'x' } })).rejects.toThrow(refused)
    await expect(db.contact.deleteMany({ where: { NOT: { accountId } } })).rejects.toThrow(refused)
    await expect(db.account.findMany({})).rejects.toThrow(refused)
    await expect(db.account.deleteMany({})).rejects.toThrow(refused)
    await expect(db.outboxEvent.findMany({})).rejects.toThrow(refused)
    await expect(
      db.tag.createMany({ data: [{ accountId, name: 'a', createdAt: at }, { name: 'b', createdAt: at } as never] }),
    ).rejects.toThrow(refused)
    const key = { accountId_name: { accountId, name: 'a' } }
    await expect(
      db.tag.upsert({ where: key, update: {}, create: { name: 'a', createdAt: at } as never }),
    ).rejects.toThrow(refused)
    expect(await db.contact.findMany({ where: { accountId } })).toEqual([])
    expect(await db.tag.findUnique({ where: key })).toBeNull()
  })

  it('rejects it in a transaction, too', async () => {
    const { server, accountId } = await newWorld()
    await server.system.db.$transaction(async (tx) => {
      expect(await tx.tag.count({ where: { accountId } })).toBe(0)
      await expect(tx.tag.count()).rejects.toThrow('does not name its account')
    })
  })

  it('executes a statement that belongs to no account in a transaction, too', async () => {
    const { server } = await newWorld()
    const read = sql`SELECT txid_current_if_assigned() IS NULL AS "isEmpty"`
    const inOne = server.system.db.$transact(
      async (tx) => (tx as typeof server.system.db).$unscoped('a test', read),
      5_000,
    )
    expect(await inOne).toEqual([{ isEmpty: true }])
  })

  it('rejects a statement without its account or with another one', async () => {
    const { server, accountId } = await newWorld()
    const ctx = newCtx(server.system, { accountId })
    const other = newCtx(server.system, { accountId: accountId + 1 })
    await expect(ctx.sql`SELECT 1`).rejects.toThrow('does not name its account')
    await expect(ctx.sql`SELECT id FROM contact WHERE account_id = ${accountId}`).rejects.toThrow(
      'does not name its account',
    )
    await expect(ctx.sql`SELECT id FROM contact WHERE account_id = ${other.sql.account}`).rejects.toThrow(
      'another account',
    )
    expect(await ctx.sql`SELECT id FROM contact WHERE account_id = ${ctx.sql.account}`).toEqual([])
  })
})
