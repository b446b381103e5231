import pg from 'pg'
import { onTestFinished } from 'vitest'
import type { World } from '../support/world.ts'

/** Locks a row in a connection of its own. Returns the function that unlocks it. */
export async function hold(world: World, statement: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: world.server.databaseUrl })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query(`BEGIN; ${statement}`)
  return async () => {
    await holder.query('COMMIT')
  }
}

export const lockOf = (world: World, contactId: number) =>
  `SELECT FROM enrolment WHERE account_id = ${world.accountId} AND contact_id = ${contactId} FOR UPDATE`

/** Returns the database processes that wait for an enrolment. */
export const waiting = async (world: World) =>
  (
    await world.rows<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%FROM "enrolment"%'`,
    )
  ).map(({ pid }) => pid)
