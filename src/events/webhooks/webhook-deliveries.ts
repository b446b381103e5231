import { randomUUID } from 'node:crypto'
import type { WebhookDelivery } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type List, type ListArgs, nestedPageOf, type Page } from '../../db/list.ts'
import { one } from '../../db/load.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/ids.ts'
import { mustBeAllowed, type Scope } from '../../kernel/scopes.ts'
import { emit } from '../log/outbox.ts'
import { isWanted, messageIdOfEvent, types } from './webhook-fanout.ts'
import { byId, lock, mustReadMessages, needsOfBodies, notFound, typesToldTo, type WebhookRow } from './webhook-list.ts'
import { deliveriesChannel } from './webhooks.ts'

/** A delivery as a row of a list: what is long is read by `textsOf`. */
export type DeliveryRow = Omit<WebhookDelivery, 'data' | 'body' | 'needs' | 'generation' | 'response'>

export interface DeliveryFilter {
  states?: readonly DeliveryRow['state'][] | null | undefined
}
export type DeliveryListArgs = ListArgs<DeliveryFilter, 'CREATED_AT'>

const columns = sql`d.account_id AS "accountId", d.id, d.webhook_id AS "webhookId", d.event_id AS "eventId",
  d.message_id AS "messageId", d.type, d.occurred_at AS "occurredAt", d.state::text AS state, d.step, d.attempts,
  d.due_at AS "dueAt", d.attempted_at AS "attemptedAt", d.response_status AS "responseStatus", d.error, d.milliseconds,
  d.created_at AS "createdAt", d.delivered_at AS "deliveredAt"`

