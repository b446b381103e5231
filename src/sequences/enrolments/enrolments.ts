import type { Contact, Enrolment, EnrolmentEndReason, Sequence } from '../../../prisma/generated/client/client.ts'
import { type ContactRef, contactList } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emitAll } from '../../events/index.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { inOrder } from '../../kernel/in-order.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { queue } from '../../mail/index.ts'
import { lockShared, sequenceTable } from '../definition/sequences.ts'
import { countedColumns, countingParts, partOf } from '../planning/enrolment-parts.ts'
import { enrolmentTable, eventDataOf } from '../planning/progress.ts'
import { insertPlanned, type LockedSequence, lockToEnrol } from './new-enrolments.ts'

/** Maximum number of sequences that a contact can be enrolled in at a time. Lists of them are not paged. */
export const maxSequences = 1_000

/** The range of an anchor date, so that no delay leads to a date that cannot be stored. */
const anchorYears = { first: 1970, last: 9998 }

export interface SubscriptionInput {
  contact: ContactRef
  sequenceId: string | number
}

/**
 * Enrols a contact in a sequence. Idempotent: a contact that is enrolled keeps its progress, and no event is emitted. A
 * contact that completed or left the sequence starts again.
 *
 * Emits `sequence.subscribed`, and `sequence.completed` if all stages of an inverted sequence are in the past. Throws
 * NOT_FOUND, SEQUENCE_HAS_NO_STAGES, INVALID_STATE if the sequence is archived, and VALIDATION_ERROR if the contact would be in
 * more than `maxSequences` sequences.
 */
export async function subscribe(
  ctx: Ctx,
  input: SubscriptionInput & { anchorDate?: Date | null | undefined },
): Promise<{ contact: Contact; sequence: Sequence; enrolment: Enrolment }> {
  const anchorDate = input.anchorDate ?? null
  const year = anchorDate?.getUTCFullYear() ?? anchorYears.first
  if (!(year >= anchorYears.first && year <= anchorYears.last)) {
    throw invalid({ anchorDate: [`must be in the years ${anchorYears.first} to ${anchorYears.last}`] })
  }
  return inTransaction(ctx, async (tx) => {
    const [contact, locked] = await inOrder([
      contactList.lock(tx, input.contact),
      lockOne(tx, input.sequenceId, 'sequenceId'),
    ])
    mayEnrol([locked], 'sequenceId')
    const { sequence } = locked
    const [started] = await start(tx, [locked], contact.id, 'sequenceId', anchorDate)
    const enrolment = started ?? (await findActive(tx, contact.id, sequence.id))
    return { contact, sequence, enrolment }
  })
}

/** Ends the enrolment of a contact in a sequence. Idempotent. Emits `sequence.unsubscribed`. Throws NOT_FOUND. */
export async function unsubscribe(
  ctx: Ctx,
  input: SubscriptionInput,
): Promise<{ contact: Contact; sequence: Sequence }> {
  return inTransaction(ctx, async (tx) => {
    const contact = await contactList.lock(tx, input.contact)
    const sequence = await lockShared(tx, input.sequenceId, 'sequenceId')
    await leaveAll(tx, [contact.id], [sequence.id])
    return { contact, sequence }
  })
}

/**
 * Enrols a contact, whose row the caller has locked, in sequences. Skips unknown ids, sequences without stages,
 * archived ones, and those that it is enrolled in. Emits `sequence.subscribed`. Throws VALIDATION_ERROR if the contact would be
 * in more than `maxSequences` sequences. `field` is the input field that the error names.
 */
export async function enrol(
  tx: Ctx,
  contactId: number,
  sequenceIds: readonly number[],
  field: string,
  anchorDate: Date | null = null,
): Promise<void> {
  if (sequenceIds.length === 0) return
  const sequences = (await lockToEnrol(tx, sequenceIds)).filter(isOpen)
  await start(tx, sequences, contactId, field, anchorDate)
}

/**
 * Does the same as `enrol` for many contacts, but skips contacts that would be in more than `maxSequences` sequences. Returns
 * the contacts that were enrolled and those that were skipped.
 */
