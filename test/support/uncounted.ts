import { compactFigures } from '../../src/figures/compaction.ts'
import { fillFigures } from '../../src/figures/fill.ts'
import type { World } from './world.ts'

/** Declares the rows of a source of an account older than the figures, so that statistics count what a test inserts by SQL. */
export async function markUncounted(
  world: Pick<World, 'rows' | 'accountId'>,
  source = 'mail_recipient',
): Promise<void> {
  const sources = source === 'mail_recipient' ? [source, 'latest_message'] : [source]
  await world.rows(
    'INSERT INTO figure_fill (account_id, source, complete_since) SELECT $1, unnest($2::text[]), now() ON CONFLICT DO NOTHING',
    [world.accountId, sources],
  )
}

/** Counts rows that a test inserted by SQL, as the job after an upgrade does. */
export async function countRows(world: World, sources: readonly string[]): Promise<void> {
  await world.rows("INSERT INTO figure_fill SELECT $1, unnest($2::text[]), '2026-01-01Z' ON CONFLICT DO NOTHING", [
    world.accountId,
    sources,
  ])
  await fillFigures(world.server.system)
  await compactFigures(world.server.system)
}
