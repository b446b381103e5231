import { globSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { baselineSql } from '../../.config/baseline.ts'
import { newEmptyDatabase } from '../support/database.ts'

/** Objects of the schema public by name, each with its definition: `index contact_pkey` → its DDL. */
type Catalog = Map<string, string>

const catalogSql = `
  WITH tables AS (
    SELECT oid, relname, relkind, relispartition, relpersistence, reloptions::text, relpartbound FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
  )
  SELECT 'table' AS kind, relname AS object, concat_ws(' ', relkind, relpersistence, reloptions,
      pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), pg_get_viewdef(oid)) AS definition
    FROM tables
  UNION ALL
  -- A partition has the columns, indexes and constraints of its table by construction.
  SELECT 'column', relname || '.' || attname, concat_ws(' ', format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN 'not null' END, pg_get_expr(adbin, adrelid), attidentity, attgenerated,
      nullif(attcollation::regcollation::text, '"default"'))
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = tables.oid AND adnum = attnum
    WHERE NOT relispartition
  UNION ALL
  -- PostgreSQL writes ONLY where a table is partitioned, which the table says already.
  SELECT 'index', indexes.relname, replace(pg_get_indexdef(indexes.oid), ' ON ONLY ', ' ON ')
    FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class indexes ON indexes.oid = indexrelid
    WHERE NOT indexes.relispartition
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
  UNION ALL
  -- Kind n is NOT NULL, which the column says already.
  SELECT 'constraint', conname, pg_get_constraintdef(pg_constraint.oid)
    FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE conparentid = 0 AND contype <> 'n'
  UNION ALL
  SELECT 'trigger', tgname, pg_get_triggerdef(pg_trigger.oid)
    FROM tables JOIN pg_trigger ON tgrelid = tables.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'sequence', sequencename, concat_ws(' ', data_type, start_value, increment_by, cache_size, cycle)
    FROM pg_sequences WHERE schemaname = 'public'
  UNION ALL
  SELECT 'enum', typname, string_agg(enumlabel, ' ' ORDER BY enumsortorder)
    FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid WHERE typnamespace = 'public'::regnamespace GROUP BY typname
  UNION ALL
  SELECT 'function', oid::regprocedure::text, pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  UNION ALL
  -- The column of the locale has different names in versions of PostgreSQL.
  SELECT 'collation', collname, concat_ws(' ', collprovider, collisdeterministic,
      coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale'))
    FROM pg_collation c WHERE collnamespace = 'public'::regnamespace
  UNION ALL
  SELECT 'extension', extname, '' FROM pg_extension`

/** Returns the catalog of an empty database after the scripts. Each runs by itself, because some must not be in a transaction. */
async function catalogOf(scripts: readonly string[]): Promise<Catalog> {
  const client = new pg.Client({ connectionString: await newEmptyDatabase() })
  await client.connect()
  try {
    for (const script of scripts) await client.query(script)
    const { rows } = await client.query(catalogSql)
    return new Map(rows.map(({ kind, object, definition }) => [`${kind} ${object}`, definition]))
  } finally {
    await client.end()
  }
}

/** Returns the names of objects that only one of the catalogs has, or that differ. */
function differences(one: Catalog, other: Catalog): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name))
}

describe('migrations', () => {
  it('create the database of the Prisma schema and of prisma/beyond.sql', async () => {
    const migrations = globSync('prisma/migrations/*/migration.sql').sort()
    const [described, created] = await Promise.all([
      catalogOf([await baselineSql()]),
      catalogOf(migrations.map((path) => readFileSync(path, 'utf8'))),
    ])
    expect(described.size).toBeGreaterThan(10)
    expect(differences(described, created)).toEqual([])
  })

  it('do not let the id of a row change, by which other rows refer to it', async () => {
    const created = await catalogOf([await baselineSql()])
    expect([...created].filter(([, definition]) => definition.includes('ON UPDATE'))).toEqual([])
  })
})
