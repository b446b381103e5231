import type { Named, World } from '../support/world.ts'

/** Options of a message. */
export interface Message {
  campaignId?: number
  sequenceId?: number
  stageId?: number
  enrolmentId?: number
  state?: string
  sent?: boolean
  opened?: boolean
  clicked?: boolean
  unsubscribed?: boolean
}

/** Creates a message to a contact, and returns its ID. */
export async function message(world: World, contact: Pick<Named, 'databaseId'>, input: Message = {}): Promise<bigint> {
  const { sent = true, opened = false, clicked = false, unsubscribed = false } = input
  const [row] = await world.rows<{ id: string }>(
    `WITH message AS (
     INSERT INTO mail_recipient (account_id, contact_id, campaign_id, sequence_id, stage_id, enrolment_id, state, created_at, sent_at, opened_at, clicked_at, unsubscribed_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7::recipient_state, now(), CASE WHEN $8 THEN now() END, CASE WHEN $9 THEN now() END,
       CASE WHEN $10 THEN now() END, CASE WHEN $11 THEN now() END) RETURNING *
     ), latest AS (
       INSERT INTO latest_message AS l (account_id, contact_id, sent_at, opened_at, clicked_at, unsubscribed_at)
       SELECT account_id, contact_id, sent_at, CASE WHEN $9 THEN sent_at END, CASE WHEN $10 THEN sent_at END, CASE WHEN $11 THEN sent_at END
       FROM message WHERE $8
       ON CONFLICT (account_id, contact_id) DO UPDATE SET sent_at = excluded.sent_at, opened_at = coalesce(excluded.opened_at, l.opened_at),
         clicked_at = coalesce(excluded.clicked_at, l.clicked_at), unsubscribed_at = coalesce(excluded.unsubscribed_at, l.unsubscribed_at)
     ) SELECT id FROM message`,
    [
      world.accountId,
      contact.databaseId,
      input.campaignId ?? null,
      input.sequenceId ?? null,
      input.stageId ?? null,
      input.enrolmentId ?? null,
      input.state ?? (sent ? 'SENT' : 'QUEUED'),
      sent,
      opened,
      clicked,
      unsubscribed,
    ],
  )
  return BigInt(row?.id ?? 0)
}
