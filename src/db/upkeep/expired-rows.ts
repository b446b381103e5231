import pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import { type Sql, sql } from '../sql.ts'
import { daysBefore, listPartitions, monthOf, withPartitionLock } from './partitions.ts'

/** Number of the advisory lock of all processes: one process at a time deletes expired rows. */
const lockNumber = 72_707_372

/**
 * Time that building an index may take, which includes the wait for older transactions. Meanwhile no partition can be created.
 */
const indexTimeout = '30min'

/** Rows that expire together: those of one partition before a time. */
export interface ExpiredPart {
  /** Name of the partition. */
  readonly name: string
  readonly before: Date
}

/** Returns the name of the index by which the rows of a partition are deleted. It exists as long as they are being deleted. */
export function expiryIndexOf(partition: Sql): Sql {
  return sql`${partition} || '_expiry'`
}

/**
 * Runs work for the rows of a table that were created in months (UTC) that have expired completely, in the order of time: when
 * the rows of a part are deleted, older ones have been deleted before, in the default partition too. Meanwhile the part has an
 * index on `columns`, which is built without blocking writers. `work` returns whether it is complete. If not, the next run
 * continues. Other processes return at once.
 */
export async function forEachExpired(
  { table, days, columns }: { readonly table: string; readonly days: number; readonly columns: string },
  { directUrl, clock }: { readonly directUrl: string; readonly clock: Clock },
  work: (part: ExpiredPart) => Promise<boolean>,
): Promise<void> {
  await withPartitionLock(directUrl, lockNumber, async (client) => {
    await client.query(`SET statement_timeout = '${indexTimeout}'`)
    const expire = async (name: string, before: Date): Promise<boolean> => {
      const part = pg.escapeIdentifier(name)
      const { rows } = await client.query<{ exists: boolean }>(
        `SELECT EXISTS (SELECT FROM ${part} WHERE created_at < $1) AS "exists"`,
        [before],
      )
      if (!rows[0]?.exists) return true
      await buildIndex(client, name, columns)
      return work({ name, before })
    }
    const rest = `${table}_default`
    const limit = monthOf(daysBefore(clock.now(), days), 0)
    for (const { name, from, to } of await listPartitions(client, { table, by: 'month' })) {
      if (to > limit) break
      if (!((await expire(rest, from)) && (await expire(name, to)))) return
    }
    if (await expire(rest, limit))
      await client.query(`DROP INDEX CONCURRENTLY IF EXISTS ${pg.escapeIdentifier(`${rest}_expiry`)}`)
  })
}

/** Builds the index of a partition, unless a former run has done so. One that a killed run has left incomplete is replaced. */
async function buildIndex(client: pg.Client, name: string, columns: string): Promise<void> {
  const index = pg.escapeIdentifier(`${name}_expiry`)
  const { rows } = await client.query<{ isValid: boolean }>(
    'SELECT indisvalid AS "isValid" FROM pg_index WHERE indexrelid = to_regclass($1)',
    [index],
  )
  if (rows[0]?.isValid) return
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY ${index}`)
  await client.query(`CREATE INDEX CONCURRENTLY ${index} ON ${pg.escapeIdentifier(name)} (${columns})`)
  // New statistics, since the plan of each batch shall use it.
  await client.query(`ANALYZE ${pg.escapeIdentifier(name)}`)
}
