import type { PlaceSource } from '../../content/index.ts'
import { emitAll } from '../../events/index.ts'
import { mustBeAllowed } from '../../kernel/scopes.ts'

/** The e-mails of campaigns as places of media files. `replace` does not change the e-mails themselves. */
export const mediaPlaces: PlaceSource = {
  find: async (ctx, emailIds) => {
    const rows = await ctx.sql<{ emailId: number; id: number; title: string }>`
      SELECT k.email_id AS "emailId", k.id, k.name AS title FROM campaign k
      WHERE k.account_id = ${ctx.sql.account} AND k.email_id = ANY(${emailIds}::int[])`
    return new Map(
      rows.map(({ emailId, id, title }) => [emailId, { type: 'Campaign', id, title, needs: 'campaigns:read' }]),
    )
  },
  replace: async (tx, emailIds) => {
    const changed = await tx.sql<{ campaignId: number }>`
      UPDATE campaign SET updated_at = ${tx.clock.now()}::timestamptz
      WHERE account_id = ${tx.sql.account} AND email_id = ANY(${emailIds}::int[]) RETURNING id AS "campaignId"`
    if (changed.length > 0) mustBeAllowed(tx, 'campaigns:write')
    await emitAll(tx, 'campaign.updated', changed)
  },
}
