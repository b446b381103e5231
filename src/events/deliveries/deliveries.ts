import { randomUUID } from 'node:crypto'
import { type Ctx, one } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { number, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesWithin } from '../../db/lists/pages.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { type KeyScope, mustBeAllowed } from '../../kernel/scopes.ts'
import { bigIdOf, idOf } from '../../kernel/values/ids.ts'
import { countRead, maxBytesOf } from '../../kernel/work/row-budget.ts'
import { emit } from '../log/outbox.ts'
import type { EventType } from '../types/event-types.ts'
import {
  lock,
  notFound,
  receivedTypes,
  requireReadableMessages,
  scopesOfMessages,
  type WebhookRow,
  webhookTable,
} from '../webhooks/webhook-list.ts'
import { deliveriesChannel } from '../webhooks/webhooks.ts'
import { eventTypeRows, isSubscribed, messageIdOfEvent } from './fan-out.ts'

const deliveryTable = table('WebhookDelivery', 'd', {
  without: ['position', 'data', 'body', 'needs', 'generation', 'response'],
  renamed: { status: 'state' },
})

/** A delivery without its long fields, which `deliveryTexts` loads. */
export type DeliveryRow = RowOf<typeof deliveryTable>

/** The filter of deliveries. */
export const deliveryFilter = filterOn(deliveryTable, {
  messageId: text(sql`d.message_id`),
  type: oneOf<EventType>('EventType', sql`d.type`, 'text'),
  status: oneOf<DeliveryRow['status']>('WebhookDeliveryStatus', sql`d.state`, 'webhook_delivery_state'),
  attempts: number(sql`d.attempts`),
  responseStatus: number(sql`d.response_status`),
  error: text(sql`d.error`),
  milliseconds: number(sql`d.milliseconds`),
  occurredAt: time(sql`d.occurred_at`),
  lastAttemptAt: time(sql`d.attempted_at`),
  createdAt: time(sql`d.created_at`),
  deliveredAt: time(sql`d.delivered_at`),
})

const deliveries = newList(deliveryTable, {
  name: 'webhookDeliveries',
  orders: { CREATED_AT: 'createdAt' },
  filter: deliveryFilter,
})

/** Lists the deliveries of a webhook, newest first by default. */
export const listOfWebhook = pagesWithin(deliveries, deliveryTable.within('webhookId'))

/** Loads deliveries by ID, also of a webhook that was deleted, until a job deletes them. */
export const { byId } = deliveryTable

interface DeliveryTexts {
  /** Null before the first attempt. */
  readonly body: string | null
  /** The start of the last response. */
  readonly response: string | null
  /** The scopes that reading the body requires. */
  readonly needs: readonly string[]
}

/** Loads the long fields of deliveries. */
export const deliveryTexts = one<bigint, DeliveryTexts>(async (ctx, ids) => {
  const rows = await ctx.sql<DeliveryTexts & { id: bigint; total: number }>`
    SELECT s.id, s.needs, s.response, s.total::float8 AS total, CASE WHEN s.total <= ${maxBytesOf(ctx.rows)}::float8 THEN s.body END AS body
    FROM (
      SELECT d.id, d.body, d.response, d.needs, sum(coalesce(octet_length(d.body), 0)) OVER () AS total
      FROM webhook_delivery d WHERE d.account_id = ${ctx.sql.account} AND d.id = ANY(${ids}::bigint[])
    ) s`
  countRead(ctx.rows, rows[0]?.total, 'bodies of webhook messages')
  return new Map(rows.map((row) => [row.id, row]))
})

/** Returns the body of a delivery; null before the first attempt. **Throws** FORBIDDEN if the key cannot read all its data. */
export async function readBody(ctx: Ctx, id: bigint): Promise<string | null> {
  const texts = await ctx.load(deliveryTexts, id)
  if (texts?.body == null) return null
  for (const scope of texts.needs) mustBeAllowed(ctx, scope as KeyScope)
  return texts.body
}

/**
 * Sends a message of the type `webhook.test` to a webhook, regardless of its events.
 *
 * **Emits** `webhook.test`. **Throws** NOT_FOUND, and INVALID_STATE for an inactive webhook.
 */
export async function test(ctx: Ctx, input: { id: string | number }): Promise<{ delivery: DeliveryRow }> {
  return inTransaction(ctx, async (tx) => {
    const { id: webhookId, active, generation } = await lock(tx, input.id)
    if (!active) throw refuseValue('id', 'INVALID_STATE', 'There is no such active webhook.')
    const now = tx.clock.now()
    const messageId = `msg_${randomUUID().replaceAll('-', '')}`
    const [delivery] = await tx.sql<DeliveryRow>`
      INSERT INTO webhook_delivery AS d
        (account_id, webhook_id, message_id, type, data, occurred_at, due_at, created_at, generation)
      VALUES (${tx.sql.account}, ${webhookId}, ${messageId}, 'webhook.test', ${JSON.stringify({ webhookId })}::jsonb,
        ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz, ${generation})
      RETURNING ${deliveryTable.columns}`
    await emit(tx, 'webhook.test', { webhookId })
    wakeWorkers(tx)
    return { delivery: delivery as DeliveryRow }
  })
}

/** Either `deliveryId`, or `webhookId` and `since`. */
interface ReplayInput {
  deliveryId?: string | null | undefined
  webhookId?: string | number | null | undefined
  since?: Date | null | undefined
}

/** The limit of one replay. Clients repeat it for more. */
const maxReplayed = 10_000

