import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { ApiKey, Plan } from '../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../db/context.ts'
import { type List, type ListArgs, type Page, pageOf } from '../db/list.ts'
import { hint } from '../db/listen.ts'
import { one } from '../db/load.ts'
import { sql } from '../db/sql.ts'
import { check, text } from '../kernel/check.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { fullAccess, type Scope, scopes, scopesOf, storedScopes } from '../kernel/scopes.ts'

/** The channel on which processes tell each other that keys have changed and must be read again. */
export const keysChannel = 'campanile_keys'

const NewKey = z.object({
  name: text(255).default(''),
  scopes: z
    .array(z.enum([...scopes, fullAccess], 'must be one of the scopes'))
    .max(100, 'must have 100 scopes at most')
    .min(1, `must name scopes, or ${fullAccess}`)
    .refine((given) => !given.includes(fullAccess) || given.length === 1, `must name scopes, or ${fullAccess} alone`),
})

/** What a key may be given: scopes, or full access by its name. */
export type KeyScope = Scope | typeof fullAccess

/** What an API key is, without its secret. */
export type KeyRow = ApiKey

/**
 * Makes a key. The secret is in the answer and nowhere else: only its SHA-256 is kept, which is enough for 190 random
 * bits. Scopes are a set: a repeat is stored once. Fails with VALIDATION_ERROR for an empty list, or full access beside
 * scopes, and with FORBIDDEN on a trial account, which has no keys (REST specification,
 * Authentication 2).
 */
export async function create(
  system: System,
  input: { accountId: number; name?: string | null | undefined; scopes?: readonly KeyScope[] | undefined },
): Promise<{ apiKey: ApiKey; key: string }> {
  const { accountId } = input
  const given = check(NewKey, { name: input.name ?? undefined, scopes: input.scopes ?? [fullAccess] })
  const rest = { name: given.name, scopes: storedScopes(scopesOf(given.scopes)) }
  const account = await system.db.account.findUnique({ where: { id: accountId }, select: { plan: true } })
  if (!account) throw refuse('NOT_FOUND', `There is no account ${accountId}.`)
  if (account.plan === 'FREE_TRIAL')
    throw refuse('FORBIDDEN', 'A trial account cannot have API keys; it needs a paid plan.')
  const key = `cmp_${randomBytes(24).toString('base64url')}`
  const apiKey = await system.db.apiKey.create({
    data: { accountId, ...rest, prefix: key.slice(0, 10), hash: hashOf(key), createdAt: system.clock.now() },
  })
  return { apiKey, key }
}

/** Disables a key for good: requests with it are refused from now on. Safe to repeat. Fails with NOT_FOUND. */
export async function disable(ctx: Ctx, input: { id: string | number }): Promise<{ apiKey: ApiKey }> {
  const where = { accountId_id: { accountId: ctx.accountId, id: idOf('ApiKey', input.id) } }
  const found = await ctx.db.apiKey.findUnique({ where })
  if (!found) throw refuse('NOT_FOUND', 'There is no such API key.')
  if (found.disabledAt) return { apiKey: found }
  const apiKey = await ctx.db.apiKey.update({ where, data: { disabledAt: ctx.clock.now() } })
  await hint(ctx, keysChannel)
  return { apiKey }
}

/** The same by the key's id alone, as an operator may. */
export async function disableAny(system: System, { id }: { id: number }): Promise<ApiKey> {
  const [found] = await system.db.$unscoped<{ accountId: number }>(
    'an operator names a key by its id alone',
    sql`SELECT account_id AS "accountId" FROM api_key WHERE id = ${id}`,
  )
  if (!found) throw refuse('NOT_FOUND', `There is no API key ${id}.`)
  const where = { accountId_id: { accountId: found.accountId, id } }
  const key = await system.db.apiKey.findUniqueOrThrow({ where })
  if (key.disabledAt) return key
  const disabled = await system.db.apiKey.update({ where, data: { disabledAt: system.clock.now() } })
  await hint(system, keysChannel)
  return disabled
}

/** Which keys a list is about. */
export interface ApiKeyFilter {
  disabled?: boolean | null | undefined
}
export type ApiKeyListArgs = ListArgs<ApiKeyFilter, 'CREATED_AT'>

