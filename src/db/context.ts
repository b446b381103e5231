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
import { type Load, newLoad } from './load.ts'
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
