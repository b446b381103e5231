import { type Ctx, one } from '../../db/context.ts'
import { columnLeaf } from '../../db/filters/conditions.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { flag, identity, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, search } from '../../db/lists/search.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { fullAccess, type KeyScope, may, mustBeAllowed, scopesOf } from '../../kernel/scopes.ts'
import { declarationOf, type EventType, eventTypes } from '../types/event-types.ts'
import { patternsOf } from './event-patterns.ts'
import { unsealSecret } from './signature.ts'

export const webhookTable = table('Webhook', 'w', { without: ['secret', 'previousSecret', 'previousSecretUntil'] })

/** A webhook without its secrets. */
export type WebhookRow = RowOf<typeof webhookTable>

/** The words of a webhook by which it is searched. */
const document = documentOf(sql`w.url`, sql`w.description`)

/** The filter of webhooks. */
export const webhookFilter = filterOn(webhookTable, {
  id: identity('Webhook'),
  url: text(sql`w.url`),
  description: text(sql`w.description`),
  active: flag(sql`w.active`),
  events: {
    kind: 'enum EventType',
    isPlain: true,
    leaves: (types: readonly EventType[], { anyOf }) => [
      anyOf(
        types.map((type) =>
          columnLeaf(receivesEvent(sql`${patternsOf(type)}::text[]`, sql`${declarationOf(type).needs}::text`)),
        ),
      ),
    ],
  },
  disabledReason: oneOf<NonNullable<WebhookRow['disabledReason']>>(
    'WebhookDisabledReason',
    sql`w.disabled_reason`,
    'webhook_disabled_reason',
  ),
  disabledAt: time(sql`w.disabled_at`),
  failingSince: time(sql`w.failing_since`),
  lastSuccessAt: time(sql`w.last_success_at`),
  createdAt: time(sql`w.created_at`),
  updatedAt: time(sql`w.updated_at`),
  search: search(document),
})

/** All webhooks of an account. */
export const webhooks = newList(webhookTable, {
  name: 'webhooks',
  orders: {
    CREATED_AT: 'createdAt',
    UPDATED_AT: 'updatedAt',
    URL: 'url',
    RELEVANCE: relevance(document),
  },
  filter: webhookFilter,
})

/** True if a webhook `w` receives an event type: one of its patterns matches, and its scopes include the required one. */
export function receivesEvent(patterns: Sql, scope: Sql): Sql {
  return sql`(w.events && ${patterns} AND (w.scopes && ARRAY[${fullAccess}, ${scope}]))`
}

/** The fields of a webhook that decide which data it receives. */
interface MessageSettings {
  readonly events: readonly string[]
  readonly document: string | null
  readonly scopes: readonly string[]
}

/** Returns the event types that a webhook receives, without `webhook.test`, which contains no data of the account. */
export function receivedTypes({ events, scopes: stored }: MessageSettings): EventType[] {
  const granted = scopesOf(stored)
  return eventTypes().filter(
    (type) =>
      type !== 'webhook.test' &&
      patternsOf(type).some((pattern) => events.includes(pattern)) &&
      may({ scopes: granted }, declarationOf(type).needs),
  )
}

/** Returns the scopes of all data in the messages of these event types to a webhook. */
export async function scopesOfMessages(
  ctx: Pick<Ctx, 'payloads'>,
  { document, scopes: stored }: Pick<MessageSettings, 'document' | 'scopes'>,
  types: readonly string[],
): Promise<KeyScope[]> {
  const required = new Set<KeyScope>()
  for (const type of types) {
    if (type === 'webhook.test') continue
    required.add(declarationOf(type as EventType).needs)
    for (const scope of await ctx.payloads.needs(type, document)) required.add(scope)
  }
  const granted = scopesOf(stored)
  return [...required].filter((scope) => may({ scopes: granted }, scope)).sort()
}

/** **Throws** FORBIDDEN if the key cannot read all messages of the webhook. */
export async function requireReadableMessages(ctx: Ctx, webhook: MessageSettings): Promise<void> {
  for (const scope of await scopesOfMessages(ctx, webhook, receivedTypes(webhook))) mustBeAllowed(ctx, scope)
}

/** Lists the webhooks of the account, newest first by default. */
export const list = pagesOf(webhooks)

/** Loads webhooks by ID; locks a webhook until the end of the transaction; returns NOT_FOUND, to be thrown. */
export const { byId, lock, notFound } = webhookTable

/** Loads the secrets of webhooks, for the response to their creation or rotation. */
export const secretOf = one<number, string>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; secret: string }>`
    SELECT w.id, w.secret FROM webhook w WHERE w.account_id = ${ctx.sql.account} AND w.id = ANY(${ids}::int[])`
  return new Map(rows.map(({ id, secret }) => [id, unsealSecret(ctx, secret)]))
})
