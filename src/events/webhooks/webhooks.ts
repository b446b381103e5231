import { z } from 'zod'
import { lockKind } from '../../db/account-lock.ts'
import type { Ctx } from '../../db/context.ts'
import { empty, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { storedScopes } from '../../kernel/scopes.ts'
import { check, text } from '../../kernel/values/check.ts'
import { emit } from '../log/outbox.ts'
import { mustBeReachable, readEndpoint } from '../outbound/endpoint-url.ts'
import type { EventType } from '../types/event-types.ts'
import { allEvents, readPatterns } from './event-patterns.ts'
import { failFormerDeliveries } from './former-urls.ts'
import { newSecret, rotationOverlapMs, sealSecret } from './signature.ts'
import { lock, requireReadableMessages, type WebhookRow, webhookTable } from './webhook-list.ts'

/** The limit per account, because each event is matched against all webhooks of the account. */
const maxWebhooks = 100

const Settings = z.object({
  url: text(8_000).optional(),
  eventPatterns: z.array(text(255)).max(1_000, 'must contain at most 1,000 names').optional(),
  description: text(1_000).optional(),
  document: text(100_000).optional(),
})

interface WebhookSettings {
  url?: string | null | undefined
  events?: readonly EventType[] | null | undefined
  /** Types, prefixes such as `contact.*`, or `*`. Not allowed together with `events`. */
  eventPatterns?: readonly string[] | null | undefined
  description?: string | null | undefined
  document?: string | null | undefined
}

/**
 * Creates a webhook. It receives the events that match its patterns and that the key can read. `eventPatterns` defaults to `*`.
 *
 * **Emits** `webhook.created`. **Throws** WEBHOOK_EXISTS, and VALIDATION_ERROR for a URL that is not allowed, an unknown event
 * type, an invalid document, or if the account already has 100 webhooks.
 */
export async function create(ctx: Ctx, input: WebhookSettings & { url: string }): Promise<{ webhook: WebhookRow }> {
  const { url, events, description, document } = await readSettings(ctx, input)
  return inTransaction(ctx, async (tx) => {
    await lockKind(tx, 'webhooks')
    const [count] = await tx.sql<{ n: number }>`
      SELECT count(*)::int AS n FROM webhook WHERE account_id = ${tx.sql.account}`
    if ((count?.n ?? 0) >= maxWebhooks)
      throw invalid({ url: [`cannot be added: the account already has ${maxWebhooks} webhooks`] }, 'LIMIT_REACHED')
    const [webhook] = await tx.sql<WebhookRow>`
      INSERT INTO webhook AS w
        (account_id, url, events, description, document, scopes, secret, created_at, updated_at)
      VALUES (${tx.sql.account}, ${url}, ${events ?? [allEvents]}::text[], ${description ?? ''}, ${document ?? null},
        ${storedScopes(tx.scopes)}::text[], ${sealSecret(tx, newSecret())}, ${tx.clock.now()}::timestamptz, ${tx.clock.now()}::timestamptz)
      ON CONFLICT (account_id, url) DO NOTHING RETURNING ${webhookTable.columns}`
    if (!webhook) throw webhookExists()
    await emit(tx, 'webhook.created', { webhookId: webhook.id })
    return { webhook }
  })
}

interface WebhookUpdate extends WebhookSettings {
  id: string | number
  active?: boolean | null | undefined
  rotateSecret?: boolean | null | undefined
}

/**
 * Updates the fields of a webhook that are set; an empty document removes the document. Pending deliveries are suspended while
 * the webhook is inactive. Activating it clears `disabledAt` and `disabledReason`. After an update of the URL, the events or
 * the document, the webhook has the scopes of the key.
 *
 * With `rotateSecret`, messages are signed with the old and the new secret for 24 hours. A new URL ends pending deliveries:
 * none is sent from then on, and a job fails those of them that are many.
 *
 * **Emits** `webhook.updated`. **Throws** NOT_FOUND, WEBHOOK_EXISTS, VALIDATION_ERROR, and FORBIDDEN for a new URL or secret if
 * the key cannot read all messages of the webhook.
 */
export async function update(ctx: Ctx, input: WebhookUpdate): Promise<{ webhook: WebhookRow; isRotated: boolean }> {
  const { id, active, rotateSecret, ...rest } = input
  const { url, events, description, document } = await readSettings(ctx, rest)
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id)
    const hasNewUrl = url !== undefined && url !== before.url
    if (hasNewUrl || rotateSecret) await requireReadableMessages(tx, before)
    if (hasNewUrl) await requireUnusedUrl(tx, url)
    const now = tx.clock.now()
    const takesScopes = url !== undefined || events !== undefined || document !== undefined
    const until = new Date(now.getTime() + rotationOverlapMs)
    const [webhook] = await tx.sql<WebhookRow>`
      UPDATE webhook AS w SET updated_at = ${now}::timestamptz
        ${hasNewUrl ? sql`, url = ${url}, generation = w.generation + 1` : empty}
        ${events === undefined ? empty : sql`, events = ${events}::text[]`}
        ${description === undefined ? empty : sql`, description = ${description}`}
        ${document === undefined ? empty : sql`, document = ${document === '' ? null : document}`}
        ${takesScopes ? sql`, scopes = ${storedScopes(tx.scopes)}::text[]` : empty}
        ${active == null ? empty : sql`, active = ${active}`}
        ${active && !before.active ? sql`, disabled_at = NULL, disabled_reason = NULL, failing_since = NULL` : empty}
        ${rotateSecret ? sql`, previous_secret = secret, previous_secret_until = ${until}::timestamptz, secret = ${sealSecret(tx, newSecret())}` : empty}
      WHERE w.account_id = ${tx.sql.account} AND w.id = ${before.id} RETURNING ${webhookTable.columns}`
    if (hasNewUrl) await failFormerDeliveries(tx, before.id)
    await emit(tx, 'webhook.updated', { webhookId: before.id })
    tx.afterCommit?.(() => tx.notify(deliveriesChannel))
    return { webhook: webhook as WebhookRow, isRotated: rotateSecret === true }
  })
}

