import { z } from 'zod'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { emailAddress, flag, identity, oneOf, text as textField, time } from '../../db/filters/filter-fields.ts'
import { hint } from '../../db/jobs/listen.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { invalid, refuse, refuseValue } from '../../kernel/errors.ts'
import { type Role, roles } from '../../kernel/scopes.ts'
import { addressKey } from '../../kernel/values/address-key.ts'
import { check, email, sent, text } from '../../kernel/values/check.ts'
import { own } from '../accounts/accounts.ts'
import { keysChannel } from '../accounts/callers.ts'
import { useToday } from '../accounts/quotas.ts'
import { requestInvitation } from '../sign-in/sign-in-requests.ts'

const userTable = table('User', 'u')

/** A person who can sign in to the console. */
export type User = RowOf<typeof userTable>

/** Maximum number of invitations of an account a day, because each sends an e-mail to an address of the account's choice. */
const maxInvitationsPerDay = 100

const role = z.enum(roles)
const NewUser = z.object({ email: email.transform((address) => address.toLowerCase()), role })
const UserChange = z.object({ name: text(255), role }).partial()

/** The filter of users. */
export const userFilter = filterOn(userTable, {
  id: identity('User'),
  email: emailAddress(sql`u.email`),
  name: textField(sql`u.name`),
  role: oneOf('UserRole', sql`u.role`, 'user_role'),
  removed: flag(sql`u.removed_at IS NOT NULL`),
  createdAt: time(sql`u.created_at`),
  signedInAt: time(sql`u.signed_in_at`),
  search: search(documentOf(sql`u.email`, sql`u.name`)),
})

const users = newList(userTable, {
  name: 'users',
  orders: { CREATED_AT: 'createdAt', EMAIL: { by: sql`address_key(u.email)`, kind: 'text' } },
  filter: userFilter,
})

/** Lists the users of the account, including removed users. Newest first by default. */
export const list = pagesOf(users)

/** Loads users by id. */
export const { byId } = userTable

/**
 * Creates a user, for operators. A removed user with the address is restored.
 *
 * **Emits** `user.invited`. **Throws** NOT_FOUND, and VALIDATION_ERROR if the address already belongs to a user.
 */
export async function add(system: System, input: { accountId: number; email: string; role: Role }): Promise<User> {
  const ctx = newCtx(system, { accountId: input.accountId })
  await own(ctx).catch(() => {
    throw refuse('NOT_FOUND', `There is no account ${input.accountId}.`)
  })
  const data = check(NewUser, input)
  return inTransaction(ctx, (tx) => createOrRestore(tx, data))
}

/**
 * Creates the first user of an account, an owner, if the account has no users and the address is that of the account. For
 * operators. **Emits** `user.invited`. **Throws** NOT_FOUND if there is no such account.
 */
export async function addFirst(system: System, input: { accountId: number; email: string }): Promise<void> {
  const ctx = newCtx(system, { accountId: input.accountId })
  await inTransaction(ctx, async (tx) => {
    const [account] = await tx.sql<{ email: string; isEmpty: boolean }>`
      SELECT email, NOT EXISTS (SELECT FROM "user" u WHERE u.account_id = a.id) AS "isEmpty"
      FROM account a WHERE id = ${tx.sql.account} FOR UPDATE`
    if (!account) throw refuse('NOT_FOUND', `There is no account ${input.accountId}.`)
    const isOfAccount = addressKey(account.email) === addressKey(input.email.trim())
    if (account.isEmpty && isOfAccount) await createOrRestore(tx, check(NewUser, { email: input.email, role: 'OWNER' }))
  })
}

/**
 * Creates a user and sends an invitation by e-mail, with a link that signs the user in. A removed user with the address is
 * restored. At most 100 a day for each account.
 *
 * **Emits** `user.invited`. **Throws** FORBIDDEN for a role above that of the caller, VALIDATION_ERROR if the address already
 * belongs to a user, and QUOTA_EXCEEDED.
 */
export async function invite(ctx: Ctx, input: { email: string; role: Role }): Promise<{ user: User }> {
  const data = check(NewUser, input)
  return inTransaction(ctx, async (tx) => {
    await mustManage(tx, data.role)
    const user = await createOrRestore(tx, data)
    await requestInvitation(tx, user.id)
    await useToday(tx, 'invitations', maxInvitationsPerDay)
    return { user }
  })
}

async function createOrRestore(tx: Ctx, data: z.output<typeof NewUser>): Promise<User> {
  const now = tx.clock.now()
  const [user] = await tx.sql<User>`
    INSERT INTO "user" AS u (account_id, email, role, created_at, updated_at)
    VALUES (${tx.sql.account}, ${data.email}, ${data.role}::user_role, ${now}::timestamptz, ${now}::timestamptz)
    ON CONFLICT (account_id, address_key(email)) DO UPDATE
      SET role = excluded.role, removed_at = NULL, updated_at = excluded.updated_at WHERE u.removed_at IS NOT NULL
    RETURNING ${userTable.columns}`
  if (!user) throw invalid({ email: ['already belongs to a user of the account'] }, 'TAKEN')
  await emit(tx, 'user.invited', { userId: user.id })
  return user
}

/**
 * Sends the invitation of a user again. Counts as an invitation of the day.
 *
 * **Emits** `user.invited`. **Throws** NOT_FOUND, also for a removed user, FORBIDDEN if the role of the user is above that of the
 * caller, and QUOTA_EXCEEDED.
 */
