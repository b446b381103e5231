import type { Log } from '../../kernel/log.ts'
import type { Outcome, Verdict } from './outcome.ts'
import type { Parcel } from './parcel.ts'
import type { Transport } from './transport.ts'

/** How many failures in a row open the breaker of a server: it is left alone for a while then. */
const mostFailures = 3
/** The same for messages that fail after MAIL FROM: one recipient or message may be to blame, so many are not. */
const mostRefusals = 20

/** The first pause, in milliseconds, and the longest: each is twice the one before. */
const usualPauses = { first: 2_000, longest: 120_000 }

/** How long a server that fails is left alone first and at most, in milliseconds. */
export type Pauses = typeof usualPauses

/** A mail server, and how it does. */
interface Server {
  readonly transport: Transport
  outstanding: number
  failures: number
  refusals: number
  pause: number
  /** How many messages have failed in a row that were to show how it does. */
  probes: number
  closedUntil: number
}

/** The mail servers of a process. */
export interface Servers {
  /** How many messages may be handed over now, beside those that are being so. */
  free(): number
  /** How many can be so at once, when all is well. */
  readonly size: number
  /** Whether none takes anything at the moment. */
  areDown(): boolean
  /** In how many milliseconds the first that is left alone is tried again. */
  pause(): number
  /** Hands a letter to the least busy server that is well. To be called only while `free` says so. `tries` counts its attempts so far. */
  hand(parcel: Parcel, tries: number): Promise<Outcome>
  /** By name: how many messages are being handed over, and whether it is left alone. */
  state(): { name: string; outstanding: number; isDown: boolean }[]
  close(force?: boolean): void
}

/**
 * Several servers share the load; one that fails is left alone for a growing while, then tried with one message. `pauses`
 * are in milliseconds.
 */
export function newServers(
  transports: readonly Transport[],
  size: number,
  log: Log,
  pauses: Pauses = usualPauses,
): Servers {
  const servers = transports.map(
    (transport): Server => ({
      transport,
      outstanding: 0,
      failures: 0,
      refusals: 0,
      pause: 0,
      probes: 0,
      closedUntil: 0,
    }),
  )
  /** After a pause one message goes to see how the server does. */
  const room = (server: Server) =>
    isPaused(server) ? 0 : Math.max((server.pause > 0 ? 1 : size) - server.outstanding, 0)
  return {
    size: size * servers.length,
    free: () => servers.reduce((sum, server) => sum + room(server), 0),
    areDown: () => servers.every((server) => server.pause > 0),
    pause: () => Math.max(Math.min(...servers.map((server) => server.closedUntil)) - performance.now(), 0),
    hand: async (parcel, tries) => {
      const [server] = servers.toSorted((a, b) => room(b) - room(a) || a.outstanding - b.outstanding)
      if (!server) throw new Error('There is no mail server.')
      server.outstanding += 1
      try {
        const outcome = await server.transport.hand(parcel, Math.max(tries, server.probes))
        learn(server, outcome, log, pauses)
        return outcome
      } finally {
        server.outstanding -= 1
      }
    },
    state: () =>
      servers.map((server) => ({
        name: server.transport.name,
        outstanding: server.outstanding,
        isDown: server.pause > 0,
      })),
    close: (force) => {
      for (const { transport } of servers) transport.close(force)
    },
  }
}

function isPaused(server: Server): boolean {
  return performance.now() < server.closedUntil
}

/** Outcomes that are the server's fault, and those that are its fault only if there are many in a row. */
const failures = new Set<Verdict>(['unreachable', 'bad login', 'ambiguous'])
const refusals = new Set<Verdict>(['bad message', 'stalled', 'cut'])
/** Outcomes that do not show that a server is well again. */
const unproven = new Set<Verdict>([...failures, 'stalled', 'cut'])

function learn(server: Server, { verdict, answer }: Outcome, log: Log, pauses: Pauses): void {
  server.failures = failures.has(verdict) ? server.failures + 1 : 0
  server.refusals = refusals.has(verdict) ? server.refusals + 1 : 0
  const isIll =
    server.failures >= mostFailures || server.refusals >= mostRefusals || (server.pause > 0 && unproven.has(verdict))
  // What fails while the server is left alone already was on its way before.
  if (isPaused(server)) return
  if (!isIll) {
    if (server.pause > 0) {
      server.pause = 0
      server.probes = 0
      log.info({ server: server.transport.name }, 'the mail server takes messages again')
    }
    return
  }
  if (server.pause > 0) server.probes += 1
  server.pause = Math.min(Math.max(server.pause * 2, pauses.first), pauses.longest)
  server.closedUntil = performance.now() + server.pause * (0.8 + 0.4 * Math.random())
  server.refusals = 0
  log.warn(
    { server: server.transport.name, answer, milliseconds: server.pause },
    'a mail server is left alone for a while',
  )
}
