/** Maximum sums of what clients hold, for one network and in all. */
export interface PoolLimits {
  readonly network: number
  readonly all: number
}

/** Clients that hold something while others wait for them: an unfinished body, or a response that they have not read. */
interface ClientPool {
  /**
   * Adds a client that holds this much. If that is too much, drops the oldest of the network, or of the network that holds most.
   * Returns a function that removes the client.
   */
  enter(network: string, weight: number, drop: () => void): () => void
}

/** Age under which a client is not dropped, in milliseconds: a good connection needs less. */
const graceMs = 2_000

interface Entry {
  readonly network: string
  readonly weight: number
  readonly since: number
  readonly drop: () => void
}

/** Creates a pool. A client that is alone in it is never dropped for its weight. */
export function newClientPool(limits: PoolLimits): ClientPool {
  const networks = new Map<string, { held: number; readonly entries: Set<Entry> }>()
  let held = 0

  const remove = (entry: Entry) => {
    const own = networks.get(entry.network)
    if (!own?.entries.delete(entry)) return
    own.held -= entry.weight
    held -= entry.weight
    if (own.entries.size === 0) networks.delete(entry.network)
  }
  const findOldest = (network: string): Entry | undefined => {
    const isAbove = (networks.get(network)?.held ?? 0) > limits.network
    if (!isAbove && held <= limits.all) return undefined
    const groups = isAbove ? [networks.get(network)] : [...networks.values()]
    const largest = groups.reduce((one, other) => ((other?.held ?? 0) > (one?.held ?? 0) ? other : one))
    return largest?.entries.values().next().value
  }
  return {
    enter: (network, weight, drop) => {
      const entry: Entry = { network, weight, drop, since: performance.now() }
      const own = networks.get(network) ?? { held: 0, entries: new Set<Entry>() }
      networks.set(network, own)
      own.entries.add(entry)
      own.held += weight
      held += weight
      for (let oldest = findOldest(network); oldest && oldest !== entry; oldest = findOldest(network)) {
        if (entry.since - oldest.since < graceMs) break
        remove(oldest)
        oldest.drop()
      }
      return () => remove(entry)
    },
  }
}
