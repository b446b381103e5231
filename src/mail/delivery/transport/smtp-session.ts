import { setImmediate as nextTurn } from 'node:timers/promises'
import { within } from '../../../kernel/work/within.ts'
import type { EncodedMessage } from '../mime/encoded-message.ts'
import { type Outcome, outcomeOf, type Phase, type SmtpError, unsupportedCode } from './outcome.ts'
import { connectSmtp, lostCode, type SmtpConnection, type SmtpOptions } from './smtp-connection.ts'
import type { Reply } from './smtp-reply.ts'

/** Timeout of each phase, and of all together, in milliseconds, whatever the server sends in the meantime. */
export type PhaseTimeouts = Readonly<Record<Phase | 'total', number>>

/** One connection to a mail server. It sends one message at a time and reconnects after it was lost. */
export interface SmtpSession {
  /** Sends a message and returns the outcome. Never rejects. `endsAt` is the end of its total time, of `performance.now()`. */
  send(message: EncodedMessage, timeouts: PhaseTimeouts, endsAt: number): Promise<Outcome>
  /** Closes the connection; with `force` also while a message is being sent. */
  close(force: boolean): void
}

/** Limits of the pause before the final dot of a message on an unproven connection. */
const minDotPauseMs = 50
const maxDotPauseMs = 1_000

/** How long a server stays unproven after a connection to it was lost behind a final dot. */
const unprovenMs = 60_000

/** State that all sessions with one server share. */
interface ServerTrust {
  /** Time until which final dots are delayed, in milliseconds of `performance.now()`. */
  unprovenUntil: number
}

/** The delivery of one message over a connection. */
interface Attempt {
  readonly connection: SmtpConnection
  readonly message: EncodedMessage
  /** Whether the final dot must follow the content after a pause. */
  isUnproven(): boolean
  readonly phase: Phase
  /** Begins a phase with its timeout. */
  enter(phase: Phase): void
}

/**
 * Returns a session that connects to a server with the first message.
 *
 * On an unproven connection or server the final dot follows the content after a pause: a connection that breaks within the
 * content is noticed in this pause, and then the message was certainly not accepted.
 */
export function newSmtpSession(options: SmtpOptions, trust: ServerTrust): SmtpSession {
  let connection: SmtpConnection | undefined
  /** Whether the server still has the sender of a refused message. */
  let needsReset = false
  let isSending = false
  let isClosed = false

  const attempt = async (
    message: EncodedMessage,
    timeouts: PhaseTimeouts,
    endsAt: number,
    isRepeat: boolean,
  ): Promise<Outcome> => {
    if (isClosed) return outcomeOf({ message: 'The connection was closed' }, 'session')
    const isFresh = !connection?.isUsable()
    if (isFresh) connection?.close()
    const used = isFresh ? connectSmtp(options) : (connection as SmtpConnection)
    connection = used
    const isUnproven = () => isFresh || performance.now() < trust.unprovenUntil
    const { step, stop } = newAttempt({ connection: used, message, timeouts, endsAt, isUnproven })
    try {
      await used.opened
      if (needsReset && !isFresh) await reset(used)
      needsReset = false
      const answer = await sendContent(step, await sendEnvelope(step))
      return { verdict: 'accepted', answer: answer.text }
    } catch (reason) {
      const error = reason as SmtpError
      needsReset = true
      if (step.phase === 'content' || error.responseCode === 421) used.close()
      // A server may close a connection that was idle between two messages.
      const isLost = step.phase === 'session' && (error.code === lostCode || error.responseCode === 421)
      if (isLost && !isFresh && !isRepeat) return attempt(message, timeouts, endsAt, true)
      const outcome = outcomeOf(error, step.phase)
      if (outcome.verdict === 'ambiguous') trust.unprovenUntil = performance.now() + unprovenMs
      return outcome
    } finally {
      stop()
    }
  }

  return {
    send: async (message, timeouts, endsAt) => {
      isSending = true
      try {
        return await attempt(message, timeouts, endsAt, false)
      } finally {
        isSending = false
        if (isClosed) connection?.close()
      }
    },
    close: (force) => {
      isClosed = true
      if (force || !isSending) connection?.close()
    },
  }
}

/**
 * Returns an attempt in its first phase. The connection is closed when a phase takes longer than its timeout, and at `endsAt`.
 */
function newAttempt({
  timeouts,
  endsAt,
  ...step
}: Pick<Attempt, 'connection' | 'message' | 'isUnproven'> & { timeouts: PhaseTimeouts; endsAt: number }) {
  let timer: NodeJS.Timeout | undefined
  let phase: Phase = 'session'
  const enter = (next: Phase) => {
    phase = next
    clearTimeout(timer)
    const left = Math.max(endsAt - performance.now(), 0)
    const [waitMs, limitMs] = left < timeouts[next] ? [left, timeouts.total] : [timeouts[next], timeouts[next]]
    timer = setTimeout(() => step.connection.close(timeoutError(next, limitMs)), waitMs)
  }
  enter(phase)
  const attempt: Attempt = {
    ...step,
    get phase() {
      return phase
    },
    enter,
  }
  return { step: attempt, stop: () => clearTimeout(timer) }
}

