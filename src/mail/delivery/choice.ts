import type { Buffer, Ready } from './buffer.ts'
import type { Verdict } from './outcome.ts'
import { newRate } from './rates.ts'

/** How many messages a second may go to one account's recipients, or to one domain, from all workers together. */
export interface Rates {
  readonly perAccount?: number | undefined
  readonly perDomain?: number | undefined
}

/** The first pause of a domain whose recipient was not answered for, and the longest: each is twice the one before. */
const firstPause = 1_000
const longestPause = 300_000

/** For how long a domain keeps clear of the last connection after its last trouble, in milliseconds. */
const memory = 60_000

/** After how many troubles in a row all messages for a domain are deferred, so that a campaign comes to its end. */
const mostTroubles = 3

/** How many messages wait here for a domain that gets one connection; the others go back into the queue. */
const samples = 5

/** A domain whose recipients a server did not answer for lately. */
interface Trouble {
  /** How many of its messages may be with a server at a time. */
  limit: number
  pause: number
  /** Until when none may. */
  until: number
  lastAt: number
  /** Troubles since the last answer. */
  inRow: number
}

/** A message that does not wait here for its domain. */
export interface Surplus {
  readonly message: Ready
  /** After how many milliseconds it may come again. */
  readonly wait: number
  /** The domain, if so many of its recipients were not answered for that this counts as an attempt. */
  readonly suspended: string | undefined
}

/** Decides which of the messages that wait in a process may go to a server now. */
export interface Choice {
  /** Takes up to `most` messages out of the buffer, each account in turn; `open` are the ones with a server now. */
  take(most: number, open: Iterable<Ready>): Ready[]
  /** In how many milliseconds the next one may go for which it is too soon now; 0: none waits for a time. */
  wait(): number
  /** Takes the messages out of the buffer that would wait for a domain in trouble. */
  surplus(): Surplus[]
  /** How many messages wait, of all accounts or of one, without those for domains in trouble. */
  waiting(accountId?: number): number
  /** Learns from what came of a message that went at `sentAt`. */
  learn(message: Ready, verdict: Verdict, sentAt: number): void
}

/**
 * Rates hold for each account and domain. Nobody takes all connections if others wait: an account leaves one free, and so
 * do all domains together whose recipients were not answered for lately. Each of those gets one connection, after a pause
 * that grows, and one more with each answer.
 */
export function newChoice(options: {
  buffer: Buffer
  rates: Rates
  workers: () => number
  /** How many messages can be with servers at a time. */
  size: number
  now?: () => number
}): Choice {
  const { buffer, rates, workers, size, now = () => performance.now() } = options
  const accountRate = newRate(rates.perAccount, workers)
  const domainRate = newRate(rates.perDomain, workers)
  const troubles = new Map<string, Trouble>()
  const mostOfOne = Math.max(size - 1, 1)
  let wait = 0

  const later = (milliseconds: number) => {
    if (Number.isFinite(milliseconds)) wait = wait === 0 ? milliseconds : Math.min(wait, milliseconds)
    return false
  }
  const troubleOf = (message: Ready) => (troubles.size === 0 ? undefined : troubles.get(domainOf(message)))
  const forget = (time: number) => {
    for (const [domain, { limit, lastAt }] of troubles)
      if (limit >= mostOfOne && time - lastAt > memory) troubles.delete(domain)
  }

  return {
    take: (most, open) => {
      wait = 0
      const time = now()
      forget(time)
      const busy = [...open]
      const isAloneHere = buffer.accounts <= 1
      return buffer.take(most, (message) => {
        const { accountId } = message
        const domain = domainOf(message)
        const soonest = Math.max(accountRate.wait(accountId), domainRate.wait(domain))
        if (soonest > 0) return later(soonest)
        if (!isAloneHere && count(busy, (each) => each.accountId === accountId) >= mostOfOne) return false
        const trouble = troubles.get(domain)
        if (trouble) {
          if (trouble.until > time) return later(trouble.until - time)
          if (count(busy, (each) => domainOf(each) === domain) >= trouble.limit) return false
          if (count(busy, (each) => troubleOf(each) !== undefined) >= mostOfOne) return false
        }
        accountRate.take(accountId)
        domainRate.take(domain)
        busy.push(message)
        return true
      })
    },
    wait: () => wait,
    surplus: () => {
      if (troubles.size === 0) return []
      const time = now()
      const kept: Ready[] = []
      const surplus: Surplus[] = []
      const places = new Map<string, number>()
      // Any of them may be the one that is not answered for: those that stay are not always the same.
      for (const message of shuffled(buffer.drop((each) => (troubleOf(each)?.limit ?? size) < mostOfOne))) {
        const domain = domainOf(message)
        const { until, limit, pause, inRow } = troubles.get(domain) as Trouble
        const place = places.get(domain) ?? 0
        places.set(domain, place + 1)
        if (until <= time && place < limit * samples) kept.push(message)
        else {
          const wait = Math.max(until - time, pause, firstPause) * (1 + Math.random())
          surplus.push({ message, wait, suspended: inRow >= mostTroubles ? domain : undefined })
        }
      }
      buffer.add(kept)
      return surplus
    },
    waiting: (accountId) => {
      const all = accountId === undefined ? buffer.size : buffer.of(accountId)
      if (troubles.size === 0 || all === 0) return all
      return buffer.count((each) => (accountId ?? each.accountId) === each.accountId && troubleOf(each) === undefined)
    },
    learn: (message, verdict, sentAt) => {
      const domain = domainOf(message)
      const trouble = troubles.get(domain)
      if (verdict === 'stalled') {
        const time = now()
        // What was on its way before the last trouble says nothing new.
        if (trouble && sentAt < trouble.lastAt) trouble.limit = 1
        else {
          const pause = Math.min(Math.max((trouble?.pause ?? 0) * 2, firstPause), longestPause)
          troubles.set(domain, { limit: 1, pause, until: time + pause, lastAt: time, inRow: (trouble?.inRow ?? 0) + 1 })
        }
      } else if (trouble && isAnswer.has(verdict)) {
        trouble.limit = Math.min(trouble.limit + 1, mostOfOne)
        trouble.pause = 0
        trouble.inRow = 0
      }
    },
  }
}

/** Outcomes that show that recipients of a domain are answered for. */
const isAnswer = new Set<Verdict>(['accepted', 'bad address', 'bad message', 'deferred', 'cut', 'ambiguous'])

function domainOf({ to }: Ready): string {
  return to.slice(to.lastIndexOf('@') + 1).toLowerCase()
}

function count<Item>(items: Iterable<Item>, condition: (item: Item) => boolean): number {
  let found = 0
  for (const item of items) if (condition(item)) found += 1
  return found
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
