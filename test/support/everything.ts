import { expect } from 'vitest'
import { settled } from './settled.ts'
import type { World } from './world.ts'

/** Returns the tables with data of accounts, without partitions. */
export async function tenantTables({ rows }: Pick<World, 'rows'>): Promise<string[]> {
  const tables = await rows<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  )
  expect(tables.length).toBeGreaterThan(8)
  return tables.map(({ name }) => name)
}

/** Returns all rows of an account by table, after all events have their position. Requests do not wait for `last_used_at`. */
export async function everything(world: World): Promise<Record<string, unknown[]>> {
  await settled(world)
  const tables = await tenantTables(world)
  const parts = tables.map(
    (name) =>
      `SELECT '${name}' AS name, to_jsonb(t) - 'last_used_at' AS row, t::text AS place FROM "${name}" t WHERE account_id = $1`,
  )
  const own = `SELECT 'account', to_jsonb(a), a::text FROM account a WHERE id = $1`
  const rows = await world.rows<{ name: string; row: unknown }>(
    `SELECT name, row FROM (${[...parts, own].join(' UNION ALL ')}) AS all_of_it ORDER BY name, place`,
    [world.accountId],
  )
  const all = Object.fromEntries(['account', ...tables].map((name): [string, unknown[]] => [name, []]))
  for (const { name, row } of rows) all[name]?.push(row)
  return all
}
