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
      dataLoader = new DataLoader(async (keys) => {
        const found = await loader.batch(ctx(), keys as Key[])
        return keys.map((each) => found.get(each as Key) ?? loader.otherwise())
      })
      made.set(identity, dataLoader)
    }
    return dataLoader.load(key) as Promise<Value | Otherwise>
  }
  return Object.assign(load, { clear: () => made.clear() })
}
