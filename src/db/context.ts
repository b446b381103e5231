import DataLoader from 'dataloader'
import type { Clock } from '../kernel/clock.ts'
import type { Feed } from '../kernel/feed.ts'
import type { SendMessage } from '../kernel/outgoing-message.ts'
import type { Payloads } from '../kernel/payloads.ts'
import type { Caller } from '../kernel/scopes.ts'
import type { Log } from '../kernel/telemetry/log.ts'
import type { Outbound } from '../kernel/web/outbound.ts'
import type { Signer } from '../kernel/web/signer.ts'
import type { PacedWork, Pacing, RowsAtOnce } from '../kernel/work/pacing.ts'
import type { RowBudget } from '../kernel/work/row-budget.ts'
import type { Client } from './client.ts'
import type { Statement } from './sql.ts'

/**
 * The dependencies of work that belongs to no account: administration, background jobs, authentication. Every process has all
 * of them. One that a kind of process cannot provide (`missing`) throws if it is used.
 */
export interface System extends RowsAtOnce {
  readonly db: Client
  readonly log: Log
  readonly clock: Clock
  /** Returns the public URL of this server. Empty in commands; URLs are paths then. */
  readonly baseUrl: () => string
  /** Returns the public URL of the console, which can be on another host. */
  readonly consoleUrl: () => string
  /** Signs links and cookies. */
  readonly signer: Signer
  /**
   * Address for bounces, as `local@domain`. Each message adds `+` and its own token to the local part. If undefined, bounces go
   * to the sender of each message.
   */
  readonly returnPath: string | undefined
  /** Folder of fonts for characters in documents that the built-in fonts lack. */
  readonly fontsFolder?: string | undefined
  /** Sends one message immediately. */
  readonly sendMessage: SendMessage
  /** Deletes the copies of sent messages of an account to the addresses, which are in lower case. */
  readonly forgetMessages: (accountId: number, addresses: readonly string[]) => Promise<void>
  /** Notifies the listeners of a channel in this process only. */
  readonly notifyLocal: (channel: string) => void
  /** Notifies the listeners of a channel in all processes, including this one. Does not wait. */
  readonly notify: (channel: string) => void
  /** Source of events for subscriptions. */
  readonly feed: Feed
  /** Checks URLs of accounts before a request is sent to them. */
  readonly outbound: Outbound
  /** Whether accounts may send only from domains that they have verified. */
  readonly requiresVerifiedSenders: boolean
  /** Returns the TXT records of a DNS name, or an empty list if it has none. Rejects if the DNS query fails or times out. */
  readonly txtRecords: (name: string) => Promise<readonly string[]>
  /** Creates payloads of webhooks. */
  readonly payloads: Payloads
  /** Lets work on many rows pause while requests are served. */
  readonly pacing: Pick<Pacing, 'start'>
  /** Read replicas. Absent if there are none. */
  readonly replicas?: Replicas | undefined
}

/** The read replicas of a database. Their clients send each statement that fails there to the primary. */
export interface Replicas {
  /** Returns the client of a replica that meets the requirements, or that of the primary. */
  clientFor(freshness: Freshness): Promise<Client>
  /** Returns the client of a replica with all changes that were committed before the call, or that of the primary. */
  currentClient(): Promise<Client>
  /** Returns the position of all changes that were committed before the call. Undefined if the primary does not report it. */
  position(): Promise<string | undefined>
}

/** What a request requires of a replica. */
interface Freshness {
  /** Maximum age of the data in milliseconds. */
  readonly maxAgeMs: number
  /** Position that the replica must have reached: that of a change which the client has made. */
  readonly after?: string | undefined
}

/** The dependencies of an operation, bound to one account and to one request, event or job. */
export interface Ctx extends System, Caller {
  /** The long work that this belongs to. Absent in requests. */
  readonly work?: PacedWork
  readonly sql: Statement
  /** Loads rows with a loader. Keys that are requested in the same tick are read in one statement. */
  readonly load: Load
  readonly idempotencyKey?: string | undefined
  /** Limits the rows and fields of one execution. Absent for jobs. */
  readonly rows?: RowBudget | undefined
  /** Whether the document is one of the REST API, whose response the REST specification fixes. */
  readonly isFixedDocument?: boolean | undefined
  /** Cursor after which an interrupted subscription resumes (`Last-Event-ID` of server-sent events). */
  readonly resumeAfter?: string | undefined
  /** Records the change of a mutation in the first transaction that it commits, from the result of the work in it. */
  readonly record?: ((tx: Ctx, result: unknown) => Promise<void>) | undefined
  /** Runs the work of the only transaction of a mutation that has an idempotency key, or returns the result that the key has. */
  readonly keyed?: (<Result>(tx: Ctx, work: (tx: Ctx) => Promise<Result>) => Promise<Result>) | undefined
  /** Runs an action after the commit. Set while a transaction is open. */
  readonly afterCommit?: ((action: () => void) => void) | undefined
}

