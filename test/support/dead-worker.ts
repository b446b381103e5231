import type { World } from './world.ts'

/** Makes the heartbeats of killed workers old, whose jobs and messages others take over only after 30 seconds otherwise. */
export async function ageHeartbeats({ rows }: Pick<World, 'rows'>): Promise<void> {
  for (const statement of [
    "UPDATE job_worker SET seen_at = now() - interval '1 minute'",
    "UPDATE mail_worker SET seen_at = now() - interval '1 minute'",
    "UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute' WHERE locked_at IS NOT NULL",
    "UPDATE graphile_worker._private_job_queues SET locked_at = now() - interval '1 minute' WHERE locked_at IS NOT NULL",
  ])
    await rows(statement)
}
