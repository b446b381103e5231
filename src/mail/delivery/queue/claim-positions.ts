/** Position in the queue of a source, whose messages are claimed in the order of their time and ID. */
export interface ClaimPosition {
  readonly dueAt: Date
  readonly id: bigint
}

/** Number of claims after which a source is read from its beginning, where released messages may be due again. */
const maxContinued = 100

/** The positions at which a worker continues to claim. Keys identify sources. */
export interface ClaimPositions {
  /** Returns the position after which the next claim of a source reads. Undefined: from the beginning. */
  next(source: string): ClaimPosition | undefined
  /** Records the last message of a claim. Undefined: the source has no more messages after the position. */
  record(source: string, last: ClaimPosition | undefined): void
}

/**
 * Positions in memory. Each claim leaves dead entries at the beginning of the queue. Usually the next claim removes them, but
 * not as long as any transaction can see their messages, such as that of a backup. Without a position each claim would read all
 * of them again.
 */
export function newClaimPositions(): ClaimPositions {
  const positions = new Map<string, { position: ClaimPosition; uses: number }>()
  return {
    next: (source) => {
      const known = positions.get(source)
      if (!known) return undefined
      known.uses += 1
      if (known.uses <= maxContinued) return known.position
      positions.delete(source)
      return undefined
    },
    record: (source, position) => {
      if (position) positions.set(source, { position, uses: positions.get(source)?.uses ?? 0 })
      else positions.delete(source)
    },
  }
}
