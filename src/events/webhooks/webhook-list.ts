import { z } from 'zod'
import type { Webhook } from '../../../prisma/generated/client/client.ts'
import type { Ctx } from '../../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../../db/list.ts'
import { one } from '../../db/load.ts'
import { containing, type Sql, sql } from '../../db/sql.ts'
import { check, sent, text } from '../../kernel/check.ts'
import { refuse } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/ids.ts'
import { fullAccess, mustBeAllowed, type Scope, scopes, scopesOf } from '../../kernel/scopes.ts'
import { type EventType, eventTypes } from '../log/types.ts'
import { patternsOf } from './webhook-events.ts'
import { unsealSecret } from './webhook-signature.ts'

/** A webhook as it may be shown: its secrets are read only where they are needed. */
export type WebhookRow = Omit<Webhook, 'secret' | 'previousSecret' | 'previousSecretUntil'>

/** Which webhooks a list is about; conditions are joined by AND. */
export interface WebhookFilter {
  active?: boolean | null | undefined
  event?: EventType | null | undefined
  search?: string | null | undefined
}
export type WebhookListArgs = ListArgs<WebhookFilter, 'CREATED_AT'>

export const webhookColumns = sql`w.account_id AS "accountId", w.id, w.url, w.events, w.description, w.document, w.scopes,
  w.generation, w.active, w.disabled_at AS "disabledAt", w.disabled_reason::text AS "disabledReason",
  w.failing_since AS "failingSince", w.last_success_at AS "lastSuccessAt", w.created_at AS "createdAt",
  w.updated_at AS "updatedAt"`

/** All webhooks of an account. */
export const webhooks: List<WebhookRow, WebhookFilter, 'CREATED_AT'> = {
  name: 'webhooks',
  columns: webhookColumns,
  from: (ctx) => sql`FROM webhook w WHERE w.account_id = ${ctx.sql.account}`,
  id: sql`w.id`,
  orders: { CREATED_AT: { by: sql`w.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: (filter) => {
    const given = check(Filter, sent(filter))
    return [
      ...(given.active === undefined ? [] : [sql`w.active = ${given.active}`]),
      ...(given.event === undefined
        ? []
        : [isToldOf(sql`${patternsOf(given.event)}::text[]`, sql`${eventTypes[given.event].needs}::text`)]),
      ...(given.search === undefined ? [] : [sql`lower(w.url) LIKE lower(${containing(given.search)})`]),
    ]
  },
}

const Filter = z
  .object({ active: z.boolean(), event: z.enum(Object.keys(eventTypes) as EventType[]), search: text(2_000) })
  .partial()

/** Whether a webhook `w` is told of a type of events: it has asked for one of its patterns, and its key could read it. */
export function isToldOf(patterns: Sql, needs: Sql): Sql {
  return sql`w.events && ${patterns} AND (w.scopes && ARRAY[${fullAccess}, ${needs}])`
}

/** What an event must be to be told to such a webhook, and how it is told. */
interface Listening {
  readonly events: readonly string[]
  readonly document: string | null
  readonly scopes: readonly string[]
}

/** The types of the events that a webhook is told of. A test holds no data of the account. */
export function typesToldTo({ events, scopes: stored }: Listening): EventType[] {
  const known = scopesOf(stored)
  return (Object.keys(eventTypes) as EventType[]).filter(
    (type) =>
      type !== 'webhook.test' &&
      patternsOf(type).some((pattern) => events.includes(pattern)) &&
      (known === undefined || known.includes(eventTypes[type].needs)),
  )
}

/** The scopes of all that messages about such events show to a webhook. */
export async function needsOfBodies(
  ctx: Pick<Ctx, 'payloads'>,
  { document, scopes: stored }: Pick<Listening, 'document' | 'scopes'>,
  types: readonly string[],
): Promise<Scope[]> {
  const needs = new Set<Scope>()
  for (const type of types) {
    if (type === 'webhook.test') continue
    needs.add(eventTypes[type as EventType].needs)
    // Where there is no graph to ask, a message may show anything.
    for (const need of (await ctx.payloads?.needs(type, document)) ?? readScopes) needs.add(need)
  }
  const known = scopesOf(stored)
  return [...needs].filter((need) => known === undefined || known.includes(need)).sort()
}

const readScopes = scopes.filter((scope) => scope.endsWith(':read'))

/** Throws FORBIDDEN unless the key may read all that a webhook is told. */
export async function mustReadMessages(ctx: Ctx, webhook: Listening): Promise<void> {
  for (const need of await needsOfBodies(ctx, webhook, typesToldTo(webhook))) mustBeAllowed(ctx, need)
}

/** The account's webhooks, the newest first unless ordered otherwise. */
export async function list(ctx: Ctx, args: WebhookListArgs): Promise<Page<WebhookRow>> {
  return pageOf(ctx, webhooks, args)
}

/** Reads webhooks by id. */
export const byId = one<number, WebhookRow>(async (ctx, ids) => {
  const rows = await ctx.sql<WebhookRow>`
    SELECT ${webhookColumns} FROM webhook w WHERE w.account_id = ${ctx.sql.account} AND w.id = ANY(${ids}::int[])`
  return new Map(rows.map((row) => [row.id, row]))
})

/** Reads what webhooks sign with, for those who have just made or changed it. */
export const secretOf = one<number, string>(async (ctx, ids) => {
  const rows = await ctx.sql<{ id: number; secret: string }>`
    SELECT w.id, w.secret FROM webhook w WHERE w.account_id = ${ctx.sql.account} AND w.id = ANY(${ids}::int[])`
  return new Map(rows.map(({ id, secret }) => [id, unsealSecret(ctx, secret)]))
})

/** The webhook of this id, locked until the transaction ends. Fails with NOT_FOUND. */
export async function lock(tx: Ctx, id: string | number, field = 'id'): Promise<WebhookRow> {
  const [row] = await tx.sql<WebhookRow>`
    SELECT ${webhookColumns} FROM webhook w
    WHERE w.account_id = ${tx.sql.account} AND w.id = ${idOf('Webhook', id, field)} FOR UPDATE`
  if (!row) throw notFound()
  return row
}

/** NOT_FOUND, to be thrown. */
export function notFound(hint = 'There is no such webhook.') {
  return refuse('NOT_FOUND', hint)
}
