import { newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { longestFailing, type Outcome, type Verdict } from './deliver-plan.ts'

/** A delivery that this process has taken on, with what sending it needs. */
export interface Claimed {
  readonly accountId: number
  readonly id: bigint
  readonly position: bigint
  readonly webhookId: number
  readonly messageId: string
  readonly type: string
  readonly data: unknown
  readonly createdAt: Date
  readonly body: string | null
  /** Which attempt this is; a later one makes this one's outcome worth nothing. */
  readonly attempts: number
  readonly step: number
  readonly url: string
  readonly document: string | null
  readonly scopes: readonly string[]
  readonly secrets: readonly string[]
  readonly isFailing: boolean
}

/** How much more this process can take on: in all, and of those that are on their way where. */
export interface Room {
  readonly free: number
  readonly perWebhook: number
  readonly perAccount: number
  /** How much of `free` may go to endpoints that have failed at their last message. */
  readonly freeForFailing: number
  /** What is on its way, by webhook. */
  readonly busy: readonly { accountId: number; webhookId: number; n: number }[]
}

/** Who has taken a delivery on has so long for it; then it is anyone's again. Longer than any attempt takes. */
export const leaseMilliseconds = 60_000

/**
 * Takes on deliveries that are due, for some time; whoever comes at the same moment gets others. What is due is looked for
 * webhook by webhook, so a webhook with a hundred thousand of them costs what one with a few costs, and each gets its turn:
 * the first of every webhook come before the second of any. An endpoint that has failed at its last message gets one at a
 * time, all of those together a part of the room, and an account no more than its share.
 */
export async function claim(system: System, room: Room): Promise<Claimed[]> {
  const now = system.clock.now()
  const lease = new Date(now.getTime() + leaseMilliseconds)
  return system.db.$unscoped<Claimed>(
    'one queue sends the messages of all accounts',
    sql`
    WITH RECURSIVE waiting AS (
      (SELECT account_id, webhook_id, due_at FROM webhook_delivery WHERE state = 'PENDING'
        ORDER BY account_id, webhook_id, due_at LIMIT 1)
      UNION ALL
      SELECT next.* FROM waiting CROSS JOIN LATERAL (
        SELECT d.account_id, d.webhook_id, d.due_at FROM webhook_delivery d
        WHERE d.state = 'PENDING' AND (d.account_id, d.webhook_id) > (waiting.account_id, waiting.webhook_id)
        ORDER BY d.account_id, d.webhook_id, d.due_at LIMIT 1) next
    ), busy AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(room.busy)}::jsonb)
        AS b("accountId" int, "webhookId" int, n int)
    ), ready AS MATERIALIZED (
      SELECT w.account_id, w.id, w.failing_since IS NOT NULL AS failing, random() AS chance,
        CASE WHEN w.failing_since IS NULL THEN ${room.perWebhook}::int ELSE 1 END - coalesce(b.n, 0) AS room,
        ${room.perAccount}::int
          - coalesce((SELECT sum(o.n) FROM busy o WHERE o."accountId" = w.account_id), 0)::int AS account_room
      FROM waiting JOIN webhook w ON w.account_id = waiting.account_id AND w.id = waiting.webhook_id AND w.active
      LEFT JOIN busy b ON b."accountId" = w.account_id AND b."webhookId" = w.id
      WHERE waiting.due_at <= ${now}::timestamptz
    ), open AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY failing ORDER BY chance) AS place FROM ready
      WHERE room > 0 AND account_room > 0
    ), found AS MATERIALIZED (
      SELECT open.account_id, open.id AS webhook_id, open.account_room, open.failing, open.chance, due.id, due.due_at
      FROM open CROSS JOIN LATERAL (
        SELECT d.id, d.due_at FROM webhook_delivery d
        WHERE d.account_id = open.account_id AND d.webhook_id = open.id AND d.state = 'PENDING'
          AND d.due_at <= ${now}::timestamptz
        ORDER BY d.due_at, d.id LIMIT open.room FOR UPDATE SKIP LOCKED
      ) due
      WHERE open.place <= CASE WHEN open.failing THEN ${room.freeForFailing}::int ELSE ${room.free}::int END
    ), ranked AS (
      SELECT *, row_number() OVER (PARTITION BY account_id, webhook_id ORDER BY due_at, id) AS turn FROM found
    ), shared AS (
      SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY turn, chance) AS share FROM ranked
    ), chosen AS (
      SELECT account_id, id FROM shared WHERE share <= account_room
      ORDER BY failing, turn, share, chance LIMIT ${room.free}::int
    )
    UPDATE webhook_delivery d
    SET attempts = attempts + 1, step = step + 1, due_at = ${lease}::timestamptz, attempted_at = ${now}::timestamptz
    FROM chosen c, webhook w
    WHERE d.account_id = c.account_id AND d.id = c.id AND w.account_id = d.account_id AND w.id = d.webhook_id
    RETURNING d.account_id AS "accountId", d.id, d.position, d.webhook_id AS "webhookId", d.message_id AS "messageId", d.type, d.data,
      d.occurred_at AS "createdAt", d.body, d.attempts, d.step, w.url, w.document, w.scopes,
      CASE WHEN w.previous_secret_until > ${now}::timestamptz THEN ARRAY[w.secret, w.previous_secret]
        ELSE ARRAY[w.secret] END AS secrets, w.failing_since IS NOT NULL AS "isFailing"`,
  )
}

/** Keeps the bytes that all attempts send, and the scopes that reading them takes. Answers whether the delivery is still this process's. */
export async function keepBody(
  system: System,
  { accountId, id, attempts }: Claimed,
  body: string,
  needs: readonly string[],
): Promise<boolean> {
  const ctx = newCtx(system, { accountId })
  const kept = await ctx.sql`
    UPDATE webhook_delivery SET body = ${body}, needs = ${needs}::text[]
    WHERE account_id = ${ctx.sql.account} AND id = ${id} AND attempts = ${attempts} AND state = 'PENDING' RETURNING id`
  return kept.length > 0
}

/**
 * Writes down what came of an attempt, and what it means for the webhook: one statement. Of an attempt that another process
 * has repeated meanwhile nothing is written.
 */
export async function settle(system: System, claimed: Claimed, outcome: Outcome, verdict: Verdict): Promise<void> {
  const { accountId, id, attempts } = claimed
  const ctx = newCtx(system, { accountId })
  const now = ctx.clock.now()
  const isSuccess = verdict.state === 'DELIVERED'
  const dueAt = verdict.state === 'PENDING' ? verdict.dueAt : now
  const isGone = verdict.state === 'FAILED' && verdict.isGone
  const patience = new Date(now.getTime() - longestFailing)
  await ctx.sql`
    WITH done AS (
      UPDATE webhook_delivery SET state = ${verdict.state}::webhook_delivery_state, due_at = ${dueAt}::timestamptz,
        response_status = ${outcome.status ?? null}, response = ${outcome.response ?? null},
        error = ${outcome.error ?? null}, milliseconds = ${outcome.milliseconds},
        delivered_at = CASE WHEN ${isSuccess} THEN ${now}::timestamptz END
      WHERE account_id = ${ctx.sql.account} AND id = ${id} AND attempts = ${attempts} AND state = 'PENDING'
      RETURNING webhook_id
    ), judged AS (
      SELECT webhook_id, CASE WHEN ${isGone} THEN 'GONE' END AS gone FROM done WHERE NOT ${outcome.isOurs === true}
    )
    UPDATE webhook w SET
      last_success_at = CASE WHEN ${isSuccess} THEN ${now}::timestamptz ELSE w.last_success_at END,
      failing_since = CASE WHEN ${isSuccess} THEN NULL ELSE coalesce(w.failing_since, ${now}::timestamptz) END,
      active = w.active AND NOT (fate.reason IS NOT NULL),
      disabled_at = CASE WHEN w.active AND fate.reason IS NOT NULL THEN ${now}::timestamptz ELSE w.disabled_at END,
      disabled_reason = CASE WHEN w.active THEN fate.reason ELSE w.disabled_reason END
    FROM judged CROSS JOIN LATERAL (
      SELECT o.account_id, o.id, coalesce(judged.gone, CASE WHEN NOT ${isSuccess} AND o.failing_since <= ${patience}::timestamptz
        THEN 'FAILING' END)::webhook_disabled_reason AS reason
      FROM webhook o WHERE o.account_id = ${ctx.sql.account} AND o.id = judged.webhook_id
    ) fate
    WHERE w.account_id = fate.account_id AND w.id = fate.id AND (
      fate.reason IS NOT NULL
      OR (w.failing_since IS NULL) <> ${isSuccess}
      OR ${isSuccess} AND (w.last_success_at IS NULL OR w.last_success_at < ${now}::timestamptz - interval '1 minute')
    )`
}

/** Gives back what cannot be finished: due at once, for anyone, and the plan as it was. */
export async function release(system: System, { accountId, id, attempts }: Claimed): Promise<void> {
  const ctx = newCtx(system, { accountId })
  await ctx.sql`
    UPDATE webhook_delivery SET step = step - 1, due_at = ${ctx.clock.now()}::timestamptz
    WHERE account_id = ${ctx.sql.account} AND id = ${id} AND attempts = ${attempts} AND state = 'PENDING'`
}
