import type { Client } from '../db/client.ts'
import type { Statement } from '../db/sql.ts'
import type { Clock } from './clock.ts'
import { refuse } from './errors.ts'
import { type Load, newLoad } from './load.ts'
import type { Log } from './log.ts'

export const rooms = [
  'events',
  'account',
  'contacts',
  'mail',
  'sequences',
  'campaigns',
  'finance',
  'forms',
  'funnels',
] as const

/** What a key may do: read or write in one room. */
export type Scope = `${(typeof rooms)[number]}:${'read' | 'write'}`

export const scopes = rooms.flatMap((room): Scope[] => [`${room}:read`, `${room}:write`])

/** What work needs that is done for no account in particular: administration, background jobs, authentication. */
export interface System {
  readonly db: Client
  readonly log: Log
  readonly clock: Clock
  /** Where clients reach this server; absent where nobody is served, and addresses are then paths. */
  readonly baseUrl?: (() => string) | undefined
  /** Takes a hint that this process gave itself, without the way through the database. */
  readonly heard?: ((channel: string) => void) | undefined
}

/** Who is asking. No scopes: full access. */
export interface Caller {
  readonly accountId: number
  readonly keyId?: number | undefined
  readonly scopes?: readonly Scope[] | undefined
}

/** Everything an operation may use, bound to one account and to one request, event or job. */
export interface Ctx extends System, Caller {
  readonly sql: Statement
  /** Reads through a loader: what is asked for in the same moment is read in one statement. */
  readonly load: Load
  readonly idempotencyKey?: string | undefined
  /** Set while a transaction is open: what is to happen once it has committed. */
  readonly afterCommit?: ((action: () => void) => void) | undefined
}

/** A context for one request, event or job of an account. */
export function newCtx(system: System, caller: Caller, extra: { idempotencyKey?: string | undefined } = {}): Ctx {
  const ctx: Ctx = {
    db: system.db,
    log: system.log,
    clock: system.clock,
    baseUrl: system.baseUrl,
    heard: system.heard,
    accountId: caller.accountId,
    keyId: caller.keyId,
    scopes: caller.scopes,
    idempotencyKey: extra.idempotencyKey,
    sql: system.db.$statement(caller.accountId),
    load: newLoad(() => ctx),
  }
  return ctx
}

/** Whether the caller's key reaches this far. */
export function may(ctx: Caller, scope: Scope): boolean {
  return ctx.scopes === undefined || ctx.scopes.includes(scope)
}

/** Fails with FORBIDDEN unless the caller's key reaches this far. */
export function mustBeAllowed(ctx: Caller, scope: Scope): void {
  if (!may(ctx, scope)) throw refuse('FORBIDDEN', `This key lacks the scope ${scope}.`)
}
