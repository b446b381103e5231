import { forgetUsers } from '../../account/index.ts'
import { campaignJobs } from '../../campaigns/index.ts'
import { contactJobs } from '../../contacts/index.ts'
import { newMediaJobs, type ObjectStore } from '../../content/index.ts'
import type { System } from '../../db/context.ts'
import type { DatabaseWatch } from '../../db/driver/index.ts'
import { type Jobs, runJobs } from '../../db/jobs/jobs.ts'
import { forgetOldChanges } from '../../db/requests/audit.ts'
import { forgetOldKeys } from '../../db/requests/idempotency.ts'
import { keepPendingListsShort } from '../../db/upkeep/pending-lists.ts'
import { keepStatistics } from '../../db/upkeep/statistics.ts'
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
  stampedChannel,
  webhookFanOut,
  webhookJobs,
} from '../../events/index.ts'
import { newFigureJobs } from '../../figures/jobs.ts'
import { financeJobs } from '../../finance/index.ts'
import { newSummaryJobs, type SummaryProvider, summaryReactions, visitors } from '../../forms/index.ts'
import { funnelJobs, newVisitExpiry, removeOldConfirmations } from '../../funnels/index.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { checkDueSenderDomains, forgetReports, recompilation, signInJobs } from '../../mail/index.ts'
import { sequenceJobs } from '../../sequences/index.ts'
import type { Parts } from './parts.ts'
import type { ProcessBase } from './process-base.ts'

/** Background jobs of all modules. */
const jobs: Jobs = {
  ...contactJobs,
  ...sequenceJobs,
  ...webhookJobs,
  ...campaignJobs,
  ...financeJobs,
  ...funnelJobs,
  ...signInJobs,
  ...recompilation.emailJobs,
  'idempotency:forget': forgetOldKeys,
  'deliveries:forget': forgetOldDeliveries,
  'visitors:forget': visitors.removeOldVisitors,
  'confirmations:forget': removeOldConfirmations,
  'mail:check-domains': checkDueSenderDomains,
  'mail:forget-reports': forgetReports,
}

/** Schedule of recurring jobs, as crontab lines (UTC). */
const crontab = [
  '17 * * * * idempotency:forget',
  '27 * * * * deliveries:forget',
  '37 3 * * * finance:forget-events',
  '7 4 * * * visitors:forget',
  '9 4 * * * confirmations:forget',
  '*/10 * * * * confirmations:remind',
  '57 * * * * contacts:forget-imports',
  '* * * * * visits:expire',
  '47 * * * * partitions:keep',
  '7 * * * * mail:check-domains',
  '33 * * * * mail:forget-reports',
  '51 * * * * audit:forget',
  '3 * * * * users:forget',
  '*/5 * * * * media:clean',
  '* * * * * figures:compact',
  '11 2 * * * segments:measure-all',
  '19 5 * * 0 figures:check',
].join('\n')

/** Reactions of modules to events of other modules. */
const reactions: readonly Reaction[] = []

/** Number of summaries that are generated at the same time. Each waits for the provider. */
const maxConcurrentSummaries = 4

/** Other readers of the event log. */
const readers: readonly Reader[] = [webhookFanOut]

/**
 * Registers the readers of the event log. Every process does so in every role, so that readers receive all events from now
 * on even if the worker starts later.
 */
export async function registerReaders(system: System): Promise<void> {
  for (const { name } of readers) await enterLog(system, name)
}

/** Starts the work of the worker role: reactions, readers of the event log, webhook deliveries and jobs. */
export async function startWorker(options: {
  base: ProcessBase
  directUrl: string
  watch: DatabaseWatch | undefined
  metrics: Metrics
  seams: DeliverySeams | undefined
  /** Provider of submission summaries. If undefined, no summaries are generated. */
  ai: SummaryProvider | undefined
  /** The store of media files, if it is not the database. */
  media: ObjectStore | undefined
  /** Days after which the entries of the audit log are deleted. */
  auditRetentionDays: number
  /** Days after which visits are deleted. */
  trackingRetentionDays: number
  parts: Parts
}): Promise<void> {
  const { base, directUrl, watch, metrics, seams, ai, media, auditRetentionDays, trackingRetentionDays, parts } =
    options
  const system = base.background
  const statistics = keepStatistics(system)
  parts.add(() => statistics.stop())
  const pendingLists = keepPendingListsShort(system)
  parts.add(() => pendingLists.stop())
  const deliveries = runDeliveries(system, metrics, seams)
  parts.add(() => deliveries.stop())
  base.on(deliveriesChannel, deliveries.wake)
  metrics.deliveriesDue(() => countDeliveries(system))
  for (const each of [
    await runReactions(system, ai ? [...reactions, ...summaryReactions] : reactions, metrics),
    ...(await Promise.all(readers.map((reader) => runReader(system, reader)))),
  ]) {
    parts.add(() => each.stop())
    base.on(stampedChannel, each.wake)
  }
  if (ai) await startSummaries(ai, options)
  else await endReactions(system, summaryReactions)
  const all = {
    ...jobs,
    'partitions:keep': base.maintainPartitions,
    'visits:expire': newVisitExpiry(directUrl, trackingRetentionDays),
    'audit:forget': forgetOldChanges(auditRetentionDays),
    'users:forget': forgetUsers(auditRetentionDays),
    ...newMediaJobs(media),
    ...newFigureJobs(metrics),
  }
  const worker = await runJobs({ system, directUrl, watch, jobs: all, crontab, log: system.log })
  parts.add(() => worker.stop())
}

/** Starts the summaries in a separate queue, so that other jobs do not wait for a slow provider. */
async function startSummaries(
  provider: SummaryProvider,
  { base, directUrl, watch, parts }: Pick<Parameters<typeof startWorker>[0], 'base' | 'directUrl' | 'watch' | 'parts'>,
): Promise<void> {
  const system = base.background
  const { jobs: summaries, stop } = newSummaryJobs(provider)
  const options = {
    system,
    directUrl,
    watch,
    jobs: summaries,
    crontab: '',
    concurrency: maxConcurrentSummaries,
    log: system.log,
  }
  const worker = await runJobs(options)
  parts.add(() => {
    stop()
    return worker.stop()
  })
}
