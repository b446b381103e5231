import type { Plan } from '../../../prisma/generated/client/client.ts'
import { type Ctx, one, type System } from '../../db/context.ts'
import { hint } from '../../db/jobs/listen.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { refuse } from '../../kernel/errors.ts'
import { type Role, type SignedInUser, scopesOfRole } from '../../kernel/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { sessionMaxDays } from '../../kernel/web/session-cookie.ts'
import { hashOf, newToken } from '../../kernel/web/tokens.ts'
import { type Caller, costShares, keysChannel } from '../accounts/callers.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Days without a request after which a session ends. */
export const sessionIdleDays = 30

/** Maximum number of sessions of a user. A further one ends the session that was used least recently. */
const maxSessions = 50

/** Interval at which the time of the last use is stored, in milliseconds. */
const usedAtIntervalMs = 60_000

const maxUserAgentLength = 255

const sessionTable = table('Session', 's', { without: ['hash'] })

/** A browser in which a user is signed in. */
export type Session = RowOf<typeof sessionTable>

/** The user, the scopes and the limits of a session. */
export interface SessionHolder extends Caller {
  readonly user: SignedInUser
  /** Time until which the holder can be cached, in milliseconds since 1970: then the next use must be stored. */
  readonly cacheUntil: number
}

/** Loads the sessions of users, the one that was used last first. */
export const ofUser = sessionTable.manyBy('userId', sql`s.used_at DESC, s.id DESC`)

/** Loads sessions of the user of the request by id. Those of others are not found. */
export const byId = one<number, Session>(async (ctx, ids) => {
  const rows = await sessionTable.select(
    ctx,
    sql`AND s.user_id = ${ctx.user?.id ?? 0}::int AND s.id = ANY(${ids}::int[])`,
  )
  return new Map(rows.map((row) => [row.id, row]))
})

/** Creates a session with a new token, which is returned, in the transaction that signs the user in. */
export async function create(
  tx: Ctx,
  { userId, address, userAgent }: { userId: number; address: string; userAgent: string },
): Promise<string> {
  const token = newToken()
  const now = tx.clock.now()
  await tx.db.session.create({
    data: {
      ...{ accountId: tx.accountId, userId, hash: hashOf(token), address, createdAt: now, usedAt: now },
      userAgent: userAgent.toWellFormed().replaceAll('\0', '').slice(0, maxUserAgentLength),
    },
  })
  await tx.sql`
    DELETE FROM session WHERE account_id = ${tx.sql.account} AND id IN (
      SELECT id FROM session WHERE account_id = ${tx.sql.account} AND user_id = ${userId}::int
      ORDER BY used_at DESC, id DESC OFFSET ${maxSessions}::int)`
  return token
}

/**
 * Finds the holder of a session by its token, or by the IDs in a text that this server has signed. Returns undefined if the
 * session is unknown or has expired, or if its user was removed. Stores the time of the use, at most once a minute.
 */
export async function findSession(
  system: System,
  session: string | { readonly accountId: number; readonly sessionId: number },
): Promise<SessionHolder | undefined> {
  const which =
    typeof session === 'string'
      ? sql`s.hash = ${hashOf(session)}`
      : sql`s.account_id = ${session.accountId}::int AND s.id = ${session.sessionId}::int`
  const now = system.clock.now()
  const [row] = await system.db.$unscoped<
    Pick<Session, 'accountId' | 'id' | 'userId' | 'createdAt' | 'usedAt'> & { role: Role; plan: Plan }
  >(
    'the session identifies the account',
    sql`SELECT s.account_id AS "accountId", s.id, s.user_id AS "userId", s.created_at AS "createdAt", s.used_at AS "usedAt",
          u.role, a.plan
        FROM session s JOIN "user" u ON u.account_id = s.account_id AND u.id = s.user_id JOIN account a ON a.id = s.account_id
        WHERE ${which} AND ${isActive(now)}`,
  )
  if (!row) return undefined
  const { accountId, id: sessionId, userId, role } = row
  const isUse = typeof session === 'string' && now.getTime() - row.usedAt.getTime() > usedAtIntervalMs
  if (isUse) {
    const where = { accountId, id: sessionId }
    await system.db.session.updateMany({ where, data: { usedAt: now } })
  }
  return {
    accountId,
    user: { id: userId, sessionId, role },
    scopes: scopesOfRole(role),
    costShare: costShares[row.plan],
    cacheUntil: (isUse ? now : row.usedAt).getTime() + usedAtIntervalMs,
  }
}

/** Ends one of the caller's own sessions. **Throws** NOT_FOUND, and FORBIDDEN for a caller without session. */
export async function revoke(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  const { id: userId } = mustBeUser(ctx)
  const databaseId = idOf('Session', input.id)
  const { count } = await ctx.db.session.deleteMany({ where: { accountId: ctx.accountId, userId, id: databaseId } })
  if (count === 0) throw sessionTable.notFound()
  await hint(ctx, keysChannel)
  return { databaseId }
}

/** Ends the caller's other sessions. **Throws** FORBIDDEN for a caller without session. */
export async function revokeOthers(ctx: Ctx): Promise<{ count: number }> {
  const { id: userId, sessionId } = mustBeUser(ctx)
  const where = { accountId: ctx.accountId, userId, id: { not: sessionId } }
  const { count } = await ctx.db.session.deleteMany({ where })
  await hint(ctx, keysChannel)
  return { count }
}

/** Ends the session of the request. Idempotent. **Throws** FORBIDDEN for a caller without session. */
export async function end(ctx: Ctx): Promise<{ databaseId: number }> {
  const { sessionId: id } = mustBeUser(ctx)
  await ctx.db.session.deleteMany({ where: { accountId: ctx.accountId, id } })
  await hint(ctx, keysChannel)
  return { databaseId: id }
}

/** Ends the session of a browser that signs in again. */
export async function endByToken(system: System, token: string): Promise<void> {
  const session = await findSession(system, token)
  if (!session) return
  await system.db.session.deleteMany({ where: { accountId: session.accountId, id: session.user.sessionId } })
  await hint(system, keysChannel)
}

function mustBeUser({ user }: Ctx): SignedInUser {
  if (!user) throw refuse('FORBIDDEN', 'Only a user who is signed in has sessions.')
  return user
}

/** Returns the condition that a session `s` of the user `u` is valid. */
export function isActive(now: Date) {
  const before = (days: number) => new Date(now.getTime() - days * dayMs)
  return sql`u.removed_at IS NULL AND s.used_at > ${before(sessionIdleDays)}::timestamptz
    AND s.created_at > ${before(sessionMaxDays)}::timestamptz`
}
