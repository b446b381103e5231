import { contactJobs } from '../contacts/index.ts'
import type { System } from '../db/context.ts'
import { forgetOldKeys } from '../db/idempotency.ts'
import { type Jobs, runJobs } from '../db/jobs.ts'
import { keepStatistics } from '../db/statistics.ts'
import type { DatabaseWatch } from '../db/watch.ts'
import {
  countDeliveries,
  type DeliverySeams,
  deliveriesChannel,
  endReactions,
  enterLog,
  forgetOldDeliveries,
  type Reaction,
  type Reader,
  runDeliveries,
  runReactions,
  runReader,
  sealOldSecrets,
  stampedChannel,
  webhookFanOut,
} from '../events/index.ts'
import { financeJobs } from '../finance/index.ts'
import { newSummaryJobs, type SummaryProvider, summaryReactions, visitors } from '../forms/index.ts'
import { deleteOldConfirmations, funnelJobs } from '../funnels/index.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { checkDueSenderDomains, deleteUsedReports } from '../mail/index.ts'
import type { Ground } from './process-base.ts'

/** What every room does in the background, and what the ground floor does. */
const jobs: Jobs = {
  ...contactJobs,
  ...financeJobs,
  ...funnelJobs,
  'idempotency:forget': forgetOldKeys,
  'deliveries:forget': forgetOldDeliveries,
  'webhooks:seal-secrets': sealOldSecrets,
  'visitors:forget': visitors.deleteOldVisitors,
  'confirmations:forget': deleteOldConfirmations,
  'mail:check-domains': checkDueSenderDomains,
  'mail:forget-reports': deleteUsedReports,
}

/** Each job that runs by the clock, as a line of a crontab (UTC). */
const crontab = [
  '17 * * * * idempotency:forget',
  '27 * * * * deliveries:forget',
  '37 3 * * * finance:forget-events',
  '7 4 * * * visitors:forget',
  '9 4 * * * confirmations:forget',
  '57 * * * * contacts:forget-imports',
  '47 * * * * partitions:keep',
  '41 4 * * * webhooks:seal-secrets',
  '7 * * * * mail:check-domains',
  '33 * * * * mail:forget-reports',
].join('\n')

/** What rooms do about the events of others. */
const reactions: readonly Reaction[] = []

/** How many summaries are asked for at a time: each waits for a provider, and holds up no other work. */
const summariesAtATime = 4

/** Who else goes through the log. */
const readers: readonly Reader[] = [webhookFanOut]

/**
 * Enters the readers of the log, in whatever role a process is: what happens from now on is laid before them, though they
 * may come to life later.
 */
export async function enterReaders(system: System): Promise<void> {
  for (const { name } of readers) await enterLog(system, name)
}

/** Starts what a worker does: reactions and readers of the log, the delivery of webhooks, and jobs. */
export async function startWork(options: {
  ground: Ground
  directUrl: string
  watch: DatabaseWatch | undefined
  metrics: Metrics
  seams: DeliverySeams | undefined
  /** Who is asked for summaries of submissions; nobody where absent. */
  ai: SummaryProvider | undefined
  /** Takes what is to be stopped, in the opposite order. */
  add(stop: () => Promise<unknown>): void
}): Promise<void> {
  const { ground, directUrl, watch, metrics, seams, ai, add } = options
  const system = ground.background
  const statistics = keepStatistics(system)
  add(() => statistics.stop())
  const deliveries = runDeliveries(system, metrics, seams)
  add(() => deliveries.stop())
  ground.on(deliveriesChannel, deliveries.wake)
  metrics.deliveriesDue(() => countDeliveries(system))
  for (const each of [
    await runReactions(system, ai ? [...reactions, ...summaryReactions] : reactions, metrics),
    ...(await Promise.all(readers.map((reader) => runReader(system, reader)))),
  ]) {
    add(() => each.stop())
    ground.on(stampedChannel, each.wake)
  }
  if (ai) await startSummaries(ai, options)
  else await endReactions(system, summaryReactions)
  const all = { ...jobs, 'partitions:keep': ground.keep }
  const worker = await runJobs({ system, directUrl, watch, jobs: all, crontab, log: system.log })
  add(() => worker.stop())
}

/** A queue of its own, so that a provider that takes its time keeps no other job waiting. */
async function startSummaries(
  provider: SummaryProvider,
  { ground, directUrl, watch, add }: Pick<Parameters<typeof startWork>[0], 'ground' | 'directUrl' | 'watch' | 'add'>,
): Promise<void> {
  const system = ground.background
  const { jobs: summaries, stop } = newSummaryJobs(provider)
  const options = {
    system,
    directUrl,
    watch,
    jobs: summaries,
    crontab: '',
    concurrency: summariesAtATime,
    log: system.log,
  }
  const worker = await runJobs(options)
  add(() => {
    stop()
    return worker.stop()
  })
}
