import { type Ctx, newCtx, type System } from '../db/context.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { Refusal } from '../kernel/errors.ts'
import { lock } from './campaign-list.ts'
import { begin, fail, longestBeginning } from './sending.ts'

/** How late a campaign may still be sent, in milliseconds: what is older would surprise more than it serves. */
const longestDelay = 24 * 60 * 60 * 1000

/** How many campaigns are looked up at a time. */
const batch = 100

interface Due {
  accountId: number
  id: number
}

/**
 * Sets the campaigns on their way whose time has come, those of all accounts, the earliest first; any number of processes
 * may. One whose time passed more than a day ago becomes an error (MISSED_WINDOW), and so does one that the month's quota of
 * recipients has no room for (QUOTA_EXCEEDED). One that fails for a fault of ours is left for the next time, and the others
 * are not kept waiting by it. Answers whether there may be more.
 */
export async function beginDue(system: System): Promise<boolean> {
  const due = await system.db.$unscoped<Due>(
    'the clock serves all accounts',
    sql`SELECT account_id AS "accountId", id FROM campaign
      WHERE status = 'SCHEDULED' AND scheduled_for <= ${system.clock.now()}::timestamptz ORDER BY scheduled_for LIMIT ${batch}::int`,
  )
  let begun = 0
  for (const { accountId, id } of due) {
    const ctx = newCtx(system, { accountId })
    try {
      await beginIfDue(ctx, id)
      begun += 1
    } catch (error) {
      if (error instanceof Refusal && error.code === 'QUOTA_EXCEEDED') await giveUp(ctx, id)
      else if (!(error instanceof Refusal)) system.log.error({ err: error, campaign: id }, 'a campaign could not begin')
    }
  }
  return due.length === batch && begun > 0
}

async function beginIfDue(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(
    ctx,
    async (tx) => {
      const campaign = await lock(tx, id)
      const lateness = tx.clock.now().getTime() - (campaign.scheduledFor?.getTime() ?? Number.POSITIVE_INFINITY)
      // Another process was quicker, or someone planned it anew.
      if (campaign.status !== 'SCHEDULED' || lateness < 0) return
      if (lateness > longestDelay) await fail(tx, campaign, 'MISSED_WINDOW')
      else await begin(tx, campaign)
    },
    longestBeginning,
  )
}

async function giveUp(ctx: Ctx, id: number): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const campaign = await lock(tx, id)
    if (campaign.status === 'SCHEDULED') await fail(tx, campaign, 'QUOTA_EXCEEDED')
  })
}
