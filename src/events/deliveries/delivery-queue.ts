import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { emission } from '../log/outbox.ts'
import { announcedChannel } from '../log/sequencer.ts'
import { type AttemptResult, type DeliveryUpdate, maxFailingMs } from './retry-schedule.ts'

/** A delivery that this process has claimed, with all that an attempt needs. */
export interface ClaimedDelivery {
  readonly accountId: number
  readonly id: bigint
  readonly position: bigint
  readonly webhookId: number
  readonly messageId: string
  readonly type: string
  readonly data: unknown
  readonly createdAt: Date
  readonly body: string | null
  /** The number of this attempt. The result is discarded if a later attempt was started. */
  readonly attempts: number
  readonly step: number
  /** The generation of the URL. The result is discarded if the webhook has another one meanwhile. */
  readonly generation: number
  readonly url: string
  readonly document: string | null
  readonly scopes: readonly string[]
  readonly secrets: readonly string[]
  readonly isFailing: boolean
}

/** The number of deliveries that this process can claim. */
interface Capacity {
  readonly free: number
  readonly perWebhook: number
  readonly perAccount: number
  /** The part of `free` for endpoints whose last attempt failed. */
  readonly freeForFailing: number
  /** The number of attempts in progress, by webhook. */
  readonly inProgress: readonly { accountId: number; webhookId: number; n: number }[]
}

/** A claim expires after this time, which is longer than the timeout of an attempt. Then any process can claim it again. */
export const leaseMs = 60_000

/**
 * Claims deliveries that are due. Concurrent processes claim different ones. The statement looks for due deliveries webhook
 * by webhook, so its cost does not depend on the length of the queue of one webhook, and it claims the first delivery of
 * each webhook before the second of any. An endpoint whose last attempt failed gets one delivery at a time. Such endpoints
 * together, and the webhooks of one account, get a limited part of the capacity. Deliveries to a former URL are not claimed.
 */
