import type { Ctx, System } from '../../db/context.ts'
import { enqueue, runBatches } from '../../db/jobs/jobs.ts'
import { raw } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { partSize } from '../../kernel/work/pacing.ts'

/** Maximum number of links that one statement deletes, so that it takes less than a second. */
const batchSize = 10_000

/** The links of contacts to an object, by its type. The names are names in the database. */
const links = {
  Tag: { table: 'contact_tag', column: 'tag_id' },
  CustomField: { table: 'contact_field', column: 'custom_field_id' },
  Topic: { table: 'topic_membership', column: 'topic_id' },
} as const

export const linkRemovalJob = 'contacts:remove_links'

/** An object that was deleted. */
interface RemovedObject {
  readonly type: keyof typeof links
  readonly id: number
}
type LinkRemovalPayload = RemovedObject & { readonly accountId: number }

/**
 * Deletes the links of contacts to an object that the transaction has deleted: the first ones at once, the others in a job. Lists
 * and filters ignore links to objects that do not exist.
 */
export async function removeLinks(tx: Ctx, object: RemovedObject): Promise<void> {
  if (!(await removeBatch(tx, object))) await enqueueRemoval(tx, object)
}

/** Runs the job that deletes the links to a deleted object. */
export async function runLinkRemoval(system: System, { accountId, ...object }: LinkRemovalPayload): Promise<void> {
  await runBatches(system, accountId, {
    next: (ctx) => inTransaction(ctx, (tx) => removeBatch(tx, object)),
    enqueueNext: (tx) => enqueueRemoval(tx, object),
  })
}

async function enqueueRemoval(tx: Ctx, object: RemovedObject): Promise<void> {
  const payload: LinkRemovalPayload = { accountId: tx.accountId, ...object }
  await enqueue(tx, linkRemovalJob, payload, { queue: `contact links ${tx.accountId}`, priority: 10 })
}

/** Deletes a batch of links. Returns true if none are left. */
async function removeBatch(tx: Ctx, { type, id }: RemovedObject): Promise<boolean> {
  const table = raw(links[type].table)
  const column = raw(links[type].column)
  const size = partSize(tx.work, batchSize)
  // Only by ctid: with other conditions, the planner may compare all links of an account that is newer than its statistics.
  const [removed] = await tx.sql<{ n: number }>`
    WITH removed AS (
      DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE account_id = ${tx.sql.account} AND ${column} = ${id} LIMIT ${size}::int)) RETURNING 1
    ) SELECT count(*)::int AS n FROM removed`
  return (removed?.n ?? 0) < size
}
