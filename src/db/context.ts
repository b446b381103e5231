import type { Clock } from '../kernel/clock.ts'
import type { Feed } from '../kernel/feed.ts'
import type { Log } from '../kernel/log.ts'
import type { Outbound } from '../kernel/outbound.ts'
import type { SendMessage } from '../kernel/outgoing-message.ts'
import type { Pacing } from '../kernel/pacing.ts'
import type { Payloads } from '../kernel/payloads.ts'
import type { RowBudget } from '../kernel/row-budget.ts'
import type { Caller } from '../kernel/scopes.ts'
import type { SenderPolicy } from '../kernel/sender-policy.ts'
import type { Signer } from '../kernel/signer.ts'
import type { Client } from './client.ts'
import { type Keys, newKeys } from './load-batches.ts'
import type { Replicas } from './replicas.ts'
import type { Statement } from './sql.ts'

/**
 * The dependencies of work that belongs to no account: administration, background jobs, authentication. Every process has all
 * of them. One that a kind of process cannot provide (`missing`) throws if it is used.
 */
export interface System {
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
  /** Requirements for the domains from which accounts send. */
  readonly senders: SenderPolicy
  /** Creates payloads of webhooks. */
  readonly payloads: Payloads
  /** Lets work on many rows rest while requests are served. */
  readonly pacing: Pick<Pacing, 'start'>
  /** Read replicas. Absent if there are none. */
  readonly replicas?: Replicas | undefined
}

/** The dependencies of an operation, bound to one account and to one request, event or job. */
export interface Ctx extends System, Caller {
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
    sendMessage: system.sendMessage,
    forgetMessages: system.forgetMessages,
    notifyLocal: system.notifyLocal,
    notify: system.notify,
    feed: system.feed,
    outbound: system.outbound,
    senders: system.senders,
    payloads: system.payloads,
    pacing: system.pacing,
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

/** Creates the loaders of one context. Each is created on first use and caches its results. */
export function newLoad(ctx: () => Ctx): Load {
  const loaders = new Map<unknown, Keys<unknown, unknown>>()
  const created = new Map<string, unknown>()
  let due: (() => void)[] = []
  const readDue = () => {
    const reads = due
    due = []
    for (const read of reads) read()
  }
  /** All loaders read together, after the promises that are settled now have requested their keys. */
  const schedule = (read: () => void) => {
    due.push(read)
    if (due.length === 1) queueMicrotask(() => process.nextTick(readDue))
  }
  const keysOf = <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>) => {
    const identity = loader.name ?? loader
    const known = loaders.get(identity)
    if (known) return known as Keys<Key, Value | Otherwise>
    const keys = newKeys(
      {
        batch: (wanted: readonly Key[]) => loader.batch(ctx(), wanted),
        otherwise: loader.otherwise,
        weightOf: loader.weightOf,
        budget: () => ctx().rows,
      },
      schedule,
    )
    loaders.set(identity, keys as Keys<unknown, unknown>)
    return keys
  }
  const load = <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key) => keysOf(loader).load(key)
  return Object.assign(load, {
    ready: <Key, Value, Otherwise>(loader: Loader<Key, Value, Otherwise>, key: Key) => keysOf(loader).ready(key),
    ahead: <Key>(loader: Loader<Key, unknown, unknown>, keys: readonly Key[]) => keysOf(loader).ahead(keys),
    once: <Value>(name: string, create: () => Value) => {
      if (!created.has(name)) created.set(name, create())
      return created.get(name) as Value
    },
    clear: () => {
      loaders.clear()
      created.clear()
    },
  })
}
