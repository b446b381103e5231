import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { figureObject, setFigure } from '../../db/figures/figures.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import { byId } from '../filters/segment-table.ts'
import { contactsOf, enqueueMeasurement, type SegmentRef } from './segments.ts'

/** Number of segments that are read at a time. */
const batchSize = 500

/**
 * Counts the contacts of a segment, and adds the change to the figure SEGMENT_CONTACTS. A deleted segment is skipped, and one
 * whose count takes too long keeps its value.
 */
export async function measureSegment(system: System, { accountId, segmentId }: SegmentRef): Promise<void> {
  const ctx = newCtx(system, { accountId })
  const segment = await ctx.load(byId, segmentId)
  if (!segment) return
  const value = await countOf(ctx, segment)
  if (value === undefined) return
  await inTransaction(ctx, async (tx) => {
    const found =
      await tx.sql`SELECT FROM segment WHERE account_id = ${tx.sql.account} AND id = ${segmentId}::int FOR UPDATE`
    if (found.length > 0) {
      await setFigure(tx, { figure: 'SEGMENT_CONTACTS', object: figureObject('Segment', segmentId), value })
    }
  })
}

/** Enqueues the count of the segments of all accounts. Those of an account are counted one after another. */
export async function measureSegments(system: System): Promise<void> {
  for (let after: SegmentRef = { accountId: 0, segmentId: 0 }; ; ) {
    const batch = await system.db.$unscoped<SegmentRef>(
      'the segments of all accounts are counted',
      sql`SELECT account_id AS "accountId", id AS "segmentId" FROM segment
        WHERE (account_id, id) > (${after.accountId}::int, ${after.segmentId}::int) ORDER BY account_id, id LIMIT ${batchSize}::int`,
    )
    for (const { accountId, segmentId } of batch) {
      await inTransaction(newCtx(system, { accountId }), (tx) => enqueueMeasurement(tx, segmentId))
    }
    const last = batch.at(-1)
    if (!last || batch.length < batchSize) return
    after = last
  }
}

/** Returns the number of contacts of a segment. Undefined if its filter is no longer valid or too expensive. */
async function countOf(ctx: Ctx, segment: Parameters<typeof contactsOf>[1]): Promise<number | undefined> {
  try {
    return await (await contactsOf(ctx, segment, {})).totalCount()
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
