import type { System } from '../../../db/context.ts'
import { announcedChannel } from '../../../events/index.ts'
import { type FailureCause, isFaultOfSender } from '../../failures/failure-causes.ts'
import { addProblems, domainOf, type ProblemCount, slowDomains } from '../../failures/sender-problems.ts'
import type { ReadyMessage } from './message-buffer.ts'

/** Time after which counts are written, and shortest time between two reads of what other processes and reports recorded. */
const writeMs = 1_000
const readMs = 15_000

/** Maximum number of problems that wait to be written. Further ones of other domains are not counted. */
const maxWaiting = 10_000

/** Maximum number of characters of a reply that waits. */
const maxDetail = 1_000

/** Counts the messages that receiving domains refuse for a fault of the sender, and learns of those that others counted. */
export interface SenderProblemWatch {
  /** Counts a message, if the cause is a fault of the sender. */
  count(message: Pick<ReadyMessage, 'accountId' | 'to'>, cause: FailureCause | undefined, detail: string): void
  /** Reads, if enough time has passed. */
  tick(): void
  /** Writes what waits. */
  settle(): Promise<void>
}

/** Creates the watch of a process. `slowDown` gets a domain, and how long ago it refused a message of the account. */
export function newSenderProblemWatch(
  system: System,
  slowDown: (accountId: number, domain: string, agoMs: number) => void,
): SenderProblemWatch {
  const { clock, log, db, notify } = system
  let waiting = new Map<string, ProblemCount>()
  let timer: NodeJS.Timeout | undefined
  let readAt = 0
  const known = new Map<string, number>()

  const write = async () => {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    const counts = [...waiting.values()]
    waiting = new Map()
    await db.$unscoped('a worker serves all accounts', addProblems(counts, clock.now()))
    notify(announcedChannel)
  }
  const read = async () => {
    const domains = await slowDomains(system)
    const current = new Map(
      domains.map(({ accountId, domain, lastAt }) => [`${accountId} ${domain}`, lastAt.getTime()]),
    )
    for (const { accountId, domain, lastAt } of domains)
      if (known.get(`${accountId} ${domain}`) !== lastAt.getTime())
        slowDown(accountId, domain, clock.now().getTime() - lastAt.getTime())
    known.clear()
    for (const [key, at] of current) known.set(key, at)
  }
  const inBackground = (work: Promise<void>) =>
    work.catch((error: unknown) => log.warn({ err: error }, 'problems of senders could not be stored or read'))

  return {
    count: ({ accountId, to }, cause, detail) => {
      if (cause === undefined || !isFaultOfSender(cause)) return
      const domain = domainOf(to)
      const key = `${accountId} ${domain} ${cause}`
      const before = waiting.get(key)
      if (!before && waiting.size >= maxWaiting) return
      timer ??= setTimeout(() => inBackground(write()), writeMs).unref()
      waiting.set(key, {
        accountId,
        domain,
        cause,
        failures: (before?.failures ?? 0) + 1,
        detail: detail.slice(0, maxDetail),
      })
    },
    tick: () => {
      const now = performance.now()
      if (now - readAt >= readMs) {
        readAt = now
        inBackground(read())
      }
    },
    settle: () => inBackground(write()),
  }
}
