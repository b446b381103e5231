import type { UnsubscribeReason } from '../../../prisma/generated/client/client.ts'
import { contactList } from '../../contacts/index.ts'
import { type Ctx, many, single } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { contactOf } from './opt-outs.ts'

/** How many contacts unsubscribed for a reason. */
export interface ReasonCount {
  readonly reason: UnsubscribeReason
  readonly count: number
}

/** Stores why the contact of a message unsubscribed. A later answer replaces it. **Throws** NOT_FOUND. */
export async function answerWhy(ctx: Ctx, recipientId: bigint, reason: UnsubscribeReason): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { id } = await contactList.lock(tx, { id: await contactOf(tx, recipientId) })
    await tx.sql`
      INSERT INTO unsubscribe_answer (account_id, recipient_id, contact_id, campaign_id, reason, created_at)
      SELECT r.account_id, r.id, ${id}::int, r.campaign_id, ${reason}::unsubscribe_reason, ${tx.clock.now()}::timestamptz
      FROM mail_recipient r WHERE r.account_id = ${tx.sql.account} AND r.id = ${String(recipientId)}::bigint
        AND r.unsubscribed_at IS NOT NULL
      ON CONFLICT (account_id, recipient_id) DO UPDATE SET reason = EXCLUDED.reason`
  })
}

/** Loads why contacts unsubscribed through campaigns, the most frequent reasons first. */
export const reasonsOfCampaign = many<number, ReasonCount>(async (ctx, campaignIds) => {
  const rows = await ctx.sql<ReasonCount & { id: number }>`
    SELECT u.campaign_id AS id, u.reason::text AS reason, count(*)::int AS count FROM unsubscribe_answer u
    WHERE u.account_id = ${ctx.sql.account} AND u.campaign_id = ANY(${campaignIds}::int[]) GROUP BY 1, 2 ORDER BY 3 DESC, 2`
  return Map.groupBy(rows, ({ id }) => id)
})

/** Loads why contacts of the account unsubscribed, the most frequent reasons first. */
export const reasonsOfAccount = single(
  (ctx): Promise<ReasonCount[]> => ctx.sql`
    SELECT u.reason::text AS reason, count(*)::int AS count FROM unsubscribe_answer u
    WHERE u.account_id = ${ctx.sql.account} GROUP BY 1 ORDER BY 2 DESC, 1`,
)
