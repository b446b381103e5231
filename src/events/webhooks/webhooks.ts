import { z } from 'zod'
import type { Ctx } from '../../db/context.ts'
import { empty, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { check, text } from '../../kernel/check.ts'
import { invalid, refuse } from '../../kernel/errors.ts'
import { storedScopes } from '../../kernel/scopes.ts'
import { mustBeReachable, readEndpoint } from './endpoint-url.ts'
import { everything, readPatterns } from './webhook-events.ts'
import { lock, mustReadMessages, type WebhookRow, webhookColumns } from './webhook-list.ts'
import { newSecret, overlapMilliseconds, sealSecret } from './webhook-signature.ts'

/** How many webhooks an account can have: each event is laid before all of them. */
const mostWebhooks = 100

const Settings = z.object({
  url: text(8_000).optional(),
  events: z.array(text(255)).max(1_000, 'must have 1,000 names at most').optional(),
  description: text(1_000).optional(),
  document: text(100_000).optional(),
})

/** What a webhook is told, and where. */
export interface WebhookSettings {
  url?: string | null | undefined
  events?: readonly string[] | null | undefined
  description?: string | null | undefined
  document?: string | null | undefined
}

/**
 * Makes a webhook: from now on the address is told of the events it names, all of them unless it says otherwise. Its secret
 * is shown to whoever made it. It is told no more than the key may read that made it.
 *
 * Fails with WEBHOOK_EXISTS, with VALIDATION_ERROR for an address that may not be called, an unknown event, or a document
 * that is no subscription, and with VALIDATION_ERROR where the account has 100 already.
 */
export async function create(ctx: Ctx, input: WebhookSettings & { url: string }): Promise<{ webhook: WebhookRow }> {
  const { url, events, description, document } = await read(ctx, input)
  return inTransaction(ctx, async (tx) => {
    // One at a time in an account, or two together would pass the limit.
    await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('webhooks', ${tx.sql.account}::int))::text`
    const [count] = await tx.sql<{ n: number }>`
      SELECT count(*)::int AS n FROM webhook WHERE account_id = ${tx.sql.account}`
    if ((count?.n ?? 0) >= mostWebhooks)
      throw invalid({ url: [`cannot be added: ${mostWebhooks} webhooks are the most`] })
    const [webhook] = await tx.sql<WebhookRow>`
      INSERT INTO webhook AS w
        (account_id, url, events, description, document, scopes, secret, created_at, updated_at)
      VALUES (${tx.sql.account}, ${url}, ${events ?? [everything]}::text[], ${description ?? ''}, ${document ?? null},
        ${storedScopes(tx.scopes)}::text[], ${sealSecret(tx, newSecret())}, ${tx.clock.now()}::timestamptz, ${tx.clock.now()}::timestamptz)
      ON CONFLICT (account_id, url) DO NOTHING RETURNING ${webhookColumns}`
    if (!webhook) throw exists()
    return { webhook }
  })
}

export interface WebhookChange extends WebhookSettings {
  id: string | number
  active?: boolean | null | undefined
  rotateSecret?: boolean | null | undefined
}

/**
 * Changes a webhook: only what is sent; an empty document takes its own away. Switched off, what is pending waits; switched
 * on again, it is sent, and why the webhook was disabled is forgotten. Who changes what it is told, or where, makes it
 * theirs: it is told no more than that key may read.
 *
 * With `rotateSecret` it gets a new secret, and both sign for a day. What is pending for an address is given up when the
 * address changes. Fails with NOT_FOUND, WEBHOOK_EXISTS and VALIDATION_ERROR, and with FORBIDDEN for another address or
 * secret where the key may not read all that the webhook was told.
 */
export async function update(ctx: Ctx, input: WebhookChange): Promise<{ webhook: WebhookRow; isRotated: boolean }> {
  const { id, active, rotateSecret, ...rest } = input
  const { url, events, description, document } = await read(ctx, rest)
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id)
    const isMoved = url !== undefined && url !== before.url
    if (isMoved || rotateSecret) await mustReadMessages(tx, before)
    if (isMoved) await mustBeFree(tx, url)
    const now = tx.clock.now()
    const isTaken = url !== undefined || events !== undefined || document !== undefined
    const until = new Date(now.getTime() + overlapMilliseconds)
    const [webhook] = await tx.sql<WebhookRow>`
      UPDATE webhook AS w SET updated_at = ${now}::timestamptz
        ${isMoved ? sql`, url = ${url}, generation = w.generation + 1` : empty}
        ${events === undefined ? empty : sql`, events = ${events}::text[]`}
        ${description === undefined ? empty : sql`, description = ${description}`}
        ${document === undefined ? empty : sql`, document = ${document === '' ? null : document}`}
        ${isTaken ? sql`, scopes = ${storedScopes(tx.scopes)}::text[]` : empty}
        ${active == null ? empty : sql`, active = ${active}`}
        ${active && !before.active ? sql`, disabled_at = NULL, disabled_reason = NULL, failing_since = NULL` : empty}
        ${rotateSecret ? sql`, previous_secret = secret, previous_secret_until = ${until}::timestamptz, secret = ${sealSecret(tx, newSecret())}` : empty}
      WHERE w.account_id = ${tx.sql.account} AND w.id = ${before.id} RETURNING ${webhookColumns}`
    if (isMoved) await giveUpPending(tx, before.id)
    tx.afterCommit?.(() => tx.notify?.(deliveriesChannel))
    return { webhook: webhook as WebhookRow, isRotated: rotateSecret === true }
  })
}

/** Ends what was to be sent to an address that a webhook no longer has. A replay sends it to the new one. */
async function giveUpPending(tx: Ctx, webhookId: number): Promise<void> {
  await tx.sql`
    UPDATE webhook_delivery SET state = 'FAILED', error = 'The webhook was given another address.'
    WHERE account_id = ${tx.sql.account} AND webhook_id = ${webhookId} AND state = 'PENDING'`
}

/** Gives a webhook a new secret; for a day the old one signs beside it. Fails as `update` does. */
export async function rotateSecret(ctx: Ctx, { id }: { id: string | number }): Promise<{ webhook: WebhookRow }> {
  return update(ctx, { id, rotateSecret: true })
}

/** Deletes a webhook: nothing is sent to it any more, and what was sent is forgotten in time. Fails with NOT_FOUND. */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    await tx.sql`DELETE FROM webhook WHERE account_id = ${tx.sql.account} AND id = ${id}`
    return { databaseId: id }
  })
}

/** The channel on which processes tell each other that there is something to deliver. */
export const deliveriesChannel = 'campanile_deliveries'

async function read(ctx: Ctx, input: WebhookSettings) {
  const { url, events, description, document } = check(Settings, {
    url: input.url ?? undefined,
    events: input.events ?? undefined,
    description: input.description ?? undefined,
    document: input.document ?? undefined,
  })
  const endpoint = url === undefined ? undefined : readEndpoint(url)
  const patterns = events === undefined ? undefined : readPatterns(events)
  if (document) await mustBeDocument(ctx, document)
  if (endpoint) await mustBeReachable(endpoint, ctx.outbound)
  return { url: endpoint?.href, events: patterns, description, document }
}

/** Makes sure that a document can stand for a webhook's payload. Fails with VALIDATION_ERROR and what is wrong with it. */
export async function mustBeDocument(ctx: Ctx, document: string): Promise<void> {
  const faults = await ctx.payloads?.faults(ctx, document)
  if (faults && faults.length > 0) throw invalid({ document: faults })
}

async function mustBeFree(tx: Ctx, url: string): Promise<void> {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended('webhooks', ${tx.sql.account}::int))::text`
  const [other] = await tx.sql`SELECT id FROM webhook WHERE account_id = ${tx.sql.account} AND url = ${url}`
  if (other) throw exists()
}

function exists() {
  return refuse('WEBHOOK_EXISTS')
}
