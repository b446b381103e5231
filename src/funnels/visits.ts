import { z } from 'zod'
import { type ContactRef, contactList, recordActivity } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { insertFigures } from '../db/figures.ts'
import { enqueue } from '../db/jobs.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { type Attribution, GivenAttribution } from '../kernel/attribution.ts'
import { check, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
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
 * Records a visit. Visits of bots are stored but not counted. Emits no event, because visits are frequent.
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
    if (inserted.length === 0) throw refuse('NOT_FOUND', 'There is no such step.')
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
 * visitor. Visits of deleted steps are ignored. Visits of a deleted contact are recorded without a contact.
 */
export async function recordMany(ctx: Ctx, visits: readonly PageVisit[]): Promise<void> {
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
    ), uncounted AS (${uncounted})
    ${countVisits}`
  await recordActivity(ctx, [...new Set(visits.flatMap((visit) => (visit.isBot ? [] : (visit.contactId ?? []))))])
}

const countedColumns = sql`account_id, funnel_id, step_id, visitor_id, created_at, is_bot`

const uncounted = insertUncounted(sql`SELECT * FROM inserted WHERE NOT is_bot`)

/** Adds the inserted visits to the figures. */
const countVisits = insertFigures(sql`
  SELECT account_id, 'VISITS', o.object, '', created_at, 1 FROM inserted
  CROSS JOIN LATERAL (VALUES (''), ('FunnelStep:' || step_id)) o(object) WHERE NOT is_bot`)

export const cleanUpJob = 'funnels:clean_up_visits'

/** Visits to delete: those of a funnel, or of one of its steps. */
interface VisitScope {
  funnelId: number
  stepId?: number
}
export type CleanUpPayload = VisitScope & { accountId: number }

/** Number of visits to delete per transaction. */
export const batch = 10_000

/** Enqueues the job that deletes the visits of a funnel or a step. It runs after this transaction has committed. */
export async function enqueueVisitCleanUp(tx: Ctx, scope: VisitScope): Promise<void> {
  const job: CleanUpPayload = { accountId: tx.accountId, ...scope }
  await enqueue(tx, cleanUpJob, job)
}

/**
 * Deletes one batch of the visits of a deleted funnel or step, and then of the visitors of the funnel, and enqueues the next batch in the
 * same transaction. Idempotent.
 */
export async function cleanUp(ctx: Ctx, { funnelId, stepId }: VisitScope): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const isInScope = sql`v.account_id = ${tx.sql.account} AND v.funnel_id = ${funnelId}::int
      ${stepId === undefined ? sql`` : sql`AND v.step_id = ${stepId}::int`}`
    // Deletes by ctid, because a join by id may compare 10,000 rows with 10,000 rows. A ctid is unique only within a
    // partition, so the conditions are repeated.
    const deleted = await tx.sql<{ n: number }>`
      WITH removed AS (
        DELETE FROM visit v WHERE ${isInScope} AND v.ctid = ANY(ARRAY(SELECT v.ctid FROM visit v WHERE ${isInScope} LIMIT ${batch}::int))
        RETURNING 1
      ) SELECT count(*)::int AS n FROM removed`
    const isLast = (deleted[0]?.n ?? 0) < batch
    if (isLast && (stepId !== undefined || (await removeVisitors(tx, funnelId)))) return
    await enqueueVisitCleanUp(tx, stepId === undefined ? { funnelId } : { funnelId, stepId })
  })
}

/** Deletes a batch of the visitors of a funnel that was deleted. Returns true if none are left. */
async function removeVisitors(tx: Ctx, funnelId: number): Promise<boolean> {
  const removed = await tx.sql<{ n: number }>`
    WITH removed AS (
      DELETE FROM step_visitor WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM step_visitor WHERE account_id = ${tx.sql.account} AND funnel_id = ${funnelId}::int LIMIT ${batch}::int))
      RETURNING 1
    ) SELECT count(*)::int AS n FROM removed`
  return (removed[0]?.n ?? 0) < batch
}