const deliveries: List<DeliveryRow, DeliveryFilter, 'CREATED_AT'> = {
  name: 'webhookDeliveries',
  columns,
  from: (ctx) => sql`FROM webhook_delivery d WHERE d.account_id = ${ctx.sql.account}`,
  id: sql`d.id`,
  orders: { CREATED_AT: { by: sql`d.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: ({ states }) => (states == null ? [] : [sql`d.state = ANY(${[...states]}::text[]::webhook_delivery_state[])`]),
}

const ofWebhook = {
  name: 'webhook',
  from: (ctx: Ctx) => sql`FROM webhook_delivery d WHERE d.account_id = ${ctx.sql.account} AND d.webhook_id = parent.id`,
}

/** What was or will be sent to a webhook, the newest first unless ordered otherwise. */
export async function listOfWebhook(ctx: Ctx, webhookId: number, args: DeliveryListArgs): Promise<Page<DeliveryRow>> {
  return nestedPageOf(ctx, deliveries, ofWebhook, webhookId, args)
}

/** Reads deliveries by id. */
export const deliveryById = one<bigint, DeliveryRow>(async (ctx, ids) => {
  const rows = await ctx.sql<DeliveryRow>`
    SELECT ${columns} FROM webhook_delivery d WHERE d.account_id = ${ctx.sql.account} AND d.id = ANY(${ids}::bigint[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** What is long about a delivery: what was sent, null before the first attempt, and the beginning of what came back. */
interface Texts {
  readonly body: string | null
  readonly response: string | null
  /** The scopes that reading the body takes. */
  readonly needs: readonly string[]
}

/** Reads what is long about deliveries. */
export const textsOf = one<bigint, Texts>(async (ctx, ids) => {
  const rows = await ctx.sql<Texts & { id: bigint }>`
    SELECT d.id, d.body, d.response, d.needs FROM webhook_delivery d
    WHERE d.account_id = ${ctx.sql.account} AND d.id = ANY(${ids}::bigint[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/**
 * What is sent in every attempt, null before the first. Throws FORBIDDEN where the key may not read all that it shows.
 */
export async function bodyOf(ctx: Ctx, id: bigint): Promise<string | null> {
  const texts = await ctx.load(textsOf, id)
  if (texts?.body == null) return null
  for (const need of texts.needs) mustBeAllowed(ctx, need as Scope)
  return texts.body
}

/**
 * Sends a webhook a message of the type `webhook.test`, whatever else it is told of. Announces `webhook.test`. Fails with
 * NOT_FOUND, also where the webhook is switched off.
 */
export async function test(ctx: Ctx, input: { id: string | number }): Promise<{ delivery: DeliveryRow }> {
  return inTransaction(ctx, async (tx) => {
    const { id: webhookId, active, generation } = await lock(tx, input.id)
    if (!active) throw notFound('There is no such webhook that is active.')
    const now = tx.clock.now()
    const messageId = `msg_${randomUUID().replaceAll('-', '')}`
    const [delivery] = await tx.sql<DeliveryRow>`
      INSERT INTO webhook_delivery AS d
        (account_id, webhook_id, message_id, type, data, occurred_at, due_at, created_at, generation)
      VALUES (${tx.sql.account}, ${webhookId}, ${messageId}, 'webhook.test', ${JSON.stringify({ webhookId })}::jsonb,
        ${now}::timestamptz, ${now}::timestamptz, ${now}::timestamptz, ${generation})
      RETURNING ${columns}`
    await emit(tx, 'webhook.test', { webhookId })
    wakeSenders(tx)
    return { delivery: delivery as DeliveryRow }
  })
}

/** What is to be sent again: one delivery, or what a webhook has missed since a moment. */
export interface Replay {
  deliveryId?: string | null | undefined
  webhookId?: string | number | null | undefined
  since?: Date | null | undefined
}

/** How much one replay brings back: who has missed more asks again. */
const mostReplayed = 10_000

/**
 * Sends again, at once and from the start of the plan: one delivery, whatever became of it; or all that a webhook has
 * missed since a moment, the oldest first: what was given up, and what happened while it was switched off, as long as the
 * log remembers. Messages keep their names and their bytes, so a receiver can tell a repeat; what was made for an address
 * that the webhook no longer has is made anew.
 *
 * 10,000 at most; asked again it goes on with the rest. Fails with NOT_FOUND, also for a delivery of another webhook than
 * the one that is named with it, with VALIDATION_ERROR unless it is told either of both, and with FORBIDDEN where the key
 * may not read what would be sent.
 */
export async function replay(ctx: Ctx, { deliveryId, webhookId, since }: Replay): Promise<{ replayed: number }> {
  if (deliveryId != null && since != null) throw invalid({ since: ['cannot go with deliveryId'] })
  return inTransaction(ctx, async (tx) => {
    if (deliveryId != null) {
      const ofWebhook = webhookId == null ? undefined : idOf('Webhook', webhookId, 'webhookId')
      return { replayed: await replayOne(tx, deliveryId, ofWebhook) }
    }
    if (webhookId == null) throw invalid({ deliveryId: ['is required, or webhookId with since'] })
    if (since == null) throw invalid({ since: ['is required where no delivery is named'] })
    const webhook = await lock(tx, webhookId, 'webhookId')
    await mustReadMessages(tx, webhook)
    const failed = await replayFailed(tx, webhook, since)
    const missed = await deliverMissed(tx, webhook.id, since, mostReplayed - failed)
    wakeSenders(tx)
    return { replayed: failed + missed }
  })
}

async function replayOne(tx: Ctx, given: string, webhookId: number | undefined): Promise<number> {
  const id = /^\d{1,18}$/.test(given) ? BigInt(given) : 0n
  const known = await tx.load(deliveryById, id)
  const webhook = known && (await tx.load(byId, known.webhookId))
  if (!webhook || (webhookId !== undefined && webhook.id !== webhookId)) throw notFound('There is no such delivery.')
  const locked = await lock(tx, webhook.id)
  const { needs = [] } = (await tx.load(textsOf, id)) ?? {}
  for (const need of [...needs, ...(await needsOfBodies(tx, locked, [known.type]))]) mustBeAllowed(tx, need as Scope)
  const [sent] = await again(tx, locked, sql`d.id = ${id}`)
  if (!sent) throw invalid({ deliveryId: ['is about an event that the webhook is no longer told of'] })
  wakeSenders(tx)
  return 1
}

async function replayFailed(tx: Ctx, webhook: WebhookRow, since: Date): Promise<number> {
  const isReadable = tx.scopes === undefined ? sql`true` : sql`d.needs <@ ${[...tx.scopes]}::text[]`
  const rows = await again(
    tx,
    webhook,
    sql`d.ctid = ANY (ARRAY(SELECT d.ctid FROM webhook_delivery d
        WHERE d.account_id = ${tx.sql.account} AND d.webhook_id = ${webhook.id} AND d.state = 'FAILED'
          AND d.created_at >= ${since}::timestamptz AND ${isReadable}
        ORDER BY d.created_at, d.id LIMIT ${mostReplayed} FOR UPDATE SKIP LOCKED))`,
  )
  return rows.length
}

/** Sends deliveries `d` of a webhook again. What was made for an earlier address is made anew, if it is still told of it. */
async function again(tx: Ctx, webhook: WebhookRow, which: Sql): Promise<readonly unknown[]> {
  const { id, generation } = webhook
  const told = ['webhook.test', ...typesToldTo(webhook)]
  return tx.sql`
    UPDATE webhook_delivery d SET state = 'PENDING', step = 0, due_at = ${tx.clock.now()}::timestamptz,
      body = CASE WHEN d.generation = ${generation} THEN d.body END, generation = ${generation}
    WHERE d.account_id = ${tx.sql.account} AND d.webhook_id = ${id} AND ${which}
      AND (d.generation = ${generation} OR d.type = ANY(${told}::text[]))
    RETURNING d.id`
}

async function deliverMissed(tx: Ctx, webhookId: number, since: Date, most: number): Promise<number> {
  const now = tx.clock.now()
  const rows = await tx.sql`
    INSERT INTO webhook_delivery
      (account_id, webhook_id, event_id, position, message_id, type, data, occurred_at, due_at, created_at, generation)
    SELECT e.account_id, w.id, e.id, e.position, ${messageIdOfEvent}, e.type, e.data, e.created_at, ${now}::timestamptz,
      ${now}::timestamptz, w.generation
    FROM outbox_event e JOIN ${types} ON t.type = e.type
    JOIN webhook w ON w.account_id = e.account_id AND w.id = ${webhookId} AND ${isWanted}
    WHERE e.account_id = ${tx.sql.account} AND e.created_at >= ${since}::timestamptz
      AND e.position <= (SELECT position FROM log_reader WHERE name = 'webhooks')
      AND NOT EXISTS (SELECT FROM webhook_delivery d
        WHERE d.account_id = e.account_id AND d.webhook_id = w.id AND d.event_id = e.id)
    ORDER BY e.position LIMIT ${most}
    ON CONFLICT (account_id, webhook_id, event_id) DO NOTHING RETURNING id`
  return rows.length
}

function wakeSenders(tx: Ctx): void {
  tx.afterCommit?.(() => tx.notify?.(deliveriesChannel))
}