/**
 * Deletes a webhook. Its pending deliveries are not sent; a job deletes them later. **Emits** `webhook.deleted`. **Throws**
 * NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    await tx.sql`DELETE FROM webhook WHERE account_id = ${tx.sql.account} AND id = ${id}`
    await emit(tx, 'webhook.deleted', { webhookId: id })
    return { databaseId: id }
  })
}

/** The NOTIFY channel for new deliveries. */
export const deliveriesChannel = 'campanile_deliveries'

async function readSettings(ctx: Ctx, input: WebhookSettings) {
  if (input.events != null && input.eventPatterns != null)
    throw invalid({ eventPatterns: ['cannot be combined with events'] }, 'NOT_COMBINABLE')
  const { url, eventPatterns, description, document } = check(Settings, {
    url: input.url ?? undefined,
    eventPatterns: input.eventPatterns ?? undefined,
    description: input.description ?? undefined,
    document: input.document ?? undefined,
  })
  const endpoint = url === undefined ? undefined : readEndpoint(url)
  const patterns = readPatterns({ events: input.events ?? undefined, eventPatterns })
  if (document) await requireValidDocument(ctx, document)
  if (endpoint) await mustBeReachable(endpoint, ctx.outbound)
  return { url: endpoint?.href, events: patterns, description, document }
}

/** Validates the document of a webhook. **Throws** VALIDATION_ERROR with the faults. */
export async function requireValidDocument(ctx: Ctx, document: string): Promise<void> {
  const faults = await ctx.payloads.faults(ctx, document)
  if (faults.length > 0) throw invalid({ document: faults })
}

async function requireUnusedUrl(tx: Ctx, url: string): Promise<void> {
  await lockKind(tx, 'webhooks')
  const [other] = await tx.sql`SELECT id FROM webhook WHERE account_id = ${tx.sql.account} AND url = ${url}`
  if (other) throw webhookExists()
}

function webhookExists() {
  return refuseValue('url', 'WEBHOOK_EXISTS')
}
