import { tenantTables } from './everything.ts'
import { settled } from './settled.ts'
import type { World } from './world.ts'

/**
 * Remembers all that is in the database of a world, and answers what brings it back. Far quicker than making it anew; for
 * tests that have the database to themselves.
 */
export async function newRewind({ rows }: Pick<World, 'rows'>): Promise<() => Promise<void>> {
  await settled({ rows })
  const tables = ['account', ...(await tenantTables({ rows }))]
  const each = (statement: (table: string) => string) => tables.map(statement).join(';')
  // Keys between tables would ask for an order; what comes back kept them once.
  const freely = (statements: string) =>
    rows(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}; COMMIT`)
  await freely(`CREATE SCHEMA kept; ${each((table) => `CREATE TABLE kept."${table}" AS TABLE public."${table}"`)}`)
  return async () => {
    // An event that gets its position while the tables are restored would be stored twice.
    await settled({ rows })
    await freely(
      each((table) => `DELETE FROM public."${table}"; INSERT INTO public."${table}" SELECT * FROM kept."${table}"`),
    )
  }
}
