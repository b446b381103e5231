import { createHash } from 'node:crypto'
import type { Prisma } from '../../../prisma/generated/client/client.ts'
import { type ErrorCode, invalid, refuse, UncertainEffect } from '../../kernel/errors.ts'
import type { Ctx } from '../context.ts'
import { inTransaction } from '../transaction.ts'
import { removeOld } from '../upkeep/retention.ts'

/** Number of days for which a stored result is returned again. */
const keptDays = 1
const keptMs = keptDays * 24 * 60 * 60 * 1000

/** The hash and the result that replace those of a request about a person who was erased. */
export const erasedHash = ''
export const erasedResult = { $erased: true }

/** Results of earlier requests. The objects in them may have been changed or deleted since. */
const repeats = new WeakSet<object>()

/** Marks a result as that of an earlier request. */
export function asRepeat<Result extends object>(result: Result): Result {
  repeats.add(result)
  return result
}

/** Returns whether a result was stored by an earlier request with the same idempotency key. */
export function isRepeat(result: unknown): boolean {
  return typeof result === 'object' && result !== null && repeats.has(result)
}

/**
 * What an operation does outside of the database, where it must not hold a transaction: its connection would be missing for the
 * requests of all accounts.
 * - preparation: it waits for threads or other servers, and then returns the result of its only transaction.
 * - effect: it sends something, which must not be sent twice.
 */
export type Outside = 'preparation' | 'effect'

/** Time after which an effect has ended, in milliseconds: its process was stopped if there is no result by then. */
const effectMs = 120_000

/** The results of an effect that has not ended, and of one of which it is not known whether it happened. */
const runningResult = { $running: true }
type UncertainResult = { $uncertain: { code: ErrorCode; message: string } }
type UnfinishedResult = Partial<typeof runningResult & UncertainResult>

/** A request with an idempotency key. */
interface KeyedRequest {
  readonly id: { readonly accountId: number; readonly key: string; readonly field: string }
  readonly inputHash: string
}

/**
 * Runs a mutation once per idempotency key. A repeat with the same input returns the stored result. Key and changes are
 * committed in one transaction, so a failure stores nothing and the request can be repeated. Without a key, the
 * mutation runs normally.
 *
 * An operation with an effect outside of the database runs between two transactions: the first one reserves the key, the second
 * one stores the result. A failure removes the reservation, unless the effect may have happened (`UncertainEffect`).
 *
 * Throws IDEMPOTENCY_CONFLICT while another request with the key is running, and VALIDATION_ERROR if the key was used
 * with other input, by a request about a person who was erased, or by one with an effect whose process was stopped.
 */
export async function once<Input, Result extends object>(
  ctx: Ctx,
  field: string,
  input: Input,
  run: (ctx: Ctx, input: Input) => Promise<Result>,
  outside?: Outside,
): Promise<Result> {
  const key = ctx.idempotencyKey
  if (key === undefined) return run(ctx, input)
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid({ idempotencyKey: ['must be 1 to 255 visible ASCII characters'] })
  const request = { id: { accountId: ctx.accountId, key, field }, inputHash: hashOf(input) }
  const work = (inner: Ctx) => run(inner, input)
  if (outside === 'preparation') return onceInTransactionOf(ctx, request, work)
  if (outside === 'effect') return onceBetweenTransactions(ctx, request, work)
  return inTransaction(ctx, (tx) => findOrRun(tx, request, work))
}

/**
 * Records the use of a key that is valid once, in all processes. Returns false if it was used within `keptDays`. `kind` is not
 * the name of a mutation, so that keys of clients are others.
 */
export async function useOnce(ctx: Ctx, kind: string, key: string): Promise<boolean> {
  const used = await ctx.sql`
    INSERT INTO idempotency_key (account_id, key, field, input_hash, result, created_at)
    VALUES (${ctx.sql.account}::int, ${key}, ${kind}, '', '{}', ${ctx.clock.now()}::timestamptz)
    ON CONFLICT DO NOTHING RETURNING 1`
  return used.length > 0
}

/** Runs an operation that uses the key in its only transaction. */
async function onceInTransactionOf<Result extends object>(
  ctx: Ctx,
  request: KeyedRequest,
  run: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  // A repeat does not prepare anything, which could fail now.
  const stored = await find<Result>(ctx, request)
  if (stored) return stored
  let committed: object | undefined
  const keyed = async <Each>(tx: Ctx, work: (tx: Ctx) => Promise<Each>): Promise<Each> => {
    if (committed) throw new Error(`${request.id.field} has more than one transaction.`)
    const result = await findOrRun(tx, request, work as unknown as (tx: Ctx) => Promise<object>)
    tx.afterCommit?.(() => {
      committed = result
    })
    return result as Each
  }
  const result = await run({ ...ctx, keyed })
  if (result !== committed) throw new Error(`${request.id.field} does not return the result of its transaction.`)
  return result
}

