import type { Ctx } from './context.ts'

type Kind =
  | 'billing profile'
  | 'brand'
  | 'bulk jobs'
  | 'custom fields'
  | 'DKIM keys'
  | 'reusable blocks'
  | 'segments'
  | 'sender domains'
  | 'templates'
  | 'topics'
  | 'webhooks'

/**
 * Waits until no other transaction of the account holds the lock of `kind`, and holds it until the transaction ends.
 * Concurrent requests that count rows before they insert one would otherwise exceed a limit.
 */
export async function lockKind(tx: Ctx, kind: Kind) {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${kind}, ${tx.sql.account}::int))::text`
}

/**
 * Waits like `lockKind`, and keeps others from taking the lock until the transaction ends. Any number of transactions can do
 * so.
 */
export async function shareKind(tx: Ctx, kind: Kind) {
  await tx.sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${kind}, ${tx.sql.account}::int))::text`
}
