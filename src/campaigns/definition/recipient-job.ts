import type { Ctx } from '../../db/context.ts'
import { enqueue } from '../../db/jobs/jobs.ts'

export const recipientJob = 'campaigns:recipients'

/** Payload of the job that changes the recipients of a campaign in batches. */
export interface RecipientJobPayload {
  readonly accountId: number
  readonly campaignId: number
  /** If set, the recipients that wait for another attempt become due, from the one after this contact. */
  readonly retryAfter?: number
}

/** Enqueues the job that changes the recipients of a campaign in batches, as its status requires. */
export async function enqueueRecipients(tx: Ctx, campaignId: number, retryAfter?: number): Promise<void> {
  const payload: RecipientJobPayload = {
    accountId: tx.accountId,
    campaignId,
    ...(retryAfter !== undefined && { retryAfter }),
  }
  await enqueue(tx, recipientJob, payload, { queue: `campaign recipients ${tx.accountId}`, priority: 5 })
}