export async function enrolAll(
  tx: Ctx,
  contactIds: readonly number[],
  sequenceIds: readonly number[],
): Promise<{ enrolled: ReadonlySet<number>; aboveLimit: ReadonlySet<number> }> {
  if (contactIds.length === 0 || sequenceIds.length === 0) return { enrolled: new Set(), aboveLimit: new Set() }
  const above = await tx.sql<{ id: number }>`
    SELECT e.contact_id AS id ${enrolmentTable.from(tx)} AND e.contact_id = ANY(${contactIds}::int[]) AND e.state = 'ACTIVE'
    GROUP BY e.contact_id
    HAVING count(*) FILTER (WHERE e.sequence_id <> ALL(${sequenceIds}::int[])) + ${sequenceIds.length}::int > ${maxSequences}::int`
  const aboveLimit = new Set(above.map(({ id }) => id))
  const accepted = contactIds.filter((id) => !aboveLimit.has(id))
  const sequences = (await lockToEnrol(tx, sequenceIds)).filter(isOpen)
  const started = await insertPlanned(tx, sequences, accepted, null, sql`NULL`)
  return { enrolled: new Set(started.map(({ contactId }) => contactId)), aboveLimit }
}

/**
 * Throws NOT_FOUND unless all of the sequences exist, and with `isEnrolling` INVALID_STATE if one is archived, and
 * SEQUENCE_HAS_NO_STAGES if one has no stages.
 */
export async function mustBeSequences(
  tx: Ctx,
  sequenceIds: readonly number[],
  { path, isEnrolling }: { path: string; isEnrolling: boolean },
): Promise<void> {
  const found = await lockToEnrol(tx, sequenceIds)
  if (found.length < new Set(sequenceIds).size) throw sequenceTable.notFound(path)
  if (isEnrolling) mayEnrol(found, path)
}

/** Enrols a contact in sequences that are open. Returns the created enrolments. */
async function start(
  tx: Ctx,
  sequences: readonly LockedSequence[],
  contactId: number,
  field: string,
  anchorDate: Date | null,
): Promise<readonly Enrolment[]> {
  // The statement does not count what it inserts.
  const started = await insertPlanned<number>(tx, sequences, [contactId], anchorDate, activeIn(tx, contactId))
  const added = started.filter(({ state }) => state === 'ACTIVE').length
  if (started.length > 0) mustBeWithinLimit((started[0]?.more ?? 0) + added, field)
  return started
}

/** Returns those of the sequences whose latest enrolment of the contact ended before it was completed. */
export async function leftAmong(ctx: Ctx, contactId: number, sequenceIds: readonly number[]): Promise<number[]> {
  const rows = await ctx.sql<{ sequenceId: number }>`
    SELECT last.sequence_id AS "sequenceId" FROM (
      SELECT DISTINCT ON (e.sequence_id) e.sequence_id, e.state FROM enrolment e
      WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = ${contactId} AND e.sequence_id = ANY(${sequenceIds}::int[])
      ORDER BY e.sequence_id, e.id DESC) last
    WHERE last.state = 'ENDED'`
  return rows.map(({ sequenceId }) => sequenceId)
}

/**
 * Ends the enrolments of contacts in sequences because they were removed, or in all sequences because they withdrew their
 * consent to e-mail marketing. Emits `sequence.unsubscribed` for each. Returns the ids of
 * the contacts that were enrolled.
 */
export async function leaveAll(
  tx: Ctx,
  contactIds: readonly number[],
  sequenceIds?: readonly number[],
): Promise<readonly number[]> {
  const reason: EnrolmentEndReason = sequenceIds === undefined ? 'UNSUBSCRIBED' : 'REMOVED'
  const ended = await end(
    tx,
    sql`e.contact_id = ANY(${contactIds}::int[])
      ${sequenceIds === undefined ? sql`` : sql`AND e.sequence_id = ANY(${sequenceIds}::int[])`}`,
    reason,
  )
  await queue.skipEnrolments(
    tx,
    ended.map(({ id }) => id),
  )
  await emitAll(tx, 'sequence.unsubscribed', ended.map(eventDataOf))
  return ended.map(({ contactId }) => contactId)
}

