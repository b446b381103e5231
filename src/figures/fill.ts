import { type Ctx, newCtx, type System } from '../db/context.ts'
import { insertParts } from '../db/figure-parts.ts'
import { insertFigures } from '../db/figures.ts'
import { sql } from '../db/sql.ts'
import { inSnapshot, ofAccount } from '../db/transaction.ts'
import { visitorRecount } from '../funnels/index.ts'
import { latestMessages } from '../mail/index.ts'
import { factsOf } from './facts.ts'
import {
  forEachBatch,
  isByParts,
  latest,
  messageContacts,
  rollUps,
  type Source,
  sources,
  tableOf,
} from './source-rows.ts'

/** Time that counting all rows of a source of an account may take after an upgrade, in milliseconds. */
const timeoutMs = 60 * 60_000

/** How long after the start of the first version with figures older rows are counted: servers of the version before may run. */
const fillDelayMs = 60 * 60_000

/** Figures of a source, by account. */
interface Part {
  readonly accountId: number
  readonly source: Source
}

/**
 * Counts the rows that were stored before figures were counted, one source of an account after another. What is counted already
 * is replaced in the snapshot that reads the rows, so it is exact beside writers, and a killed process leaves nothing.
 */
export async function fillFigures(system: System): Promise<void> {
  const before = new Date(system.clock.now().getTime() - fillDelayMs)
  await fillLatestMessages(system, before)
  await visitorRecount.recountVisitors(system, before)
  for (let isFound = true; isFound; ) {
    isFound = await inSnapshot(
      system,
      async (tx) => {
        const [part] = await tx.db.$queryRaw<Part[]>(
          sql`SELECT account_id AS "accountId", source FROM figure_fill WHERE complete_since < ${before}::timestamptz AND source = ANY(${sources}::text[])
            ORDER BY account_id, source LIMIT 1 FOR UPDATE SKIP LOCKED`,
        )
        if (part) await fill(ofAccount(tx, part.accountId), part.source)
        return part !== undefined
      },
      timeoutMs,
    )
  }
}

/**
 * Reads the latest messages of contacts from all messages. Their times only move forward, so it needs no snapshot: each batch of
 * contacts is a transaction of its own, and a killed process starts again.
 */
async function fillLatestMessages(system: System, before: Date): Promise<void> {
  const accounts = await system.db.$unscoped<{ id: number }>(
    'the latest messages of the contacts of all accounts are read after an upgrade',
    sql`SELECT account_id AS id FROM figure_fill WHERE complete_since < ${before}::timestamptz AND source = ${latest} ORDER BY 1`,
  )
  for (const { id } of accounts) {
    const ctx = newCtx(system, { accountId: id })
    await forEachBatch(ctx, messageContacts, async ({ after, upTo }) => {
      await ctx.sql`${latestMessages.keepLatest(sql`SELECT ${latestMessages.latestColumns} FROM mail_recipient r
        WHERE r.account_id = ${ctx.sql.account} AND r.contact_id > ${String(after)}::bigint AND r.contact_id <= ${String(upTo)}::bigint`)}`
    })
    await ctx.sql`DELETE FROM figure_fill WHERE account_id = ${ctx.sql.account} AND source = ${latest}`
  }
}

async function fill(tx: Ctx, source: Source): Promise<void> {
  const insert = isByParts(source) ? insertParts : insertFigures
  await tx.sql`${insert(sql`SELECT ${tx.sql.account}::int, figure, object, currency, at, -value FROM (${rollUps(tx, source)}) k`)}`
  await forEachBatch(tx, tableOf(source), async (ids) => {
    await tx.sql`${insert(factsOf[source](tx, ids))}`
  })
  await tx.sql`DELETE FROM figure_fill WHERE account_id = ${tx.sql.account} AND source = ${source}`
}
