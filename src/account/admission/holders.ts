import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { holderOf } from '../../kernel/scopes.ts'
import { findHolder as findKey, type KeyHolder } from '../api-keys/api-keys.ts'
import { findSession, isActive, type SessionHolder } from '../sign-in/sessions.ts'

/** The holder of a valid key or session. */
export type Holder = KeyHolder | SessionHolder

/**
 * Finds the key or the session that a signed text names (`holderOf`). Returns undefined if it is no longer valid, or if the user
 * has another role since. Without a name, the text was created by a job or a command, and the result has full access to the
 * account.
 */
export async function findHolder(
  system: System,
  { accountId, holder }: { readonly accountId: number; readonly holder: string },
): Promise<Holder | { readonly accountId: number } | undefined> {
  if (holder === '') return { accountId }
  const [, kind, digits] = /^([ks])(\d{1,9})\b/.exec(holder) ?? []
  if (kind === undefined) return undefined
  const id = Number(digits)
  const found =
    kind === 'k'
      ? await findKey(system, { accountId, keyId: id })
      : await findSession(system, { accountId, sessionId: id })
  return found && holderOf(found) === holder ? found : undefined
}

/** Returns the holders, as `holderOf` names them, whose key or session is still active. */
export async function findActive(
  system: System,
  holders: readonly { readonly accountId: number; readonly holder: string }[],
): Promise<ReadonlySet<string>> {
  const accountIds = holders.map(({ accountId }) => accountId)
  const idsOf = (kind: string) =>
    holders.filter(({ holder }) => holder.startsWith(kind)).map(({ holder }) => Number.parseInt(holder.slice(1), 10))
  const rows = await system.db.$unscoped<{ holder: string }>(
    'one query checks the keys and sessions of the streams of all accounts',
    sql`SELECT 'k' || k.id AS holder FROM api_key k JOIN account a ON a.id = k.account_id
        WHERE k.account_id = ANY(${accountIds}::int[]) AND k.id = ANY(${idsOf('k')}::int[]) AND k.disabled_at IS NULL
          AND a.plan <> 'FREE_TRIAL'
        UNION ALL
        SELECT 's' || s.id || ':' || u.role FROM session s
        JOIN "user" u ON u.account_id = s.account_id AND u.id = s.user_id
        WHERE s.account_id = ANY(${accountIds}::int[]) AND s.id = ANY(${idsOf('s')}::int[])
          AND ${isActive(system.clock.now())}`,
  )
  return new Set(rows.map(({ holder }) => holder))
}
