import { tenantTables } from './everything.ts'
import { settled } from './settled.ts'
import type { World } from './world.ts'

/**
 * Copies all data of a database and returns a function that restores the tables that changed since. This is faster than creating
 * the data again. Only for tests that use the database exclusively.
 */
export async function newRewind({ rows }: Pick<World, 'rows'>): Promise<() => Promise<void>> {
  await settled({ rows })
  const tables = ['account', ...(await tenantTables({ rows }))]
  const stored = await rows<{ table: string; columns: string }>(
    `SELECT table_name AS "table", string_agg(quote_ident(column_name), ', ') AS columns FROM information_schema.columns
     WHERE table_schema = 'public' AND is_generated = 'NEVER' GROUP BY table_name`,
  )
  const columnsOf = new Map(stored.map(({ table, columns }) => [table, columns]))
  // Without foreign key checks the tables can be restored in any order, and without triggers a restored table is no changed one.
  const withoutTriggers = (statements: string[]) =>
    rows(`BEGIN; SET LOCAL session_replication_role = replica; ${statements.join(';')}; COMMIT`)
  await withoutTriggers([
    'CREATE SCHEMA kept',
    'CREATE TABLE kept.changed (name text NOT NULL)',
    `CREATE FUNCTION kept.note() RETURNS trigger LANGUAGE plpgsql AS
     $$ BEGIN INSERT INTO kept.changed VALUES (TG_ARGV[0]); RETURN NULL; END $$`,
    ...tables.flatMap((table) => [
      `CREATE TABLE kept."${table}" AS TABLE public."${table}"`,
      `CREATE TRIGGER kept_note AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON public."${table}"
       FOR EACH STATEMENT EXECUTE FUNCTION kept.note('${table}')`,
    ]),
  ])
  return async () => {
    // An event that gets its position during the restore would be stored twice.
    await settled({ rows })
    const changed = await rows<{ name: string }>('SELECT DISTINCT name FROM kept.changed')
    await withoutTriggers([
      'DELETE FROM kept.changed',
      ...changed.map(({ name }) => {
        const columns = columnsOf.get(name)
        return `DELETE FROM public."${name}"; INSERT INTO public."${name}" (${columns}) SELECT ${columns} FROM kept."${name}"`
      }),
    ])
  }
}