export async function claimDeliveries(system: System, capacity: Capacity): Promise<ClaimedDelivery[]> {
  const now = system.clock.now()
  const lease = new Date(now.getTime() + leaseMs)
  return system.db.$unscoped<ClaimedDelivery>(
    'one queue holds the deliveries of all accounts',
    sql`
    WITH RECURSIVE waiting AS (
      (SELECT account_id, webhook_id, generation, due_at FROM webhook_delivery WHERE state = 'PENDING'
        ORDER BY account_id, webhook_id, generation, due_at LIMIT 1)
      UNION ALL
      SELECT next.* FROM waiting CROSS JOIN LATERAL (
        SELECT d.account_id, d.webhook_id, d.generation, d.due_at FROM webhook_delivery d
        WHERE d.state = 'PENDING'
          AND (d.account_id, d.webhook_id, d.generation) > (waiting.account_id, waiting.webhook_id, waiting.generation)
        ORDER BY d.account_id, d.webhook_id, d.generation, d.due_at LIMIT 1) next
    ), in_progress AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(capacity.inProgress)}::jsonb)
        AS b("accountId" int, "webhookId" int, n int)
    ), ready AS MATERIALIZED (
      SELECT w.account_id, w.id, w.generation, w.failing_since IS NOT NULL AS failing, random() AS chance,
        CASE WHEN w.failing_since IS NULL THEN ${capacity.perWebhook}::int ELSE 1 END - coalesce(b.n, 0) AS capacity,
        ${capacity.perAccount}::int
          - coalesce((SELECT sum(o.n) FROM in_progress o WHERE o."accountId" = w.account_id), 0)::int AS account_capacity
      FROM waiting JOIN webhook w ON w.account_id = waiting.account_id AND w.id = waiting.webhook_id
        AND w.generation = waiting.generation AND w.active
      LEFT JOIN in_progress b ON b."accountId" = w.account_id AND b."webhookId" = w.id
      WHERE waiting.due_at <= ${now}::timestamptz
    ), open AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY failing ORDER BY chance) AS place FROM ready
      WHERE capacity > 0 AND account_capacity > 0
    ), found AS MATERIALIZED (
      SELECT open.account_id, open.id AS webhook_id, open.account_capacity, open.failing, open.chance, due.id, due.due_at
      FROM open CROSS JOIN LATERAL (
        SELECT d.id, d.due_at FROM webhook_delivery d
        WHERE d.account_id = open.account_id AND d.webhook_id = open.id AND d.generation = open.generation
          AND d.state = 'PENDING' AND d.due_at <= ${now}::timestamptz
        ORDER BY d.due_at, d.id LIMIT open.capacity FOR UPDATE SKIP LOCKED
      ) due
      WHERE open.place <= CASE WHEN open.failing THEN ${capacity.freeForFailing}::int ELSE ${capacity.free}::int END
    ), ranked AS (
      SELECT *, row_number() OVER (PARTITION BY account_id, webhook_id ORDER BY due_at, id) AS turn FROM found
    ), by_account AS (
      SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY turn, chance) AS share FROM ranked
    ), selected AS (
      SELECT account_id, id FROM by_account WHERE share <= account_capacity
      ORDER BY failing, turn, share, chance LIMIT ${capacity.free}::int
    )
    UPDATE webhook_delivery d
    SET attempts = attempts + 1, step = step + 1, due_at = ${lease}::timestamptz, attempted_at = ${now}::timestamptz
    FROM selected c, webhook w
    WHERE d.account_id = c.account_id AND d.id = c.id AND w.account_id = d.account_id AND w.id = d.webhook_id
    RETURNING d.account_id AS "accountId", d.id, d.position, d.webhook_id AS "webhookId", d.message_id AS "messageId", d.type, d.data,
      d.occurred_at AS "createdAt", d.body, d.attempts, d.step, d.generation, w.url, w.document, w.scopes,
      CASE WHEN w.previous_secret_until > ${now}::timestamptz THEN ARRAY[w.secret, w.previous_secret]
        ELSE ARRAY[w.secret] END AS secrets, w.failing_since IS NOT NULL AS "isFailing"`,
  )
}

/** Maximum size of the bodies of an account that wait to be delivered, in bytes. Small bodies are stored nevertheless. */
export const maxPendingBytes = 32_000_000

/** Returns the size of the bodies of an account that wait to be delivered, in bytes. */
export async function countPendingBytes(system: System, accountId: number): Promise<number> {
  const ctx = newCtx(system, { accountId })
  const [row] = await ctx.sql<{ bytes: number }>`
    SELECT coalesce(sum(octet_length(body)), 0)::float8 AS bytes FROM webhook_delivery
    WHERE account_id = ${ctx.sql.account} AND state = 'PENDING'`
  return row?.bytes ?? 0
}

/**
 * Stores the body of all attempts and the scopes that reading it requires. Returns false if the claim has expired or the URL was
 * changed.
 */
export async function storeBody(
  system: System,
  delivery: ClaimedDelivery,
  body: string,
  needs: readonly string[],
): Promise<boolean> {
  const ctx = newCtx(system, { accountId: delivery.accountId })
  const rows = await ctx.sql`
    UPDATE webhook_delivery SET body = ${body}, needs = ${needs}::text[] WHERE ${isClaimed(ctx, delivery)} RETURNING id`
  return rows.length > 0
}

/**
 * Stores the result of an attempt, and its effect on the webhook, in one statement. Nothing is stored if another process has
 * started a later attempt, or if the URL was changed. **Emits** `webhook.disabled` if the result deactivates the webhook.
 */
