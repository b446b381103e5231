import type { Ctx } from '../../db/context.ts'
import { enqueue } from '../../db/jobs/jobs.ts'

/** Name of the job that compiles the stale e-mails of an account. */
export const recompilationJob = 'mail:recompile'

/** Enqueues the job that compiles the stale e-mails of the account. At most one waits. */
export async function enqueueRecompilation(tx: Ctx): Promise<void> {
  const name = `recompilation ${tx.accountId}`
  await enqueue(tx, recompilationJob, { accountId: tx.accountId }, { queue: name, key: name, priority: 5 })
}
