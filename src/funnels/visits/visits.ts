import { z } from 'zod'
import {
  type Attribution,
  type ContactRef,
  contactList,
  GivenAttribution,
  recordActivity,
} from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { insertFigures } from '../../db/figures/figures.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { announcedChannel, emission } from '../../events/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { check, text } from '../../kernel/values/check.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { insertUncounted } from './visitor-parts.ts'

const NewVisit = z.object({
  visitorId: text(64).min(1, 'must not be empty'),
  isBot: z.boolean(),
  attribution: GivenAttribution,
})

interface VisitInput {
  stepId: string | number
  visitorId: string
  contact?: ContactRef | null | undefined
  attribution?: readonly { key: string; value: string }[] | null | undefined
  isBot?: boolean | null | undefined
  at?: Date | null | undefined
}

/**
 * Records a visit. Visits of bots are stored but not counted. Emits no event: the client knows of the visit.
 *
 * **Throws** NOT_FOUND for an unknown step or contact, and VALIDATION_ERROR.
 */
export async function record(ctx: Ctx, input: VisitInput): Promise<{ counted: boolean }> {
  const now = ctx.clock.now()
  const { visitorId, attribution, isBot } = check(NewVisit, {
    visitorId: input.visitorId,
    isBot: input.isBot ?? false,
    attribution: input.attribution ?? [],
  })
  const at = input.at ?? now
  if (at > now) throw invalid({ at: ['must not be in the future'] })
  return inTransaction(ctx, async (tx) => {
    // Locked, so that a deletion of the contact finds the visit.
    const contact = input.contact ? await contactList.lock(tx, input.contact) : null
    const inserted = await tx.sql`
      WITH inserted AS (
      INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, contact_id, is_bot, attribution)
      SELECT p.account_id, ${at}::timestamptz, p.funnel_id, p.id, ${visitorId}, ${contact?.id ?? null}::int, ${isBot},
        ${JSON.stringify(attribution)}::jsonb
      FROM funnel_step p WHERE p.account_id = ${tx.sql.account} AND p.id = ${idOf('FunnelStep', input.stepId, 'stepId')}
      RETURNING ${countedColumns}
      ), counted AS (${countVisits}), uncounted AS (${uncounted})
      SELECT FROM inserted`
    if (inserted.length === 0) throw refuseValue('stepId', 'NOT_FOUND', 'There is no such step.')
    if (!isBot) await recordActivity(tx, [contact?.id ?? null])
    return { counted: !isBot }
  })
}

/** A visit of a public page. */
interface PageVisit {
  readonly stepId: number
  readonly visitorId: string
  readonly contactId: number | null
  readonly isBot: boolean
  readonly touch: Attribution
  readonly at: Date
}

/**
 * Records visits of the public pages, in one statement. A visit without a touch of its own gets the last known touch of its
 * visitor. Visits of deleted steps are ignored. Visits of a deleted contact are recorded without a contact. **Emits**
 * `funnel.visited` for those of the funnels `announced`.
 */
export async function recordMany(
  ctx: Ctx,
  visits: readonly PageVisit[],
  announced: readonly number[] = [],
): Promise<void> {
  // Contacts are locked, so that a deletion finds the visits. All transactions lock contacts by ascending id.
  const contactIds = [...new Set(visits.flatMap(({ contactId }) => contactId ?? []))]
  await ctx.sql`
    WITH known AS (
      SELECT c.id FROM contact c WHERE c.account_id = ${ctx.sql.account} AND c.id = ANY(${contactIds}::int[])
      ORDER BY c.id FOR KEY SHARE
    ), inserted AS (
    INSERT INTO visit (account_id, created_at, funnel_id, step_id, visitor_id, contact_id, is_bot, attribution)
    SELECT p.account_id, s.at, p.funnel_id, p.id, s."visitorId", k.id, s."isBot",
      CASE WHEN s.touch <> '{}' THEN s.touch ELSE coalesce(v.last_touch, '{}') END
    FROM jsonb_to_recordset(${JSON.stringify(visits)}::jsonb)
      AS s("stepId" int, "visitorId" text, "contactId" int, "isBot" boolean, touch jsonb, at timestamptz)
    JOIN funnel_step p ON p.account_id = ${ctx.sql.account} AND p.id = s."stepId"
    LEFT JOIN visitor v ON v.account_id = p.account_id AND v.id = s."visitorId"
    LEFT JOIN known k ON k.id = s."contactId" RETURNING ${countedColumns}
    ), uncounted AS (${uncounted}
    ), announced AS (${emission(
      'funnel.visited',
      sql`SELECT account_id, jsonb_build_object('funnelId', funnel_id, 'visits', count(*)) AS data FROM inserted
        WHERE NOT is_bot AND funnel_id = ANY(${announced}::int[]) GROUP BY account_id, funnel_id`,
      ctx.clock.now(),
    )})
    ${countVisits}`
  if (announced.length > 0) ctx.notify(announcedChannel)
  await recordActivity(ctx, [...new Set(visits.flatMap((visit) => (visit.isBot ? [] : (visit.contactId ?? []))))])
}

const countedColumns = sql`account_id, funnel_id, step_id, visitor_id, created_at, is_bot`

const uncounted = insertUncounted(sql`SELECT * FROM inserted WHERE NOT is_bot`)

/** Adds the inserted visits to the figures. */
const countVisits = insertFigures(sql`
  SELECT account_id, 'VISITS', o.object, '', created_at, 1 FROM inserted
  CROSS JOIN LATERAL (VALUES (''), ('FunnelStep:' || step_id)) o(object) WHERE NOT is_bot`)
