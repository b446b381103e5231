import { z } from 'zod'
import type { SequenceType } from '../../../prisma/generated/client/client.ts'
import { type Ctx, many } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { identity, oneOf, text, time } from '../../db/filters/filter-fields.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { inDictionary, sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { emails } from '../../mail/index.ts'
import { removeEnrolments, replan } from '../planning/replanning.ts'

const sequenceTypes = ['NORMAL', 'INVERTED'] as const
const NewSequence = z.object({ name: name(255), type: z.enum(sequenceTypes).default('NORMAL') })
const SequenceChange = z.object({ name: name(255), type: z.enum(sequenceTypes) }).partial()

export const sequenceTable = table('Sequence', 's')
export type Sequence = RowOf<typeof sequenceTable>

/** The filter of sequences. */
export const sequenceFilter = filterOn(sequenceTable, {
  id: identity('Sequence'),
  name: text(sql`s.name`),
  type: oneOf<SequenceType>('SequenceType', sql`s.type`, 'sequence_type'),
  createdAt: time(sql`s.created_at`),
  archivedAt: time(sql`s.archived_at`),
  search: search(documentOf(sql`s.name`)),
})

/** All sequences of an account. */
export const sequences = newList(sequenceTable, {
  name: 'sequences',
  orders: { CREATED_AT: 'createdAt', NAME: 'name' },
  filter: sequenceFilter,
})

/** Lists the account's sequences, by default the newest first. */
export const list = pagesOf(sequences)

/** Loads sequences by id; locks a sequence to change its stages: no contact can be enrolled until the transaction ends. */
export const { byId, lock } = sequenceTable

/** Loads the sequences that contacts are currently enrolled in, ordered by name. */
export const byContact = many<number, Sequence>(async (ctx, contactIds) => {
  const rows = await ctx.sql<Sequence & { contactId: number }>`
    SELECT e.contact_id AS "contactId", ${sequenceTable.columns}
    FROM enrolment e JOIN sequence s ON s.account_id = e.account_id AND s.id = e.sequence_id
    WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = ANY(${contactIds}::int[]) AND e.state = 'ACTIVE'
    ORDER BY ${inDictionary(sql`s.name`)}, s.id`
  return Map.groupBy(rows, (row) => row.contactId)
})

/** Creates a sequence without stages. Emits `sequence.created`. Throws VALIDATION_ERROR. */
export async function create(
  ctx: Ctx,
  input: { name: string; type?: SequenceType | null | undefined },
): Promise<{ sequence: Sequence }> {
  const data = check(NewSequence, sent(input))
  return inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const sequence = await tx.db.sequence.create({
      data: { ...data, accountId: tx.accountId, createdAt: now, updatedAt: now },
    })
    await emit(tx, 'sequence.created', { sequenceId: sequence.id })
    return { sequence }
  })
}

/**
 * Updates a sequence; absent fields stay as they are. A new type replans its active enrolments. Emits `sequence.updated`, and
 * `sequence.completed` for each enrolment that then has no stages left. Throws NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined; type?: SequenceType | null | undefined },
): Promise<{ sequence: Sequence }> {
  const { id: sequenceId, ...rest } = input
  const data = sent(check(SequenceChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    const { id, type } = await lock(tx, sequenceId)
    const where = { accountId_id: { accountId: tx.accountId, id } }
    const sequence = await tx.db.sequence.update({ where, data: { ...data, updatedAt: tx.clock.now() } })
    await emit(tx, 'sequence.updated', { sequenceId: id })
    if (sequence.type !== type) await replan(tx, id)
    return { sequence }
  })
}

/**
 * Deletes a sequence with its stages and their e-mails, and ends its enrolments: at once, or in a job if there are more than
 * `batchSize`. Nothing more is sent. Messages that it sent stay in the statistics of the contacts. Emits `sequence.unsubscribed`
 * for each active enrolment, and `sequence.deleted`. Throws NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    await removeEnrolments(tx, id)
    const stages = await tx.sql<{ emailId: number | null }>`
      SELECT email_id AS "emailId" FROM sequence_stage WHERE account_id = ${tx.sql.account} AND sequence_id = ${id}`
    await tx.db.sequence.delete({ where: { accountId_id: { accountId: tx.accountId, id } } })
    await emails.remove(
      tx,
      stages.flatMap(({ emailId }) => emailId ?? []),
    )
    await emit(tx, 'sequence.deleted', { sequenceId: id })
    return { databaseId: id }
  })
}

/** Locks a sequence to enrol contacts: its stages cannot change until the transaction ends. Throws NOT_FOUND. */
export async function lockShared(tx: Ctx, id: string | number, field = 'id'): Promise<Sequence> {
  return sequenceTable.lock(tx, id, field, 'FOR SHARE')
}
