import { topicMemberships } from '../../../contacts/index.ts'
import { insertFigures } from '../../../db/figures/figures.ts'
import { type Sql, sql } from '../../../db/sql.ts'
import { emission } from '../../../events/index.ts'
import { oneLine } from '../../../kernel/values/storable-text.ts'
import type { Signer } from '../../../kernel/web/signer.ts'
import type { FailureCause } from '../../failures/failure-causes.ts'
import { changedFigure } from '../../figures.ts'
import { ports } from '../../ports.ts'
import type { SkipReason } from '../../recipients/recipients.ts'
import { releaseReason } from '../../recipients/skip-reasons.ts'
import { isSuppressed } from '../../suppressions/suppressions.ts'
import { keepLatest, latestColumns } from '../../tracking/latest-messages.ts'
import { holdOf } from './sending-rules.ts'

/** The result of a message that a worker had claimed. */
export interface AttemptResult {
  readonly accountId: number
  readonly id: bigint
  readonly state: 'QUEUED' | 'SENT' | 'BOUNCED' | 'FAILED' | 'SKIPPED' | 'UNKNOWN'
  /** Reply of the server, or the reason why there is none. Null keeps the previous one. */
  readonly answer: string | null
  /** Why the attempt failed. Null keeps the previous one, unless the message was sent. */
  readonly cause: FailureCause | null
  /** Why the message is skipped, if it is. */
  readonly skipReason: SkipReason | null
  /** Time of the next attempt of a queued message. Null keeps the previous one. */
  readonly dueAt: Date | null
  /** Whether the attempt counts. */
  readonly isAttempt: boolean
}

/** A message that a worker wants to send now. */
interface AttemptRequest {
  readonly accountId: number
  readonly id: bigint
  /** Whether the attempt was requested before and the reply was lost. The message was not sent since. */
  readonly isRepeat: boolean
  /** The conditions of the e-mail that hold in the message, packed. Null if it has none. */
  readonly shownConditions: number | null
}

/** A row that the statement changed. The message may be sent if `isRequested` is true and `state` is SENDING. */
export interface RecipientChange {
  readonly accountId: number
  readonly id: bigint
  readonly campaignId: number | null
  readonly state: string
  readonly isRequested: boolean
  /** Whether the contact was deleted. */
  readonly isRedacted: boolean
}

/** Delay of a message of a stage that may be removed from the queue. */
const stageRetryMs = 60_000

/** Maximum number of stored characters of a server's reply. */
const maxAnswerLength = 500

/**
 * Returns the statement that records results and starts the next delivery attempts. Requested messages that may still be
 * sent become SENDING; only those may be given to a server, after the statement has committed. A message becomes
 * SKIPPED if its contact withdrew consent, does not get its topic or was deleted, if its address is suppressed, if its stage was
 * deleted, or if it was released and its campaign was cancelled. Messages of a paused campaign, or of a stage that was
 * deactivated, are queued again.
 * One that a rule of the account holds back is queued again or skipped, as its campaign or stage says.
 * Replies about a deleted contact are not stored.
 *
 * Changes only rows that this worker has claimed, so a worker whose lease has expired changes nothing. The statement also
 * updates the counters of campaigns, the figures and the latest messages of contacts, and makes enrolments due. **Emits**
 * `email.sent` and `email.bounced`.
 */
