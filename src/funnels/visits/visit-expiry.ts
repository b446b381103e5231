import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { insertParts } from '../../db/figures/figure-parts.ts'
import { planInIndexOrder } from '../../db/plans.ts'
import { empty, raw, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type ExpiredPart, forEachExpired } from '../../db/upkeep/expired-rows.ts'
import { partSize } from '../../kernel/work/pacing.ts'
import {
  batchSize,
  countUncounted,
  isOf,
  keys,
  lockVisitors,
  removalOf,
  viewParts,
  visitorOf,
} from './visitor-parts.ts'

/** Time after which a run ends, in milliseconds, so that other jobs get a turn. The next run continues. */
const runMs = 20_000

/**
 * Creates the job that deletes visits which are older than `days`, whole months (UTC) at a time, and adds them to the totals of
 * their steps and funnels (ADR 28). A batch has all visits of some visitors of a funnel in a partition, and is a transaction of
 * its own: in it, visitors who have no later visit move from what is counted to the totals. So statistics of all time are the
 * same at every moment, and a killed process leaves its batch as it was.
 */
export function newVisitExpiry(directUrl: string, days: number): (system: System) => Promise<void> {
  const visits = { table: 'visit', days, columns: 'account_id, funnel_id, visitor_id' }
  return async (system) => {
    const endsAt = performance.now() + runMs
    await forEachExpired(visits, { directUrl, clock: system.clock }, async (part) => {
      const work = system.pacing.start()
      try {
        for await (const { accountId, funnelId } of funnelsIn(system, part)) {
          const ctx = { ...newCtx(system, { accountId }), work }
          const expireNext = (after: string | null) =>
            work.part(() => inTransaction(ctx, (tx) => expireBatch(tx, part, { funnelId, after })))
          for (let next = await expireNext(null); next; next = await expireNext(next.after))
            if (performance.now() > endsAt) return false
        }
        return true
      } finally {
        work.end()
      }
    })
  }
}

/** Returns the funnels that have visits in a partition. */
async function* funnelsIn(
  { db }: System,
  { name, before }: ExpiredPart,
): AsyncGenerator<{ accountId: number; funnelId: number }> {
  for (let after = { accountId: 0, funnelId: 0 }; ; ) {
    const [next] = await db.$unscoped<typeof after>(
      'visits of all accounts expire',
      sql`SELECT account_id AS "accountId", funnel_id AS "funnelId" FROM ${raw(name)}
        WHERE (account_id, funnel_id) > (${after.accountId}::int, ${after.funnelId}::int) AND created_at < ${before}::timestamptz
        ORDER BY account_id, funnel_id LIMIT 1`,
    )
    if (!next) return
    yield next
    after = next
  }
}

/** Visits of a funnel whose visitors follow `after`, by the text of their ids. Null before the first one. */
interface Position {
  readonly funnelId: number
  readonly after: string | null
}