export async function resendInvitation(ctx: Ctx, input: { id: string | number }): Promise<{ user: User }> {
  return inTransaction(ctx, async (tx) => {
    const user = await userTable.lock(tx, input.id)
    if (user.removedAt !== null) throw userTable.notFound()
    await mustManage(tx, user.role)
    await requestInvitation(tx, user.id)
    await useToday(tx, 'invitations', maxInvitationsPerDay)
    await emit(tx, 'user.invited', { userId: user.id })
    return { user }
  })
}

/**
 * Changes the name or the role of a user. A role applies to the next request of the user, and ends the open subscriptions.
 *
 * **Emits** `user.updated` if a field changes. **Throws** NOT_FOUND, also for a removed user, FORBIDDEN if the old or the new
 * role is above that of the caller, VALIDATION_ERROR, and INVALID_STATE if the account would have no owner.
 */
export async function update(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined; role?: Role | null | undefined },
): Promise<{ user: User }> {
  const change = sent(check(UserChange, sent({ name: input.name, role: input.role })))
  return inTransaction(ctx, async (tx) => {
    const user = await lockManaged(tx, input.id, change.role ?? 'unchanged')
    return { user: await write(tx, user, change) }
  })
}

/**
 * Changes the name of the user of the request. **Emits** `user.updated` if it changes. **Throws** FORBIDDEN for an API key, and
 * VALIDATION_ERROR.
 */
export async function updateSelf(ctx: Ctx, input: { name?: string | null | undefined }): Promise<{ user: User }> {
  const change = sent(check(UserChange.pick({ name: true }), sent({ name: input.name })))
  return inTransaction(ctx, async (tx) => ({ user: await write(tx, await lockSelf(tx), change) }))
}

/** Returns the user of the request, locked until the transaction ends. **Throws** FORBIDDEN for an API key. */
export async function lockSelf(tx: Ctx): Promise<User> {
  if (!tx.user) throw refuse('FORBIDDEN', 'Only a user who is signed in has a name.')
  return userTable.lock(tx, tx.user.id)
}

/** Updates a user whose row is locked. */
async function write(tx: Ctx, user: User, change: { name?: string; role?: Role }): Promise<User> {
  const changed = { ...user, ...change }
  if (changed.name === user.name && changed.role === user.role) return user
  const written = await tx.db.user.update({ where: whereOf(tx, user), data: { ...change, updatedAt: tx.clock.now() } })
  await emit(tx, 'user.updated', { userId: user.id })
  if (changed.role !== user.role) await hint(tx, keysChannel)
  return written
}

/**
 * Removes a user: ends all sessions and open subscriptions, and deletes the links that sign the user in. The audit log and the
 * changes of contacts keep naming the user until AUDIT_RETENTION_DAYS have passed.
 *
 * **Emits** `user.removed`. **Throws** NOT_FOUND, also for a removed user, FORBIDDEN if the role of the user is above that of the
 * caller, and INVALID_STATE if the account would have no owner.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ user: User }> {
  return inTransaction(ctx, async (tx) => {
    const user = await lockManaged(tx, input.id)
    const removedAt = tx.clock.now()
    const { accountId } = tx
    const removed = await tx.db.user.update({ where: whereOf(tx, user), data: { removedAt, updatedAt: removedAt } })
    await tx.db.session.deleteMany({ where: { accountId, userId: user.id } })
    await tx.db.signInLink.deleteMany({ where: { accountId, userId: user.id } })
    await emit(tx, 'user.removed', { userId: user.id })
    await hint(tx, keysChannel)
    return { user: removed }
  })
}

const whereOf = ({ accountId }: Ctx, { id }: User) => ({ accountId_id: { accountId, id } })

/**
 * Returns a user. Locks the owners of the account, and then the user, as all changes of users do. **Throws** NOT_FOUND.
 */
export async function lock(tx: Ctx, id: string | number): Promise<User> {
  await mustManage(tx, undefined)
  return userTable.lock(tx, id)
}

/** Locks a user whom the caller may change, or may remove: without `role`. */
async function lockManaged(tx: Ctx, id: string | number, role?: Role | 'unchanged'): Promise<User> {
  const owners = await mustManage(tx, role === 'unchanged' ? undefined : role)
  const user = await userTable.lock(tx, id)
  if (user.removedAt !== null) throw userTable.notFound()
  if (user.role !== 'OWNER') return user
  await mustManage(tx, user.role)
  if (role !== 'OWNER' && role !== 'unchanged' && owners.every((owner) => owner.id === user.id))
    throw refuseValue('id', 'INVALID_STATE', 'The account must keep an owner. Make another user an owner first.')
  return user
}

/**
 * Returns the owners of the account, locked, so that concurrent changes cannot remove the last. **Throws** FORBIDDEN unless the
 * caller may give a user the role: only an owner and the operator may make an owner. A key with full access may not, because
 * administrators create keys.
 */
async function mustManage(tx: Ctx, role: Role | undefined): Promise<readonly User[]> {
  const owners = await userTable.select(tx, sql`AND u.role = 'OWNER' AND u.removed_at IS NULL ORDER BY u.id FOR UPDATE`)
  const isOperator = tx.keyId === undefined && tx.user === undefined
  const isOwner = isOperator || owners.some(({ id }) => id === tx.user?.id)
  if (role === 'OWNER' && !isOwner) throw refuse('FORBIDDEN', 'Only an owner can change who is an owner.')
  return owners
}
