import { vi } from 'vitest'
import type { World } from './world.ts'

/**
 * Waits until all committed events of the database have their position. API processes assign positions in the background,
 * so a row of the log that is read before can change.
 */
export async function settled({ rows }: Pick<World, 'rows'>): Promise<void> {
  await vi.waitUntil(
    async () => {
      const [log] = await rows<{ isSettled: boolean }>(
        'SELECT NOT EXISTS (SELECT FROM outbox_event WHERE position IS NULL) AS "isSettled"',
      )
      return log?.isSettled
    },
    { timeout: 100_000, interval: 5 },
  )
}
