import type pg from 'pg'
import { invalid, refuse } from '../../kernel/errors.ts'

/** Maximum time to evaluate one filter of a client, and all filters of a statement, in milliseconds. */
const filterMilliseconds = 2_000
const limitedMilliseconds = 10_000

/** Runs a statement that evaluates a number of filters of a client, with a time limit for each of them. */
type Limited = <Result>(
  work: (client: pg.PoolClient) => Promise<Result>,
  filters: number,
  areStored: boolean,
) => Promise<Result>

/**
 * Creates a function that runs statements with a time limit. They are not prepared: clients choose their text, and a plan
 * for any values would be a bad plan for most. A statement that needs more than half of its time starts again without
 * nested loops: the planner takes an account that is newer than its statistics for one row, and would compare each row of
 * it with each other one. Calls `onEnd` after each statement, because it is sent as three.
 */
export function newLimited(pool: pg.Pool, onEnd: () => void): Limited {
  return async (work, filters, areStored) => {
    const limit = Math.min(filters * filterMilliseconds, limitedMilliseconds)
    const run = async (client: pg.PoolClient, settings: string) => {
      await client.query(`BEGIN READ ONLY; ${settings}`)
      const result = await work(client)
      await client.query('COMMIT')
      return result
    }
    const client = await pool.connect()
    try {
      const result = await run(client, `SET LOCAL statement_timeout = ${limit / 2}`).catch(async (error) => {
        if (!isCanceled(error)) throw error
        await client.query('ROLLBACK')
        return run(client, `SET LOCAL statement_timeout = ${limit}; SET LOCAL enable_nestloop = off`)
      })
      client.release()
      onEnd()
      return result
    } catch (error) {
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      )
      if (!isCanceled(error)) throw error
      const problem = `takes longer than ${limit / 1_000} seconds to evaluate; use fewer or narrower conditions`
      throw areStored ? refuse('VALIDATION_ERROR', `A stored filter ${problem}.`) : invalid({ filter: [problem] })
    }
  }
}

/** Returns whether a statement took longer than its time limit. */
function isCanceled(error: unknown): boolean {
  return (error as { code?: unknown }).code === '57014'
}
