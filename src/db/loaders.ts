import DataLoader from 'dataloader'
import type { RowBudget } from '../kernel/work/row-budget.ts'

/** What loaders need of a context: it can limit the rows that they read. */
interface Limits {
  readonly rows?: RowBudget | undefined
}

/**
 * Reads one kind of value for many keys in one statement. `batch` returns a map. A key that is missing in it gets the
 * result of `otherwise`.
 */
export interface BatchLoader<Context, Key, Value, Otherwise> {
  readonly batch: (ctx: Context, keys: readonly Key[]) => Promise<Map<Key, Value>>
  readonly otherwise: () => Otherwise
  /** Identity of a loader that is created at each use. Loaders with the same name share one cache. */
  readonly name?: string
  /**
   * Returns the number of rows as which a value counts in a row budget. Defaults to the length of a list, and 1 for
   * other values.
   */
  weightOf?(value: Value): number
}

/** Loads values with loaders. Keys that are requested in the same tick are read in one statement. */
export interface Load<Context> {
  <Key, Value, Otherwise>(loader: BatchLoader<Context, Key, Value, Otherwise>, key: Key): Promise<Value | Otherwise>
  /** Returns a value itself if it was loaded: a promise for each row takes longer than most resolvers. */
  ready<Key, Value, Otherwise>(
    loader: BatchLoader<Context, Key, Value, Otherwise>,
    key: Key,
  ): Value | Otherwise | Promise<Value | Otherwise>
  /** Loads the values of many keys for `ready`. Does not throw, because each key then fails by itself. */
  ahead<Key>(loader: BatchLoader<Context, Key, unknown, unknown>, keys: readonly Key[]): Promise<unknown>
  /** Returns the result of `create`, which is called once for a name until the cache is cleared. */
  once<Value>(name: string, create: () => Value): Value
  /** Clears the cache. Call it after a change, so that the same request reads the changed values. */
  clear(): void
}

/** The loaded values of one loader. */
interface LoaderState<Key, Value> {
  readonly loader: DataLoader<Key, Value>
  /** The values that were loaded ahead. */
  readonly values: Map<Key, Value>
  /** Loads the values of many keys ahead, with a promise for all of them. */
  readonly ahead: DataLoader<readonly Key[], unknown>
}

/** Creates the loaders of one context. Each is created on first use and caches its results. */
export function newLoad<Context extends Limits>(ctx: () => Context): Load<Context> {
  const all = new Map<unknown, LoaderState<unknown, unknown>>()
  const created = new Map<string, unknown>()
  const stateOf = <Key, Value, Otherwise>(loader: BatchLoader<Context, Key, Value, Otherwise>) => {
    const identity = loader.name ?? loader
    let state = all.get(identity)
    if (!state) {
      state = newLoaderState(loader, ctx) as LoaderState<unknown, unknown>
      all.set(identity, state)
    }
    return state as LoaderState<Key, Value | Otherwise>
  }
  const load = <Key, Value, Otherwise>(loader: BatchLoader<Context, Key, Value, Otherwise>, key: Key) =>
    stateOf(loader).loader.load(key)
  const ready = <Key, Value, Otherwise>(loader: BatchLoader<Context, Key, Value, Otherwise>, key: Key) => {
    const { values, loader: loads } = stateOf(loader)
    return values.has(key) ? (values.get(key) as Value | Otherwise) : loads.load(key)
  }
  const ahead = <Key>(loader: BatchLoader<Context, Key, unknown, unknown>, keys: readonly Key[]) =>
    stateOf(loader)
      .ahead.load(keys)
      .catch(() => undefined)
  const once = <Value>(name: string, create: () => Value) => {
    if (!created.has(name)) created.set(name, create())
    return created.get(name) as Value
  }
  const clear = () => {
    all.clear()
    created.clear()
  }
  // Each request has its loaders, and Object.assign takes longer than this.
  load.ready = ready
  load.ahead = ahead
  load.once = once
  load.clear = clear
  return load
}

/** Maximum number of keys in one statement. It bounds the memory for lists of many parents. */
const maxKeys = 1_000

function newLoaderState<Context extends Limits, Key, Value, Otherwise>(
  loader: BatchLoader<Context, Key, Value, Otherwise>,
  ctx: () => Context,
): LoaderState<Key, Value | Otherwise> {
  /** The current batch. The next one waits for it, so that it is not read if the budget is exceeded. */
  let running: Promise<unknown> | undefined
  const readNow = async (keys: readonly Key[]) => {
    const { rows } = ctx()
    rows?.mustNotBeExceeded()
    const found = await loader.batch(ctx(), keys)
    rows?.load(rowsIn(found, loader))
    return keys.map((each) => found.get(each) ?? loader.otherwise())
  }
  const read = async (keys: readonly Key[]) => {
    const earlier = running
    const batch = earlier ? earlier.then(() => readNow(keys)) : readNow(keys)
    running = batch
    try {
      return await batch
    } finally {
      if (running === batch) running = undefined
    }
  }
  const values = new Map<Key, Value | Otherwise>()
  const readAhead = async (lists: readonly (readonly Key[])[]) => {
    const missing = [...new Set(lists.flat())].filter((key) => !values.has(key))
    for (let from = 0; from < missing.length; from += maxKeys) {
      const keys = missing.slice(from, from + maxKeys)
      for (const [place, value] of (await read(keys)).entries()) values.set(keys[place] as Key, value)
    }
    return lists.map(() => undefined)
  }
  return {
    values,
    loader: new DataLoader(read, { maxBatchSize: maxKeys }),
    ahead: new DataLoader(readAhead, { cache: false }),
  }
}

/** Returns the number of rows of a batch. */
function rowsIn<Key, Value>(
  found: Map<Key, Value>,
  loader: Pick<BatchLoader<never, Key, Value, unknown>, 'weightOf'>,
): number {
  let rows = 0
  for (const value of found.values()) rows += loader.weightOf?.(value) ?? (Array.isArray(value) ? value.length : 1)
  return rows
}
