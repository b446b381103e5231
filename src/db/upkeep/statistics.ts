import { type Loop, loop } from '../../kernel/work/loop.ts'
import type { System } from '../context.ts'
import { sql } from '../sql.ts'

/** Interval at which the tables are checked, in milliseconds. */
const intervalMs = 2_000

/** Minimum number of changed rows for an analysis, even if a table is small. */
const minChanges = 1_000

interface GrownTable {
  readonly name: string
  readonly isOwned: boolean
}

/**
 * Analyses the tables in which more rows have changed since their last analysis than they had then. Autovacuum runs up
 * to a minute later, or never. Until then PostgreSQL plans for the old size, and caches the plans of foreign keys.
 * Tables that another session is analysing are skipped. Returns the names of tables that belong to another role and
 * cannot be analysed.
 */
export async function analyseGrown({ db }: Pick<System, 'db'>): Promise<string[]> {
  const grown = await db.$unscoped<GrownTable>(
    'statistics are about tables, not about accounts',
    sql`SELECT format('%I.%I', current_schema(), c.relname) AS name, pg_has_role(c.relowner, 'USAGE') AS "isOwned"
      FROM pg_class c WHERE c.relnamespace = current_schema()::text::regnamespace AND c.relkind = 'r'
        AND pg_stat_get_mod_since_analyze(c.oid) > ${minChanges}::int + greatest(c.reltuples, 0)`,
  )
  for (const { name, isOwned } of grown) if (isOwned) await db.$executeRawUnsafe(`ANALYZE (SKIP_LOCKED) ${name}`)
  return grown.flatMap(({ name, isOwned }) => (isOwned ? [] : name))
}

/**
 * Starts a loop that keeps the statistics of tables current during bulk work. Logs a warning once for each table of
 * another role.
 */
export function keepStatistics(system: System): Loop {
  const warned = new Set<string>()
  const work = async () => {
    const others = (await analyseGrown(system)).filter((name) => !warned.has(name))
    for (const name of others) warned.add(name)
    if (others.length > 0) {
      const { log } = system
      log.warn({ tables: others }, 'tables have grown but belong to another role: their owner should run ANALYZE')
    }
    return false
  }
  return loop('statistics', work, { log: system.log, every: intervalMs })
}
