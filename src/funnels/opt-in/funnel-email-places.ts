import { firstPlaces, type PlaceSource, type UsedBlock } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emitAll } from '../../events/index.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'
import { type Funnel, funnelTable } from '../funnel/funnel-list.ts'

/** Selects the `email_id` of the confirmation e-mails of funnels. */
export function emailsOf(ctx: Ctx): Sql {
  return sql`SELECT n.confirmation_email_id ${funnelTable.from(ctx)} AND n.confirmation_email_id IS NOT NULL`
}

/** Returns those of the e-mails that belong to funnels. */
export async function ofFunnels(ctx: Ctx, emailIds: readonly number[]): Promise<number[]> {
  const funnels = await withEmails(ctx, emailIds)
  return funnels.flatMap(({ confirmationEmailId }) => confirmationEmailId ?? [])
}

/** Emits `funnel.updated` for the funnels whose e-mail was made again. */
export async function announceContent(tx: Ctx, emailIds: readonly number[]): Promise<void> {
  const funnels = await withEmails(tx, emailIds)
  await emitAll(
    tx,
    'funnel.updated',
    funnels.map(({ id: funnelId }) => ({ funnelId })),
  )
}

async function withEmails(ctx: Ctx, emailIds: readonly number[]): Promise<Funnel[]> {
  return funnelTable.select(ctx, sql`AND n.confirmation_email_id = ANY(${emailIds}::int[]) ORDER BY n.id`)
}

/** Returns the funnels whose confirmation e-mail contains reusable blocks, by id of the block. */
export function placesOfBlocks(ctx: Ctx, blockIds: readonly number[]): Promise<UsedBlock[]> {
  const uses = sql`
    SELECT u.reusable_block_id AS "blockId", n.id, n.name
    FROM funnel n JOIN reusable_block_use u ON u.account_id = n.account_id AND u.email_id = n.confirmation_email_id
    WHERE n.account_id = ${ctx.sql.account} AND u.reusable_block_id = ANY(${blockIds}::int[])`
  return firstPlaces(ctx, 'Funnel', uses)
}

/** The confirmation e-mails of funnels as places of media files. `replace` does not change the e-mails themselves. */
export const mediaPlaces: PlaceSource = {
  find: async (ctx, emailIds) => {
    const rows = await ctx.sql<{ emailId: number; id: number; title: string }>`
      SELECT n.confirmation_email_id AS "emailId", n.id, n.name AS title FROM funnel n
      WHERE n.account_id = ${ctx.sql.account} AND n.confirmation_email_id = ANY(${emailIds}::int[])`
    return new Map(
      rows.map(({ emailId, id, title }) => [emailId, { type: 'Funnel', id, title, needs: 'funnels:read' }]),
    )
  },
  replace: async (tx, emailIds) => {
    const changed = await tx.sql<{ funnelId: number }>`
      UPDATE funnel SET updated_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND confirmation_email_id = ANY(${emailIds}::int[]) RETURNING id AS "funnelId"`
    if (changed.length > 0) mustBeAllowed(tx, 'funnels:write')
    await emitAll(tx, 'funnel.updated', changed)
  },
}