export async function storeResult(
  system: System,
  delivery: ClaimedDelivery,
  result: AttemptResult,
  update: DeliveryUpdate,
): Promise<void> {
  const ctx = newCtx(system, { accountId: delivery.accountId })
  const now = ctx.clock.now()
  const isSuccess = update.status === 'DELIVERED'
  const dueAt = update.status === 'PENDING' ? update.dueAt : now
  const isGone = update.status === 'FAILED' && update.isGone
  const failingLimit = new Date(now.getTime() - maxFailingMs)
  const disabled = await ctx.sql`
    WITH stored AS (
      UPDATE webhook_delivery SET state = ${update.status}::webhook_delivery_state, due_at = ${dueAt}::timestamptz,
        response_status = ${result.status ?? null}, response = ${result.response ?? null},
        error = ${result.error ?? null}, milliseconds = ${result.milliseconds},
        delivered_at = CASE WHEN ${isSuccess} THEN ${now}::timestamptz END
      WHERE ${isClaimed(ctx, delivery)}
      RETURNING webhook_id, generation
    ), relevant AS (
      SELECT webhook_id, generation, CASE WHEN ${isGone} THEN 'GONE' END AS gone FROM stored WHERE NOT ${result.isInternal === true}
    ), updated AS (
      UPDATE webhook w SET
        last_success_at = CASE WHEN ${isSuccess} THEN ${now}::timestamptz ELSE w.last_success_at END,
        failing_since = CASE WHEN ${isSuccess} THEN NULL ELSE coalesce(w.failing_since, ${now}::timestamptz) END,
        active = w.active AND NOT (decision.reason IS NOT NULL),
        disabled_at = CASE WHEN w.active AND decision.reason IS NOT NULL THEN ${now}::timestamptz ELSE w.disabled_at END,
        disabled_reason = CASE WHEN w.active THEN decision.reason ELSE w.disabled_reason END
      FROM relevant CROSS JOIN LATERAL (
        SELECT o.account_id, o.id, relevant.generation, coalesce(relevant.gone, CASE WHEN NOT ${isSuccess} AND o.failing_since <= ${failingLimit}::timestamptz
          THEN 'FAILING' END)::webhook_disabled_reason AS reason
        FROM webhook o WHERE o.account_id = ${ctx.sql.account} AND o.id = relevant.webhook_id
      ) decision
      WHERE w.account_id = decision.account_id AND w.id = decision.id AND w.generation = decision.generation AND (
        decision.reason IS NOT NULL
        OR (w.failing_since IS NULL) <> ${isSuccess}
        OR ${isSuccess} AND (w.last_success_at IS NULL OR w.last_success_at < ${now}::timestamptz - interval '1 minute')
      )
      RETURNING w.account_id, w.id, decision.reason IS NOT NULL AND w.disabled_at = ${now}::timestamptz AS is_disabled
    ), announced AS (${emission(
      'webhook.disabled',
      sql`SELECT account_id, jsonb_build_object('webhookId', id) AS data FROM updated WHERE is_disabled`,
      now,
    )}
    ) SELECT FROM updated WHERE is_disabled`
  if (disabled.length > 0) ctx.notify(announcedChannel)
}

/**
 * Releases a claim whose attempt was not finished. The delivery is due at once, and the attempt does not count in the retry
 * schedule.
 */
export async function releaseClaim(system: System, delivery: ClaimedDelivery): Promise<void> {
  const ctx = newCtx(system, { accountId: delivery.accountId })
  await ctx.sql`
    UPDATE webhook_delivery SET step = step - 1, due_at = ${ctx.clock.now()}::timestamptz WHERE ${isClaimed(ctx, delivery)}`
}

/** True for the delivery if no later attempt was started, and if it is still meant for the URL of its webhook. */
function isClaimed(ctx: Ctx, { id, attempts, webhookId, generation }: ClaimedDelivery): Sql {
  return sql`account_id = ${ctx.sql.account} AND id = ${id} AND attempts = ${attempts} AND state = 'PENDING'
    AND generation = ${generation} AND generation = (SELECT generation FROM webhook WHERE account_id = ${ctx.sql.account} AND id = ${webhookId})`
}