/**
 * Ends the enrolments of contacts that are about to be deleted, and removes what is personal in all of them: the anchor
 * date, and why a stage failed. Emits nothing: `contact.deleted` implies it.
 */
export async function redact(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  await end(tx, sql`e.contact_id = ANY(${contactIds}::int[])`, 'CONTACT_DELETED')
  await tx.sql`
    UPDATE enrolment SET anchor_date = NULL, failure = NULL
    WHERE account_id = ${tx.sql.account} AND contact_id = ANY(${contactIds}::int[])
      AND (anchor_date IS NOT NULL OR failure IS NOT NULL)`
}

/** Ends the active enrolments `e` of a condition, and returns them. Their messages stay in the queue. */
export async function end(
  tx: Ctx,
  condition: Sql,
  reason: EnrolmentEndReason,
): Promise<{ id: number; contactId: number; sequenceId: number }[]> {
  const change = sql`
    UPDATE enrolment e SET state = 'ENDED', end_reason = ${reason}::enrolment_end_reason,
      ended_at = ${tx.clock.now()}::timestamptz, next_stage_id = NULL, due_at = NULL
    FROM (SELECT e.id, ${partOf(sql`e`)} AS part FROM enrolment e
      WHERE e.account_id = ${tx.sql.account} AND e.state = 'ACTIVE' AND ${condition} FOR NO KEY UPDATE) old
    WHERE e.account_id = ${tx.sql.account} AND e.id = old.id RETURNING e.id, e.contact_id, ${countedColumns}`
  return tx.sql`${countingParts(change, sql`SELECT id, contact_id AS "contactId", sequence_id AS "sequenceId" FROM changed`)}`
}

/** Locks a sequence to enrol a contact. Throws NOT_FOUND. */
async function lockOne(tx: Ctx, id: string | number, field: string): Promise<LockedSequence> {
  const [locked] = await lockToEnrol(tx, [idOf('Sequence', id, field)])
  if (!locked) throw sequenceTable.notFound(field)
  return locked
}

/** Throws INVALID_STATE if a sequence is archived, and SEQUENCE_HAS_NO_STAGES if one has no stages. */
function mayEnrol(sequences: readonly LockedSequence[], path: string): void {
  if (sequences.some(({ sequence }) => sequence.archivedAt)) {
    throw refuseValue(path, 'INVALID_STATE', 'The sequence is archived; restore it first.')
  }
  if (sequences.some(({ stages }) => stages.length === 0)) throw refuseValue(path, 'SEQUENCE_HAS_NO_STAGES')
}

function isOpen({ sequence, stages }: LockedSequence): boolean {
  return !sequence.archivedAt && stages.length > 0
}

async function findActive(tx: Ctx, contactId: number, sequenceId: number): Promise<Enrolment> {
  const [active] = await enrolmentTable.select(
    tx,
    sql`AND e.contact_id = ${contactId} AND e.sequence_id = ${sequenceId}
      ORDER BY e.state = 'ACTIVE' DESC, e.id DESC LIMIT 1`,
  )
  return active as Enrolment
}

/** Selects the number of sequences that a contact is enrolled in. */
function activeIn(tx: Ctx, contactId: number): Sql {
  return sql`(SELECT count(*)::int ${enrolmentTable.from(tx)} AND e.contact_id = ${contactId} AND e.state = 'ACTIVE')`
}

/** **Throws** VALIDATION_ERROR for the input field `field` if a contact is in more than `maxSequences` sequences. */
export async function mustNotExceedLimit(tx: Ctx, contactId: number, field: string): Promise<void> {
  const [row] = await tx.sql<{ sequences: number }>`SELECT ${activeIn(tx, contactId)} AS sequences`
  mustBeWithinLimit(row?.sequences ?? 0, field)
}

function mustBeWithinLimit(sequences: number, field: string): void {
  if (sequences > maxSequences) {
    throw invalid({ [field]: [`must not enrol a contact in more than ${maxSequences} sequences`] })
  }
}
