import pg from 'pg'
import type { Clock } from '../kernel/clock.ts'
import type { Log } from '../kernel/log.ts'

/** A table that is partitioned by the time of its rows. */
export interface Partitioned {
  readonly table: string
  readonly by: 'day' | 'month'
  /** How many are made beyond that of now. */
  readonly ahead: number
  /** Drops what is older, where it may; kept for good when absent. */
  readonly expiry?: Expiry | undefined
}

/** When partitions end. */
export interface Expiry {
  readonly days: number
  /** Which rows are meant, where there is no partition to drop, as SQL. */
  readonly which: string
  /**
   * Called in the transaction that takes rows away, before any is touched: `part` is the table that holds them, `before`
   * the time until which. Answers whether they may go, and writes down that they have gone.
   */
  mayDrop(client: pg.ClientBase, part: string, before: Date): Promise<boolean>
}

/** Any number, the same for all: one process at a time works on partitions, for all. */
const lockNumber = 72_707_371

/** How long a lock on a table may be waited for: everybody who comes later waits too. How often it is tried. */
const lockMilliseconds = 200
const attempts = 25

/**
 * Makes the partitions of now and of the time ahead where they are missing, and drops those that have expired. Rows that
 * came before their partition, and lie in the default one, are moved into it. What fails is logged, and tried again the
 * next time: until then rows go to the default partition.
 *
 * `directUrl` must not go through a transaction pooler.
 */
export async function keepPartitions(
  tables: readonly Partitioned[],
  { directUrl, clock, log }: { directUrl: string; clock: Clock; log: Log },
): Promise<void> {
  const client = new pg.Client({
    connectionString: directUrl,
    application_name: 'campanile partitions',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [lockNumber])
    if (!rows[0]?.mine) return
    for (const partitioned of tables) {
      for (const span of spansOf(partitioned, clock.now())) await tried(log, span, () => make(client, span))
      await expire(client, partitioned, clock.now(), log)
    }
  } catch (error) {
    log.error({ err: error }, 'partitions could not be looked after')
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The time of one partition: from the first moment to the one before the second. */
interface Span {
  readonly table: string
  readonly name: string
  readonly from: Date
  readonly to: Date
}

function spansOf({ table, by, ahead }: Partitioned, now: Date): Span[] {
  return Array.from({ length: ahead + 1 }, (_, place) => {
    const [from, to] =
      by === 'day' ? [dayOf(now, place), dayOf(now, place + 1)] : [monthOf(now, place), monthOf(now, place + 1)]
    const digits = from.toISOString().replaceAll('-', '')
    return { table, name: `${table}_${digits.slice(0, by === 'day' ? 8 : 6)}`, from, to }
  })
}

function dayOf(now: Date, later: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + later))
}

function monthOf(now: Date, later: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later, 1))
}

/**
 * Makes a partition as a table of its own first, then moves what lies in the default one, and attaches it. Only the last
 * two hold up writers: to the default partition, for as long as the move takes.
 */
async function make(client: pg.Client, { table, name, from, to }: Span): Promise<void> {
  const { rows } = await client.query<{ isThere: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "isThere"', [name])
  if (rows[0]?.isThere) return
  await patiently(client, async () => {
    const part = pg.escapeIdentifier(name)
    const rest = pg.escapeIdentifier(`${table}_default`)
    const range = [pg.escapeLiteral(from.toISOString()), pg.escapeLiteral(to.toISOString())]
    await client.query(
      `CREATE TABLE ${part} (LIKE ${pg.escapeIdentifier(table)} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    )
    await client.query(`LOCK TABLE ${rest} IN ACCESS EXCLUSIVE MODE`)
    await client.query(
      `WITH moved AS (DELETE FROM ${rest} WHERE created_at >= ${range[0]} AND created_at < ${range[1]} RETURNING *)
       INSERT INTO ${part} SELECT * FROM moved`,
    )
    await client.query(
      `ALTER TABLE ${pg.escapeIdentifier(table)} ATTACH PARTITION ${part} FOR VALUES FROM (${range[0]}) TO (${range[1]})`,
    )
  })
}

async function expire(client: pg.Client, { table, by, expiry }: Partitioned, now: Date, log: Log): Promise<void> {
  if (!expiry) return
  const limit = new Date(now.getTime() - expiry.days * 24 * 60 * 60 * 1000)
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = $1::regclass AND relname ~ '_[0-9]+$' ORDER BY relname`,
    [table],
  )
  for (const { name } of rows) {
    const to = endOf(name, by)
    if (to > limit) continue
    await tried(log, { name }, () =>
      patiently(client, async () => {
        if (await expiry.mayDrop(client, name, to)) await client.query(`DROP TABLE ${pg.escapeIdentifier(name)}`)
        else log.warn({ partition: name }, 'a partition has expired, but what is in it is still to be read')
      }),
    )
  }
  const rest = `${table}_default`
  await tried(log, { name: rest }, () =>
    patiently(client, async () => {
      const old = `FROM ${pg.escapeIdentifier(rest)} WHERE created_at < $1 AND ${expiry.which}`
      const { rows: found } = await client.query<{ isThere: boolean }>(`SELECT EXISTS (SELECT ${old}) AS "isThere"`, [
        limit,
      ])
      if (found[0]?.isThere && (await expiry.mayDrop(client, rest, limit))) await client.query(`DELETE ${old}`, [limit])
    }),
  )
}

function endOf(name: string, by: Partitioned['by']): Date {
  const digits = name.split('_').at(-1) ?? ''
  const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6, 8) || '01'].map(Number)
  const from = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day))
  return by === 'day' ? dayOf(from, 1) : monthOf(from, 1)
}

/** One transaction, again and again while a lock cannot be had soon: whoever waits for one holds up all who come later. */
async function patiently(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockMilliseconds}; SET LOCAL statement_timeout = '10min'`)
    try {
      await work()
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const isBusy = (error as { code?: string }).code === '55P03'
      if (!isBusy || attempt >= attempts) throw error
      await new Promise((resolve) => setTimeout(resolve, lockMilliseconds))
    }
  }
}

async function tried(log: Log, { name }: Pick<Span, 'name'>, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ err: error, partition: name }, 'a partition could not be made or dropped; it is tried again')
  }
}
