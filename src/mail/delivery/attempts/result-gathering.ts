/** Maximum time for which results wait for others, in milliseconds. */
const maxWaitMs = 10

/** How long results wait at most, in durations of a statement. */
const maxStatements = 1.5

/** Weight of the last statement in the usual duration. */
const weight = 1 / 8

/** Decides whether results wait for those of messages that are in flight, so that one statement records them together. */
export interface ResultGathering {
  /** Adds the result of a message, with the time at which it was sent. */
  add(sentAt: number): void
  /** Called when a statement takes the results. */
  clear(): void
  /** Records the duration of a statement. */
  recordStatement(milliseconds: number): void
  /** Returns how long the results wait for messages in flight that were sent at these times. 0: not at all. */
  waitMs(sentAt: Iterable<number>): number
}

/**
 * Results wait for those of messages that were sent at about the same time, for about as long as a statement takes: without
 * waiting, the others would wait for this statement. So all connections start their next messages together, and as few
 * statements are needed as connections allow. Nothing waits for messages that were sent much earlier or later.
 */
export function newResultGathering(): ResultGathering {
  let firstSentAt = Number.POSITIVE_INFINITY
  let statementMs = 1
  return {
    add: (sentAt) => {
      firstSentAt = Math.min(firstSentAt, sentAt)
    },
    clear: () => {
      firstSentAt = Number.POSITIVE_INFINITY
    },
    recordStatement: (milliseconds) => {
      statementMs += (milliseconds - statementMs) * weight
    },
    waitMs: (all) => {
      const limit = Math.min(maxStatements * statementMs, maxWaitMs)
      return [...all].some((sentAt) => Math.abs(sentAt - firstSentAt) <= limit) ? limit : 0
    },
  }
}
