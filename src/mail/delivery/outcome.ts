/**
 * How far the dialogue about a message came.
 * - session: MAIL FROM is not accepted yet; nothing of this was about the recipient.
 * - recipient: MAIL FROM is accepted and RCPT TO sent; the server has not asked for the content.
 * - content: the server has asked for the content, and its final dot is not written; the message cannot have been accepted.
 * - answer: the final dot is written, and no answer has come; the message may have been accepted.
 */
export type Phase = 'session' | 'recipient' | 'content' | 'answer'

/**
 * What came of handing a message to a server.
 * - accepted: it has it.
 * - unreachable: the server could not be talked to; the message has nothing to do with it.
 * - bad login: the server refused our login.
 * - bad sender: nothing is taken from this sender.
 * - bad address: the address does not exist or takes no mail.
 * - bad message: this message is not taken, for what it says or for whom it is for.
 * - deferred: not now; the same message may be taken later.
 * - stalled: the recipient was not answered for, in time or at all.
 * - cut: the connection was lost within the content.
 * - ambiguous: the whole message was sent, and no answer came.
 */
export type Verdict =
  | 'accepted'
  | 'unreachable'
  | 'bad login'
  | 'bad sender'
  | 'bad address'
  | 'bad message'
  | 'deferred'
  | 'stalled'
  | 'cut'
  | 'ambiguous'

export interface Outcome {
  readonly verdict: Verdict
  /** What the server said, or what went wrong instead. */
  readonly answer: string
}

/** An error as Nodemailer gives it: its own code, the command that failed, and the server's answer if there was one. */
export interface SmtpError {
  readonly message: string
  readonly code?: string | undefined
  readonly command?: string | undefined
  readonly response?: string | undefined
  readonly responseCode?: number | undefined
}

/**
 * What a failed attempt means (RFC 5321, section 4.2; RFC 3463). What the server answered counts first, then the phase in
 * which the dialogue ended.
 *
 * A 5xx for a recipient is about the address, unless its enhanced status says that it is about policy (5.7.x): then the
 * address is fine, and not to be suppressed.
 */
export function outcomeOf(error: SmtpError, phase: Phase): Outcome {
  return { verdict: verdictOf(error, phase), answer: error.response ?? error.message }
}

function verdictOf({ code, command, message, response, responseCode = 0 }: SmtpError, phase: Phase): Verdict {
  const isTemporary = responseCode >= 400 && responseCode < 500
  const isPermanent = responseCode >= 500
  if (code === 'EAUTH') return isTemporary ? 'unreachable' : 'bad login'
  // Nodemailer refused this itself.
  if (code === 'EENVELOPE' && command === 'API')
    return message.startsWith('Invalid sender') ? 'bad sender' : 'bad address'
  if (code === 'ESTREAM') return 'bad message'
  switch (phase) {
    case 'session':
      return isPermanent && command === 'MAIL FROM' ? 'bad sender' : 'unreachable'
    case 'recipient':
      if (isPermanent && command === 'RCPT TO')
        return /\b5\.7\.\d{1,3}\b/.test(response ?? '') ? 'bad message' : 'bad address'
      if (isPermanent && command === 'DATA') return 'bad message'
      return isTemporary ? 'deferred' : 'stalled'
    default:
      if (isPermanent) return 'bad message'
      if (isTemporary) return 'deferred'
      return phase === 'content' ? 'cut' : 'ambiguous'
  }
}

const minute = 60_000

/** How long to wait after each attempt that counted: a server that is busy, then one that greylists, then one that is ill. */
const pauses = [1, 5, 15, 30, 60, 120, 240, 480].map((minutes) => minutes * minute)

/** When to try again after so many attempts, spread by a fifth to either side; null: not any more. `chance` is from 0 to 1. */
export function nextAttempt(attempts: number, now: Date, chance: number = Math.random()): Date | null {
  const pause = pauses[attempts - 1]
  return pause === undefined ? null : new Date(now.getTime() + pause * (0.8 + 0.4 * chance))
}
