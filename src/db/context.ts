import type { Clock } from '../kernel/clock.ts'
import type { Feed } from '../kernel/feed.ts'
import type { Payloads } from '../kernel/payloads.ts'
import type { Caller } from '../kernel/scopes.ts'
import type { Log } from '../kernel/telemetry/log.ts'
import type { Outbound } from '../kernel/web/outbound.ts'
import type { Signer } from '../kernel/web/signer.ts'
import type { PacedWork, Pacing, RowsAtOnce } from '../kernel/work/pacing.ts'
import type { RowBudget } from '../kernel/work/row-budget.ts'
import type { Client } from './client.ts'
import { type BatchLoader, type Load, newLoad } from './loaders.ts'
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
  /** Notifies the listeners of a channel in this process only. */
  readonly notifyLocal: (channel: string) => void
  /** Notifies the listeners of a channel in all processes, including this one. Does not wait. */
  readonly notify: (channel: string) => void
  /** Source of events for subscriptions. */
  readonly feed: Feed
  /** Checks URLs of accounts before a request is sent to them. */
  readonly outbound: Outbound
  /** Creates payloads of webhooks. */
  readonly payloads: Payloads
  /** Lets work on many rows pause while requests are served. */
  readonly pacing: Pick<Pacing, 'start'>
  /** Read replicas. Absent if there are none. */
  readonly replicas?: Replicas | undefined
  /** What the process provides for single modules. */
  readonly services: Services
}

/** What a process provides for single modules. Each declares its own part in its `services.ts`. */
// biome-ignore lint/suspicious/noEmptyInterface: the modules above add to it.
export interface Services {}

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
  readonly load: Load<Ctx>
  readonly idempotencyKey?: string | undefined
  /** Limits the rows and fields of one execution. Absent for jobs. */
  readonly rows?: RowBudget | undefined
  /** Whether the document is one of the REST API, whose response the REST specification fixes. */
  readonly isFixedDocument?: boolean | undefined
  /** Cursor after which an interrupted subscription resumes (`Last-Event-ID` of server-sent events). */
  readonly resumeAfter?: string | undefined
  /** Is checked at the start of the transaction of a mutation. It throws if the transaction must not change anything. */
  readonly precondition?: ((tx: Ctx) => Promise<void>) | undefined
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
    notifyLocal: system.notifyLocal,
    notify: system.notify,
    feed: system.feed,
    outbound: system.outbound,
    payloads: system.payloads,
    pacing: system.pacing,
    maxRowsAtOnce: system.maxRowsAtOnce,
    services: system.services,
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

/** A loader of values of an account. */
export type Loader<Key, Value, Otherwise = Value> = BatchLoader<Ctx, Key, Value, Otherwise>

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
