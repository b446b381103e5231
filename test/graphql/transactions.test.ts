// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inSavepoint, inTransaction } from '../../src/db/transaction.ts'
import { newWorld } from '../support/world.ts'

const newTx = async () => {
  const world = await newWorld()
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  const tags = async () =>
    (await world.rows<{ name: string }>('SELECT name FROM tag WHERE account_id = $1', [ctx.accountId])).map(
      ({ name }) => name,
    )
  const tag = (name: string) => ({ data: { accountId: ctx.accountId, name, createdAt: new Date() } })
  return { ctx, tags, tag }
}

describe('a transaction', () => {
  it('contains the statements of both clients', async () => {
    const { ctx, tags, tag } = await newTx()
    const work = inTransaction(ctx, async (tx) => {
      await tx.db.tag.create(tag('kept'))
      expect(await tx.sql`SELECT name FROM tag WHERE account_id = ${tx.sql.account}`).toEqual([{ name: 'kept' }])
      await tx.sql`UPDATE tag SET name = 'changed' WHERE account_id = ${tx.sql.account}`
      expect(await tx.db.tag.findMany({ where: { accountId: tx.accountId }, select: { name: true } })).toEqual([
        { name: 'changed' },
      ])
      expect(await tags()).toEqual([])
      return 'done'
    })
    expect(await work).toBe('done')
    expect(await tags()).toEqual(['changed'])
  })

  it('rolls back all of them if the work throws', async () => {
    const { ctx, tags, tag } = await newTx()
    const work = inTransaction(ctx, async (tx) => {
      await tx.db.tag.create(tag('lost'))
      throw new Error('no')
    })
    await expect(work).rejects.toThrow('no')
    expect(await tags()).toEqual([])
  })

  it('fails with the error of a statement that it did not wait for', async () => {
    const { ctx, tags, tag } = await newTx()
    const fail = inTransaction(ctx, async (tx) => {
      await tx.db.tag.create(tag('lost'))
      await tx.sql.later`SELECT 1 / (${tx.sql.account}::int * 0)`
    })
    await expect(fail).rejects.toMatchObject({ code: '22012' })
    const failNext = inTransaction(ctx, async (tx) => {
      await tx.sql.later`SELECT 1 / (${tx.sql.account}::int * 0)`
      await tx.sql`SELECT ${tx.sql.account}::int`
    })
    await expect(failNext).rejects.toMatchObject({ code: '22012' })
    expect(await tags()).toEqual([])
  })

  it('continues after a savepoint whose statement failed', async () => {
    const { ctx, tags, tag } = await newTx()
    await inTransaction(ctx, async (tx) => {
      const attempt = inSavepoint(tx, async (inner) => {
        await inner.db.tag.create(tag('lost'))
        await inner.sql.later`SELECT 1 / (${inner.sql.account}::int * 0)`
      })
      await expect(attempt).rejects.toMatchObject({ code: '22012' })
      await tx.db.tag.create(tag('kept'))
    })
    expect(await tags()).toEqual(['kept'])
  })

  it('fails with the error of a prepared statement among others that are sent with it, and leaves a usable connection', async () => {
    const { ctx, tags } = await newTx()
    const work = (name: string, divisor: number, isLast = true) =>
      inTransaction(ctx, async (tx) => {
        await tx.sql.later`INSERT INTO tag (account_id, name, created_at) VALUES (${tx.sql.account}, ${name}, now())`
        await tx.sql.later`SELECT ${tx.sql.account}::int / ${divisor}::int`
        const names = tx.sql`SELECT name FROM tag WHERE account_id = ${tx.sql.account} ORDER BY id`
        const sum = tx.sql`SELECT ${tx.sql.account}::int + ${divisor}::int AS sum, NULL::text AS none`
        for (const each of [names, sum]) each.catch(() => undefined)
        if (isLast) return [await names, await sum]
        await tx.sql.later`SELECT ${tx.sql.account}::int / ${divisor}::int`
        return []
      })
    const divisionByZero = { code: '22012' }
    // The first one prepares the statements, of which the others are batches.
    for (const name of ['a', 'b']) {
      const [names, sum] = await work(name, 1)
      expect(names).toContainEqual({ name })
      expect(sum).toEqual([{ sum: ctx.accountId + 1, none: null }])
      await expect(work('lost', 0)).rejects.toMatchObject(divisionByZero)
      await expect(work('lost', 0, false)).rejects.toMatchObject(divisionByZero)
    }
    await inTransaction(ctx, async (tx) => {
      const attempt = inSavepoint(tx, async (inner) => {
        await inner.sql
          .later`INSERT INTO tag (account_id, name, created_at) VALUES (${tx.sql.account}, ${'lost'}, now())`
        await inner.sql.later`SELECT ${tx.sql.account}::int / ${0}::int`
      })
      await expect(attempt).rejects.toMatchObject(divisionByZero)
      await tx.sql.later`INSERT INTO tag (account_id, name, created_at) VALUES (${tx.sql.account}, ${'c'}, now())`
    })
    expect(await tags()).toEqual(['a', 'b', 'c'])
  })

  it('is rolled back at its timeout', async () => {
    const { ctx, tags, tag } = await newTx()
    const work = inTransaction(
      ctx,
      async (tx) => {
        await tx.db.tag.create(tag('lost'))
        await tx.sql`SELECT pg_sleep(0.3), ${tx.sql.account}::int`
        await tx.db.tag.create(tag('never'))
      },
      200,
    )
    await expect(work).rejects.toMatchObject({ outage: 'lost' })
    expect(await tags()).toEqual([])
  })

  it('sends nothing of an operation of Prisma after its timeout, when the connection may serve another request', async () => {
    const { ctx, tag } = await newTx()
    await ctx.db.tag.create(tag('read'))
    let operation: Promise<unknown> = Promise.resolve()
    const work = inTransaction(
      ctx,
      async (tx) => {
        await tx.db.tag.count({ where: { accountId: tx.accountId } })
        // The first of two statements waits for this one. The second would follow after the timeout.
        await tx.sql.later`SELECT pg_sleep(0.3), ${tx.sql.account}::int`
        operation = tx.db.tag.findMany({ where: { accountId: tx.accountId }, include: { account: true } })
        await operation
      },
      200,
    )
    await expect(work).rejects.toThrow()
    await expect(operation).rejects.toThrow('took longer')
  })

  it('is repeated after a serialisation failure', async () => {
    const { ctx, tags, tag } = await newTx()
    let attempts = 0
    await inTransaction(ctx, async (tx) => {
      attempts += 1
      await tx.db.tag.create(tag(`attempt ${attempts}`))
      if (attempts < 3) await tx.db.$executeRaw`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`
    })
    expect(await tags()).toEqual(['attempt 3'])
  })
})
