import { vi } from 'vitest'
import type { World } from './world.ts'

/**
 * Waits until the event log of the database is at rest: all committed events have their position. Every API process may
 * stamp positions in the background, so that a row of the log that is read earlier may differ a moment later.
 */
export async function settled({ rows }: Pick<World, 'rows'>): Promise<void> {
  await vi.waitUntil(
    async () => {
      const [log] = await rows<{ rests: boolean }>(
        'SELECT NOT EXISTS (SELECT FROM outbox_event WHERE position IS NULL) AS rests',
      )
      return log?.rests
    },
    { timeout: 20_000, interval: 5 },
  )
}
