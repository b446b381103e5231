import type { Account, User } from '../../../prisma/generated/client/client.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { inSystemTransaction, ofAccount } from '../../db/transaction.ts'
import { hashOf, isToken, newToken } from '../../kernel/web/tokens.ts'
import * as sessions from './sessions.ts'

/** Validity of a link that a user or an operator requested, in milliseconds. */
export const linkTtlMs = 15 * 60 * 1000

/** Validity of the link in an invitation, in milliseconds. */
export const invitationTtlMs = 7 * 24 * 60 * 60 * 1000

/** Path of the pages that sign users in. */
export const signInPath = '/console/sign-in'

/** A link that signs a user in once. */
interface SignInLink {
  readonly url: string
  readonly expiresAt: Date
}

/** Creates a link that signs a user in once. Only the hash of its token is stored. */
export async function create(ctx: Ctx, userId: number, ttlMs = linkTtlMs): Promise<SignInLink> {
  const token = newToken()
  const expiresAt = new Date(ctx.clock.now().getTime() + ttlMs)
  await ctx.db.signInLink.create({ data: { accountId: ctx.accountId, userId, hash: hashOf(token), expiresAt } })
  return { url: `${ctx.consoleUrl()}${signInPath}/${token}`, expiresAt }
}

/** Creates a link that signs a user in once, and returns its path. */
export async function pathFor(
  system: System,
  { accountId, userId }: { accountId: number; userId: number },
): Promise<string> {
  return new URL((await create(newCtx(system, { accountId }), userId)).url).pathname
}

/** A user with an e-mail address, and the number of valid links of the user. */
interface FoundUser {
  readonly accountId: number
  readonly accountName: string
  readonly userId: number
  readonly links: number
}

/** Finds the users with an e-mail address who can sign in. One address can belong to users of several accounts. */
export async function findUsers(system: System, email: string): Promise<FoundUser[]> {
  return system.db.$unscoped<FoundUser>(
    'the e-mail address identifies the accounts',
    sql`SELECT u.account_id AS "accountId", a.name AS "accountName", u.id AS "userId", (SELECT count(*)::int FROM sign_in_link l
          WHERE l.account_id = u.account_id AND l.user_id = u.id AND l.expires_at > ${system.clock.now()}::timestamptz) AS links
        FROM "user" u JOIN account a ON a.id = u.account_id WHERE address_key(u.email) = address_key(${email.trim()}) AND u.removed_at IS NULL ORDER BY u.account_id LIMIT 100`,
  )
}

/** The user that a valid link signs in. */
interface LinkedUser {
  readonly accountId: number
  readonly userId: number
  readonly email: User['email']
  readonly accountName: Account['name']
}

/** Finds the user of a link without using it. Returns undefined if it was used, has expired, or its user was removed. */
export async function find(system: System, token: string): Promise<LinkedUser | undefined> {
  if (!isToken(token)) return undefined
  const [found] = await system.db.$unscoped<LinkedUser>(
    'the link identifies the account',
    sql`SELECT l.account_id AS "accountId", l.user_id AS "userId", u.email, a.name AS "accountName"
        FROM sign_in_link l JOIN "user" u ON u.account_id = l.account_id AND u.id = l.user_id
          JOIN account a ON a.id = l.account_id
        WHERE l.hash = ${hashOf(token)} AND l.expires_at > ${system.clock.now()}::timestamptz AND u.removed_at IS NULL`,
  )
  return found
}

/**
 * Uses a link: deletes it and creates a session with a new token, which is returned. Of two concurrent uses, one succeeds.
 * Returns undefined if the link is not valid.
 */
export async function use(system: System, token: string, browser: Browser): Promise<string | undefined> {
  const linked = await find(system, token)
  if (!linked) return undefined
  const { accountId, userId } = linked
  return inSystemTransaction(system, async (systemTx) => {
    const tx = ofAccount(systemTx, accountId)
    const { count } = await tx.db.signInLink.deleteMany({ where: { accountId, hash: hashOf(token) } })
    return count === 0 ? undefined : signIn(tx, userId, browser)
  })
}

/** A browser in which a user signs in. */
interface Browser {
  readonly address: string
  readonly userAgent: string
}

/** Creates a session of a user whose identity was proven. Returns its token; undefined if the user was removed. */
async function signIn(tx: Ctx, userId: number, browser: Browser): Promise<string | undefined> {
  const { count } = await tx.db.user.updateMany({
    where: { accountId: tx.accountId, id: userId, removedAt: null },
    data: { signedInAt: tx.clock.now() },
  })
  return count === 0 ? undefined : sessions.create(tx, { userId, ...browser })
}

/** Signs the user of an account in whose e-mail address an identity provider has verified. */
export async function signInVerified(
  system: System,
  { accountId, userId }: Pick<FoundUser, 'accountId' | 'userId'>,
  browser: Browser,
): Promise<string | undefined> {
  return inSystemTransaction(system, (systemTx) => signIn(ofAccount(systemTx, accountId), userId, browser))
}
