import type { Ctx, System } from '../../db/context.ts'
import { enqueue } from '../../db/jobs/jobs.ts'
import { addressKey } from '../../kernel/values/address-key.ts'

export const signInJob = 'account:send_sign_in_links'
export const invitationJob = 'account:send_invitation'

/** Maximum number of attempts to send a link. The last is about a minute after the first, because the link expires. */
const mostAttempts = 5

/** Payloads of the jobs. They contain no link, because jobs are stored as they are. */
export interface SignInPayload {
  readonly email: string
}
export interface InvitationPayload {
  readonly accountId: number
  readonly userId: number
}

/** Enqueues the job that sends a link to each user with an e-mail address, whether or not there is one. */
export async function requestLinks(system: System, email: string): Promise<void> {
  const payload: SignInPayload = { email: addressKey(email) }
  await enqueue(system, signInJob, payload, { mostAttempts })
}

/** Enqueues the job that sends the invitation of a user, in the transaction that creates the user. */
export async function requestInvitation(tx: Ctx, userId: number): Promise<void> {
  const payload: InvitationPayload = { accountId: tx.accountId, userId }
  await enqueue(tx, invitationJob, payload)
}
