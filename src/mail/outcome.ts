/**
 * What came of handing a message to a server.
 * - accepted: it has it.
 * - unreachable: the server could not be talked to; the message has nothing to do with it.
 * - deferred: not now; the same message may be taken later.
 * - bad address: the address does not exist or takes no mail.
 * - bad message: this message is not taken, for what it says or for whom it is for.
 * - bad sender: nothing is taken from this sender, or from this login.
 * - ambiguous: the whole message was sent, and no answer came.
 */
export type Verdict =
  | 'accepted'
  | 'unreachable'
  | 'deferred'
  | 'bad address'
  | 'bad message'
  | 'bad sender'
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
 * What a failed attempt means (RFC 5321, section 4.2; RFC 3463). `given` says how much of the message was given to the
 * connection: only where that was all of it can the server have taken it without our knowing.
 *
 * A 5xx for a recipient is about the address, unless its enhanced status says that it is about policy (5.7.x): then the
 * address is fine, and not to be suppressed.
 */
export function outcomeOf(error: SmtpError, given: 'nothing' | 'a part' | 'all'): Outcome {
  const answer = error.response ?? error.message
  const code = error.responseCode ?? 0
  if (error.code === 'EAUTH') return { verdict: code >= 400 && code < 500 ? 'unreachable' : 'bad sender', answer }
  // 421 closes the connection, whatever it was an answer to.
  if (code === 421) return { verdict: 'deferred', answer }
  if (code >= 400 && code < 500) return { verdict: isTransaction(error) ? 'deferred' : 'unreachable', answer }
  if (code >= 500) return { verdict: refusal(error, answer), answer }
  if (error.code === 'EENVELOPE') return { verdict: 'bad address', answer }
  if (error.code === 'EMESSAGE' || error.code === 'ESTREAM') return { verdict: 'bad message', answer }
  return { verdict: lost[given], answer }
}

/** What it means that the connection was lost. A message that is cut off in the middle may be to blame for it itself. */
const lost = { nothing: 'unreachable', 'a part': 'deferred', all: 'ambiguous' } as const

function isTransaction({ command }: SmtpError): boolean {
  return command === 'MAIL FROM' || command === 'RCPT TO' || command === 'DATA'
}

function refusal({ command }: SmtpError, answer: string): Verdict {
  switch (command) {
    case 'MAIL FROM':
      return 'bad sender'
    case 'RCPT TO':
      return /\b5\.7\.\d{1,3}\b/.test(answer) ? 'bad message' : 'bad address'
    case 'DATA':
      return 'bad message'
    default:
      return 'unreachable'
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
