import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import { recompilation } from '../../mail/index.ts'
import { lock } from '../definition/campaign-list.ts'
import { fail } from '../definition/campaigns.ts'
import { startSending } from './sending.ts'

/** Maximum delay after the scheduled time. Content that is sent later than this is probably out of date. */
const maxDelayMs = 24 * 60 * 60 * 1000

/** Number of campaigns that one run reads. */
const batchSize = 100

interface DueCampaign {
  accountId: number
  id: number
  emailId: number
}

/**
 * Starts the campaigns of all accounts whose scheduled time has come, the earliest first. Any number of processes may run
 * it. A campaign that is more than a day late ends in ERROR (MISSED_WINDOW), and so does one that exceeds the monthly quota
 * of recipients (QUOTA_EXCEEDED). A campaign that fails for another reason is tried again in the next run and does not hold
 * up the others. Returns whether more campaigns may be due.
 */
export async function startDueCampaigns(system: System): Promise<boolean> {
  const due = await system.db.$unscoped<DueCampaign>(
    'the scheduler serves all accounts',
    sql`SELECT account_id AS "accountId", id, email_id AS "emailId" FROM campaign
      WHERE status = 'SCHEDULED' AND scheduled_for <= ${system.clock.now()}::timestamptz ORDER BY scheduled_for LIMIT ${batchSize}::int`,
  )
  let handled = 0
  for (const { accountId, id, emailId } of due) {
    const ctx = newCtx(system, { accountId })
    try {
      await startIfDue(ctx, id, emailId)
      handled += 1
    } catch (error) {
      if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED') await failForQuota(ctx, id)
      else if (!(error instanceof Refusal)) {
        system.log.error({ err: error, campaign: id }, 'scheduled campaign failed to start')
      }
    }
  }
  return due.length === batchSize && handled > 0
}

async function startIfDue(ctx: Ctx, id: number, emailId: number): Promise<void> {
  await recompilation.withCurrentContent(ctx, emailId, (fix) =>
    inTransaction(ctx, async (tx) => {
      const campaign = await lock(tx, id)
      const delayMs = tx.clock.now().getTime() - (campaign.scheduledFor?.getTime() ?? Number.POSITIVE_INFINITY)
      // Another process was quicker, or a client rescheduled it.
      if (campaign.status !== 'SCHEDULED' || delayMs < 0) return
      if (delayMs > maxDelayMs) {
        await fail(tx, campaign, 'MISSED_WINDOW')
        return
      }
      await fix(tx)
      await startSending(tx, campaign)
    }),
  )
}

async function failForQuota(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, id)
    if (campaign.status === 'SCHEDULED') await fail(tx, campaign, 'QUOTA_EXCEEDED')
  })
}
