import pg from 'pg'
import { expect } from 'vitest'
import { atEnd } from './ends.ts'
import type { Server } from './server.ts'
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

/** What reads all rows of an account, for each server: the names of the tables, and a connection that keeps the plan. */
const readers = new WeakMap<Server, Promise<{ tables: string[]; client: pg.Client }>>()

/** Planning a statement on all tables takes longer than executing it, so a connection of its own keeps it. */
async function openReader(world: World): Promise<{ tables: string[]; client: pg.Client }> {
  const tables = await tenantTables(world)
  const options = '-c plan_cache_mode=force_generic_plan'
  const client = new pg.Client({ connectionString: world.server.databaseUrl, options })
  await client.connect()
  atEnd(() => client.end())
  return { tables, client }
}

/** Returns all rows of an account by table, after all events have their position. Requests do not wait for `last_used_at`. */
export async function everything(world: World): Promise<Record<string, unknown[]>> {
  const reader = readers.get(world.server) ?? openReader(world)
  readers.set(world.server, reader)
  const { tables, client } = await reader
  await settled(world)
  const parts = tables.map(
    (name) =>
      `SELECT '${name}' AS name, to_jsonb(t) - 'last_used_at' AS row, t::text AS place FROM "${name}" t WHERE account_id = $1`,
  )
  const own = `SELECT 'account', to_jsonb(a), a::text FROM account a WHERE id = $1`
  const { rows } = await client.query<{ name: string; row: unknown }>({
    name: 'everything',
    text: `SELECT name, row FROM (${[...parts, own].join(' UNION ALL ')}) AS all_of_it ORDER BY name, place`,
    values: [world.accountId],
  })
  const all = Object.fromEntries(['account', ...tables].map((name): [string, unknown[]] => [name, []]))
  for (const { name, row } of rows) all[name]?.push(row)
  return all
}