async function reset(connection: SmtpConnection): Promise<void> {
  connection.write('RSET\r\n')
  const { text } = await connection.reply()
  if (text.startsWith('2')) return
  connection.close()
  throw { code: lostCode, message: `RSET was refused: ${text}` } satisfies SmtpError
}

/** The steps of each phase, for messages about timeouts. */
const steps: Readonly<Record<Phase, string>> = {
  session: 'connection, greeting, login, MAIL FROM',
  recipient: 'RCPT TO, DATA',
  content: 'receiving the message',
  answer: 'after the end of the message',
}

function timeoutError(phase: Phase, timeoutMs: number): SmtpError {
  return { message: `no answer within ${timeoutMs / 1000} s (${steps[phase]})` }
}

function refusalOf(command: string, { code, text }: Reply): SmtpError {
  return { message: `${command} failed`, command, response: text, responseCode: code }
}

/**
 * Sends MAIL FROM, RCPT TO and DATA: all at once if the server supports it (RFC 2920), which saves two round trips. Returns how
 * long the server took. Throws the first refusal, after the replies to all commands that were sent.
 */
async function sendEnvelope({ connection, message, enter }: Attempt): Promise<number> {
  const startedAt = performance.now()
  const { from, to } = message
  const recipient = to[0] ?? ''
  if (/[\r\n<>]/.test(from)) throw invalidAddress('sender', from)
  if (recipient === '' || /[\r\n<>]/.test(recipient)) throw invalidAddress('recipient', recipient)
  const international = [
    ['MAIL FROM', from],
    ['RCPT TO', recipient],
  ].find(([, address]) => /[^\0-\x7f]/.test(address as string))
  // Such an address must not be sent to a server without the extension (RFC 6531, section 3.2).
  if (international && !connection.supports('SMTPUTF8')) throw unsupportedAddress(international[0])
  const commands = [
    ['MAIL FROM', `MAIL FROM:<${from}>${international ? ' SMTPUTF8' : ''}\r\n`],
    ['RCPT TO', `RCPT TO:<${recipient}>\r\n`],
    ['DATA', 'DATA\r\n'],
  ] as const
  const isPipelined = connection.supports('PIPELINING')
  if (isPipelined) connection.write(commands.map(([, line]) => line).join(''))
  let refusal: SmtpError | undefined
  for (const [command, line] of commands) {
    if (!isPipelined) connection.write(line)
    const reply = await connection.reply().catch((error: SmtpError) => {
      throw refusal ?? error
    })
    // Some servers accept DATA with 250 instead of 354.
    const isAccepted = command === 'DATA' ? /^[23]/.test(reply.text) : reply.text.startsWith('2')
    if (isAccepted && command === 'MAIL FROM') enter('recipient')
    // The server waits for content that must not be delivered.
    if (isAccepted && command === 'DATA' && refusal) connection.close()
    if (!isAccepted) refusal ??= refusalOf(command, reply)
    if (refusal && (!isPipelined || reply.code === 421)) throw refusal
  }
  if (refusal) throw refusal
  return performance.now() - startedAt
}

function unsupportedAddress(command: string | undefined): SmtpError {
  const message = 'the mail server does not support addresses with characters outside ASCII (SMTPUTF8)'
  return { code: unsupportedCode, command, message }
}

/** Returns the error of an address that would change the meaning of a command. */
function invalidAddress(kind: 'sender' | 'recipient', address: string): SmtpError {
  return { code: 'EENVELOPE', command: 'API', message: `Invalid ${kind} ${JSON.stringify(address)}` }
}

/**
 * Sends the content and the final dot, and returns the reply. Throws if it is a refusal, or comes before the dot. The pause
 * before the dot is twice the time that the server took for the envelope.
 */
async function sendContent({ connection, message, isUnproven, enter }: Attempt, envelopeMs: number): Promise<Reply> {
  enter('content')
  const content = withDots(message.raw)
  const dot = content.subarray(-2).toString('latin1') === '\r\n' ? '.\r\n' : '\r\n.\r\n'
  let early: Reply | undefined
  const answer = connection.reply().then((reply) => {
    early = reply
    return reply
  })
  if (!isUnproven() && content.length <= connection.bufferSize) connection.write(content, dot)
  else {
    await Promise.race([connection.writeAll(content), answer])
    if (!early && isUnproven()) {
      await within(answer, Math.min(Math.max(2 * envelopeMs, minDotPauseMs), maxDotPauseMs))
      // The loss of the connection is noticed before the dot is written, however late the timer is.
      await nextTurn()
    }
    if (early) throw earlyAnswer(early)
    connection.write(dot)
  }
  enter('answer')
  const reply = await answer
  if (!reply.text.startsWith('2')) throw refusalOf('DATA', reply)
  return reply
}

function earlyAnswer(reply: Reply): SmtpError {
  if (/^[23]/.test(reply.text)) return { message: `answered before the end of the message: ${reply.text}` }
  return refusalOf('DATA', reply)
}

/** Doubles the dots at the beginning of lines (RFC 5321, section 4.5.2). */
function withDots(raw: Buffer): Buffer {
  if (raw[0] !== 0x2e && !raw.includes('\r\n.')) return raw
  return Buffer.from(raw.toString('latin1').replace(/(^|\r\n)\./g, '$1..'), 'latin1')
}
