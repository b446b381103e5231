import { tenantTables } from './everything.ts'
import { settled } from './settled.ts'
import type { World } from './world.ts'

/**
 * Copies all data of a database and returns a function that restores it. This is faster than creating the data again. Only
 * for tests that use the database exclusively.
 */
export async function newRewind({ rows }: Pick<World, 'rows'>): Promise<() => Promise<void>> {
  await settled({ rows })
  const tables = ['account', ...(await tenantTables({ rows }))]
  const each = (statement: (table: string) => string) => tables.map(statement).join(';')
  // Without foreign key checks the tables can be restored in any order.
  const withoutForeignKeys = (statements: string) =>
    rows(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}; COMMIT`)
  await withoutForeignKeys(
    `CREATE SCHEMA kept; ${each((table) => `CREATE TABLE kept."${table}" AS TABLE public."${table}"`)}`,
  )
  return async () => {
    // An event that gets its position during the restore would be stored twice.
    await settled({ rows })
    await withoutForeignKeys(
      each((table) => `DELETE FROM public."${table}"; INSERT INTO public."${table}" SELECT * FROM kept."${table}"`),
    )
  }
}