const keys: List<ApiKey, ApiKeyFilter, 'CREATED_AT'> = {
  name: 'apiKeys',
  columns: sql`k.id, k.account_id AS "accountId", k.name, k.prefix, k.scopes, k.created_at AS "createdAt", k.disabled_at AS "disabledAt"`,
  from: (ctx) => sql`FROM api_key k WHERE k.account_id = ${ctx.sql.account}`,
  id: sql`k.id`,
  orders: { CREATED_AT: { by: sql`k.created_at`, kind: 'time' } },
  usual: { field: 'CREATED_AT', direction: 'DESC' },
  where: ({ disabled }) => (disabled == null ? [] : [sql`(k.disabled_at IS NOT NULL) = ${disabled}`]),
}

/** The account's keys, the newest first unless ordered otherwise, disabled ones too unless left out. */
export async function list(ctx: Ctx, args: ApiKeyListArgs): Promise<Page<ApiKey>> {
  return pageOf(ctx, keys, args)
}

export const byId = one<number, ApiKey>(async (ctx, ids) => {
  const rows = await ctx.db.apiKey.findMany({ where: { accountId: ctx.accountId, id: { in: [...ids] } } })
  return new Map(rows.map((row) => [row.id, row]))
})

/** What a request may do that carries a key. */
export interface KeyHolder {
  readonly accountId: number
  readonly keyId: number
  readonly scopes: readonly Scope[] | undefined
  /** Which part of COST_LIMIT_PER_MINUTE its account's plan gives it. */
  readonly costShare: number
}

/** What each plan gives of COST_LIMIT_PER_MINUTE. A trial account has no keys. */
const costShares: Readonly<Record<Plan, number>> = { FREE_TRIAL: 0.25, STARTER: 0.5, PRO: 1, UNLIMITED: 1 }

/** Whose key this is, or undefined where it is unknown, disabled, or of a trial account. */
export async function holderOf(system: System, key: string): Promise<KeyHolder | undefined> {
  const [found] = await system.db.$unscoped<{ accountId: number; id: number; scopes: string[]; plan: Plan }>(
    'a key is what says which account is asking',
    sql`SELECT k.account_id AS "accountId", k.id, k.scopes, a.plan FROM api_key k JOIN account a ON a.id = k.account_id
        WHERE k.hash = ${hashOf(key)} AND k.disabled_at IS NULL AND a.plan <> 'FREE_TRIAL'`,
  )
  if (!found) return undefined
  return {
    accountId: found.accountId,
    keyId: found.id,
    scopes: scopesOf(found.scopes),
    costShare: costShares[found.plan],
  }
}

/** Which of these keys still let someone in, by id. */
export async function liveAmong(
  system: System,
  holders: readonly Pick<KeyHolder, 'accountId' | 'keyId'>[],
): Promise<ReadonlySet<number>> {
  const accountIds = holders.map(({ accountId }) => accountId)
  const keyIds = holders.map(({ keyId }) => keyId)
  const rows = await system.db.$unscoped<{ id: number }>(
    'streams of all accounts are looked at together',
    sql`SELECT k.id FROM api_key k JOIN account a ON a.id = k.account_id
        WHERE k.account_id = ANY(${accountIds}::int[]) AND k.id = ANY(${keyIds}::int[]) AND k.disabled_at IS NULL AND a.plan <> 'FREE_TRIAL'`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** The form in which a key is kept and remembered. */
export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/**
 * Makes a key of the caller's account, with the scopes it names: full access, too, is asked for by name. Refuses an
 * idempotency key: the answer holds a secret, and answers are stored.
 */
export async function createOwn(
  ctx: Ctx,
  input: { name?: string | null | undefined; scopes?: readonly KeyScope[] | null | undefined },
): Promise<{ apiKey: ApiKey; key: string }> {
  if (ctx.idempotencyKey !== undefined)
    throw invalid({ idempotencyKey: ['cannot be used here: the answer holds a secret'] })
  return create(ctx, { ...input, scopes: input.scopes ?? [], accountId: ctx.accountId })
}

/** What the key of this request is called; empty where the request came without one. */
export async function nameOfOwn(ctx: Ctx): Promise<string> {
  return (ctx.keyId === undefined ? null : await ctx.load(byId, ctx.keyId))?.name ?? ''
}
