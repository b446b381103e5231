import DataLoader from 'dataloader'
import type { Clock } from '../kernel/clock.ts'
import type { Feed } from '../kernel/feed.ts'
import type { Log } from '../kernel/log.ts'
import type { Outbound } from '../kernel/outbound.ts'
import type { SendMessage } from '../kernel/outgoing-message.ts'
import type { Payloads } from '../kernel/payloads.ts'
import type { RowBudget } from '../kernel/row-budget.ts'
import type { Caller } from '../kernel/scopes.ts'
import type { SenderPolicy } from '../kernel/sender-policy.ts'
import type { Signer } from '../kernel/signer.ts'
import type { Client } from './client.ts'
import type { Statement } from './sql.ts'

/** The dependencies of work that belongs to no account: administration, background jobs, authentication. */
export interface System {
  readonly db: Client
  readonly log: Log
  readonly clock: Clock
  /** Returns the public URL of this server. Absent in commands; URLs are paths then. */
  readonly baseUrl?: (() => string) | undefined
  /** Signs links and cookies. Absent in commands. */
  readonly signer?: Signer | undefined
  /** Secret that signs the links in messages. Absent if the process neither creates nor reads any. */
  readonly secret?: string | undefined
  /** Address for bounces, as `local@domain`. Each message adds `+` and its own token to the local part. */
  readonly returnPath?: string | undefined
  /** Sends one message immediately. Absent if the process sends no mail. */
  readonly sendMessage?: SendMessage | undefined
  /** Notifies the listeners of a channel in this process only. */
  readonly notifyLocal?: ((channel: string) => void) | undefined
  /** Notifies the listeners of a channel in all processes, including this one. Does not wait. */
  readonly notify?: ((channel: string) => void) | undefined
  /** Source of events for subscriptions. Absent if the process serves no clients. */
  readonly feed?: Feed | undefined
  /** Checks URLs of accounts before a request is sent to them. If absent, URLs are not checked. */
  readonly outbound?: Outbound | undefined
  /** Requirements for the domains from which accounts send. If absent, there are none. */
  readonly senders?: SenderPolicy | undefined
  /** Creates payloads of webhooks. Absent in commands. */
  readonly payloads?: Payloads | undefined
}

/** The dependencies of an operation, bound to one account and to one request, event or job. */
export interface Ctx extends System, Caller {
  readonly sql: Statement
  /** Loads rows with a loader. Keys that are requested in the same tick are read in one statement. */
  readonly load: Load
  readonly idempotencyKey?: string | undefined
  /** Limits the rows and fields of one execution. Absent for jobs. */
  readonly rows?: RowBudget | undefined
  /** Whether the document is a write of the REST API, whose response the REST specification fixes. */
  readonly isFixedWrite?: boolean | undefined
  /** Cursor after which an interrupted subscription resumes (`Last-Event-ID` of server-sent events). */
  readonly resumeAfter?: string | undefined
  /** Runs an action after the commit. Set while a transaction is open. */
  readonly afterCommit?: ((action: () => void) => void) | undefined
}

/** Creates the context of one request, event or job of an account. */
export function newCtx(
  system: System,
  caller: Caller,
  extra: Pick<Ctx, 'idempotencyKey' | 'isFixedWrite' | 'resumeAfter' | 'rows'> = {},
): Ctx {
  const ctx: Ctx = {
    db: system.db,
    log: system.log,
    clock: system.clock,
    baseUrl: system.baseUrl,
    signer: system.signer,
    secret: system.secret,
    returnPath: system.returnPath,
    sendMessage: system.sendMessage,
    notifyLocal: system.notifyLocal,
    notify: system.notify,
    feed: system.feed,
    outbound: system.outbound,
    senders: system.senders,
    payloads: system.payloads,
    accountId: caller.accountId,
    keyId: caller.keyId,
    scopes: caller.scopes,
    idempotencyKey: extra.idempotencyKey,
    isFixedWrite: extra.isFixedWrite,
    resumeAfter: extra.resumeAfter,
    rows: extra.rows,
    sql: system.db.$statement(caller.accountId),
    load: newLoad(() => ctx),
  }
  return ctx
}

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
