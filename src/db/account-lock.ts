import type { Ctx } from './context.ts'

/**
 * Waits until no other transaction of the account holds the lock of `kind`, and holds it until the transaction ends.
 * Concurrent requests that count rows before they insert one would otherwise exceed a limit.
 */
export async function lockKind(
  tx: Ctx,
  kind: 'billing profile' | 'bulk jobs' | 'custom fields' | 'DKIM keys' | 'segments' | 'sender domains' | 'webhooks',
) {
  await tx.sql`SELECT pg_advisory_xact_lock(hashtextextended(${kind}, ${tx.sql.account}::int))::text`
}
