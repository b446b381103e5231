import type { RowBudget } from '../kernel/row-budget.ts'

/** Maximum number of keys in one statement. It bounds the memory for lists of many parents. */
const maxKeys = 1_000

/** The keys of one loader and their values. */
export interface Keys<Key, Value> {
  load(key: Key): Promise<Value>
  ready(key: Key): Value | Promise<Value>
  ahead(keys: readonly Key[]): Promise<unknown>
}

/** Keys that are read in one statement. */
interface Batch<Key, Value> {
  readonly keys: Key[]
  readonly done: Promise<void>
  /** Set when the keys were read. */
  found?: Map<Key, Value>
}

/** What reads the values of a loader. */
interface Source<Key, Value, Otherwise> {
  readonly batch: (keys: readonly Key[]) => Promise<Map<Key, Value>>
  readonly otherwise: () => Otherwise
  readonly weightOf?: ((value: Value) => number) | undefined
  /** Returns the budget that limits the rows. */
  readonly budget: () => RowBudget | undefined
}

/** Creates the keys of one loader. `schedule` calls a function when the keys of a batch are complete. */
export function newKeys<Key, Value, Otherwise>(
  source: Source<Key, Value, Otherwise>,
  schedule: (read: () => void) => void,
): Keys<Key, Value | Otherwise> {
  const batches = new Map<Key, Batch<Key, Value>>()
  /** The batch to which keys are added until it is read. */
  let open: Batch<Key, Value> | undefined
  /** The batch that is read. The next one waits for it, so that it is not read if the budget is exceeded. */
  let running: Promise<unknown> | undefined

  const read = async ({ keys }: Batch<Key, Value>) => {
    const rows = source.budget()
    rows?.mustNotBeExceeded()
    const found = await source.batch(keys)
    rows?.load(rowsIn(found, source))
    return found
  }
  const start = async (batch: Batch<Key, Value>) => {
    if (open === batch) open = undefined
    const earlier = running
    const reading = earlier ? earlier.then(() => read(batch)) : read(batch)
    running = reading
    try {
      batch.found = await reading
    } catch (error) {
      // A later load tries again.
      for (const key of batch.keys) batches.delete(key)
      throw error
    } finally {
      if (running === reading) running = undefined
    }
  }
  const newBatch = (): Batch<Key, Value> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const batch: Batch<Key, Value> = { keys: [], done: promise }
    schedule(() => start(batch).then(resolve, reject))
    return batch
  }
  const batchOf = (key: Key): Batch<Key, Value> => {
    const known = batches.get(key)
    if (known) return known
    if (!open || open.keys.length >= maxKeys) open = newBatch()
    open.keys.push(key)
    batches.set(key, open)
    return open
  }
  const valueIn = ({ found }: Batch<Key, Value>, key: Key) => found?.get(key) ?? source.otherwise()
  const ready = (key: Key) => {
    const batch = batchOf(key)
    return batch.found ? valueIn(batch, key) : batch.done.then(() => valueIn(batch, key))
  }
  return {
    ready,
    load: async (key) => {
      // What follows from a value that is known is read together with what follows from the open batch.
      if (open && batches.get(key)?.found) await open.done.catch(() => undefined)
      return ready(key)
    },
    ahead: (keys) => {
      const reading = new Set(keys.map(batchOf).flatMap(({ found, done }) => (found ? [] : [done])))
      return Promise.allSettled(reading)
    },
  }
}

/** Returns the number of rows of a batch. */
function rowsIn<Key, Value>(found: Map<Key, Value>, source: Source<Key, Value, unknown>): number {
  let rows = 0
  for (const value of found.values()) rows += source.weightOf?.(value) ?? (Array.isArray(value) ? value.length : 1)
  return rows
}