/** Runs an operation with an effect. If the process is stopped before its end, the key stays reserved. */
async function onceBetweenTransactions<Result extends object>(
  ctx: Ctx,
  request: KeyedRequest,
  run: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const silent = { ...ctx, record: undefined }
  const stored = await inTransaction(silent, async (tx) => {
    await lock(tx, request)
    const found = await find<Result>(tx, request)
    if (!found) await store(tx, request, runningResult)
    return found
  })
  if (stored) return stored
  let result: Result
  try {
    result = await run(silent)
  } catch (error) {
    await release(ctx, request, error).catch((reason: unknown) =>
      ctx.log.warn({ err: reason }, 'an idempotency key could not be released'),
    )
    throw error
  }
  return inTransaction(ctx, async (tx) => {
    await store(tx, request, preserve(result))
    return result
  })
}

/** Ends the reservation of a key by an operation that failed. */
async function release(ctx: Ctx, request: KeyedRequest, error: unknown): Promise<void> {
  if (error instanceof UncertainEffect) {
    const { code, message } = error
    await store(ctx, request, { $uncertain: { code, message } } satisfies UncertainResult)
  } else await ctx.db.idempotencyKey.deleteMany({ where: request.id })
}

async function findOrRun<Result extends object>(
  tx: Ctx,
  request: KeyedRequest,
  run: (tx: Ctx) => Promise<Result>,
): Promise<Result> {
  await lock(tx, request)
  const stored = await find<Result>(tx, request)
  if (stored) return stored
  const result = await run(tx)
  await store(tx, request, preserve(result))
  return result
}

async function lock(tx: Ctx, { id: { field, key } }: KeyedRequest): Promise<void> {
  const [row] = await tx.sql<{ held: boolean }>`
    SELECT pg_try_advisory_xact_lock(hashtextextended(${field} || ' ' || ${key}, ${tx.sql.account}::int)) AS held`
  if (!row?.held) throw refuse('IDEMPOTENCY_CONFLICT')
}

/** Returns the result that is stored for the key of a request. */
async function find<Result extends object>(ctx: Ctx, { id, inputHash }: KeyedRequest): Promise<Result | undefined> {
  const stored = await ctx.db.idempotencyKey.findUnique({ where: { accountId_key_field: id } })
  const ageMs = stored ? ctx.clock.now().getTime() - stored.createdAt.getTime() : keptMs
  if (!stored || ageMs >= keptMs) return undefined
  mustBeSame(stored, inputHash)
  mustBeFinished(stored.result as UnfinishedResult, ageMs)
  return asRepeat(revive(stored.result) as Result)
}

async function store(ctx: Ctx, { id, inputHash }: KeyedRequest, result: Prisma.InputJsonValue): Promise<void> {
  const row = { inputHash, result, createdAt: ctx.clock.now() }
  await ctx.db.idempotencyKey.upsert({ where: { accountId_key_field: id }, create: { ...id, ...row }, update: row })
}

function mustBeFinished({ $running, $uncertain }: UnfinishedResult, ageMs: number): void {
  if ($uncertain) throw new UncertainEffect($uncertain.code, $uncertain.message)
  if (!$running) return
  if (ageMs < effectMs) throw refuse('IDEMPOTENCY_CONFLICT')
  throw invalid({
    idempotencyKey: [
      'was used by a request that was interrupted: it may have been executed. Another key executes it again',
    ],
  })
}

function mustBeSame(stored: { inputHash: string; result: unknown }, inputHash: string): void {
  // Running the request again would create the person again.
  if ((stored.result as typeof erasedResult).$erased)
    throw invalid({ idempotencyKey: ['was used by a request about a person who was erased'] })
  if (stored.inputHash !== erasedHash && stored.inputHash !== inputHash)
    throw invalid({ idempotencyKey: ['was used with other input'] })
}

/** Deletes stored results that have expired. */
export async function forgetOldKeys(ctx: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  await removeOld(ctx, { table: 'idempotency_key', since: 'created_at', keptDays })
}

/** Returns a hash of an input that does not depend on the order of its fields. */
export function hashOf(input: unknown): string {
  return createHash('sha256').update(canonical(input)).digest('base64url')
}

/**
 * Returns JSON of an input that does not depend on the order of its fields. Numbers that JSON writes as another value keep their
 * names: minus zero, and those that are too large.
 */
function canonical(value: unknown): string {
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value)
  if (typeof value === 'bigint') return `${value}n`
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null'
  const fields = Object.entries(value).filter(([, part]) => part !== undefined)
  const written = fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`)
  return `{${written.join()}}`
}

/** Converts a value to JSON. Date and bigint are encoded as objects. */
export function preserve(value: unknown): Prisma.InputJsonValue {
  if (value instanceof Date) return { $date: value.toISOString() }
  if (typeof value === 'bigint') return { $bigint: String(value) }
  if (Array.isArray(value)) return value.map(preserve)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, part]) => (part === undefined ? [] : [[key, preserve(part)]])),
    )
  }
  return value as Prisma.InputJsonValue
}

/** Restores a value from the JSON of `preserve`. */
export function revive(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(revive)
  if (typeof value !== 'object' || value === null) return value
  const record = value as Record<string, unknown>
  if (typeof record['$date'] === 'string') return new Date(record['$date'])
  if (typeof record['$bigint'] === 'string') return BigInt(record['$bigint'])
  return Object.fromEntries(Object.entries(record).map(([key, part]) => [key, revive(part)]))
}
