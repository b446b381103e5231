import type { TracePosition } from '../../../kernel/telemetry/tracing.ts'
import type { EncodedMessage } from '../mime/encoded-message.ts'
import type { ClaimedMessage } from '../queue/claims.ts'
import type { AccountTurns } from './account-turns.ts'

/** A message that this process has claimed, rendered and encoded. */
export interface ReadyMessage extends ClaimedMessage {
  /** Address of the contact. */
  readonly to: string
  readonly encoded: EncodedMessage
  /** The conditions of the e-mail that hold for the contact, packed. Null if it has none. */
  readonly shownConditions: number | null
  /** Whether an attempt was requested before and the reply of the database was lost. */
  isRepeat: boolean
  /** The claim of the message, in its trace. */
  readonly trace: TracePosition
}

/** The messages of a process that wait for a connection. Accounts take turns, whatever number of messages they have. */
export interface MessageBuffer {
  readonly size: number
  /** Number of accounts that have messages in the buffer. */
  readonly accountCount: number
  /** Whether there is room for another message of an account. There always is for the first one. */
  hasRoom(accountId: number): boolean
  /** Number of messages of an account. */
  countOf(accountId: number): number
  /** Number of messages that meet a condition. */
  count(condition: (message: ReadyMessage) => boolean): number
  add(messages: readonly ReadyMessage[]): void
  /** Takes out up to `max` messages for which `mayGo` returns true, each of the account that is next. */
  take(max: number, mayGo: (message: ReadyMessage) => boolean): ReadyMessage[]
  /** Takes out all messages that meet a condition. */
  remove(condition: (message: ReadyMessage) => boolean): ReadyMessage[]
}

/** Size of encoded messages from which no more are added, in bytes: for one account, and for all accounts together. */
const maxBytes = { account: 16_000_000, all: 64_000_000 } as const

/** Returns an empty buffer. Messages that are taken out to be sent count in the turns. */
export function newMessageBuffer(turns: AccountTurns): MessageBuffer {
  const accounts = new Map<number, ReadyMessage[]>()
  const bytesByAccount = new Map<number, number>()
  let size = 0
  let bytes = 0
  const count = ({ accountId, encoded }: ReadyMessage, sign: 1 | -1) => {
    size += sign
    bytes += sign * encoded.raw.length
    const own = (bytesByAccount.get(accountId) ?? 0) + sign * encoded.raw.length
    if (own > 0) bytesByAccount.set(accountId, own)
    else bytesByAccount.delete(accountId)
  }
  const keep = (accountId: number, messages: ReadyMessage[]) => {
    if (messages.length > 0) accounts.set(accountId, messages)
    else accounts.delete(accountId)
  }
  return {
    get size() {
      return size
    },
    get accountCount() {
      return accounts.size
    },
    count: (condition) => [...accounts.values()].reduce((sum, waiting) => sum + waiting.filter(condition).length, 0),
    hasRoom: (accountId) => {
      const own = bytesByAccount.get(accountId) ?? 0
      return own === 0 || (own < maxBytes.account && bytes < maxBytes.all)
    },
    countOf: (accountId) => accounts.get(accountId)?.length ?? 0,
    add: (messages) => {
      for (const message of messages) {
        const waiting = accounts.get(message.accountId)
        if (waiting) waiting.push(message)
        else accounts.set(message.accountId, [message])
        count(message, 1)
      }
    },
    take: (max, mayGo) => {
      const taken: ReadyMessage[] = []
      const candidates = new Set(accounts.keys())
      while (taken.length < max && candidates.size > 0) {
        const accountId = firstOf(candidates, turns.placeOf)
        const waiting = accounts.get(accountId) ?? []
        const index = waiting.findIndex(mayGo)
        if (index < 0) {
          candidates.delete(accountId)
          continue
        }
        taken.push(...waiting.splice(index, 1))
        turns.count(accountId, 1)
        keep(accountId, waiting)
      }
      for (const message of taken) count(message, -1)
      return taken
    },
    remove: (condition) => {
      const removed: ReadyMessage[] = []
      for (const [accountId, waiting] of [...accounts]) {
        removed.push(...waiting.filter(condition))
        keep(
          accountId,
          waiting.filter((message) => !condition(message)),
        )
      }
      for (const message of removed) count(message, -1)
      return removed
    },
  }
}

/** Returns the item with the lowest value; of equal ones, the first. */
function firstOf(items: ReadonlySet<number>, rank: (item: number) => number): number {
  let [first, lowest] = [Number.NaN, Number.POSITIVE_INFINITY]
  for (const item of items) {
    const value = rank(item)
    if (value < lowest) [first, lowest] = [item, value]
  }
  return first
}
