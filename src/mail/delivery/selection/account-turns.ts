/** Number of messages that an account with few messages may send ahead of others when it begins to send. */
export const maxCredit = 200

/** The order in which accounts send. */
export interface AccountTurns {
  /**
   * Returns how much an account has sent, relative to others. The account with the lowest value is next. An account that sent
   * less than the others is below them by at most `maxCredit`.
   */
  placeOf(accountId: number): number
  /** Returns the number of messages that an account may send before others are next. */
  creditOf(accountId: number): number
  /** Returns whether an account has messages to send after it had none for long, so that `begin` sets its place. */
  isBeginning(accountId: number): boolean
  /** Sets the place of an account that begins to send, with the number of its messages that are due. */
  begin(accountId: number, messages: number): void
  /** Counts messages of an account that are sent, or that turn out not to be sendable now. */
  count(accountId: number, messages: number): void
}

/**
 * Start-time fair queueing: accounts send equally many messages while they have some. One that begins with few messages is ahead
 * of all others, so its messages do not wait for a turn of each large account, even if all accounts begin at once. One that
 * begins with many is equal to the others: ahead of them, many large accounts that begin at once would delay the rest by a burst.
 */
export function newAccountTurns(): AccountTurns {
  const places = new Map<number, number>()
  /** The highest place of an account when it was served. Places far below it belong to accounts that did not send. */
  let current = 0
  const lowest = () => current - maxCredit
  const placeOf = (accountId: number) => Math.max(places.get(accountId) ?? lowest(), lowest())
  return {
    placeOf,
    creditOf: (accountId) => Math.max(current - placeOf(accountId), 0),
    isBeginning: (accountId) => (places.get(accountId) ?? Number.NEGATIVE_INFINITY) < lowest(),
    begin: (accountId, messages) => places.set(accountId, messages < maxCredit ? lowest() : current),
    count: (accountId, messages) => {
      const place = placeOf(accountId)
      current = Math.max(current, place)
      places.set(accountId, place + messages)
    },
  }
}
