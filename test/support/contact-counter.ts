import type { World } from './world.ts'

/** Sets the counter of contacts, which lists rely on, after rows were inserted by SQL. */
export async function countContacts({ accountId, rows }: Pick<World, 'accountId' | 'rows'>): Promise<void> {
  await rows(
    `INSERT INTO quota_usage (account_id, slot, period, used)
     SELECT $1, 'contacts', '', (SELECT count(*) FROM contact WHERE account_id = $1)
     ON CONFLICT (account_id, slot, period) DO UPDATE SET used = excluded.used`,
    [accountId],
  )
}
