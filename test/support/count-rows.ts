import { type Ctx, newCtx, type System } from '../../src/db/context.ts'
import { insertParts } from '../../src/db/figures/figure-parts.ts'
import { insertFigures } from '../../src/db/figures/figures.ts'
import { sql } from '../../src/db/sql.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { factsOf } from '../../src/figures/facts.ts'
import { isByParts, rollUps, type Source } from '../../src/figures/source-rows.ts'
import { visitorParts } from '../../src/funnels/index.ts'
import { largestId } from '../../src/kernel/values/ids.ts'
import { latestMessages } from '../../src/mail/index.ts'

/** What an account counts of its rows: figures, the latest messages of contacts, and the visitors of funnels. */
export type Counted = Source | 'latest_message' | 'step_visitor'

/** Counts rows of an account that a test inserted or changed by SQL: adds what they count and the figures lack. */
export async function countRows(
  { accountId, server: { system } }: { readonly accountId: number; readonly server: { readonly system: System } },
  sources: readonly Counted[],
): Promise<void> {
  const ctx = newCtx(system, { accountId })
  for (const source of sources) {
    if (source === 'latest_message') await countMessages(ctx)
    else if (source === 'step_visitor') await countVisitors(ctx)
    else {
      const insert = isByParts(source) ? insertParts : insertFigures
      const facts = factsOf[source](ctx, { after: 0n, upTo: BigInt(largestId) })
      await ctx.sql`${insert(sql`${facts}
        UNION ALL SELECT account_id, figure, object, currency, at, -value FROM (${rollUps(ctx, source)}) k`)}`
    }
  }
}

async function countMessages(ctx: Ctx): Promise<void> {
  await ctx.sql`${latestMessages.keepLatest(sql`
    SELECT ${latestMessages.latestColumns} FROM mail_recipient r WHERE r.account_id = ${ctx.sql.account}`)}`
}

async function countVisitors(ctx: Ctx): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    await visitorParts.lockVisitors(tx)
    for (const table of [sql`step_visitor`, sql`uncounted_visit`])
      await tx.sql`DELETE FROM ${table} WHERE account_id = ${tx.sql.account}`
    for (const table of [sql`figure_part_total`, sql`figure_part_delta`])
      await tx.sql`DELETE FROM ${table} WHERE account_id = ${tx.sql.account} AND figure = ${visitorParts.figure}`
    await tx.sql`${visitorParts.insertUncounted(sql`SELECT v.* FROM visit v
      JOIN funnel f ON f.account_id = v.account_id AND f.id = v.funnel_id
      WHERE v.account_id = ${tx.sql.account} AND NOT v.is_bot`)}`
  })
  await visitorParts.countVisitors(ctx)
}
