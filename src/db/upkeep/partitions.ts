import pg from 'pg'
import type { Clock } from '../../kernel/clock.ts'
import type { Log } from '../../kernel/telemetry/log.ts'

/** A table that is partitioned by the creation time of its rows. */
export interface PartitionedTable {
  readonly table: string
  readonly by: 'day' | 'month'
  /** Number of future partitions that are created in advance. */
  readonly ahead: number
  /** When partitions are dropped. If absent, they are kept. */
  readonly expiry?: Expiry | undefined
}

/** Expiry of partitions. */
interface Expiry {
  readonly days: number
  /**
   * Deletes partitions with their rows. If absent, a job deletes rows in batches, and a partition is dropped when it is empty.
   */
  readonly deletion?: Deletion
}

interface Deletion {
  /** SQL condition on the rows that expire in the default partition, which cannot be dropped. */
  readonly which: string
  /**
   * Called in the transaction that deletes rows, before the deletion. `part` is the table with the rows, `before` the
   * time up to which they are deleted. Returns whether the rows may be deleted, and records the deletion.
   */
  mayDrop(client: pg.ClientBase, part: string, before: Date): Promise<boolean>
}

/** Number of the advisory lock, which is the same in all processes: one process at a time maintains partitions. */
const lockNumber = 72_707_371

/**
 * Timeout of a table lock in milliseconds, and number of attempts. The timeout is short, because later statements queue
 * behind a waiting lock.
 */
const lockTimeoutMs = 200
const maxAttempts = 25

/**
 * Creates the missing partitions of the current and coming periods, and drops expired ones. Rows that were inserted
 * before their partition existed are moved from the default partition. Failures are logged and retried in the next run.
 * Until then, rows are inserted into the default partition.
 *
 * `directUrl` must not use a transaction pooler.
 */
export async function keepPartitions(
  tables: readonly PartitionedTable[],
  { directUrl, clock, log }: { directUrl: string; clock: Clock; log: Log },
): Promise<void> {
  try {
    await withPartitionLock(directUrl, lockNumber, async (client) => {
      for (const partitioned of tables) {
        for (const span of spansOf(partitioned, clock.now()))
          await logFailure(log, span, () => createPartition(client, span))
        await dropExpired(client, partitioned, clock.now(), log)
      }
    })
  } catch (error) {
    log.error({ err: error }, 'the maintenance of partitions failed')
  }
}

/**
 * Runs work with a connection of its own, unless another process holds the advisory lock `number`. `directUrl` must not use a
 * transaction pooler.
 */
export async function withPartitionLock(
  directUrl: string,
  number: number,
  work: (client: pg.Client) => Promise<void>,
): Promise<void> {
  const client = new pg.Client({
    connectionString: directUrl,
    application_name: 'campanile partitions',
    connectionTimeoutMillis: 10_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ isAcquired: boolean }>('SELECT pg_try_advisory_lock($1) AS "isAcquired"', [
      number,
    ])
    if (rows[0]?.isAcquired) await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** The time range of one partition. `from` is included, `to` is excluded. */
interface Span {
  readonly table: string
  readonly name: string
  readonly from: Date
  readonly to: Date
}

function spansOf({ table, by, ahead }: PartitionedTable, now: Date): Span[] {
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

/** Returns the start of the month of a time (UTC), or of the one `later` months after it. */
export function monthOf(now: Date, later: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later, 1))
}

/**
 * Creates a partition as a separate table, moves rows from the default partition into it, and attaches it. Only the
 * last two steps block writers to the default partition.
 */
async function createPartition(client: pg.Client, { table, name, from, to }: Span): Promise<void> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS "exists"', [name])
  if (rows[0]?.exists) return
  await withLockRetries(client, async () => {
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

async function dropExpired(
  client: pg.Client,
  { table, by, expiry }: PartitionedTable,
  now: Date,
  log: Log,
): Promise<void> {
  if (!expiry) return
  const { deletion } = expiry
  const limit = daysBefore(now, expiry.days)
  for (const { name, to } of await listPartitions(client, { table, by })) {
    if (to > limit) continue
    await logFailure(log, { name }, () =>
      withLockRetries(client, async () => {
        const mayDrop = deletion ? await deletion.mayDrop(client, name, to) : await isEmpty(client, name)
        if (mayDrop) await client.query(`DROP TABLE ${pg.escapeIdentifier(name)}`)
        else if (deletion) log.warn({ partition: name }, 'a partition has expired, but its rows are still needed')
      }),
    )
  }
  if (!deletion) return
  const rest = `${table}_default`
  await logFailure(log, { name: rest }, () =>
    withLockRetries(client, async () => {
      const old = `FROM ${pg.escapeIdentifier(rest)} WHERE created_at < $1 AND ${deletion.which}`
      const { rows: found } = await client.query<{ exists: boolean }>(`SELECT EXISTS (SELECT ${old}) AS "exists"`, [
        limit,
      ])
      if (found[0]?.exists && (await deletion.mayDrop(client, rest, limit)))
        await client.query(`DELETE ${old}`, [limit])
    }),
  )
}

/** Returns the partitions of a table with a time range, in its order. */
export async function listPartitions(
  client: pg.ClientBase,
  { table, by }: Pick<PartitionedTable, 'table' | 'by'>,
): Promise<Omit<Span, 'table'>[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
     WHERE inhparent = $1::regclass AND relname ~ '_[0-9]+$' ORDER BY relname`,
    [table],
  )
  return rows.map(({ name }) => {
    const digits = name.split('_').at(-1) ?? ''
    const [year, month, day] = [digits.slice(0, 4), digits.slice(4, 6), digits.slice(6, 8) || '01'].map(Number)
    const from = new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day))
    return { name, from, to: by === 'day' ? dayOf(from, 1) : monthOf(from, 1) }
  })
}

/** Returns the time some days before. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * 24 * 60 * 60 * 1000)
}

/** Returns whether a partition has no rows. Then it blocks writers until the end of the transaction. */
async function isEmpty(client: pg.ClientBase, name: string): Promise<boolean> {
  const part = pg.escapeIdentifier(name)
  const hasRows = async () => (await client.query(`SELECT FROM ${part} LIMIT 1`)).rows.length > 0
  // The lock would wait for an index that is being built for the deletion of its rows.
  if (await hasRows()) return false
  await client.query(`LOCK TABLE ${part} IN SHARE MODE`)
  return !(await hasRows())
}

/**
 * Runs work in a transaction, and retries it if a lock times out. Lock timeouts are short, because later statements
 * queue behind a waiting lock.
 */
async function withLockRetries(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; SET LOCAL statement_timeout = '10min'`)
    try {
      await work()
      await client.query('COMMIT')
      return
    } catch (error) {
      await client.query('ROLLBACK')
      const isBusy = (error as { code?: string }).code === '55P03'
      if (!isBusy || attempt >= maxAttempts) throw error
      await new Promise((resolve) => setTimeout(resolve, lockTimeoutMs))
    }
  }
}

async function logFailure(log: Log, { name }: Pick<Span, 'name'>, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ err: error, partition: name }, 'a partition could not be created or dropped; it is retried')
  }
}
