import { globSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { migrationSql } from '../../.config/schema-engine.ts'
import { newEmptyDatabase } from '../support/database.ts'

/** Objects of the schema public by name, each with its definition: `index contact_pkey` → its DDL. */
type Catalog = Map<string, { table: string; definition: string }>

const catalogSql = `
  WITH tables AS (
    SELECT oid, relname, relkind, relispartition, relpersistence, relpartbound FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
  )
  SELECT 'table' AS kind, relname AS object, relname AS "table", concat_ws(' ', relkind, relpersistence,
      pg_get_partkeydef(oid), pg_get_expr(relpartbound, oid), pg_get_viewdef(oid)) AS definition
    FROM tables
  UNION ALL
  -- A partition has the columns, indexes and constraints of its table by construction.
  SELECT 'column', relname || '.' || attname, relname, concat_ws(' ', format_type(atttypid, atttypmod),
      CASE WHEN attnotnull THEN 'not null' END, pg_get_expr(adbin, adrelid), attidentity, attgenerated,
      nullif(attcollation::regcollation::text, '"default"'))
    FROM tables JOIN pg_attribute ON attrelid = tables.oid AND attnum > 0 AND NOT attisdropped
      LEFT JOIN pg_attrdef ON adrelid = tables.oid AND adnum = attnum
    WHERE NOT relispartition
  UNION ALL
  -- PostgreSQL writes ONLY where a table is partitioned, which the table says already.
  SELECT 'index', indexes.relname, tables.relname, replace(pg_get_indexdef(indexes.oid), ' ON ONLY ', ' ON ')
    FROM tables JOIN pg_index ON indrelid = tables.oid JOIN pg_class indexes ON indexes.oid = indexrelid
    WHERE NOT indexes.relispartition
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype IN ('p', 'u', 'x'))
  UNION ALL
  -- Kind n is NOT NULL, which the column says already.
  SELECT 'constraint', conname, relname, pg_get_constraintdef(pg_constraint.oid)
    FROM tables JOIN pg_constraint ON conrelid = tables.oid WHERE conparentid = 0 AND contype <> 'n'
  UNION ALL
  SELECT 'trigger', tgname, relname, pg_get_triggerdef(pg_trigger.oid)
    FROM tables JOIN pg_trigger ON tgrelid = tables.oid WHERE NOT tgisinternal
  UNION ALL
  SELECT 'sequence', sequencename, '', concat_ws(' ', data_type, start_value, increment_by, cache_size, cycle)
    FROM pg_sequences WHERE schemaname = 'public'
  UNION ALL
  SELECT 'enum', typname, '', string_agg(enumlabel, ' ' ORDER BY enumsortorder)
    FROM pg_type JOIN pg_enum ON enumtypid = pg_type.oid WHERE typnamespace = 'public'::regnamespace GROUP BY typname
  UNION ALL
  SELECT 'function', oid::regprocedure::text, '', pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prokind IN ('f', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
  UNION ALL
  SELECT 'extension', extname, '', '' FROM pg_extension`

/** Returns the catalog of an empty database after the scripts. Each runs by itself, because some must not be in a transaction. */
async function catalogOf(scripts: readonly string[]): Promise<Catalog> {
  const client = new pg.Client({ connectionString: await newEmptyDatabase() })
  await client.connect()
  try {
    for (const script of scripts) await client.query(script)
    const { rows } = await client.query(catalogSql)
    return new Map(rows.map(({ kind, object, table, definition }) => [`${kind} ${object}`, { table, definition }]))
  } finally {
    await client.end()
  }
}

/** Returns the differences. If only one side has a table, only the table is listed. */
function differences(one: Catalog, other: Catalog): string[] {
  const names = [...new Set([...one.keys(), ...other.keys()])]
  const lonely = new Set(names.filter((name) => name.startsWith('table ') && one.has(name) !== other.has(name)))
  return names.filter((name) => {
    const [left, right] = [one.get(name), other.get(name)]
    if (left?.definition === right?.definition && left?.table === right?.table) return false
    return lonely.has(name) || !lonely.has(`table ${(left ?? right)?.table}`)
  })
}

/** Returns the rows of the table in prisma/beyond.md: `| object | kind | reason |`. */
function beyond(): { name: string; reason: string }[] {
  const rows = readFileSync('prisma/beyond.md', 'utf8').matchAll(/^\| `([^`]+)` \| (\w+) \| (.*) \|$/gm)
  return [...rows].map(([, object, kind, reason = '']) => ({ name: `${kind} ${object}`, reason: reason.trim() }))
}

describe('migrations', () => {
  let different: string[]

  beforeAll(async () => {
    const migrations = globSync('prisma/migrations/*/migration.sql').sort()
    const [fromSchema, fromMigrations] = await Promise.all([
      catalogOf([await migrationSql({ to: 'prisma' })]),
      catalogOf(migrations.map((path) => readFileSync(path, 'utf8'))),
    ])
    expect(fromSchema.size, 'what the schema makes').toBeGreaterThan(10)
    different = differences(fromSchema, fromMigrations)
  })

  it('create the database of the Prisma schema, except for the differences in prisma/beyond.md', () => {
    const allowed = new Set(beyond().map(({ name }) => name))
    expect(different.filter((name) => !allowed.has(name))).toEqual([])
  })

  it('create each difference in prisma/beyond.md, and each has a reason', () => {
    expect(beyond().filter(({ name, reason }) => !different.includes(name) || reason === '')).toEqual([])
  })
})
