import type { FailureCause } from '../../failures/failure-causes.ts'
import { type Judgement, judge } from '../../failures/failure-judgement.ts'

/**
 * Phase of the SMTP session in which an attempt ended.
 * - session: MAIL FROM was not accepted yet, so the failure does not concern the recipient.
 * - recipient: MAIL FROM was accepted and RCPT TO was sent. The server has not asked for the content.
 * - content: the server asked for the content, and the final dot was not sent. The message cannot have been accepted.
 * - answer: the final dot was sent, and there was no reply. The message may have been accepted.
 */
export type Phase = 'session' | 'recipient' | 'content' | 'answer'

/**
 * Verdict of a delivery attempt.
 * - accepted: the server accepted the message.
 * - unreachable: the session failed before the message. The failure does not concern it.
 * - bad login: the server refused the login.
 * - bad sender: the server refused the sender.
 * - bad address: the address does not exist or does not accept e-mail.
 * - unsupported address: the server does not support the characters of the address. Nothing was sent.
 * - bad message: the server refused this message, for its content or by policy.
 * - deferred: the server refused the message for now.
 * - stalled: the server gave no reply for the recipient, in time or at all.
 * - cut: the connection was lost within the content.
 * - ambiguous: the whole message was sent, and there was no reply.
 */
export type Verdict =
  | 'accepted'
  | 'unreachable'
  | 'bad login'
  | 'bad sender'
  | 'bad address'
  | 'unsupported address'
  | 'bad message'
  | 'deferred'
  | 'stalled'
  | 'cut'
  | 'ambiguous'

/** Outcome of a delivery attempt. */
export interface Outcome {
  readonly verdict: Verdict
  /** Why the server refused the message. Absent if it did not reply. */
  readonly cause?: FailureCause | undefined
  /** Reply of the server, or the reason why there is none. */
  readonly answer: string
}

/** Why an attempt failed: a code of Nodemailer, the command that failed, and the server's reply if there was one. */
export interface SmtpError {
  readonly message: string
  readonly code?: string | undefined
  readonly command?: string | undefined
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
}

/** The code of an error for an address whose characters the server does not support. */
export const unsupportedCode = 'unsupported'

/**
 * Returns the outcome of a failed attempt (RFC 5321, section 4.2; RFC 3463): by the server's reply, or else by the phase in
 * which the session ended. A permanent refusal of the recipient makes the address bad only if the reply says that it is at fault.
 */
export function outcomeOf(error: SmtpError, phase: Phase): Outcome {
  const { response, responseCode = 0 } = error
  const answer = response ?? error.message
  const judgement =
    response !== undefined && responseCode >= 400
      ? judge({ text: response, isTemporary: responseCode < 500 })
      : undefined
  const verdict = verdictOf(error, phase, judgement)
  // The failure of a session does not concern the message.
  return phase === 'session'
    ? { verdict, answer }
    : { verdict, answer, cause: judgement?.cause ?? causesWithoutReply[verdict] }
}

/** Causes of attempts that ended without a reply. */
const causesWithoutReply: Partial<Record<Verdict, FailureCause>> = {
  'bad address': 'ADDRESS_UNKNOWN',
  stalled: 'NETWORK',
  cut: 'NETWORK',
}

function verdictOf(
  { code, command, message, responseCode = 0 }: SmtpError,
  phase: Phase,
  judgement: Judgement | undefined,
): Verdict {
  const isTemporary = responseCode >= 400 && responseCode < 500
  const isPermanent = responseCode >= 500
  if (code === 'EAUTH') return isTemporary ? 'unreachable' : 'bad login'
  // The envelope was refused without asking the server.
  if (code === 'EENVELOPE' && command === 'API')
    return message.startsWith('Invalid sender') ? 'bad sender' : 'bad address'
  if (code === unsupportedCode) return command === 'MAIL FROM' ? 'bad sender' : 'unsupported address'
  if (code === 'ESTREAM') return 'bad message'
  // A server that is asked too often may use a permanent code (RFC 5321, section 4.5.3.1.10).
  const refused = judgement?.cause === 'RATE' ? 'deferred' : 'bad message'
  switch (phase) {
    case 'session':
      return isPermanent && command === 'MAIL FROM' ? 'bad sender' : 'unreachable'
    case 'recipient':
      if (isPermanent && command === 'RCPT TO') return judgement?.isHard ? 'bad address' : refused
      if (isPermanent && command === 'DATA') return refused
      return isTemporary ? 'deferred' : 'stalled'
    default:
      if (isPermanent) return refused
      if (isTemporary) return 'deferred'
      return phase === 'content' ? 'cut' : 'ambiguous'
  }
}

const minute = 60_000

/** Delay after each attempt that counts. Short ones are for busy servers and greylisting, long ones for failures. */
const retryDelaysMs = [1, 5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * minute)

/** Returns the time of the next attempt, spread by 20 % to either side. Null after 9 attempts. `chance` is from 0 to 1. */
export function nextAttemptAt(attempts: number, now: Date, chance: number = Math.random()): Date | null {
  const delayMs = retryDelaysMs[attempts - 1]
  return delayMs === undefined ? null : new Date(now.getTime() + delayMs * (0.8 + 0.4 * chance))
}
