import { type Sql, sql } from '../../db/sql.ts'
import { emission } from '../../events/index.ts'
import { isSuppressed } from '../bounces/suppression.ts'
import { ports } from '../ports.ts'

/** What became of a message that a worker had taken on. */
export interface Recorded {
  readonly accountId: number
  readonly id: bigint
  readonly state: 'QUEUED' | 'SENT' | 'BOUNCED' | 'FAILED' | 'SKIPPED' | 'UNKNOWN'
  /** What the server said, or why there was no answer; null leaves what was said before. */
  readonly answer: string | null
  /** When to try again: of what is queued only. */
  readonly dueAt: Date | null
  /** Whether this was an attempt that counts. */
  readonly isAttempt: boolean
}

/** A message that a worker wants to hand over now. */
export interface Asked {
  readonly accountId: number
  readonly id: bigint
  /** Set where it is not known whether this was asked and granted before; it was not handed over since. */
  readonly isRepeat: boolean
}

/** What the statement did to a message: what was granted is HANDING_OVER. */
export interface Done {
  readonly accountId: number
  readonly id: bigint
  readonly campaignId: number | null
  readonly state: string
  readonly isAsked: boolean
  /** Whether the contact was deleted. */
  readonly isRedacted: boolean
}

/** The longest answer of a server that is kept. */
const longestAnswer = 500

/**
 * The one statement that records what became of messages, and opens the next hand-overs: of those asked for, whatever may
 * still be sent becomes HANDING_OVER, and only that may be given to a server, once this has committed. Whoever withdrew
 * consent, whose address is suppressed, or who was deleted, is skipped, and so is what would go back to a campaign that was
 * cancelled; what belongs to one that is paused is queued again. What a server says of a deleted contact is not stored.
 *
 * A row is touched only while it is this worker's own: one that was taken for dead changes nothing. Campaigns' counters,
 * enrolments that go on and `email.sent` are parts of it.
 */
export function recordAndOpen(
  workerId: number,
  recorded: readonly Recorded[],
  asked: readonly Asked[],
  now: Date,
): Sql {
  const given = recorded.map(({ accountId, id, state, answer, dueAt, isAttempt }) => ({
    ...{ accountId, id: String(id), state, dueAt, isAttempt },
    answer: answer === null ? null : printable(answer),
  }))
  // Nothing but this: whoever asks may hold whole letters.
  const wanted = asked.map(({ accountId, id, isRepeat }) => ({ accountId, id: String(id), isRepeat }))
  // The rows are to be found by their key, whatever the planner knows of the table: the comparisons with 0 tell it that they
  // are few, coalesce that what it thinks rare is not, and the casts of the states keep it from the index of what is in
  // anyone's hands, which holds each row that was so lately.
  return sql`
    WITH given AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
        AS x("accountId" int, id bigint, state recipient_state, answer text, "dueAt" timestamptz, "isAttempt" boolean)
      WHERE x."accountId" > 0 AND x.id > 0
    ), recorded AS (
      UPDATE mail_recipient r SET worker_id = NULL,
        state = CASE WHEN g.state = 'QUEUED' AND (r.is_redacted OR NOT EXISTS (SELECT FROM mail_source s
          WHERE s.account_id = r.account_id AND s.campaign_id = coalesce(r.campaign_id, 0))) THEN 'SKIPPED' ELSE g.state END,
        answer = CASE WHEN NOT r.is_redacted THEN coalesce(g.answer, r.answer) END, attempts = r.attempts + g."isAttempt"::int, due_at = coalesce(g."dueAt", r.due_at),
        sent_at = CASE WHEN g.state = 'SENT' THEN ${now}::timestamptz END
      FROM given g WHERE r.account_id = g."accountId" AND r.id = g.id
        AND coalesce(r.worker_id = ${workerId}::int AND r.state::text IN ('CLAIMED', 'HANDING_OVER'), false)
      RETURNING r.account_id, r.id, r.state, r.campaign_id, r.contact_id, r.enrolment_id, r.stage_id, false AS is_asked,
        r.is_redacted
    ), asked AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb) AS x("accountId" int, id bigint, "isRepeat" boolean)
      WHERE x."accountId" > 0 AND x.id > 0
    ), opened AS (
      UPDATE mail_recipient r SET (state, worker_id) = (
        SELECT v.verdict, CASE WHEN v.verdict = 'HANDING_OVER' THEN r.worker_id END FROM (
          SELECT CASE
              WHEN r.is_redacted OR c.id IS NULL OR s.campaign_id IS NULL OR NOT c.email_marketing
                OR ${isSuppressed(sql`c.account_id`, sql`c.email`)} THEN 'SKIPPED'
              WHEN NOT s.is_open THEN 'QUEUED' ELSE 'HANDING_OVER' END::recipient_state AS verdict
          FROM (SELECT) one
            LEFT JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
            LEFT JOIN mail_source s ON s.account_id = r.account_id AND s.campaign_id = coalesce(r.campaign_id, 0)) v)
      FROM asked a WHERE r.account_id = a."accountId" AND r.id = a.id
        AND coalesce(r.worker_id = ${workerId}::int
          AND (r.state::text = 'CLAIMED' OR (a."isRepeat" AND r.state::text = 'HANDING_OVER')), false)
      RETURNING r.account_id, r.id, r.state, r.campaign_id, r.contact_id, r.enrolment_id, r.stage_id, true AS is_asked,
        r.is_redacted
    ), changed AS (
      SELECT * FROM recorded UNION ALL SELECT * FROM opened
    ), counted AS (${ports.count(sql`
      SELECT account_id, campaign_id, count(*)::int AS n FROM recorded
      WHERE state = 'SENT' AND campaign_id IS NOT NULL GROUP BY account_id, campaign_id`)}
    ), gone_on AS (${ports.goOn(
      sql`SELECT account_id, enrolment_id, stage_id FROM changed
      WHERE enrolment_id IS NOT NULL AND state NOT IN ('QUEUED', 'CLAIMED', 'HANDING_OVER')`,
      now,
    )}
    ), sent AS (${announcing('email.sent', sql`state = 'SENT'`, now)}
    ), bounced AS (${announcing('email.bounced', sql`state = 'BOUNCED'`, now)}
    )
    SELECT account_id AS "accountId", id, campaign_id AS "campaignId", state::text AS state, is_asked AS "isAsked",
      is_redacted AS "isRedacted" FROM changed`
}

function announcing(type: 'email.sent' | 'email.bounced', condition: Sql, now: Date): Sql {
  return emission(
    type,
    sql`SELECT account_id, jsonb_build_object('contactId', contact_id, 'campaignId', campaign_id, 'stageId', stage_id) AS data
      FROM recorded WHERE ${condition} ORDER BY account_id, id`,
    now,
  )
}

/** One line of text that the database takes: no control character, no half of a character. */
function printable(answer: string): string {
  return answer
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, longestAnswer)
    .toWellFormed()
}
