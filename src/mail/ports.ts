import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'

/** Why a campaign is stopped while it is being sent. */
export type StopReason = 'SENDER_REJECTED' | 'TEMPLATE_ERROR' | 'QUOTA_EXCEEDED' | 'PROVIDER_DOWN'

/**
 * What rooms above this one add to the sending of messages. Two of these are parts of the one statement that records what
 * became of messages, over all accounts: whatever follows from an answer is there exactly when the answer is.
 */
export interface Ports {
  /** Counts accepted messages; `accepted` selects account_id, campaign_id and n. */
  count(accepted: Sql): Sql
  /** Lets enrolments go on; `done` selects account_id, enrolment_id and stage_id of the messages that are done with. */
  goOn(done: Sql, now: Date): Sql
  /** Ends a campaign that has no open recipient any more. */
  settled(ctx: Ctx, campaignId: number): Promise<void>
  /** Stops a campaign that cannot be sent on; its open recipients stay. */
  stopped(ctx: Ctx, campaignId: number, reason: StopReason): Promise<void>
}

/** How things are while no room above has anything to add. */
export const ports: Ports = {
  count: () => sql`SELECT 1`,
  goOn: () => sql`SELECT 1`,
  settled: async () => undefined,
  stopped: async () => undefined,
}

/** Plugs in what the rooms above add. */
export function fillPorts(given: Partial<Ports>): void {
  Object.assign(ports, given)
}
