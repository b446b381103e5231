import type pg from 'pg'

/** A position in the write-ahead log, as PostgreSQL writes it. A server that reached it has all earlier changes. */
const positionPattern = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i

/** Reads the position after all committed changes. The insert position, because `synchronous_commit` may be off. */
export async function written(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ position: string }>('SELECT pg_current_wal_insert_lsn()::text AS position')
  return rows[0]?.position as string
}

/** Reads the position that a replica has replayed. Undefined if the server is no replica, because it was promoted. */
export async function replayed(pool: pg.Pool): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ position: string | null }>(
    'SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END::text AS position',
  )
  return numberOf(rows[0]?.position ?? '')
}

/** Returns the number of a position. Undefined if the text is none. */
export function numberOf(position: string): bigint | undefined {
  const [, high, low] = positionPattern.exec(position) ?? []
  return high && low ? (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`) : undefined
}
