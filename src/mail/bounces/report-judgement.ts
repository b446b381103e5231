import { type FailureCause, isFaultOfAddress } from '../failures/failure-causes.ts'
import { judge } from '../failures/failure-judgement.ts'

/** A report of a mail server or a provider about one message. */
export interface BounceReport {
  /**
   * HARD: the address does not accept e-mail. SOFT: another failure. COMPLAINT: the recipient reported spam. OPT_OUT: the
   * recipient asked not to get more.
   */
  readonly kind: 'HARD' | 'SOFT' | 'COMPLAINT' | 'OPT_OUT'
  /** Why the message failed. Absent for complaints and opt-outs. */
  readonly cause?: FailureCause
  /** Whether the message is tried again: then it has not failed yet. */
  readonly isDelay?: boolean
  /** Text that contains the token of the message: its Message-ID, the Campanile header, or more. */
  readonly message: string
  /** Address that the report concerns. Empty if the report does not name it. */
  readonly email: string
  /** Reply of the mail server, or explanation of the provider. */
  readonly detail: string
}

/** What a provider says about a failed message. */
interface Failure {
  readonly reply: string
  readonly status?: string
  /** Whether the provider calls the failure permanent. */
  readonly isPermanent: boolean
  /** Whether the provider tries again. */
  readonly isDelay?: boolean
  /** Cause that the provider names, used if the reply gives none. */
  readonly named: FailureCause
}

/** A report whose failure is judged when it is recorded: a request has up to 10,000, and others are served in between. */
export type ProviderReport = BounceReport | (Omit<BounceReport, 'kind' | 'cause'> & { readonly failure: Failure })

/** Judges a report by the reply of the mail server, or else by the cause that the provider names. */
export function judgeReport(report: ProviderReport): BounceReport {
  if (!('failure' in report)) return report
  const { failure, ...rest } = report
  const { reply, status, isPermanent, isDelay = false, named } = failure
  const judged = judge({ text: reply, status, isTemporary: !isPermanent }).cause
  const cause = judged === 'UNKNOWN' || (judged === 'NETWORK' && isPermanent) ? named : judged
  return { ...rest, kind: isPermanent && isFaultOfAddress(cause) ? 'HARD' : 'SOFT', cause, isDelay }
}
