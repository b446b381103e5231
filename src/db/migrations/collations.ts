import type pg from 'pg'
import type { Log } from '../../kernel/telemetry/log.ts'
import { codeOf, MigrationError } from './migration-error.ts'

const extensions = ['btree_gin', 'pg_trgm']

/** Checks that the server has what the schema is built on. Throws MigrationError, which names what is missing. */
export async function mustHaveParts(client: pg.Client): Promise<void> {
  const [undefinedObject, notSupported] = ['42704', '0A000']
  try {
    await client.query(`SELECT 'a' < 'b' COLLATE "und-x-icu"`)
  } catch (error) {
    const code = codeOf(error)
    if (code !== undefinedObject && code !== notSupported) throw error
    throw new MigrationError(
      'DATABASE_URL must name a PostgreSQL that was built with ICU, which sorts names: it has no ICU',
    )
  }
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS name
     WHERE name NOT IN (SELECT name FROM pg_available_extensions UNION SELECT extname FROM pg_extension)`,
    [extensions],
  )
  if (rows.length > 0) {
    const names = rows.map(({ name }) => name).join(' and ')
    throw new MigrationError(
      `DATABASE_URL must name a PostgreSQL with the extensions ${extensions.join(' and ')}: it lacks ${names}`,
    )
  }
}

/**
 * Rebuilds the indexes in the order of a dictionary if they were built by another version of ICU, which may sort differently.
 * Rows can be read and written meanwhile. What an interrupted run left behind is removed.
 */
export async function rebuildIndexes(client: pg.Client, log: Log): Promise<void> {
  const { rows } = await client.query<{ before: string; after: string; index: string; isValid: boolean }>(
    `SELECT c.collversion AS before, pg_collation_actual_version(c.oid) AS after, i.indexrelid::regclass::text AS index,
       i.indisvalid AS "isValid"
     FROM pg_collation c JOIN pg_depend d ON d.refclassid = 'pg_collation'::regclass AND d.refobjid = c.oid
       AND d.classid = 'pg_class'::regclass
     JOIN pg_index i ON i.indexrelid = d.objid
     WHERE c.oid = to_regcollation('dictionary') AND c.collversion <> pg_collation_actual_version(c.oid)
     GROUP BY c.oid, c.collversion, i.indexrelid, i.indisvalid ORDER BY i.indexrelid`,
  )
  const [first] = rows
  if (!first) return
  const { before, after } = first
  log.info({ before, after }, 'the indexes of names are rebuilt for another version of ICU')
  for (const { index, isValid } of rows) {
    await client.query(isValid ? `REINDEX INDEX CONCURRENTLY ${index}` : `DROP INDEX CONCURRENTLY ${index}`)
  }
  await client.query('ALTER COLLATION dictionary REFRESH VERSION')
}
