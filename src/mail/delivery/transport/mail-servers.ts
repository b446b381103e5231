import type { Log } from '../../../kernel/telemetry/log.ts'
import type { EncodedMessage } from '../mime/encoded-message.ts'
import type { Outcome, Verdict } from './outcome.ts'
import type { Transport } from './transport.ts'

/** Number of failures in a row that open the circuit breaker of a server. */
const maxFailures = 3

/** The same for attempts that fail after MAIL FROM. It is higher because one recipient or message may be the cause. */
const maxRefusals = 20

const defaultPauses = { firstMs: 2_000, maxMs: 120_000 }

/** How long a circuit breaker stays open at first and at most. Each pause is twice the one before. */
type BreakerPauses = typeof defaultPauses

/** A mail server and its circuit breaker: closed, open until `openUntil`, then half-open for one message. */
interface MailServer {
  readonly transport: Transport
  inFlight: number
  /** Failures in a row that are the server's. */
  failures: number
  /** Refusals in a row that may be the server's. */
  refusals: number
  /** Length of the current pause in milliseconds. 0 if the breaker is closed. */
  pauseMs: number
  openUntil: number
  /** Number of messages in a row that failed while the breaker was half-open. */
  failedProbes: number
}

/** The mail servers of a process. */
export interface MailServers {
  /** Returns the number of messages that can be sent now, besides those in flight. */
  freeConnections(): number
  /** Maximum number of messages in flight. */
  readonly size: number
  /** Returns whether the circuit breakers of all servers are open or half-open. */
  areDown(): boolean
  /** Returns after how many milliseconds the next server is tried again. */
  retryDelayMs(): number
  /**
   * Sends a message to the least busy server that is up. Call it only if there is a free connection, or with a timeout.
   * `attempts` is the number of earlier attempts: the server gets more time with each. `timeoutMs` limits the attempt and the
   * wait for a connection.
   */
  send(message: EncodedMessage, attempts: number, timeoutMs?: number): Promise<Outcome>
  /** Deletes the copies of messages of an account to the addresses, if messages are written to files. */
  forget(accountId: number, addresses: readonly string[]): Promise<void>
  /** Returns, by server, the number of messages in flight and whether its circuit breaker is open or half-open. */
  status(): { name: string; inFlight: number; isDown: boolean }[]
  close(force?: boolean): void
}

/** Shares the load among several servers of `size` connections each, and protects each with a circuit breaker. */
export function newMailServers(
  transports: readonly Transport[],
  size: number,
  log: Log,
  pauses: BreakerPauses = defaultPauses,
): MailServers {
  const servers = transports.map(newServer)
  const freeOf = (server: MailServer) =>
    isOpen(server) ? 0 : Math.max((server.pauseMs > 0 ? 1 : size) - server.inFlight, 0)
  return {
    size: size * servers.length,
    freeConnections: () => servers.reduce((sum, server) => sum + freeOf(server), 0),
    areDown: () => servers.every((server) => server.pauseMs > 0),
    retryDelayMs: () => Math.max(Math.min(...servers.map((server) => server.openUntil)) - performance.now(), 0),
    send: async (message, attempts, timeoutMs) => {
      const [server] = servers.toSorted((a, b) => freeOf(b) - freeOf(a) || a.inFlight - b.inFlight)
      if (!server) throw new Error('There is no mail server.')
      server.inFlight += 1
      try {
        const outcome = await server.transport.send(message, Math.max(attempts, server.failedProbes), timeoutMs)
        updateBreaker(server, outcome, log, pauses)
        return outcome
      } finally {
        server.inFlight -= 1
      }
    },
    forget: async (accountId, addresses) => {
      for (const { transport } of servers) await transport.forget?.(accountId, addresses)
    },
    status: () =>
      servers.map(({ transport, inFlight, pauseMs }) => ({ name: transport.name, inFlight, isDown: pauseMs > 0 })),
    close: (force) => {
      for (const { transport } of servers) transport.close(force)
    },
  }
}

function newServer(transport: Transport): MailServer {
  return { transport, inFlight: 0, failures: 0, refusals: 0, pauseMs: 0, openUntil: 0, failedProbes: 0 }
}

function isOpen(server: MailServer): boolean {
  return performance.now() < server.openUntil
}

/** Verdicts that are the server's fault, and those that are its fault only if there are many in a row. */
const failures = new Set<Verdict>(['unreachable', 'bad login', 'ambiguous'])
const refusals = new Set<Verdict>(['bad message', 'stalled', 'cut'])
/** Verdicts that do not close a half-open breaker. */
const unproven = new Set<Verdict>([...failures, 'stalled', 'cut'])

function updateBreaker(server: MailServer, { verdict, answer }: Outcome, log: Log, pauses: BreakerPauses): void {
  server.failures = failures.has(verdict) ? server.failures + 1 : 0
  server.refusals = refusals.has(verdict) ? server.refusals + 1 : 0
  const isHalfOpen = server.pauseMs > 0
  const isFailing =
    server.failures >= maxFailures || server.refusals >= maxRefusals || (isHalfOpen && unproven.has(verdict))
  // Outcomes that arrive while the breaker is open belong to messages that were sent before.
  if (isOpen(server)) return
  const { name } = server.transport
  if (!isFailing) {
    if (!isHalfOpen) return
    server.pauseMs = 0
    server.failedProbes = 0
    log.info({ server: name }, 'the mail server accepts messages again')
    return
  }
  if (isHalfOpen) server.failedProbes += 1
  server.pauseMs = Math.min(Math.max(server.pauseMs * 2, pauses.firstMs), pauses.maxMs)
  server.openUntil = performance.now() + server.pauseMs * (0.8 + 0.4 * Math.random())
  server.refusals = 0
  log.warn({ server: name, answer, milliseconds: server.pauseMs }, 'a mail server failed and is not used for a while')
}
