import SMTPPool from 'nodemailer/lib/smtp-pool'
import { newSmtpSession, type PhaseTimeouts, type SmtpSession } from './smtp-session.ts'
import type { Transport } from './transport.ts'

/** Default timeouts in milliseconds. Query parameters of the URL override them. */
const defaultTimeouts = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 60_000,
  dnsTimeout: 10_000,
}

/** Timeout of connection, greeting, login and MAIL FROM together. */
const sessionTimeoutMs = 30_000

/**
 * Timeout of RCPT TO and DATA by number of earlier attempts. It is short at first because a connection waits for it, and
 * grows because some servers are slow. Giving up is safe: no content was sent yet.
 */
const recipientTimeoutsMs = [3_000, 9_000, 27_000]

/** Options that the URL cannot set: messages must not be in the log. */
const reservedOptions = ['logger', 'debug', 'transactionLog']

/** Returns a transport that sends by SMTP over up to `size` connections, each of which sends many messages. */
export function smtpTransport(url: string, size: number): Transport {
  const target = new URL(url)
  const { hostname, port, protocol } = target
  const answer = Number(target.searchParams.get('socketTimeout')) || defaultTimeouts.socketTimeout
  for (const name of reservedOptions) target.searchParams.delete(name)
  // Only for its options: those of the URL and of the mail services that Nodemailer knows.
  const { options } = new SMTPPool({ url: target.href, socketCloseTimeout: 0, ...defaultTimeouts })
  const trust = { unprovenUntil: 0 }
  const sessions: SmtpSession[] = []
  const idle: SmtpSession[] = []
  const waiting: ((session: SmtpSession) => void)[] = []
  const waitForSession = (timeoutMs: number) =>
    new Promise<SmtpSession | undefined>((resolve) => {
      const take = (session: SmtpSession) => {
        clearTimeout(timer)
        resolve(session)
      }
      const giveUp = () => {
        waiting.splice(waiting.indexOf(take), 1)
        resolve(undefined)
      }
      const timer = timeoutMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(giveUp, timeoutMs)
      waiting.push(take)
    })
  /** Returns undefined if no session is free in time. */
  const acquire = (timeoutMs: number): SmtpSession | Promise<SmtpSession | undefined> => {
    const idleSession = idle.pop()
    if (idleSession) return idleSession
    if (sessions.length >= size) return waitForSession(timeoutMs)
    const session = newSmtpSession(options, trust)
    sessions.push(session)
    return session
  }
  const release = (session: SmtpSession) => {
    const next = waiting.shift()
    if (next) next(session)
    else idle.push(session)
  }
  const timeoutsOf = (attempts: number, total: number): PhaseTimeouts => ({
    total,
    session: sessionTimeoutMs,
    recipient: Math.min(recipientTimeoutsMs[attempts] ?? answer, answer),
    content: 2 * answer,
    answer,
  })
  return {
    name: `${hostname}:${port || (protocol === 'smtps:' ? 465 : 587)}`,
    send: async (message, attempts, timeoutMs = Number.POSITIVE_INFINITY) => {
      const endsAt = performance.now() + timeoutMs
      const session = await acquire(timeoutMs)
      if (!session) return { verdict: 'stalled', answer: `no connection was free within ${timeoutMs / 1000} s` }
      try {
        return await session.send(message, timeoutsOf(attempts, timeoutMs), endsAt)
      } finally {
        release(session)
      }
    },
    close: (force = false) => {
      for (const session of sessions) session.close(force)
    },
  }
}
