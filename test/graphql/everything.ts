import { expect } from 'vitest'
import type { World } from '../support/world.ts'

/** Everything an account has, in all tables. */
export async function everything(world: World): Promise<Record<string, unknown[]>> {
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`,
  )
  expect(tables.length).toBeGreaterThan(8)
  const all: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    all[name] = await world.rows(`SELECT to_jsonb(t) AS row FROM "${name}" t WHERE account_id = $1 ORDER BY t::text`, [
      world.accountId,
    ])
  }
  all['account'] = await world.rows('SELECT to_jsonb(a) AS row FROM account a WHERE id = $1', [world.accountId])
  return all
}
