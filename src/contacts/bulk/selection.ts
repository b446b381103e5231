import type { Ctx } from '../../db/context.ts'
import { compileFilter } from '../../db/filters/filter.ts'
import { checkFilter } from '../../db/filters/filter-check.ts'
import { sql } from '../../db/sql.ts'
import { invalid } from '../../kernel/errors.ts'
import type { OneOf } from '../../kernel/one-of.ts'
import { idOf, nounOf } from '../../kernel/values/ids.ts'
import { partSize } from '../../kernel/work/pacing.ts'
import { type ContactFilter, contactFilter, findDeleted } from '../filters/contact-filter.ts'
import type { BulkJob } from './bulk-job-list.ts'

/** Maximum ids of a selection. */
export const maxIds = 10_000

/** Maximum number of contacts to which a transaction applies the filter of a selection. */
const scanSize = 5_000

/** The contacts that a bulk job processes. */
export type ContactSelection = OneOf<{
  filter: ContactFilter
  ids: readonly (string | number)[]
  all: boolean
}>

/** A checked selection: the filter as it is stored, with times as text, or distinct ids. */
export type CheckedSelection = OneOf<{ filter: object; ids: readonly number[] }>

/**
 * Checks a selection. **Throws** VALIDATION_ERROR, also for a filter that matches all contacts, and FORBIDDEN for a condition
 * whose scope the key lacks.
 */
export async function checkSelection(ctx: Ctx, given: ContactSelection): Promise<CheckedSelection> {
  if (given.ids) return { ids: checkIds(given.ids) }
  if (given.all !== undefined) {
    if (!given.all) throw invalid({ 'contacts.all': ['must be true'] })
    return { filter: {} }
  }
  const filter = given.filter ?? {}
  await checkFilter(ctx, contactFilter, filter, 'contacts.filter')
  const { condition, exclusions } = await compileFilter(ctx, contactFilter, filter, 'contacts.filter')
  // A client that builds a filter from absent variables would otherwise select all contacts by mistake.
  if (condition === true) {
    throw invalid({ 'contacts.filter': ['must have a condition; `all` selects all contacts'] }, 'REQUIRED')
  }
  const [unknown] = await findDeleted(ctx, exclusions)
  if (unknown) throw invalid({ [unknown.path]: [`excludes a ${nounOf(unknown.type)} that does not exist`] })
  return { filter: JSON.parse(JSON.stringify(filter)) }
}

function checkIds(given: readonly (string | number)[]): number[] {
  if (given.length === 0 || given.length > maxIds) {
    throw invalid({ 'contacts.ids': [`must contain 1 to ${maxIds} ids`] })
  }
  return [...new Set(given.map((id) => idOf('Contact', id, 'contacts.ids')))].sort((a, b) => a - b)
}

/** The next contacts of a selection, and the contact id up to which the filter was applied. */
export interface Scan {
  readonly ids: readonly number[]
  readonly scannedTo: number
}

/**
 * Applies the filter of a job to the next contacts in the order of their ids. Its conditions are tests of single contacts, so
 * that the time does not depend on the number of all contacts that match. Returns the reason if the filter became invalid: it
 * excludes something that was deleted, without which it would match more contacts.
 */
export async function scan(tx: Ctx, job: BulkJob): Promise<Scan | string> {
  const { test, exclusions } = await compileFilter(tx, contactFilter, job.filter as ContactFilter, 'filter')
  const [deleted] = await findDeleted(tx, exclusions)
  if (deleted) return `The filter excludes a ${nounOf(deleted.type)} that was deleted.`
  const size = partSize(tx.work, scanSize)
  const matches = typeof test === 'boolean' ? sql`${test}::boolean` : test
  const rows = await tx.sql<{ id: number; matches: boolean }>`
    SELECT c.id, coalesce(${matches}, false) AS matches FROM (
      SELECT c.* ${contactFilter.from(tx)} AND c.id > ${job.scannedTo} AND c.id <= ${job.lastContactId}
      ORDER BY c.id LIMIT ${size}::int) c
    ORDER BY c.id`
  return {
    ids: rows.flatMap(({ id, matches: isMatch }) => (isMatch ? [id] : [])),
    scannedTo: rows.length < size ? job.lastContactId : (rows.at(-1)?.id ?? job.lastContactId),
  }
}
