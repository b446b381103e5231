import { createHash } from 'node:crypto'
import type { Prisma } from '../../prisma/generated/client/client.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import type { Ctx } from './context.ts'
import { deleteOld } from './retention.ts'
import { inTransaction } from './transaction.ts'

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
 * Runs a mutation once per idempotency key. A repeat with the same input returns the stored result. Key and changes are
 * committed in one transaction, so a failure stores nothing and the request can be repeated. Without a key, the
 * mutation runs normally.
 *
 * Throws IDEMPOTENCY_CONFLICT while another request with the key is running, and VALIDATION_ERROR if the key was used
 * with other input, or by a request about a person who was erased.
 */
export async function once<Input, Result extends object>(
  ctx: Ctx,
  field: string,
  input: Input,
  run: (ctx: Ctx, input: Input) => Promise<Result>,
  timeout?: number,
): Promise<Result> {
  const key = ctx.idempotencyKey
  if (key === undefined) return run(ctx, input)
  if (!/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalid({ idempotencyKey: ['must be 1 to 255 visible ASCII characters'] })
  const inputHash = hashOf(input)
  return inTransaction(
    ctx,
    async (tx) => {
      const [lock] = await tx.sql<{ held: boolean }>`
      SELECT pg_try_advisory_xact_lock(hashtextextended(${field} || ' ' || ${key}, ${tx.sql.account}::int)) AS held`
      if (!lock?.held) throw refuse('IDEMPOTENCY_CONFLICT')
      const now = tx.clock.now()
      const id = { accountId: tx.accountId, key, field }
      const stored = await tx.db.idempotencyKey.findUnique({ where: { accountId_key_field: id } })
      if (stored && now.getTime() - stored.createdAt.getTime() < keptMs) {
        mustBeSame(stored, inputHash)
        return asRepeat(revive(stored.result) as Result)
      }
      const result = await run(tx, input)
      const row = { inputHash, result: preserve(result), createdAt: now }
      await tx.db.idempotencyKey.upsert({ where: { accountId_key_field: id }, create: { ...id, ...row }, update: row })
      return result
    },
    timeout,
  )
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
  await deleteOld(ctx, { table: 'idempotency_key', since: 'created_at', keptDays })
}

/** Returns a hash of an input that does not depend on the order of its fields. */
export function hashOf(input: unknown): string {
  return createHash('sha256').update(canonical(input)).digest('base64url')
}

/** Names of fields in version 0.1, so that a request that was sent before an upgrade can be repeated after it. */
const earlierNames: Readonly<Record<string, string>> = {
  addTagIds: 'tagIds',
  addSequenceIds: 'sequenceIds',
  eventPatterns: 'events',
}

/** Returns JSON of an input that does not depend on the order of its fields. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    // Version 0.1 had the id and the address of a contact side by side.
    const { idAndEmail, ...rest } = part as { idAndEmail?: object }
    const fields = Object.entries({ ...rest, ...idAndEmail }).map(
      ([name, each]) => [earlierNames[name] ?? name, each] as const,
    )
    return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)))
  })
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
