import { type Loop, loop } from '../kernel/loop.ts'
import type { System } from './context.ts'
import { sql } from './sql.ts'

/** How often a worker looks for tables that have grown, in milliseconds. */
const every = 2_000

/** How many changed rows are worth an analysis, however small a table is. */
const leastChanges = 1_000

interface Grown {
  readonly name: string
  readonly isOurs: boolean
}

/**
 * Analyses the tables of which more rows have changed since the last time than they had then. Autovacuum comes a minute
 * later, or never; until then PostgreSQL plans for the table as it was, and keeps the plans of foreign keys from then.
 * Nothing waits: a table that another session analyses at the moment is left to that. Returns the names of tables that
 * belong to another role and cannot be analysed.
 */
export async function analyseGrown({ db }: Pick<System, 'db'>): Promise<string[]> {
  const grown = await db.$unscoped<Grown>(
    'statistics are about tables, not about accounts',
    sql`SELECT format('%I.%I', current_schema(), c.relname) AS name, pg_has_role(c.relowner, 'USAGE') AS "isOurs"
      FROM pg_class c WHERE c.relnamespace = current_schema()::text::regnamespace AND c.relkind = 'r'
        AND pg_stat_get_mod_since_analyze(c.oid) > ${leastChanges}::int + greatest(c.reltuples, 0)`,
  )
  for (const { name, isOurs } of grown) if (isOurs) await db.$executeRawUnsafe(`ANALYZE (SKIP_LOCKED) ${name}`)
  return grown.flatMap(({ name, isOurs }) => (isOurs ? [] : name))
}

/** Keeps the statistics of tables near the truth while bulk work fills them. Warns once of tables of another role. */
export function keepStatistics(system: System): Loop {
  const warned = new Set<string>()
  const work = async () => {
    const others = (await analyseGrown(system)).filter((name) => !warned.has(name))
    for (const name of others) warned.add(name)
    if (others.length > 0) {
      const { log } = system
      log.warn({ tables: others }, 'tables have grown and belong to another role: their owner should ANALYZE them')
    }
    return false
  }
  return loop('statistics', work, { log: system.log, every })
}
