import { Readable } from 'node:stream'
import SMTPPool from 'nodemailer/lib/smtp-pool'
import type { EncodedMessage } from './encoded-message.ts'
import { type Outcome, outcomeOf, type Phase, type SmtpError } from './outcome.ts'

/** Timeout of each phase in milliseconds, whatever the server sends in the meantime. */
export type PhaseTimeouts = Readonly<Record<Phase, number>>

/** One connection to a mail server. It sends one message at a time and reconnects after it was lost. */
export interface SmtpSession {
  /** Sends a message and returns the outcome. Never rejects. */
  send(message: EncodedMessage, timeouts: PhaseTimeouts): Promise<Outcome>
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

const ignore = () => undefined

/** How far the session came with the current message. */
interface Progress {
  phase: Phase
  /** Whether the connection was opened for this message. */
  isFresh: boolean
  /** Pause before the final dot: twice the time that the server took from MAIL FROM to DATA. */
  dotPauseMs: number
  mailFromAt: number
  /** Commands without a reply, the oldest first. */
  pendingCommands: string[]
  /** Called when a phase begins. */
  onPhase: (next: Phase) => void
}

/**
 * Returns a session that connects to the server of `url` with the first message.
 *
 * Nodemailer reports commands and replies only in its transaction log, so the phase is read from there: the pool has one
 * connection, and every log line belongs to the message that is being sent. On an unproven connection or server the final
 * dot follows the content after a pause: a connection that breaks within the content is noticed in this pause, and then the
 * message was certainly not accepted.
 */
export function newSmtpSession(options: SMTPPool.Options, trust: ServerTrust): SmtpSession {
  const progress: Progress = {
    phase: 'session',
    isFresh: true,
    dotPauseMs: minDotPauseMs,
    mailFromAt: 0,
    pendingCommands: [],
    onPhase: ignore,
  }
  let isClosed = false
  let pool = openPool(options, progress)

  const send = async (message: EncodedMessage, timeouts: PhaseTimeouts, isRepeat = false): Promise<Outcome> => {
    const { error, answer } = await attempt(pool, progress, { message, timeouts, trust })
    const { phase, isFresh } = progress
    if (phase === 'content') {
      // The rest of the content may still be sent, and a dot would follow it, so this connection cannot be used again.
      pool.close({ force: true })
      if (!isClosed) pool = openPool(options, progress)
    }
    if (!error) {
      if (phase === 'answer') return { verdict: 'accepted', answer }
      return outcomeOf({ message: `answered before the end of the message: ${answer}` }, phase)
    }
    // A server may close a connection that was idle between two messages.
    const isLost = phase === 'session' && (error.responseCode ?? 421) === 421 && lostCodes.has(error.code ?? '')
    if (isLost && !isFresh && !isRepeat && !isClosed) return send(message, timeouts, true)
    const outcome = outcomeOf(error, phase)
    if (outcome.verdict === 'ambiguous') trust.unprovenUntil = performance.now() + unprovenMs
    return outcome
  }

  return {
    send,
    close: (force) => {
      isClosed ||= force
      pool.close({ force })
    },
  }
}

function openPool(options: SMTPPool.Options, progress: Progress): SMTPPool {
  const note = (entry: LogEntry, line: unknown) => readLog(progress, entry, String(line))
  const logger = { trace: ignore, debug: note, info: note, warn: ignore, error: ignore, fatal: ignore }
  const pool = new SMTPPool({
    ...options,
    ...{ pool: true, maxConnections: 1, maxRequeues: 0, transactionLog: true, logger: logger as never },
  })
  // The failure of a message is returned with it; the failure of an idle connection has no consequence.
  pool.on('error', ignore)
  return pool
}

interface LogEntry {
  readonly tnx?: string
  readonly action?: string
  readonly inByteCount?: number
}

function readLog(progress: Progress, { tnx, action, inByteCount }: LogEntry, line: string): void {
  if (tnx === 'network') progress.pendingCommands = []
  else if (tnx === 'client') readCommand(progress, line)
  else if (tnx === 'server') readReply(progress, progress.pendingCommands.shift(), line)
  else if (tnx === 'message' && action === undefined && inByteCount !== undefined) progress.onPhase('answer')
}

function readCommand(progress: Progress, line: string): void {
  const verb = line.split(/[ :\r]/, 1)[0] ?? ''
  progress.pendingCommands.push(verb)
  if (verb === 'EHLO') progress.isFresh = true
  if (verb === 'MAIL') progress.mailFromAt = performance.now()
}

function readReply(progress: Progress, command: string | undefined, reply: string): void {
  if (command === 'MAIL' && reply.startsWith('2')) progress.onPhase('recipient')
  if (command === 'DATA' && /^[23]/.test(reply)) {
    const elapsed = performance.now() - progress.mailFromAt
    progress.dotPauseMs = Math.min(Math.max(2 * elapsed, minDotPauseMs), maxDotPauseMs)
    progress.onPhase('content')
  }
}

/** Sends a message once, and aborts it if a phase takes longer than its timeout. */
function attempt(
  pool: SMTPPool,
  progress: Progress,
  { message, timeouts, trust }: { message: EncodedMessage; timeouts: PhaseTimeouts; trust: ServerTrust },
): Promise<{ error: SmtpError | null; answer: string }> {
  return new Promise((resolve) => {
    const abort = new AbortController()
    let timer: NodeJS.Timeout | undefined
    let late: Phase | undefined
    progress.phase = 'session'
    progress.isFresh = false
    progress.onPhase = (next) => {
      progress.phase = next
      clearTimeout(timer)
      timer = setTimeout(() => {
        late = next
        abort.abort()
      }, timeouts[next])
    }
    progress.onPhase('session')
    const dotPauseMs = () => (progress.isFresh || performance.now() < trust.unprovenUntil ? progress.dotPauseMs : 0)
    pool.send(mailOf(message, abort.signal, dotPauseMs) as never, (error, info) => {
      clearTimeout(timer)
      progress.onPhase = ignore
      if (!error) resolve({ error: null, answer: info?.response ?? '' })
      else resolve({ error: late ? timeoutError(late, timeouts[late]) : clarified(error as SmtpError), answer: '' })
    })
  })
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

/** Nodemailer's codes of a lost connection. */
const lostCodes = new Set(['ECONNECTION', 'ESOCKET', 'EENVELOPE'])

/** The pool's message for a lost connection mentions only its own retries. */
function clarified(error: SmtpError): SmtpError {
  if (!error.message.startsWith('Reached maximum number of retries')) return error
  return { code: 'ECONNECTION', message: 'Connection closed unexpectedly' }
}

/** Returns a message as Nodemailer's pool takes it. */
function mailOf({ messageId, from, to, raw }: EncodedMessage, signal: AbortSignal, dotPauseMs: () => number) {
  const message = {
    createReadStream: () => contentOf(raw, dotPauseMs),
    getEnvelope: () => ({ from, to }),
    messageId: () => messageId,
    getHeader: () => messageId,
  }
  return { data: { signal }, message }
}

/** Returns a stream of the content whose end is delayed. */
function contentOf(raw: Buffer, dotPauseMs: () => number): Readable {
  let timer: NodeJS.Timeout | undefined
  let isRead = false
  return new Readable({
    read() {
      if (isRead) return
      isRead = true
      this.push(raw)
      const pauseMs = dotPauseMs()
      // setImmediate, so that the loss of the connection is noticed before the end is written, however late the timer is.
      const end = () => setImmediate(() => this.destroyed || this.push(null))
      if (pauseMs > 0) timer = setTimeout(end, pauseMs)
      else this.push(null)
    },
    destroy(error, done) {
      clearTimeout(timer)
      done(error)
    },
  })
}
