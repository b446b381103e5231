/** Number of messages that an account may send ahead of others after it sent less than they did. */
const maxCredit = 200

/** The order in which accounts send. */
export interface AccountTurns {
  /**
   * Returns how much an account has sent, relative to others. The account with the lowest value is next. An account that has
   * just begun to send is below the others by what they have sent, at most by `maxCredit`.
   */
  placeOf(accountId: number): number
  /** Returns the number of messages that an account may send before others are next. */
  creditOf(accountId: number): number
  /** Counts messages of an account. */
  count(accountId: number, messages: number): void
}

/**
 * Start-time fair queueing: accounts send equally many messages while they have some, and one that begins to send is ahead of
 * those that send for long. So the first messages of a small account do not wait for a turn of each large one.
 */
export function newAccountTurns(): AccountTurns {
  const places = new Map<number, number>()
  /** The highest place of an account when it was served. Places far below it belong to accounts that did not send. */
  let current = 0
  const placeOf = (accountId: number) => Math.max(places.get(accountId) ?? 0, current - maxCredit)
  return {
    placeOf,
    creditOf: (accountId) => Math.max(current - placeOf(accountId), 0),
    count: (accountId, messages) => {
      const place = placeOf(accountId)
      current = Math.max(current, place)
      places.set(accountId, place + messages)
    },
  }
}
