import type { World } from './world.ts'

/** Declares the messages of an account older than the figures, so that statistics count the rows that a test inserts by SQL. */
export async function markUncounted(world: Pick<World, 'rows' | 'accountId'>): Promise<void> {
  await world.rows(
    "INSERT INTO figure_fill (account_id, source, complete_since) VALUES ($1, 'mail_recipient', now()) ON CONFLICT DO NOTHING",
    [world.accountId],
  )
}