export function recordResultsAndStartAttempts(
  signer: Signer,
  workerId: number,
  results: readonly AttemptResult[],
  requests: readonly AttemptRequest[],
  now: Date,
): Sql {
  const resultRows = results.map(({ accountId, id, answer, ...result }) => ({
    ...{ ...result, accountId, id: String(id) },
    answer: answer === null ? null : oneLine(answer, maxAnswerLength),
  }))
  // Only these fields: a request may hold a whole message.
  const requestRows = requests.map(({ accountId, id, isRepeat, shownConditions }) => {
    return { accountId, id: String(id), isRepeat, shownConditions }
  })
  const stageRetryAt = new Date(now.getTime() + stageRetryMs)
  // Makes the planner find the rows by key, whatever its statistics: the comparisons with 0 make it expect few rows, and
  // coalesce and the casts of the states keep it from the index of claimed rows, which also holds each recent one.
  return sql`
    WITH results AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(resultRows)}::jsonb)
        AS x("accountId" int, id bigint, state recipient_state, answer text, cause failure_cause,
          "skipReason" skip_reason, "dueAt" timestamptz, "isAttempt" boolean)
      WHERE x."accountId" > 0 AND x.id > 0
    ), recorded AS (
      UPDATE mail_recipient r SET worker_id = NULL,
        (state, skip_reason, skipped_at) = (
          SELECT CASE WHEN v.reason IS NOT NULL THEN 'SKIPPED' ELSE g.state END, coalesce(v.reason, g."skipReason"),
            CASE WHEN v.reason IS NOT NULL OR g.state = 'SKIPPED' THEN ${now}::timestamptz END
          FROM (SELECT CASE WHEN g.state = 'QUEUED' THEN ${releaseReason(sql`r`)} END::skip_reason AS reason) v),
        answer = CASE WHEN NOT r.is_redacted THEN coalesce(g.answer, r.answer) END, attempts = r.attempts + g."isAttempt"::int, due_at = coalesce(g."dueAt", r.due_at),
        sent_at = CASE WHEN g.state = 'SENT' THEN ${now}::timestamptz END,
        failure_cause = CASE WHEN g.state <> 'SENT' THEN coalesce(g.cause, r.failure_cause) END,
        failed_at = CASE WHEN g.state IN ('BOUNCED', 'FAILED') THEN ${now}::timestamptz END
      FROM results g WHERE r.account_id = g."accountId" AND r.id = g.id
        AND coalesce(r.worker_id = ${workerId}::int AND r.state::text IN ('CLAIMED', 'SENDING'), false)
      RETURNING r.id, r.state, r.campaign_id, r.enrolment_id, r.sequence_id, r.stage_id, r.is_redacted, r.failure_cause, ${latestColumns}
    ), requested AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(requestRows)}::jsonb) 
        AS x("accountId" int, id bigint, "isRepeat" boolean, "shownConditions" int)
      WHERE x."accountId" > 0 AND x.id > 0
    ), started AS (
      UPDATE mail_recipient r SET shown_conditions = a."shownConditions",
        (topic_id, state, worker_id, due_at, skip_reason, skipped_at, delay_reason, delayed_at) = (
        SELECT v.topic_id, coalesce(h.state, v.verdict), CASE WHEN v.verdict = 'SENDING' AND h.state IS NULL THEN r.worker_id END,
          CASE WHEN h.state = 'QUEUED' THEN h.until WHEN v.verdict = 'SENDING' THEN ${now}::timestamptz
            WHEN v.verdict = 'QUEUED' AND r.enrolment_id IS NOT NULL THEN ${stageRetryAt}::timestamptz ELSE r.due_at END,
          CASE WHEN v.verdict = 'SKIPPED' THEN coalesce(v.reason, 'ENROLMENT_ENDED') WHEN h.state = 'SKIPPED' THEN h.rule::text::skip_reason END,
          CASE WHEN coalesce(h.state, v.verdict) = 'SKIPPED' THEN ${now}::timestamptz END,
          CASE WHEN h.state = 'QUEUED' AND h.rule IS NOT NULL THEN h.rule ELSE r.delay_reason END,
          CASE WHEN h.state = 'QUEUED' AND h.rule IS NOT NULL THEN ${now}::timestamptz ELSE r.delayed_at END
        FROM (
          SELECT c.time_zone, m.topic_id, w.reason, CASE WHEN w.reason IS NOT NULL THEN 'SKIPPED'
              WHEN NOT s.is_open THEN 'QUEUED' WHEN r.enrolment_id IS NULL THEN 'SENDING'
              ELSE ${ports.stageVerdict()} END::recipient_state AS verdict
          FROM (SELECT) one
            LEFT JOIN contact c ON c.account_id = r.account_id AND c.id = r.contact_id
            LEFT JOIN email m ON m.account_id = r.account_id AND m.id = r.email_id
            LEFT JOIN mail_source s ON s.account_id = r.account_id AND s.campaign_id = coalesce(r.campaign_id, 0)
            CROSS JOIN LATERAL (SELECT CASE
              WHEN r.is_redacted OR c.id IS NULL THEN 'CONTACT_DELETED'
              WHEN s.campaign_id IS NULL THEN 'CAMPAIGN_CANCELLED'
              WHEN NOT c.email_marketing THEN 'CONSENT_WITHDRAWN'
              WHEN m.topic_id IS NOT NULL AND NOT ${topicMemberships.receives(sql`r.account_id`, sql`r.contact_id`, sql`m.topic_id`)}
                THEN 'NOT_IN_TOPIC'
              WHEN ${isSuppressed(signer, sql`c.account_id`, sql`c.email`)} THEN 'ADDRESS_SUPPRESSED' END::skip_reason AS reason) w OFFSET 0) v
          LEFT JOIN LATERAL (${holdOf(now)}) h ON true)
      FROM requested a WHERE r.account_id = a."accountId" AND r.id = a.id
        AND coalesce(r.worker_id = ${workerId}::int
          AND (r.state::text = 'CLAIMED' OR (a."isRepeat" AND r.state::text = 'SENDING')), false)
      RETURNING r.account_id, r.id, r.state, r.campaign_id, r.enrolment_id, r.stage_id, r.is_redacted
    ), changed AS (
      SELECT account_id, id, state, campaign_id, enrolment_id, stage_id, is_redacted, false AS is_requested FROM recorded
      UNION ALL SELECT *, true FROM started
    ), counted AS (${ports.countSent(sql`
      SELECT account_id, campaign_id, count(*)::int AS n FROM recorded
      WHERE state = 'SENT' AND campaign_id IS NOT NULL GROUP BY account_id, campaign_id`)}
    ), advanced AS (${ports.advanceEnrolments(
      sql`SELECT account_id, enrolment_id, stage_id FROM changed
      WHERE enrolment_id IS NOT NULL AND state NOT IN ('QUEUED', 'CLAIMED', 'SENDING')`,
      now,
    )}
    ), figures AS (${insertFigures(sql`${changedFigure('SENDS', sql`recorded WHERE state = 'SENT'`, now)}
      UNION ALL ${changedFigure('BOUNCES', sql`recorded WHERE state = 'BOUNCED'`, now)}
      UNION ALL ${changedFigure('REJECTIONS', sql`recorded WHERE state = 'BOUNCED'`, now)}`)}
    ), latest AS (${keepLatest(sql`SELECT ${latestColumns} FROM recorded r WHERE r.state = 'SENT'`)}
    ), sent AS (${emissionOf('email.sent', sql`state = 'SENT'`, now)}
    ), bounced AS (${emissionOf('email.bounced', sql`state = 'BOUNCED'`, now)}
    )
    SELECT account_id AS "accountId", id, campaign_id AS "campaignId", state::text AS state, is_requested AS "isRequested",
      is_redacted AS "isRedacted" FROM changed`
}

function emissionOf(type: 'email.sent' | 'email.bounced', condition: Sql, now: Date): Sql {
  const cause =
    type === 'email.bounced' ? sql` || jsonb_build_object('cause', coalesce(failure_cause, 'UNKNOWN'))` : sql``
  return emission(
    type,
    sql`SELECT account_id, jsonb_build_object('contactId', contact_id, 'campaignId', campaign_id, 'stageId', stage_id) ${cause} AS data
      FROM recorded WHERE ${condition} ORDER BY account_id, id`,
    now,
  )
}