/**
 * Sends messages again, from the start of the retry schedule: one delivery in any status, or all that a webhook has missed
 * since a time, oldest first. Missed are failed deliveries, those to a former URL, and stored events that occurred while it was
 * inactive. Messages
 * keep their `webhook-id` and body, so that receivers detect repeats. The body is built again if the URL has changed.
 *
 * One call sends at most 10,000 messages; repeat it for the rest.
 *
 * **Throws** NOT_FOUND, also if the delivery does not belong to `webhookId`; VALIDATION_ERROR for any other combination of
 * fields; FORBIDDEN if the key cannot read the messages.
 */
export async function replay(ctx: Ctx, { deliveryId, webhookId, since }: ReplayInput): Promise<{ replayed: number }> {
  if (deliveryId != null && since != null)
    throw invalid({ since: ['cannot be combined with deliveryId'] }, 'NOT_COMBINABLE')
  return inTransaction(ctx, async (tx) => {
    if (deliveryId != null) {
      const ofWebhook = webhookId == null ? undefined : idOf('Webhook', webhookId, 'webhookId')
      return { replayed: await replayOne(tx, deliveryId, ofWebhook) }
    }
    if (webhookId == null)
      throw invalid({ deliveryId: ['is required unless webhookId and since are sent'] }, 'REQUIRED')
    if (since == null) throw invalid({ since: ['is required unless deliveryId is sent'] }, 'REQUIRED')
    const webhook = await lock(tx, webhookId, 'webhookId')
    await requireReadableMessages(tx, webhook)
    const failed = await replayFailed(tx, webhook, since)
    const missed = await createMissed(tx, webhook.id, since, maxReplayed - failed)
    wakeWorkers(tx)
    return { replayed: failed + missed }
  })
}

async function replayOne(tx: Ctx, deliveryId: string, webhookId: number | undefined): Promise<number> {
  const id = bigIdOf('WebhookDelivery', deliveryId, 'deliveryId')
  const delivery = await tx.load(byId, id)
  const webhook = delivery && (await tx.load(webhookTable.byId, delivery.webhookId))
  if (!webhook || (webhookId !== undefined && webhook.id !== webhookId))
    throw notFound('deliveryId', 'There is no such delivery.')
  const locked = await lock(tx, webhook.id)
  const { needs = [] } = (await tx.load(deliveryTexts, id)) ?? {}
  for (const scope of [...needs, ...(await scopesOfMessages(tx, locked, [delivery.type]))]) {
    mustBeAllowed(tx, scope as KeyScope)
  }
  const [replayed] = await reset(tx, locked, sql`d.id = ${id}`)
  if (!replayed) throw invalid({ deliveryId: ['must be of an event type that the webhook still receives'] })
  wakeWorkers(tx)
  return 1
}

async function replayFailed(tx: Ctx, webhook: WebhookRow, since: Date): Promise<number> {
  const isReadable = tx.scopes === undefined ? sql`true` : sql`d.needs <@ ${[...tx.scopes]}::text[]`
  const rows = await reset(
    tx,
    webhook,
    sql`d.ctid = ANY (ARRAY(SELECT d.ctid FROM webhook_delivery d
        WHERE d.account_id = ${tx.sql.account} AND d.webhook_id = ${webhook.id}
          AND (d.state = 'FAILED' OR d.state = 'PENDING' AND d.generation < ${webhook.generation})
          AND d.created_at >= ${since}::timestamptz AND ${isReadable}
        ORDER BY d.created_at, d.id LIMIT ${maxReplayed} FOR UPDATE SKIP LOCKED))`,
  )
  return rows.length
}

/**
 * Makes deliveries `d` of a webhook pending again. The body of a delivery to an earlier URL is built again, if the webhook
 * still receives its event type; other such deliveries are skipped.
 */
async function reset(tx: Ctx, webhook: WebhookRow, condition: Sql): Promise<readonly unknown[]> {
  const { id, generation } = webhook
  const types = ['webhook.test', ...receivedTypes(webhook)]
  return tx.sql`
    UPDATE webhook_delivery d SET state = 'PENDING', step = 0, due_at = ${tx.clock.now()}::timestamptz,
      body = CASE WHEN d.generation = ${generation} THEN d.body END, generation = ${generation}
    WHERE d.account_id = ${tx.sql.account} AND d.webhook_id = ${id} AND ${condition}
      AND (d.generation = ${generation} OR d.type = ANY(${types}::text[]))
    RETURNING d.id`
}

async function createMissed(tx: Ctx, webhookId: number, since: Date, limit: number): Promise<number> {
  const now = tx.clock.now()
  const rows = await tx.sql`
    INSERT INTO webhook_delivery
      (account_id, webhook_id, event_id, position, message_id, type, data, occurred_at, due_at, created_at, generation)
    SELECT e.account_id, w.id, e.id, e.position, ${messageIdOfEvent}, e.type, e.data, e.created_at, ${now}::timestamptz,
      ${now}::timestamptz, w.generation
    FROM outbox_event e JOIN ${eventTypeRows()} ON t.type = e.type
    JOIN webhook w ON w.account_id = e.account_id AND w.id = ${webhookId} AND ${isSubscribed}
    WHERE e.account_id = ${tx.sql.account} AND e.created_at >= ${since}::timestamptz
      AND e.position <= (SELECT position FROM log_reader WHERE name = 'webhooks')
      AND NOT EXISTS (SELECT FROM webhook_delivery d
        WHERE d.account_id = e.account_id AND d.webhook_id = w.id AND d.event_id = e.id)
    ORDER BY e.position LIMIT ${limit}
    ON CONFLICT (account_id, webhook_id, event_id) DO NOTHING RETURNING id`
  return rows.length
}

function wakeWorkers(tx: Ctx): void {
  tx.afterCommit?.(() => tx.notify(deliveriesChannel))
}
