import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { ApiKey, Plan } from '../../../prisma/generated/client/client.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { columnLeaf } from '../../db/filters/conditions.ts'
import { filterOn } from '../../db/filters/filter.ts'
import { flag, identity, text as textField, time } from '../../db/filters/filter-fields.ts'
import { hint } from '../../db/jobs/listen.ts'
import { newList } from '../../db/lists/list.ts'
import { pagesOf } from '../../db/lists/pages.ts'
import { documentOf, relevance, search } from '../../db/lists/search.ts'
import { sql } from '../../db/sql.ts'
import { table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { fullAccess, type KeyScope, scopes, scopesOf, storedScopes } from '../../kernel/scopes.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { hashOf } from '../../kernel/web/tokens.ts'
import { type Caller, costShares, disableKeys, keysChannel } from '../accounts/callers.ts'

const NewKey = z.object({
  name: text(255).default(''),
  scopes: z
    .array(z.enum([...scopes, fullAccess], 'must be one of the scopes'))
    .max(100, 'must have at most 100 scopes')
    .min(1, 'must contain at least one scope or full access')
    .refine(
      (scopes) => !scopes.includes(fullAccess) || scopes.length === 1,
      'must contain either scopes or only full access',
    ),
})

interface KeyInput {
  readonly name?: string | null | undefined
  readonly scopes?: readonly KeyScope[] | null | undefined
}

/**
 * Creates a key. Only the SHA-256 of the secret is stored, which is sufficient for 190 random bits. Duplicate scopes are
 * stored once.
 *
 * **Emits** `api_key.created`. **Throws** VALIDATION_ERROR for an empty list or for full access with other scopes, and FORBIDDEN
 * for a trial account (REST specification, Authentication 2).
 */
export function create(
  system: System,
  input: KeyInput & { accountId: number },
): Promise<{ apiKey: ApiKey; key: string }> {
  return createIn(newCtx(system, { accountId: input.accountId }), { ...input, scopes: input.scopes ?? [fullAccess] })
}

async function createIn(ctx: Ctx, input: KeyInput): Promise<{ apiKey: ApiKey; key: string }> {
  const { accountId } = ctx
  const checked = check(NewKey, { name: input.name ?? undefined, scopes: input.scopes ?? [] })
  const key = `cmp_${randomBytes(24).toString('base64url')}`
  const now = ctx.clock.now()
  const data = {
    ...{ accountId, name: checked.name, scopes: storedScopes(scopesOf(checked.scopes)) },
    ...{ prefix: key.slice(0, 10), hash: hashOf(key) },
    ...{ createdByUserId: ctx.user?.id ?? null, createdAt: now, updatedAt: now },
  }
  return inTransaction(ctx, async (tx) => {
    const account = await tx.db.account.findUnique({ where: { id: accountId }, select: { plan: true } })
    if (!account) throw refuse('NOT_FOUND', `There is no account ${accountId}.`)
    if (account.plan === 'FREE_TRIAL')
      throw refuse('FORBIDDEN', 'A trial account cannot have API keys. Choose a paid plan.')
    const apiKey = await tx.db.apiKey.create({ data })
    await emit(tx, 'api_key.created', { apiKeyId: apiKey.id })
    // Processes forget which keys do not exist.
    await hint(tx, keysChannel)
    return { apiKey, key }
  })
}

/**
 * Renames a key. Its scopes never change: what a key may do, and what streams and webhooks do in its name, is known from its
 * creation. **Emits** `api_key.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined },
): Promise<{ apiKey: ApiKey }> {
  const change = sent(check(NewKey.pick({ name: true }).partial(), sent({ name: input.name })))
  return inTransaction(ctx, async (tx) => {
    const { id } = await lock(tx, input.id)
    const where = { accountId_id: { accountId: tx.accountId, id } }
    const apiKey = await tx.db.apiKey.update({ where, data: { ...change, updatedAt: tx.clock.now() } })
    await emit(tx, 'api_key.updated', { apiKeyId: id })
    return { apiKey }
  })
}

/** Disables a key permanently. Idempotent. **Emits** `api_key.disabled`. **Throws** NOT_FOUND. */
export async function disable(ctx: Ctx, input: { id: string | number }): Promise<{ apiKey: ApiKey }> {
  return inTransaction(ctx, async (tx) => {
    const { id, disabledAt } = await lock(tx, input.id)
    if (!disabledAt) await disableKeys(tx, id)
    const where = { accountId_id: { accountId: tx.accountId, id } }
    return { apiKey: await tx.db.apiKey.findUniqueOrThrow({ where }) }
  })
}

/** Disables a key of any account, for operators. Idempotent. **Throws** NOT_FOUND. */
export async function disableAny(system: System, { id }: { id: number }): Promise<ApiKey> {
  const [row] = await system.db.$unscoped<{ accountId: number }>(
    'an operator identifies a key without its account',
    sql`SELECT account_id AS "accountId" FROM api_key WHERE id = ${id}`,
  )
  if (!row) throw refuse('NOT_FOUND', `There is no API key ${id}.`)
  return (await disable(newCtx(system, { accountId: row.accountId }), { id })).apiKey
}

const keyTable = table('ApiKey', 'k', { noun: 'API key' })

/** The words of a key by which it is searched. */
const document = documentOf(sql`k.name`, sql`k.prefix`)

/** The filter of API keys. */
export const keyFilter = filterOn(keyTable, {
  id: identity('ApiKey'),
  name: textField(sql`k.name`),
  prefix: textField(sql`k.prefix`),
  scopes: {
    kind: 'enum Scope',
    isPlain: true,
    leaves: (values: readonly KeyScope[]) => [columnLeaf(sql`k.scopes && ${[...values]}::text[]`)],
  },
  disabled: flag(sql`k.disabled_at IS NOT NULL`),
  createdAt: time(sql`k.created_at`),
  lastUsedAt: time(sql`k.last_used_at`),
  disabledAt: time(sql`k.disabled_at`),
  search: search(document),
})

const keys = newList(keyTable, {
  name: 'apiKeys',
  orders: {
    CREATED_AT: 'createdAt',
    NAME: 'name',
    RELEVANCE: relevance(document),
  },
  filter: keyFilter,
})

/** Lists the keys of the account, including disabled keys. Newest first by default. */
export const list = pagesOf(keys)

/** Loads keys by id; locks a key until the transaction ends. */
export const { byId, lock } = keyTable

/** A valid key, with its account, scopes and limits. */
export interface KeyHolder extends Caller {
  readonly keyId: number
}

/** Interval at which the time of the last use of a key is stored, in milliseconds. */
const usedAtIntervalMs = 60_000

/**
 * Finds the holder of a key by its secret, which is a use of the key, or by the IDs in a token that this server has signed.
 * Returns undefined if the key is unknown, disabled or belongs to a trial account. Stores the time of the use, at most once a
 * minute, and does not wait for it.
 */
export async function findHolder(
  system: System,
  key: string | Pick<KeyHolder, 'accountId' | 'keyId'>,
): Promise<KeyHolder | undefined> {
  const which =
    typeof key === 'string'
      ? sql`k.hash = ${hashOf(key)}`
      : sql`k.account_id = ${key.accountId} AND k.id = ${key.keyId}`
  const [row] = await system.db.$unscoped<Pick<ApiKey, 'accountId' | 'id' | 'scopes' | 'lastUsedAt'> & { plan: Plan }>(
    'the key identifies the account',
    sql`SELECT k.account_id AS "accountId", k.id, k.scopes, k.last_used_at AS "lastUsedAt", a.plan FROM api_key k JOIN account a ON a.id = k.account_id
        WHERE ${which} AND k.disabled_at IS NULL AND a.plan <> 'FREE_TRIAL'`,
  )
  if (!row) return undefined
  if (typeof key === 'string') recordUse(system, row)
  return {
    accountId: row.accountId,
    keyId: row.id,
    scopes: scopesOf(row.scopes),
    costShare: costShares[row.plan],
  }
}

/** Stores the time of a use, unless one within the last minute is stored, by this process or another one. */
function recordUse(
  system: System,
  { accountId, id, lastUsedAt }: Pick<ApiKey, 'accountId' | 'id' | 'lastUsedAt'>,
): void {
  const now = system.clock.now()
  const before = new Date(now.getTime() - usedAtIntervalMs)
  if (lastUsedAt && lastUsedAt > before) return
  const where = { accountId, id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lte: before } }] }
  system.db.apiKey
    .updateMany({ where, data: { lastUsedAt: now } })
    .catch((error: unknown) => system.log.warn({ err: error, keyId: id }, 'the last use of an API key was not stored'))
}

/**
 * Creates a key of the caller's account. `scopes` has no default: full access must be requested explicitly.
 *
 * **Throws** like `create`, and VALIDATION_ERROR for an idempotency key, because the stored response would contain the secret.
 */
export async function createOwn(ctx: Ctx, input: KeyInput): Promise<{ apiKey: ApiKey; key: string }> {
  mustNotBeRepeated(ctx)
  return createIn(ctx, input)
}

/** Throws VALIDATION_ERROR if the request has an idempotency key, because the stored response would contain a secret. */
export function mustNotBeRepeated({ idempotencyKey }: Pick<Ctx, 'idempotencyKey'>): void {
  if (idempotencyKey !== undefined)
    throw refuse(
      'VALIDATION_ERROR',
      'The header Idempotency-Key is not supported here because the response contains a secret.',
    )
}

/** Returns the name of the key of this request. Empty if the request has no key. */
export async function ownKeyName(ctx: Ctx): Promise<string> {
  return (ctx.keyId === undefined ? null : await ctx.load(byId, ctx.keyId))?.name ?? ''
}