/** Creates the context of one request, event or job of an account. */
export function newCtx(
  system: System,
  caller: Caller,
  extra: Pick<Ctx, 'idempotencyKey' | 'isFixedDocument' | 'resumeAfter' | 'rows'> = {},
): Ctx {
  const ctx: Ctx = {
    db: system.db,
    log: system.log,
    clock: system.clock,
    baseUrl: system.baseUrl,
    consoleUrl: system.consoleUrl,
    signer: system.signer,
    returnPath: system.returnPath,
    fontsFolder: system.fontsFolder,
    sendMessage: system.sendMessage,
    forgetMessages: system.forgetMessages,
    notifyLocal: system.notifyLocal,
    notify: system.notify,
    feed: system.feed,
    outbound: system.outbound,
    requiresVerifiedSenders: system.requiresVerifiedSenders,
    txtRecords: system.txtRecords,
    payloads: system.payloads,
    pacing: system.pacing,
    maxRowsAtOnce: system.maxRowsAtOnce,
    accountId: caller.accountId,
    keyId: caller.keyId,
    user: caller.user,
    actor: caller.actor,
    scopes: caller.scopes,
    address: caller.address,
    idempotencyKey: extra.idempotencyKey,
    isFixedDocument: extra.isFixedDocument,
    resumeAfter: extra.resumeAfter,
    rows: extra.rows,
    sql: system.db.$statement(caller.accountId),
    load: newLoad(() => ctx),
  }
  return ctx
}

/**
 * Reads one kind of value for many keys in one statement. `batch` returns a map. A key that is missing in it gets the
 * result of `otherwise`.
 */
export interface Loader<Key, Value, Otherwise = Value> {
  readonly batch: (ctx: Ctx, keys: readonly Key[]) => Promise<Map<Key, Value>>
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
interface Load {
  <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key): Promise<Value | Otherwise>
  /** Returns a value itself if it was loaded: a promise for each row takes longer than most resolvers. */
  ready<Key, Value, Otherwise>(
    loader: Loader<Key, Value, Otherwise>,
    key: Key,
  ): Value | Otherwise | Promise<Value | Otherwise>
  /** Loads the values of many keys for `ready`. Does not throw, because each key then fails by itself. */
  ahead<Key>(loader: Loader<Key, unknown, unknown>, keys: readonly Key[]): Promise<unknown>
  /** Returns the result of `create`, which is called once for a name until the cache is cleared. */
  once<Value>(name: string, create: () => Value): Value
  /** Clears the cache. Call it after a change, so that the same request reads the changed values. */
  clear(): void
}

/** Creates a loader of one value per key, null if the account has none. */
export function one<Key, Value>(batch: Loader<Key, Value>['batch']): Loader<Key, Value, null> {
  return { batch, otherwise: () => null }
}

/** Creates a loader of one list per key, empty if there are no rows. */
export function many<Key, Item>(batch: Loader<Key, Item[]>['batch']): Loader<Key, Item[]> {
  return { batch, otherwise: () => [] }
}

/** Creates a loader of a value that an account has once, such as a page of a list. Its only key is `all`. */
export function single<Value>(read: (ctx: Ctx) => Promise<Value & {}>): Loader<'all', Value & {}> {
  return {
    batch: async (ctx) => new Map([['all', await read(ctx)]]),
    otherwise: () => {
      throw new Error('The only key of this loader is `all`.')
    },
  }
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
export function newLoad(ctx: () => Ctx): Load {
  const all = new Map<unknown, LoaderState<unknown, unknown>>()
  const created = new Map<string, unknown>()
  const stateOf = <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>) => {
    const identity = loader.name ?? loader
    let state = all.get(identity)
    if (!state) {
      state = newLoaderState(loader, ctx) as LoaderState<unknown, unknown>
      all.set(identity, state)
    }
    return state as LoaderState<Key, Value | Otherwise>
  }
  const load = <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key) =>
    stateOf(loader).loader.load(key)
  const ready = <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key) => {
    const { values, loader: loads } = stateOf(loader)
    return values.has(key) ? (values.get(key) as Value | Otherwise) : loads.load(key)
  }
  const ahead = <Key>(loader: Loader<Key, unknown, unknown>, keys: readonly Key[]) =>
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

function newLoaderState<Key, Value, Otherwise>(
  loader: Loader<Key, Value, Otherwise>,
  ctx: () => Ctx,
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
function rowsIn<Key, Value>(found: Map<Key, Value>, loader: Loader<Key, Value, unknown>): number {
  let rows = 0
  for (const value of found.values()) rows += loader.weightOf?.(value) ?? (Array.isArray(value) ? value.length : 1)
  return rows
}
