import type { Clock } from '../kernel/clock.ts'
import type { Feed } from '../kernel/feed.ts'
import type { Post } from '../kernel/letter.ts'
import type { Log } from '../kernel/log.ts'
import type { Outbound } from '../kernel/outbound.ts'
import type { Payloads } from '../kernel/payloads.ts'
import type { RowBudget } from '../kernel/row-budget.ts'
import type { Caller } from '../kernel/scopes.ts'
import type { SenderPolicy } from '../kernel/sender-policy.ts'
import type { Signer } from '../kernel/signer.ts'
import type { Client } from './client.ts'
import { type Load, newLoad } from './load.ts'
import type { Statement } from './sql.ts'

/** What work needs that is done for no account in particular: administration, background jobs, authentication. */
export interface System {
  readonly db: Client
  readonly log: Log
  readonly clock: Clock
  /** Where clients reach this server; absent where nobody is served, and addresses are then paths. */
  readonly baseUrl?: (() => string) | undefined
  /** Signs links and cookies; absent where nobody is served. */
  readonly signer?: Signer | undefined
  /** Signs the links in messages; absent where none are made or read. */
  readonly secret?: string | undefined
  /** Where bounces come back, as `local@domain`: each message puts a token of its own behind the local part, after a `+`. */
  readonly returnPath?: string | undefined
  /** Hands a single letter to the mail server; absent where nothing is sent. */
  readonly post?: Post | undefined
  /** Takes a hint that this process gave itself, without the way through the database. */
  readonly heard?: ((channel: string) => void) | undefined
  /** Hints to all processes, this one too, that there is something on a channel; waits for nothing. */
  readonly tell?: ((channel: string) => void) | undefined
  /** Where subscriptions hear of events; absent where nobody is served. */
  readonly feed?: Feed | undefined
  /** Where an account's own addresses may be called; absent where nothing is called, and no address is looked at. */
  readonly outbound?: Outbound | undefined
  /** What is required of the domains that accounts send from; if absent, nothing is. */
  readonly senders?: SenderPolicy | undefined
  /** What events say to those outside of the graph; absent where no graph is there. */
  readonly payloads?: Payloads | undefined
}

/** Everything an operation may use, bound to one account and to one request, event or job. */
export interface Ctx extends System, Caller {
  readonly sql: Statement
  /** Reads through a loader: what is asked for in the same moment is read in one statement. */
  readonly load: Load
  readonly idempotencyKey?: string | undefined
  /** Limits what the execution of a document may load and show; absent for jobs, which read as much as they need. */
  readonly rows?: RowBudget | undefined
  /** Whether the document is one of those with which the REST API writes. */
  readonly isFixedWrite?: boolean | undefined
  /** The cursor after which a stream that broke off goes on, where its transport tells (SSE's `Last-Event-ID`). */
  readonly resumeAfter?: string | undefined
  /** Set while a transaction is open: what is to happen once it has committed. */
  readonly afterCommit?: ((action: () => void) => void) | undefined
}

/** A context for one request, event or job of an account. */
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
    post: system.post,
    heard: system.heard,
    tell: system.tell,
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
