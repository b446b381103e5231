import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { idOf, readGlobalId } from '../../kernel/ids.ts'
import type { EventRecord } from '../../kernel/payloads.ts'
import { mustBeAllowed, storedScopes } from '../../kernel/scopes.ts'
import { samples } from '../log/samples.ts'
import { type EventType, eventTypes } from '../log/types.ts'
import { bodyOf } from './webhook-body.ts'
import { byId, notFound } from './webhook-list.ts'
import { mustBeDocument } from './webhooks.ts'

/** What would be told, to whom, of what. */
export interface DryRun {
  webhookId?: string | null | undefined
  document?: string | null | undefined
  type: EventType
  subjectId?: string | null | undefined
}

/**
 * Shows what a message would say, and sends nothing: to a webhook, or under a document before a webhook has it. The event
 * is the last of its type that the log remembers, about the subject where one is given; where there is none, one that could
 * be.
 *
 * Fails with FORBIDDEN where the key may not read what the event is about, with NOT_FOUND for a webhook that is not there,
 * and with VALIDATION_ERROR for a document that could not stand.
 */
export async function dryRun(ctx: Ctx, { webhookId, document, type, subjectId }: DryRun): Promise<{ body: string }> {
  mustBeAllowed(ctx, eventTypes[type].needs)
  if (webhookId != null && document != null) throw invalid({ document: ['cannot go with webhookId'] })
  if (document) await mustBeDocument(ctx, document)
  const webhook = webhookId == null ? null : await ctx.load(byId, idOf('Webhook', webhookId, 'webhookId'))
  if (webhookId != null && !webhook) throw notFound()
  const event = await exampleOf(ctx, type, subjectId == null ? undefined : subjectOf(subjectId))
  const as = { document: webhook ? webhook.document : document || null, scopes: storedScopes(ctx.scopes) }
  return { body: await bodyOf(ctx, 'msg_dry_run', event, as) }
}

/** The last by id: what was just announced may not have its position yet. */
async function exampleOf(ctx: Ctx, type: EventType, subject: number | undefined): Promise<EventRecord> {
  const sample: Readonly<Record<string, unknown>> = samples[type]
  const [field = ''] = Object.keys(sample)
  const [found] = await ctx.sql<EventRecord>`
    SELECT e.account_id AS "accountId", coalesce(e.position, 0) AS position, e.type, e.data, e.created_at AS "createdAt"
    FROM outbox_event e WHERE e.account_id = ${ctx.sql.account} AND e.type = ${type}
      AND (${subject ?? null}::int IS NULL OR e.data->>${field} = ${subject ?? null}::int::text)
    ORDER BY e.id DESC LIMIT 1`
  if (found) return found
  const data = subject === undefined || typeof sample[field] !== 'number' ? sample : { ...sample, [field]: subject }
  return { accountId: ctx.accountId, position: 0n, type, data, createdAt: ctx.clock.now() }
}

/** The integer of a subject, given as that or as a global id of whatever type. */
function subjectOf(given: string): number {
  const read = readGlobalId(given)
  return read?.id ?? idOf('node', given, 'subjectId')
}
