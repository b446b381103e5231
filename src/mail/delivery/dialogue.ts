import { Readable } from 'node:stream'
import SMTPPool from 'nodemailer/lib/smtp-pool'
import { type Outcome, outcomeOf, type Phase, type SmtpError } from './outcome.ts'
import type { Parcel } from './parcel.ts'

/** How long each phase of a dialogue may take, in milliseconds, whatever the server sends in the meantime. */
export type Limits = Readonly<Record<Phase, number>>

/** One connection to a mail server that sends one message at a time, and opens anew after it was lost. */
export interface Dialogue {
  /** Sends a message and returns the server's answer. Never rejects. */
  send(parcel: Parcel, limits: Limits): Promise<Outcome>
  /** Closes the connection; with `force` also while a message is being sent. */
  close(force: boolean): void
}

/** Bounds of the pause before the final dot of a message on a connection that is not proven, in milliseconds. */
const leastPause = 50
const mostPause = 1_000

/** How long a server stays unproven after a connection to it was lost behind a final dot, in milliseconds. */
const carefulFor = 60_000

/** What all connections to one server share. */
export interface ServerMemory {
  /** Time until which final dots are held back, in milliseconds of `performance.now()`. */
  carefulUntil: number
}

const ignore = () => undefined

/**
 * Opens a dialogue with the server of `url` on the first message.
 *
 * Nodemailer reports what was written and answered only in its transaction log, so the phase is read from there: a
 * dialogue is a pool of one connection, and every line of the log belongs to the message that is being sent. The final dot
 * follows the content after a pause if the connection or the server is unproven: a connection that breaks within the
 * content is noticed in this pause, and then the message certainly was not accepted.
 */
export function newDialogue(options: SMTPPool.Options, memory: ServerMemory): Dialogue {
  let phase: Phase = 'session'
  let isFresh = true
  let askedAt = 0
  let pause = leastPause
  let isClosed = false
  /** Commands whose answers have not come, the oldest first. */
  let unanswered: string[] = []
  let enter: (next: Phase) => void = ignore

  const note = ({ tnx, action, inByteCount }: LogEntry, line: unknown) => {
    if (tnx === 'network') unanswered = []
    else if (tnx === 'client') {
      const verb = String(line).split(/[ :\r]/, 1)[0] ?? ''
      unanswered.push(verb)
      if (verb === 'EHLO') isFresh = true
      if (verb === 'MAIL') askedAt = performance.now()
    } else if (tnx === 'server') answered(unanswered.shift(), String(line))
    else if (tnx === 'message' && action === undefined && inByteCount !== undefined) enter('answer')
  }
  const answered = (command: string | undefined, answer: string) => {
    if (command === 'MAIL' && answer.startsWith('2')) enter('recipient')
    if (command === 'DATA' && /^[23]/.test(answer)) {
      pause = Math.min(Math.max(2 * (performance.now() - askedAt), leastPause), mostPause)
      enter('content')
    }
  }
  const logger = { trace: ignore, debug: note, info: note, warn: ignore, error: ignore, fatal: ignore }
  const open = () => {
    const pool = new SMTPPool({
      ...options,
      ...{ pool: true, maxConnections: 1, maxRequeues: 0, transactionLog: true, logger: logger as never },
    })
    // The failure of a message is returned with it; the failure of an idle connection has no consequence.
    pool.on('error', ignore)
    return pool
  }
  let pool = open()

  const attempt = (parcel: Parcel, limits: Limits) =>
    new Promise<{ error: SmtpError | null; answer: string }>((resolve) => {
      const cut = new AbortController()
      let timer: NodeJS.Timeout | undefined
      let late: Phase | undefined
      phase = 'session'
      isFresh = false
      enter = (next) => {
        phase = next
        clearTimeout(timer)
        timer = setTimeout(() => {
          late = next
          cut.abort()
        }, limits[next])
      }
      enter('session')
      const hold = () => (isFresh || performance.now() < memory.carefulUntil ? pause : 0)
      pool.send(mailOf(parcel, cut.signal, hold) as never, (error, info) => {
        clearTimeout(timer)
        enter = ignore
        if (!error) resolve({ error: null, answer: info?.response ?? '' })
        else if (late)
          resolve({ error: { message: `no answer within ${limits[late] / 1000} s (${waitedFor[late]})` }, answer: '' })
        else resolve({ error: named(error as SmtpError), answer: '' })
      })
    })

  const send = async (parcel: Parcel, limits: Limits, isRepeat = false): Promise<Outcome> => {
    const { error, answer } = await attempt(parcel, limits)
    if (phase === 'content') {
      // The rest of the content may still be on its way, and a dot would follow it: this connection is of no more use.
      pool.close({ force: true })
      if (!isClosed) pool = open()
    }
    if (!error) {
      if (phase === 'answer') return { verdict: 'accepted', answer }
      return outcomeOf({ message: `answered before the end of the message: ${answer}` }, phase)
    }
    // A server may end a connection that it has kept open between two messages.
    const isGone = phase === 'session' && (error.responseCode ?? 421) === 421 && lost.has(error.code ?? '')
    if (isGone && !isFresh && !isRepeat && !isClosed) return send(parcel, limits, true)
    const outcome = outcomeOf(error, phase)
    if (outcome.verdict === 'ambiguous') memory.carefulUntil = performance.now() + carefulFor
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

/** What the server had to do in a phase that took too long. */
const waitedFor: Readonly<Record<Phase, string>> = {
  session: 'connection, greeting, login, MAIL FROM',
  recipient: 'RCPT TO, DATA',
  content: 'receiving the message',
  answer: 'after the end of the message',
}

/** Nodemailer's codes of a lost connection. */
const lost = new Set(['ECONNECTION', 'ESOCKET', 'EENVELOPE'])

/** The pool's words for a connection that was lost say only that it does not try again. */
function named(error: SmtpError): SmtpError {
  if (!error.message.startsWith('Reached maximum number of retries')) return error
  return { code: 'ECONNECTION', message: 'Connection closed unexpectedly' }
}

interface LogEntry {
  readonly tnx?: string
  readonly action?: string
  readonly inByteCount?: number
}

/** A message as Nodemailer's pool takes it. `hold` returns how long its end is held back, in milliseconds. */
function mailOf({ messageId, from, to, raw }: Parcel, signal: AbortSignal, hold: () => number) {
  const message = {
    createReadStream: () => contentOf(raw, hold),
    getEnvelope: () => ({ from, to }),
    messageId: () => messageId,
    getHeader: () => messageId,
  }
  return { data: { signal }, message }
}

function contentOf(raw: Buffer, hold: () => number): Readable {
  let timer: NodeJS.Timeout | undefined
  let isRead = false
  return new Readable({
    read() {
      if (isRead) return
      isRead = true
      this.push(raw)
      const pause = hold()
      // A loss that waits to be read is seen before the end is written, however late the timer is.
      const end = () => setImmediate(() => this.destroyed || this.push(null))
      if (pause > 0) timer = setTimeout(end, pause)
      else this.push(null)
    },
    destroy(error, done) {
      clearTimeout(timer)
      done(error)
    },
  })
}
