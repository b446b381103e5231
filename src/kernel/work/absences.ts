import { LRUCache } from 'lru-cache'

/** Time to live of the memory that a name does not exist, in milliseconds. Usually a notification clears it before. */
const ttlMs = 5_000

const maxRemembered = 10_000

/** Remembers names that do not exist, so that asking for one again costs no statement. */
export interface Absences {
  /** Whether a name was looked up lately and does not exist. */
  isAbsent(name: string): boolean
  /** Runs the lookup of a name, and remembers it if nothing is found. */
  lookUp<Found>(name: string, find: () => Promise<Found | undefined>): Promise<Found | undefined>
  /** Forgets all names. To be called when one may exist by now, in this process or in another one. */
  clear(): void
}

/** Creates an empty memory. It is used only while `isNotified` returns true: while new names of other processes are announced. */
export function newAbsences(isNotified: () => boolean): Absences {
  const absent = new LRUCache<string, true>({ max: maxRemembered, ttl: ttlMs, ttlResolution: 100 })
  let generation = 0
  return {
    isAbsent: (name) => isNotified() && absent.has(name),
    lookUp: async (name, find) => {
      const started = generation
      const found = await find()
      // A notification that arrived during the lookup may be about this name.
      if (found === undefined && started === generation) absent.set(name, true)
      return found
    },
    clear: () => {
      generation += 1
      absent.clear()
    },
  }
}
