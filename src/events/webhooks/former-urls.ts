import type { Ctx, System } from '../../db/context.ts'
import { enqueue, runBatches } from '../../db/jobs/jobs.ts'
import { empty, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { partSize } from '../../kernel/work/pacing.ts'

/** Maximum number of deliveries that one statement fails. */
const batchSize = 5_000

const formerDeliveriesJob = 'webhooks:fail_former_deliveries'

interface FormerDeliveriesPayload {
  readonly accountId: number
  readonly webhookId: number
}

/**
 * Fails the pending deliveries to the URLs that a webhook had before the transaction changed it: the first ones at once, the
 * others in a job. They have an earlier generation than the webhook, so that no worker claims them or stores a result until then.
 * A replay sends them to the new URL.
 */
export async function failFormerDeliveries(tx: Ctx, webhookId: number): Promise<void> {
  // A worker that stores a result locks the delivery before the webhook, which this transaction has locked.
  if (!(await failBatch(tx, webhookId, sql`SKIP LOCKED`))) await enqueueJob(tx, webhookId)
}

/** Background jobs of this module, keyed by job name. */
export const webhookJobs = {
  /** Fails the pending deliveries to former URLs of a webhook in batches. */
  [formerDeliveriesJob]: async (system: System, { accountId, webhookId }: FormerDeliveriesPayload): Promise<void> => {
    await runBatches(system, accountId, {
      next: (ctx) => inTransaction(ctx, (tx) => failBatch(tx, webhookId)),
      enqueueNext: (tx) => enqueueJob(tx, webhookId),
    })
  },
}

async function enqueueJob(tx: Ctx, webhookId: number): Promise<void> {
  const payload: FormerDeliveriesPayload = { accountId: tx.accountId, webhookId }
  await enqueue(tx, formerDeliveriesJob, payload, { queue: `webhook deliveries ${tx.accountId}`, priority: 5 })
}

/**
 * Fails a batch of the deliveries to former URLs. Returns true if none are left, also if the webhook was deleted: another job
 * deletes its deliveries.
 */
async function failBatch(tx: Ctx, webhookId: number, wait = empty): Promise<boolean> {
  const [webhook] = await tx.sql<{ generation: number }>`
    SELECT generation FROM webhook WHERE account_id = ${tx.sql.account} AND id = ${webhookId}`
  if (!webhook) return true
  const size = partSize(tx.work, batchSize)
  const former = sql`FROM webhook_delivery WHERE account_id = ${tx.sql.account} AND webhook_id = ${webhookId}
    AND state = 'PENDING' AND generation < ${webhook.generation}::int`
  // By ctid alone, as ADR 56 explains. They are locked, because a worker may be storing that one was delivered.
  const [batch] = await tx.sql<{ found: number }>`
    WITH found AS MATERIALIZED (
      SELECT ctid ${former} ORDER BY generation, due_at, id LIMIT ${size}::int FOR NO KEY UPDATE ${wait}
    ), failed AS (
      UPDATE webhook_delivery SET state = 'FAILED', error = 'The URL of the webhook was changed.'
      WHERE ctid = ANY (ARRAY(SELECT ctid FROM found))
    ) SELECT count(*)::int AS found FROM found`
  if (batch?.found === size) return false
  // Others may have been locked, or have changed since the statement began.
  const others = await tx.sql`SELECT ${former} LIMIT 1`
  return others.length === 0
}
