import type { Ctx } from '../../db/context.ts'
import { insertFigures } from '../../db/figures/figures.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { largestId } from '../../kernel/values/ids.ts'
import { changedFigure, type MessageFigure } from '../figures.ts'

/** The columns of a message `r` that `keepLatest` needs. */
export const latestColumns = sql`r.account_id, r.contact_id, r.sent_at, r.opened_at, r.clicked_at, r.unsubscribed_at`

/**
 * Returns the statement that keeps the times of the latest message of each contact: of the latest one that was sent, and of the
 * latest ones that were opened, clicked, or led to an unsubscription. To be run in the transaction that changes messages. `rows`
 * selects `latestColumns`. Times only move forward, so messages count once, in any order and however often they are given. Locks
 * contacts in the order of their ids, after the messages.
 */
export function keepLatest(rows: Sql): Sql {
  return sql`INSERT INTO latest_message AS l (account_id, contact_id, sent_at, opened_at, clicked_at, unsubscribed_at)
    SELECT m.account_id, m.contact_id, max(m.sent_at), max(m.sent_at) FILTER (WHERE m.opened_at IS NOT NULL),
      max(m.sent_at) FILTER (WHERE m.clicked_at IS NOT NULL), max(m.sent_at) FILTER (WHERE m.unsubscribed_at IS NOT NULL)
    FROM (${rows}) m WHERE m.sent_at IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (account_id, contact_id) DO UPDATE SET sent_at = greatest(l.sent_at, excluded.sent_at),
      opened_at = greatest(l.opened_at, excluded.opened_at), clicked_at = greatest(l.clicked_at, excluded.clicked_at),
      unsubscribed_at = greatest(l.unsubscribed_at, excluded.unsubscribed_at)`
}

/** Sets a time of a message that has none yet, for example when it was first opened. `figure` counts it. */
export async function setReaction(
  tx: Ctx,
  recipientId: bigint,
  column: 'opened_at' | 'clicked_at' | 'unsubscribed_at',
  at: Date,
  figure?: MessageFigure,
): Promise<void> {
  const time = { opened_at: sql`opened_at`, clicked_at: sql`clicked_at`, unsubscribed_at: sql`unsubscribed_at` }[column]
  await tx.sql`
    WITH changed AS (
      UPDATE mail_recipient r SET ${time} = ${at}::timestamptz
      WHERE r.account_id = ${tx.sql.account} AND r.id = ${String(recipientId)}::bigint AND r.${time} IS NULL
      RETURNING r.campaign_id, r.sequence_id, r.stage_id, ${latestColumns}
    )${figure ? sql`, counted AS (${insertFigures(changedFigure(figure, sql`changed`, at))})` : empty} ${keepLatest(sql`SELECT ${latestColumns} FROM changed r`)}`
}

/** Reads the latest messages of contacts again after messages were given to another contact. */
export async function readAgain(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  const ofContacts = sql`account_id = ${tx.sql.account} AND contact_id = ANY(${[...contactIds]}::int[])`
  await tx.sql`
    WITH locked AS (SELECT contact_id FROM latest_message WHERE ${ofContacts} ORDER BY contact_id FOR UPDATE)
    DELETE FROM latest_message l USING locked WHERE l.account_id = ${tx.sql.account} AND l.contact_id = locked.contact_id`
  await tx.sql`${keepLatest(sql`SELECT ${latestColumns} FROM mail_recipient r WHERE ${ofContacts}`)}`
}

/** Counts contacts whose latest messages differ from their messages, of those with ids after `after` and up to `upTo`. */
export async function countDifferences(
  tx: Ctx,
  { after, upTo }: { readonly after: bigint; readonly upTo: bigint | undefined },
): Promise<number> {
  const within = sql`account_id = ${tx.sql.account} AND contact_id > ${String(after)}::bigint
    AND contact_id <= ${String(upTo ?? largestId)}::bigint`
  const [row] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM (
      SELECT contact_id, max(sent_at) AS sent, max(sent_at) FILTER (WHERE opened_at IS NOT NULL) AS opened,
        max(sent_at) FILTER (WHERE clicked_at IS NOT NULL) AS clicked, max(sent_at) FILTER (WHERE unsubscribed_at IS NOT NULL) AS left_by
      FROM mail_recipient WHERE ${within} AND sent_at IS NOT NULL GROUP BY 1
    ) r FULL JOIN (SELECT * FROM latest_message WHERE ${within}) l ON l.contact_id = r.contact_id
    WHERE (r.sent, r.opened, r.clicked, r.left_by) IS DISTINCT FROM (l.sent_at, l.opened_at, l.clicked_at, l.unsubscribed_at)`
  return row?.n ?? 0
}
