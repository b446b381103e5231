import type { Ctx } from '../db/context.ts'
import type { Sql } from '../db/sql.ts'
import { newPorts } from '../kernel/ports.ts'

/** Reason why a campaign stops while it is being sent. */
export type StopReason = 'SENDER_REJECTED' | 'TEMPLATE_ERROR' | 'QUOTA_EXCEEDED' | 'PROVIDER_DOWN'

/**
 * What the modules above this one add to e-mails and the delivery of messages. `countSent`, `advanceEnrolments`, `stageVerdict`
 * and `holdActions` return parts of the statement that records results, over all accounts, so that their effects are committed
 * together with the results.
 */
export interface Ports {
  /** Counts sent messages of campaigns. `sent` selects account_id, campaign_id and n. */
  countSent(sent: Sql): Sql
  /** Advances enrolments to their next stage. `finished` selects account_id, enrolment_id and stage_id of final results. */
  advanceEnrolments(finished: Sql, now: Date): Sql
  /**
   * Decides whether the message `r` of a stage may be sent now: an expression that is SENDING, SKIPPED if it shall not be
   * sent, or QUEUED if it may be removed from the queue within minutes.
   */
  stageVerdict(): Sql
  /**
   * Selects what the campaign or the stage of the message `r` says about the rules of the account: `frequency_cap_action` and
   * `quiet_hours_action`, and the window in which it is sent, `window_from` and `window_until`.
   */
  holdActions(): Sql
  /** Selects the `email_id` of the e-mails whose content is not fixed: sending has not begun, or goes on without an end. */
  unfixedEmails(ctx: Ctx): Sql
  /** Returns those of the e-mails whose content is not fixed, and keeps it so until the transaction ends. */
  keepUnfixed(tx: Ctx, emailIds: readonly number[]): Promise<readonly number[]>
  /** Emits that the content of e-mails was changed. */
  announceContent(tx: Ctx, emailIds: readonly number[]): Promise<void>
  /** Marks a campaign as sent if it has no open recipient. */
  finishCampaign(ctx: Ctx, campaignId: number): Promise<void>
  /** Stops a campaign that cannot continue. Its open recipients stay. */
  stopCampaign(ctx: Ctx, campaignId: number, reason: StopReason): Promise<void>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('mail')
