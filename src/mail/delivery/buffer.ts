import type { Claimed } from './claims.ts'
import type { Parcel } from './parcel.ts'

/** A message that this process has taken on, ready to be handed over. */
export interface Ready extends Claimed {
  /** Whom it is for, as the contact has it. */
  readonly to: string
  readonly parcel: Parcel
  /** Set where its hand-over was asked for and the answer was lost on the way from the database. */
  isRepeat: boolean
}

/**
 * What a process has taken on and not yet handed over, account by account: they take turns, so that who has three messages
 * does not wait for who has three hundred.
 */
export interface Buffer {
  readonly size: number
  /** How many accounts have messages in it. */
  readonly accounts: number
  /** How many of an account wait in it. */
  of(accountId: number): number
  /** How many of all messages this holds for. */
  count(condition: (message: Ready) => boolean): number
  add(messages: readonly Ready[]): void
  /** Takes out up to `most` that `may` lets go, one of each account in turn. */
  take(most: number, may: (message: Ready) => boolean): Ready[]
  /** Takes out everything for which this holds. */
  drop(condition: (message: Ready) => boolean): Ready[]
}

/** An empty one. */
export function newBuffer(): Buffer {
  /** In the order of turns: an account that had its turn goes to the end. */
  const accounts = new Map<number, Ready[]>()
  let size = 0
  const put = (accountId: number, messages: Ready[]) => {
    accounts.delete(accountId)
    if (messages.length > 0) accounts.set(accountId, messages)
  }
  return {
    get size() {
      return size
    },
    get accounts() {
      return accounts.size
    },
    count: (condition) => [...accounts.values()].reduce((sum, waiting) => sum + waiting.filter(condition).length, 0),
    of: (accountId) => accounts.get(accountId)?.length ?? 0,
    add: (messages) => {
      for (const message of messages) {
        const waiting = accounts.get(message.accountId)
        if (waiting) waiting.push(message)
        else accounts.set(message.accountId, [message])
      }
      size += messages.length
    },
    take: (most, may) => {
      const taken: Ready[] = []
      let idle = 0
      while (taken.length < most && idle < accounts.size) {
        const [accountId, waiting] = accounts.entries().next().value as [number, Ready[]]
        const place = waiting.findIndex(may)
        if (place >= 0) taken.push(...waiting.splice(place, 1))
        idle = place >= 0 ? 0 : idle + 1
        put(accountId, waiting)
      }
      size -= taken.length
      return taken
    },
    drop: (condition) => {
      const dropped: Ready[] = []
      for (const [accountId, waiting] of [...accounts]) {
        dropped.push(...waiting.filter(condition))
        put(
          accountId,
          waiting.filter((message) => !condition(message)),
        )
      }
      size -= dropped.length
      return dropped
    },
  }
}
