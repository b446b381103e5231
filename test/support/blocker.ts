import pg from 'pg'
import { onTestFinished } from 'vitest'
import { until } from '../runtime/process.ts'
import type { World } from './world.ts'

/** A transaction for which others wait. */
interface Blocker {
  query(text: string, values?: unknown[]): Promise<unknown>
  /** Waits until another transaction waits for this one. */
  waited(): Promise<void>
  /** Waits until another transaction waits for this one, and terminates its backend. */
  killed(): Promise<void>
}

/** Opens a transaction on a connection of its own. It is rolled back at the end of the test. */
export async function newBlocker(world: World): Promise<Blocker> {
  const client = new pg.Client({ connectionString: world.server.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('BEGIN')
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  // Not on the connection itself: a transaction does not see connections that were opened later.
  const waiting = (expression: string) =>
    until(async () => {
      const found = await world.rows(
        `SELECT ${expression} FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))`,
        [rows[0]?.pid],
      )
      return found.length > 0
    })
  return {
    query: (text, values) => client.query(text, values),
    waited: () => waiting('pid'),
    killed: () => waiting('pg_terminate_backend(pid)'),
  }
}