/** Deletes the next batch of visits. Returns the visitor whose visits were the last ones, undefined if none were left. */
async function expireBatch(
  tx: Ctx,
  part: ExpiredPart,
  { funnelId, after }: Position,
): Promise<Pick<Position, 'after'> | undefined> {
  // All statements see the same visits. If another transaction has changed one since, the transaction is repeated.
  await tx.db.$executeRawUnsafe('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
  await lockVisitors(tx)
  if ((await countUncounted(tx, funnelId, part.before)) === batchSize) return { after }
  const steps = await lockSteps(tx, funnelId)
  return planInIndexOrder(tx, async () => {
    const size = partSize(tx.work, batchSize)
    const old = sql`${isOf(tx, funnelId)} AND created_at < ${part.before}::timestamptz`
    const next = sql`${old} ${after === null ? empty : sql`AND visitor_id > ${after}`}`
    const [batch] = await tx.sql<{ first: string | null; last: string; whole: string | null; n: number }>`
      WITH batch AS MATERIALIZED (SELECT visitor_id FROM ${raw(part.name)} WHERE ${next} ORDER BY visitor_id LIMIT ${size + 1}::int)
      SELECT min(visitor_id) AS first, max(visitor_id) AS last, count(*)::int AS n,
        max(visitor_id) FILTER (WHERE visitor_id < (SELECT max(visitor_id) FROM batch)) AS whole FROM batch`
    if (batch?.first == null) return undefined
    const removal = { part, funnelId, steps }
    const last = batch.n <= size ? batch.last : batch.whole
    if (last === null) {
      const many = sql`${old} AND visitor_id = ${batch.first} AND (is_bot OR NOT EXISTS (SELECT FROM step_visitor k
        WHERE k.account_id = v.account_id AND k.funnel_id = v.funnel_id AND k.visitor = ${visitorOf(sql`v`)}
          AND k.step_id = v.step_id AND k.last_at = v.created_at)) LIMIT ${size}::int`
      if ((await remove(tx, { ...removal, visits: many, isExpired: sql`false` })) > 0) return { after }
    }
    const until = last ?? batch.first
    const visits = sql`${next} AND visitor_id <= ${until} ORDER BY visitor_id`
    await remove(tx, { ...removal, visits, isExpired: sql`k.last_at < ${part.before}::timestamptz` })
    return { after: until }
  })
}

/**
 * Returns the steps of a funnel, and prevents that one is deleted meanwhile: its totals would be left. Locks the funnel first, as
 * all do.
 */
async function lockSteps(tx: Ctx, funnelId: number): Promise<number[]> {
  await tx.sql`SELECT FROM funnel WHERE account_id = ${tx.sql.account} AND id = ${funnelId}::int FOR KEY SHARE`
  const rows = await tx.sql<{ id: number }>`
    SELECT id FROM funnel_step WHERE ${isOf(tx, funnelId)} ORDER BY id FOR KEY SHARE`
  return rows.map(({ id }) => id)
}

interface Removal {
  readonly part: ExpiredPart
  readonly funnelId: number
  /** The steps that exist: deleted ones are not counted, as in the statistics. */
  readonly steps: readonly number[]
  /** Conditions on the visits. */
  readonly visits: Sql
  /**
   * Condition on a row `k` of `step_visitor`: the visitor has no visit of the step any more, unless one is still to be counted.
   */
  readonly isExpired: Sql
}

/** Deletes visits, and adds them to the totals. Returns their number. */
async function remove(tx: Ctx, { part, funnelId, steps, visits, isExpired }: Removal): Promise<number> {
  const known = sql`SELECT ${keys}, first_at, last_at FROM step_visitor
    WHERE (account_id, funnel_id, visitor) IN (SELECT account_id, funnel_id, visitor FROM viewed)`
  const isRemoved = sql`${isExpired} AND (k.step_id, k.visitor) NOT IN (SELECT step_id, visitor FROM uncounted_visit WHERE ${isOf(tx, funnelId)})`
  const isPresent = sql`step_id = ANY(${[...steps]}::int[])`
  const [removed] = await tx.sql<{ n: number }>`
    WITH expired AS (
      DELETE FROM ${raw(part.name)} v WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${raw(part.name)} v WHERE ${visits}))
      RETURNING account_id, funnel_id, step_id, ${visitorOf(sql`v`)} AS visitor, is_bot
    ), viewed AS (SELECT * FROM expired WHERE NOT is_bot
    ), ${removalOf(known, isRemoved)}, counted AS (
      ${insertParts(sql`SELECT * FROM changes UNION ALL ${viewParts(sql`viewed`, sql`-1`)}`)}
    ), total (step_id, visitors, views) AS (
      SELECT step_id, count(*), 0 FROM removed WHERE ${isPresent} GROUP BY 1
      UNION ALL SELECT step_id, 0, count(*) FROM viewed WHERE ${isPresent} GROUP BY 1
      UNION ALL SELECT 0, count(DISTINCT visitor), 0 FROM removed WHERE ${isPresent} AND visitor NOT IN (SELECT visitor FROM kept WHERE ${isPresent})
      UNION ALL SELECT 0, 0, count(*) FROM viewed WHERE ${isPresent}
    ), added AS (
      INSERT INTO visit_total AS t (account_id, funnel_id, step_id, visitors, views)
      SELECT ${tx.sql.account}::int, ${funnelId}::int, step_id, sum(visitors), sum(views) FROM total
      GROUP BY step_id HAVING sum(visitors) + sum(views) > 0 ORDER BY step_id
      ON CONFLICT (account_id, funnel_id, step_id)
      DO UPDATE SET visitors = t.visitors + excluded.visitors, views = t.views + excluded.views
    ) SELECT count(*)::int AS n FROM expired`
  return removed?.n ?? 0
}

/** Deletes the totals of a deleted step, and subtracts its views from those of the funnel. */
export async function removeVisitTotals(
  tx: Ctx,
  { funnelId, stepId }: { funnelId: number; stepId: number },
): Promise<void> {
  await tx.sql`
    WITH removed AS (
      DELETE FROM visit_total
      WHERE account_id = ${tx.sql.account} AND funnel_id = ${funnelId}::int AND step_id = ${stepId}::int RETURNING views
    )
    UPDATE visit_total t SET views = t.views - removed.views FROM removed
    WHERE t.account_id = ${tx.sql.account} AND t.funnel_id = ${funnelId}::int AND t.step_id = 0`
}
