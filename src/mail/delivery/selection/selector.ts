import { type FailureCause, isFaultOfSender } from '../../failures/failure-causes.ts'
import { domainOf as domainOfAddress } from '../../failures/sender-problems.ts'
import type { Verdict } from '../transport/outcome.ts'
import { maxPauseMs, newDomainBackoffs } from './domain-backoffs.ts'
import type { MessageBuffer, ReadyMessage } from './message-buffer.ts'
import { newRateLimit } from './rate-limit.ts'

/** Maximum number of messages per second to one account's recipients, and to one domain, from all workers together. */
export interface SendRates {
  readonly perAccount?: number | undefined
  readonly perDomain?: number | undefined
}

/** Shortest delay of a message that goes back into the queue because its domain backs off. */
const minSurplusDelayMs = 1_000

/**
 * Pause after each message of an account that a domain refused for a fault of the sender. Short, so that a campaign of which a
 * domain refuses every message still ends.
 */
const slowPauseMs = 1_000

/** How long a domain is slow after the last such message, if it accepts none. */
const slowMs = 600_000

/** Number of messages that wait here for each connection that a domain in back-off may use. */
const keptPerConnection = 5

/** A message whose domain backs off, and that goes back into the queue instead of waiting here. */
export interface SurplusMessage {
  readonly message: ReadyMessage
  readonly delayMs: number
  /** The domain, if it failed so often that this counts as an attempt. */
  readonly suspendedDomain: string | undefined
}

/** Selects the messages that may be sent now. */
export interface Selector {
  /** Takes up to `max` messages out of the buffer, each account in turn. `inFlight` are the ones with a mail server. */
  select(max: number, inFlight: Iterable<ReadyMessage>): ReadyMessage[]
  /** Returns after how many milliseconds a message that was too early may be sent. 0: none was too early. */
  nextDelayMs(): number
  /** Takes the messages out of the buffer that would wait for a domain in back-off. */
  removeSurplus(): SurplusMessage[]
  /** Returns the number of messages that wait, of all accounts or of one, without those for domains in back-off. */
  waitingCount(accountId?: number): number
  /**
   * Updates the back-off of the message's domain. `sentAt` is the time at which the message was sent. A fault of the sender slows
   * only the messages of the same account to the domain.
   */
  recordVerdict(message: ReadyMessage, verdict: Verdict, sentAt: number, cause?: FailureCause): void
  /** Slows the messages of an account to a domain whose refusal was reported `agoMs` milliseconds ago. */
  slowDown(accountId: number, domain: string, agoMs: number): void
}

/**
 * Applies the rates of accounts and domains. One account may not use the last free connection if others wait, and neither
 * may all domains in back-off together.
 */
export function newSelector(options: {
  buffer: MessageBuffer
  rates: SendRates
  /** Number of workers that share the rates. */
  workers: () => number
  /** Maximum number of messages in flight. */
  size: number
  now?: () => number
}): Selector {
  const { buffer, rates, workers, size, now = () => performance.now() } = options
  const accountRate = newRateLimit(rates.perAccount, workers)
  const domainRate = newRateLimit(rates.perDomain, workers)
  const maxShare = Math.max(size - 1, 1)
  const backoffs = newDomainBackoffs(maxShare)
  const ownBackoffs = newDomainBackoffs(maxShare, { longestPauseMs: slowPauseMs, forgetMs: slowMs })
  /** Delays of the messages that the last selection found too early. */
  let delays: number[] = []

  const stallOf = (message: ReadyMessage) => backoffs.find(domainOf(message))
  const backoffOf = (message: ReadyMessage) => stallOf(message) ?? ownBackoffs.find(ownKeyOf(message))
  const isTooEarly = (delayMs: number): boolean => {
    if (delayMs > 0 && Number.isFinite(delayMs)) delays.push(delayMs)
    return delayMs > 0
  }
  const hasConnection = (message: ReadyMessage, busy: readonly ReadyMessage[], isOnlyAccount: boolean): boolean => {
    const { accountId } = message
    if (!isOnlyAccount && count(busy, (each) => each.accountId === accountId) >= maxShare) return false
    const backoff = backoffOf(message)
    if (!backoff) return true
    if (isTooEarly(backoff.until - now())) return false
    if (count(busy, (each) => backoffOf(each) === backoff) >= backoff.limit) return false
    return count(busy, (each) => backoffOf(each) !== undefined) < maxShare
  }

  return {
    select: (max, inFlight) => {
      delays = []
      for (const each of [backoffs, ownBackoffs]) each.removeOld(now())
      const busy = [...inFlight]
      const isOnlyAccount = buffer.accountCount <= 1
      return buffer.take(max, (message) => {
        const { accountId } = message
        const domain = domainOf(message)
        if (isTooEarly(Math.max(accountRate.delayMs(accountId), domainRate.delayMs(domain)))) return false
        if (!hasConnection(message, busy, isOnlyAccount)) return false
        accountRate.consume(accountId)
        domainRate.consume(domain)
        busy.push(message)
        return true
      })
    },
    nextDelayMs: () => (delays.length === 0 ? 0 : Math.min(...delays)),
    removeSurplus: () => {
      if (backoffs.size === 0 && ownBackoffs.size === 0) return []
      const time = now()
      const kept: ReadyMessage[] = []
      const surplus: SurplusMessage[] = []
      const seen = new Map<unknown, number>()
      // Shuffled, so that one recipient without a reply is not always among those that stay.
      for (const message of shuffled(buffer.remove((each) => (backoffOf(each)?.limit ?? size) < maxShare))) {
        const backoff = backoffOf(message)
        if (!backoff) continue
        const { until, limit, pauseMs, failures } = backoff
        const index = seen.get(backoff) ?? 0
        seen.set(backoff, index + 1)
        if (until <= time && index < limit * keptPerConnection) {
          kept.push(message)
          continue
        }
        // Messages that a slow domain takes one after another come back one after another.
        const turnMs = stallOf(message) ? pauseMs : Math.min(index * slowPauseMs, maxPauseMs)
        const delayMs = Math.max(until - time, turnMs, minSurplusDelayMs) * (1 + Math.random())
        surplus.push({
          message,
          delayMs,
          suspendedDomain: stallOf(message) && backoffs.isSuspended(failures) ? domainOf(message) : undefined,
        })
      }
      buffer.add(kept)
      return surplus
    },
    waitingCount: (accountId) => {
      const all = accountId === undefined ? buffer.size : buffer.countOf(accountId)
      if ((backoffs.size === 0 && ownBackoffs.size === 0) || all === 0) return all
      return buffer.count((each) => (accountId ?? each.accountId) === each.accountId && !backoffOf(each))
    },
    recordVerdict: (message, verdict, sentAt, cause) => {
      backoffs.recordVerdict(domainOf(message), verdict, sentAt, now())
      if (cause && isFaultOfSender(cause)) ownBackoffs.recordFailure(ownKeyOf(message), sentAt, now())
      else if (verdict !== 'stalled') ownBackoffs.recordVerdict(ownKeyOf(message), verdict, sentAt, now())
    },
    slowDown: (accountId, domain, agoMs) => ownBackoffs.recordFailure(`${accountId} ${domain}`, now() - agoMs, now()),
  }
}

const domainOf = ({ to }: ReadyMessage): string => domainOfAddress(to)

const ownKeyOf = (message: ReadyMessage): string => `${message.accountId} ${domainOf(message)}`

function count<Item>(items: readonly Item[], condition: (item: Item) => boolean): number {
  return items.reduce((sum, item) => (condition(item) ? sum + 1 : sum), 0)
}

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
