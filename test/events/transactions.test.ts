// @module-tag rows
import { describe, expect, it } from 'vitest'
import { type Ctx, newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { newWorld } from '../support/world.ts'

const longest = 15 * 60_000

async function timeLimitOf(tx: Ctx): Promise<number | undefined> {
  const [row] = await tx.sql<{ milliseconds: number }>`
    SELECT setting::int AS milliseconds FROM pg_settings WHERE name = 'statement_timeout' AND ${tx.sql.account}::int > 0`
  return row?.milliseconds
}

describe('a transaction with a longer time limit', () => {
  it('has the limit for each of its statements, and other transactions do not', async () => {
    const { server, accountId } = await newWorld()
    const ctx = newCtx(server.system, { accountId })
    const usual = await inTransaction(ctx, timeLimitOf)
    expect(usual).toBe(60_000)
    expect(await inTransaction(ctx, timeLimitOf, longest)).toBe(longest)
    expect(await inTransaction(ctx, timeLimitOf)).toBe(usual)
  })
})
