import { newCtx, type System } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'

/** Minimum time between two events of a funnel, in milliseconds. */
const intervalMs = 60_000

/** A funnel whose last event is less than a minute old, and the number of visits since then. */
interface QuietFunnel {
  readonly accountId: number
  readonly funnelId: number
  visits: number
  timer?: NodeJS.Timeout
}

/** Visits of a funnel that this process has inserted. */
interface InsertedVisits {
  readonly accountId: number
  readonly funnelId: number
  readonly visits: number
}

/** Limits the events about visits to one a minute for each funnel. */
export interface VisitAnnouncer {
  /** Returns whether visits of a funnel must wait for the next event. */
  isQuiet(accountId: number, funnelId: number): boolean
  /** Counts visits that were inserted. Those of a funnel that was not quiet had an event, and it is quiet from now on. */
  count(inserted: InsertedVisits): void
  /** Emits the events of all visits that wait. */
  stop(): Promise<void>
}

/**
 * Creates an announcer. It keeps the numbers in memory: an event that a process could not emit before it ended is lost, as
 * buffered visits are. The figures stay exact. **Emits** `funnel.visited`.
 */
export function newVisitAnnouncer(system: System): VisitAnnouncer {
  const quiet = new Map<string, QuietFunnel>()
  const keyOf = (accountId: number, funnelId: number) => `${accountId} ${funnelId}`

  const wait = (funnel: QuietFunnel): void => {
    funnel.timer = setTimeout(() => void announce(funnel), intervalMs).unref()
  }
  const announce = async (funnel: QuietFunnel): Promise<void> => {
    const { accountId, funnelId, visits, timer } = funnel
    clearTimeout(timer)
    if (visits === 0) {
      quiet.delete(keyOf(accountId, funnelId))
      return
    }
    funnel.visits = 0
    wait(funnel)
    try {
      await inTransaction(newCtx(system, { accountId }), (tx) => emit(tx, 'funnel.visited', { funnelId, visits }))
    } catch (error) {
      funnel.visits += visits
      system.log.warn({ err: error, accountId, funnelId }, 'visits could not be announced; it is tried again')
    }
  }
  return {
    isQuiet: (accountId, funnelId) => quiet.has(keyOf(accountId, funnelId)),
    count: ({ accountId, funnelId, visits }) => {
      const known = quiet.get(keyOf(accountId, funnelId))
      if (known) known.visits += visits
      else {
        const funnel: QuietFunnel = { accountId, funnelId, visits: 0 }
        quiet.set(keyOf(accountId, funnelId), funnel)
        wait(funnel)
      }
    },
    stop: async () => {
      await Promise.all([...quiet.values()].map(announce))
      for (const { timer } of quiet.values()) clearTimeout(timer)
      quiet.clear()
    },
  }
}
