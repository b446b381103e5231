import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { EventRecord } from '../../kernel/payloads.ts'
import { mustBeAllowed, storedScopes } from '../../kernel/scopes.ts'
import { idOf, readGlobalId, smallId } from '../../kernel/values/ids.ts'
import { declarationOf, type EventType } from '../types/event-types.ts'
import { bodyOf, buildMessage } from './message-body.ts'
import { byId, notFound } from './webhook-list.ts'
import { requireValidDocument } from './webhooks.ts'

interface DryRunInput {
  webhookId?: string | null | undefined
  document?: string | null | undefined
  type: EventType
  subjectId?: string | null | undefined
}

/**
 * Returns the body of a message without sending it, for a webhook or for a document that no webhook has yet. Uses the last
 * stored event of the type (about the subject, if given), or sample data if there is none.
 *
 * **Throws** FORBIDDEN if the key cannot read the event type, NOT_FOUND for an unknown webhook, and VALIDATION_ERROR for an
 * invalid document.
 */
export async function dryRun(
  ctx: Ctx,
  { webhookId, document, type, subjectId }: DryRunInput,
): Promise<{ body: string }> {
  mustBeAllowed(ctx, declarationOf(type).needs)
  if (webhookId != null && document != null)
    throw invalid({ document: ['cannot be combined with webhookId'] }, 'NOT_COMBINABLE')
  if (document) await requireValidDocument(ctx, document)
  const webhook = webhookId == null ? null : await ctx.load(byId, idOf('Webhook', webhookId, 'webhookId'))
  if (webhookId != null && !webhook) throw notFound('webhookId')
  const event = await findExample(ctx, type, subjectId == null ? undefined : readSubjectId(subjectId))
  const options = { document: webhook ? webhook.document : document || null, scopes: storedScopes(ctx.scopes) }
  return { body: bodyOf(await buildMessage(ctx, 'msg_dry_run', event, options)) }
}

/** Orders by ID, because a new event may not have its position yet. */
async function findExample(ctx: Ctx, type: EventType, subject: number | undefined): Promise<EventRecord> {
  const sample: Readonly<Record<string, unknown>> = { ...declarationOf(type).sample }
  const [field = ''] = Object.keys(sample)
  const [stored] = await ctx.sql<EventRecord>`
    SELECT e.account_id AS "accountId", coalesce(e.position, 0) AS position, e.type, e.data, e.created_at AS "createdAt"
    FROM outbox_event e WHERE e.account_id = ${ctx.sql.account} AND e.type = ${type}
      AND (${subject ?? null}::int IS NULL OR e.data->>${field} = ${subject ?? null}::int::text)
    ORDER BY e.id DESC LIMIT 1`
  if (stored) return stored
  const data = subject === undefined || typeof sample[field] !== 'number' ? sample : { ...sample, [field]: subject }
  return { accountId: ctx.accountId, position: 0n, type, data, createdAt: ctx.clock.now() }
}

/** Accepts an integer or a global ID of any type. */
function readSubjectId(input: string): number {
  const read = readGlobalId(input)
  return read ? smallId(read.id) : idOf('node', input, 'subjectId')
}
