/** Maximum files that are received and decoded at a time, each of up to 10 MB in memory: of one account, and of the process. */
const maxReceiving = { account: 3, all: 16 } as const

/** Age from which an upload that has not arrived loses its place to another one, in milliseconds: good connections need less. */
const graceMs = 5_000

/** A place for one upload. */
interface UploadPlace {
  /** Declares that the whole file has arrived: no other upload gets the place before it is left. */
  readonly keep: () => void
  readonly leave: () => void
}

interface Entry {
  readonly accountId: number
  readonly since: number
  /** Ends the upload. Undefined once its file has arrived. */
  drop: (() => void) | undefined
}

/** In the order in which they began. */
const entries = new Set<Entry>()

/**
 * Takes one of the places for uploads. If all are taken, the oldest upload of the account with most of them is dropped, so that
 * slow clients do not keep others out. Returns undefined if the account has three, or if all are taken by files that have
 * arrived, or that began just now.
 */
export function takePlace(accountId: number, drop: () => void): UploadPlace | undefined {
  if (countOf(accountId) >= maxReceiving.account) return undefined
  const now = performance.now()
  if (entries.size >= maxReceiving.all) {
    const slow = [...entries].filter((entry) => entry.drop && now - entry.since >= graceMs)
    const [first] = slow.sort((one, other) => countOf(other.accountId) - countOf(one.accountId))
    if (!first?.drop) return undefined
    entries.delete(first)
    first.drop()
  }
  const entry: Entry = { accountId, since: now, drop }
  entries.add(entry)
  return {
    keep: () => {
      entry.drop = undefined
    },
    leave: () => entries.delete(entry),
  }
}

function countOf(accountId: number): number {
  return [...entries].filter((entry) => entry.accountId === accountId).length
}
