import { type Ctx, newCtx, type System } from '../db/context.ts'
import { insertParts, takeBackParts } from '../db/figure-parts.ts'
import { planInIndexOrder } from '../db/plans.ts'
import { empty, type Sql, sql } from '../db/sql.ts'
import { inSnapshot, inTransaction, ofAccount } from '../db/transaction.ts'
import { type PacedWork, partSize } from '../kernel/pacing.ts'
import {
  batchSize,
  countingOf,
  figure,
  isOf,
  keys,
  lockVisitors,
  removalOf,
  viewParts,
  visitorOf,
  visitorSource,
  visitsOf,
} from './visitor-parts.ts'

/** Time that counting the views of a funnel may take, in milliseconds: about a second for each million. */
const viewsMs = 5 * 60_000

/**
 * Counts the visitors of the accounts again whose older visits are not counted since `before`, which is so after an upgrade. Meanwhile
 * requests read the visits. Visitors are forgotten and counted in batches, beside visits that are counted as they come: a visit that is
 * counted twice changes no visitor. Views are replaced at last, in one snapshot. A killed process begins again.
 */
export async function recountVisitors(system: System, before: Date): Promise<void> {
  const accounts = await system.db.$unscoped<{ id: number }>(
    'the visitors of all accounts are counted after an upgrade',
    sql`SELECT account_id AS id FROM figure_fill
      WHERE complete_since < ${before}::timestamptz AND source = ${visitorSource} ORDER BY 1`,
  )
  for (const { id } of accounts) {
    const work = system.pacing.start()
    try {
      const ctx = { ...newCtx(system, { accountId: id }), work }
      for (const funnelId of await listFunnels(ctx)) await recountFunnel(ctx, funnelId, work)
      await ctx.sql`DELETE FROM figure_fill WHERE account_id = ${ctx.sql.account} AND source = ${visitorSource}`
    } finally {
      work.end()
    }
  }
}

/** Returns the ids of the funnels of the account. */
export async function listFunnels(ctx: Ctx): Promise<number[]> {
  const rows = await ctx.sql<{ id: number }>`SELECT id FROM funnel WHERE account_id = ${ctx.sql.account} ORDER BY id`
  return rows.map(({ id }) => id)
}

async function recountFunnel(ctx: Ctx, funnelId: number, work: PacedWork): Promise<void> {
  const each = (batch: (tx: Ctx) => Promise<boolean>) =>
    work.part(() =>
      inTransaction(ctx, async (tx) => {
        await lockVisitors(tx)
        return planInIndexOrder(tx, () => batch(tx))
      }),
    )
  while (!(await each((tx) => forgetVisitors(tx, funnelId))));
  let last: Position | undefined
  const count = async (tx: Ctx) => {
    const next = await countNext(tx, funnelId, last)
    last = next ?? last
    return next === undefined
  }
  while (!(await each(count)));
  await work.part(() => inSnapshot(ctx, (tx) => replaceViews(ofAccount(tx, ctx.accountId), funnelId), viewsMs))
}

/** Forgets the next visitors of a funnel. Returns true after the last ones. Then nothing is counted, also if parts had differed from visitors. */
async function forgetVisitors(tx: Ctx, funnelId: number): Promise<boolean> {
  const rows = sql`SELECT ${keys}, first_at, last_at FROM step_visitor WHERE ${isOf(tx, funnelId)}`
  const first = sql`${rows} ORDER BY ${keys} LIMIT ${partSize(tx.work, batchSize)}::int`
  const [removed] = await tx.sql<{ n: number }>`
    WITH ${removalOf(sql`${rows} AND visitor <= (SELECT max(visitor) FROM (${first}) f)`, sql`true`)},
    counted AS (${insertParts(sql`SELECT * FROM changes`)}) SELECT count(*)::int AS n FROM removed`
  if (removed?.n) return false
  await takeBackParts(tx, figure, `Funnel:${funnelId}`)
  return true
}

/** The last visit that was counted. */
interface Position {
  readonly at: string
  readonly id: string
}

/** Counts the visitors of the next visits by time. Returns the last one, undefined if there were none. */
async function countNext(tx: Ctx, funnelId: number, last: Position | undefined): Promise<Position | undefined> {
  const after = last
    ? sql`AND v.created_at >= ${last.at}::timestamptz AND (v.created_at, v.id) > (${last.at}::timestamptz, ${last.id}::bigint)`
    : empty
  const visits = (columns: Sql, until: Sql) => sql`SELECT ${columns} FROM visit v
    WHERE v.account_id = ${tx.sql.account} AND v.funnel_id = ${funnelId}::int ${after} ${until}`
  const [next] = await tx.sql<Position>`SELECT created_at::text AS at, id::text AS id
    FROM (${visits(sql`v.created_at, v.id`, empty)} ORDER BY v.created_at, v.id LIMIT ${partSize(tx.work, batchSize)}::int) v
    ORDER BY created_at DESC, id DESC LIMIT 1`
  if (!next) return undefined
  const until = sql`AND v.created_at <= ${next.at}::timestamptz
    AND (v.created_at, v.id) <= (${next.at}::timestamptz, ${next.id}::bigint) AND NOT v.is_bot`
  const seen = visits(
    sql`v.account_id, v.funnel_id, ${visitorOf(sql`v`)} AS visitor, v.step_id, v.created_at AS at`,
    until,
  )
  await tx.sql`${countingOf(seen, { views: false })}`
  return next
}

/** Replaces the counted views by those of the visits, without the ones that are still to be counted, in a snapshot. */
async function replaceViews(tx: Ctx, funnelId: number): Promise<void> {
  await lockVisitors(tx)
  await takeBackParts(tx, figure, `Funnel:${funnelId}`, 'v:')
  const uncounted = sql`(SELECT account_id, funnel_id, step_id FROM uncounted_visit WHERE ${isOf(tx, funnelId)})`
  await tx.sql`${insertParts(sql`${viewParts(sql`${visitsOf(tx, funnelId)} v`)}
    UNION ALL ${viewParts(sql`${uncounted} u`, sql`-1`)}`)}`
}
