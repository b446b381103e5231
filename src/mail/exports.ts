import { column, type Export, word } from '../db/export.ts'
import { sql } from '../db/sql.ts'
import { type SuppressionFilter, suppressionList } from './bounces/suppression.ts'
import { type RecipientFilter, recipientList as recipients } from './delivery/recipients.ts'

const { number, text, time } = column

const allRecipients: Export<RecipientFilter> = {
  needs: ['mail:read', 'contacts:read'],
  list: recipients,
  shape: () => ({
    row: sql`r.campaign_id, r.sequence_id, r.stage_id, r.contact_id, r.state, r.attempts, r.answer, r.sent_at, r.opened_at,
      r.clicked_at, r.unsubscribed_at, r.created_at`,
    joins: ({ sql: { account } }) => sql`LEFT JOIN contact c ON c.account_id = ${account} AND c.id = p.contact_id`,
    columns: [
      number('id'),
      number('campaign_id'),
      number('sequence_id'),
      number('stage_id'),
      number('contact_id'),
      text('email', sql`c.email`),
      text('state', word(sql`p.state`)),
      number('attempts'),
      text('answer'),
      time('sent_at'),
      time('opened_at'),
      time('clicked_at'),
      time('unsubscribed_at'),
      time('created_at'),
    ],
  }),
}

const allSuppressions: Export<SuppressionFilter> = {
  needs: ['mail:read'],
  list: suppressionList,
  shape: () => ({
    row: sql`x.email, x.reason, x.detail, x.created_at`,
    columns: [number('id'), text('email'), text('reason', word(sql`p.reason`)), text('detail'), time('created_at')],
  }),
}

/** The lists of this module that can be exported. */
export const mailExports = { RECIPIENTS: allRecipients, SUPPRESSIONS: allSuppressions } as const
