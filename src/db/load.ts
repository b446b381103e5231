import DataLoader from 'dataloader'
import type { Ctx } from './context.ts'

/**
 * How one kind of thing is read for many keys at once: one lean statement. `batch` answers a map; a key that it lacks
 * gives what `otherwise` says.
 */
export interface Loader<Key, Value, Otherwise = Value> {
  readonly batch: (ctx: Ctx, keys: readonly Key[]) => Promise<Map<Key, Value>>
  readonly otherwise: () => Otherwise
  /** For a loader that is made anew at each use: loaders of one name are one. */
  readonly name?: string
  /** How many rows a value counts as in a row budget, if it is larger than a row is as a rule. */
  weightOf?(value: Value): number
}

export interface Load {
  <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key): Promise<Value | Otherwise>
  /** Forgets what was read: after a change, the same request must see what it changed. */
  clear(): void
}

/** Loads one thing by key, or null where the account has none. */
export function one<Key, Value>(batch: Loader<Key, Value>['batch']): Loader<Key, Value, null> {
  return { batch, otherwise: () => null }
}

/** Loads a list by key, empty where there is nothing. */
export function many<Key, Item>(batch: Loader<Key, Item[]>['batch']): Loader<Key, Item[]> {
  return { batch, otherwise: () => [] }
}

/** The loaders of one context: each is made when first asked for, and keeps what it read. */
export function newLoad(ctx: () => Ctx): Load {
  const made = new Map<unknown, DataLoader<unknown, unknown>>()
  const load = <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key) => {
    const identity = loader.name ?? loader
    let dataLoader = made.get(identity)
    if (!dataLoader) {
      dataLoader = newDataLoader(loader, ctx) as unknown as DataLoader<unknown, unknown>
      made.set(identity, dataLoader)
    }
    return dataLoader.load(key) as Promise<Value | Otherwise>
  }
  return Object.assign(load, { clear: () => made.clear() })
}

/** How many keys are read in one statement: so many parents can have a list of some size each without filling the memory. */
const mostKeys = 1_000

function newDataLoader<Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, ctx: () => Ctx) {
  /** The batch that runs: a later one waits for it, and is not read once the budget is exceeded. */
  let running: Promise<unknown> | undefined
  const read = async (keys: readonly Key[]) => {
    const { rows } = ctx()
    rows?.mustNotBeExceeded()
    const found = await loader.batch(ctx(), keys)
    rows?.load(rowsIn(found, loader))
    return keys.map((each) => found.get(each) ?? loader.otherwise())
  }
  return new DataLoader<Key, Value | Otherwise>(
    async (keys) => {
      const earlier = running
      const batch = earlier ? earlier.then(() => read(keys)) : read(keys)
      running = batch
      try {
        return await batch
      } finally {
        if (running === batch) running = undefined
      }
    },
    { maxBatchSize: mostKeys },
  )
}

/** How many rows a batch has loaded: the length of each list, and one for each other value. */
function rowsIn<Key, Value>(found: Map<Key, Value>, loader: Loader<Key, Value, unknown>): number {
  let rows = 0
  for (const value of found.values()) rows += loader.weightOf?.(value) ?? (Array.isArray(value) ? value.length : 1)
  return rows
}
