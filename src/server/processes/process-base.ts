import { keysChannel, pageChangesChannel } from '../../account/index.ts'
import type { Database } from '../../db/client.ts'
import type { Replicas, System } from '../../db/context.ts'
import { type Hints, openHints } from '../../db/jobs/hints.ts'
import { keepPartitions, type PartitionedTable } from '../../db/upkeep/partitions.ts'
import {
  announcedChannel,
  deliveriesChannel,
  logPartitions,
  newOutbound,
  type Resolve,
  runFeed,
  runSequencer,
  stampedChannel,
} from '../../events/index.ts'
import type { Executor } from '../../graphql/execute.ts'
import { newPayloads, type PayloadOptions } from '../../graphql/payloads.ts'
import type { Clock } from '../../kernel/clock.ts'
import { missing } from '../../kernel/missing.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { newSigner } from '../../kernel/web/signer.ts'
import { busyChannel, type Pacing } from '../../kernel/work/pacing.ts'
import { queueSources, readUnread } from '../../mail/index.ts'
import { readHeldBack } from '../../sequences/index.ts'
import { schema } from '../schema.ts'
import type { Parts } from './parts.ts'

/** The parts that every process has in every role: the dependencies of operations, notifications and the event log. */
export interface ProcessBase {
  readonly system: System
  /** The dependencies of background work, with a separate connection pool. */
  readonly background: System
  readonly hints: Hints
  /** Calls `handle` on each notification of a channel. */
  on(channel: string, handle: () => void): void
  /** Creates missing partitions and drops expired ones. */
  maintainPartitions(): Promise<void>
  /** Sets the function that checks the documents of webhooks. */
  setDocumentCheck(prepare: Executor['prepare']): void
}

interface ProcessBaseOptions {
  readonly database: Database
  /** The same database with the pool of background work. */
  readonly background: Database
  readonly replicas: Replicas | undefined
  readonly secret: string
  readonly redisUrl?: string | undefined
  readonly eventRetentionDays: number
  /** Days after which single opens, clicks and visits are deleted. */
  readonly trackingRetentionDays: number
  readonly services: System['services']
  readonly webhookAllowPrivate: boolean
  readonly resolve?: Resolve | undefined
  /** Whether the process serves clients, which may subscribe to events. */
  readonly isServing: boolean
  readonly baseUrl: () => string
  readonly consoleUrl: () => string
  readonly clock: Clock
  readonly pacing: Pacing
  readonly maxRowsAtOnce?: number | undefined
  readonly metrics: Metrics
  readonly log: Log
  /** Returns the resource of an event in the format of the REST API. */
  readonly resource: PayloadOptions['resource']
  readonly parts: Parts
}

/** Channels of notifications between processes. */
const channels = [
  keysChannel,
  announcedChannel,
  stampedChannel,
  deliveriesChannel,
  pageChangesChannel,
  queueSources.mailChannel,
]

/** Starts the parts of every process: notifications, partitions, the sequencer, and the event feed if it serves clients. */
export async function openProcessBase(options: ProcessBaseOptions): Promise<ProcessBase> {
  const { database, background, clock, metrics, log, parts } = options
  metrics.watch(
    'campanile_automation_held_back',
    'Actions of sequences that were held back since the start, by reason: enrolment_interval, actions_per_hour.',
    ['reason'],
    readHeldBack,
  )
  metrics.watch(
    'campanile_unread_reports',
    'Returned messages that were kept since the start, by reason: unreadable, no_message.',
    ['reason'],
    readUnread,
  )
  let isLeader = () => false
  const { hints, on, notifyLocal } = await openChannels(options, () => isLeader())
  const { notify } = hints
  parts.add(() => hints.close())
  const partitions = partitionsOf(options)
  const maintainPartitions = () => keepPartitions(partitions, { directUrl: database.directUrl, clock, log })
  await maintainPartitions()
  const sequencer = runSequencer({
    directUrl: database.directUrl,
    watch: database.watch,
    tell: () => notify(stampedChannel),
    metrics,
    log,
  })
  parts.add(() => sequencer.stop())
  isLeader = sequencer.isLeader
  on(announcedChannel, sequencer.wake)
  const feed = options.isServing ? await runFeed({ db: background.db, log }) : undefined
  if (feed) {
    parts.add(() => feed.stop())
    on(stampedChannel, feed.wake)
  }
  let prepareDocument: Executor['prepare'] | undefined
  const { baseUrl, consoleUrl, services } = options
  const backgroundSystem: System = {
    ...{
      db: background.db,
      log,
      clock,
      notifyLocal,
      notify,
      pacing: options.pacing,
      maxRowsAtOnce: options.maxRowsAtOnce,
      baseUrl,
      consoleUrl,
      services,
    },
    signer: newSigner(options.secret),
    feed: feed ?? missing('event feed', 'A process without the role api'),
    outbound: newOutbound({ allowPrivate: options.webhookAllowPrivate, resolve: options.resolve }),
    payloads: newPayloads({
      schema,
      system: () => backgroundSystem,
      resource: options.resource,
      prepare: () => prepareDocument,
    }),
  }
  return {
    system: { ...backgroundSystem, db: database.db, replicas: options.replicas },
    background: backgroundSystem,
    hints,
    on,
    maintainPartitions,
    setDocumentCheck: (prepare) => {
      prepareDocument = prepare
    },
  }
}

/** Opens the notifications, with any number of handlers for each channel. The leader alone gives events their positions. */
async function openChannels({ background, pacing, redisUrl, log }: ProcessBaseOptions, isLeader: () => boolean) {
  const listeners = new Map<string, (() => void)[]>()
  const notifyLocal = (channel: string) => {
    for (const handle of listeners.get(channel) ?? []) handle()
  }
  const on = (channel: string, handle: () => void) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), handle])
  }
  const handlers = {
    ...Object.fromEntries(channels.map((channel) => [channel, () => notifyLocal(channel)])),
    [busyChannel]: (isSent: boolean) => {
      if (isSent) pacing.noteBusy()
    },
  }
  const isOwn = (channel: string) => channel === announcedChannel && isLeader()
  return { hints: await openHints({ database: background, redisUrl, handlers, isOwn, log }), on, notifyLocal }
}

const all = { which: 'true', mayDrop: async () => true }

/** Returns the tables that are partitioned by time. */
export const partitionsOf = ({
  eventRetentionDays,
  trackingRetentionDays: days,
}: Pick<ProcessBaseOptions, 'eventRetentionDays' | 'trackingRetentionDays'>): PartitionedTable[] => [
  logPartitions(eventRetentionDays),
  { table: 'mail_open', by: 'month', ahead: 1, expiry: { days, deletion: all } },
  { table: 'mail_click', by: 'month', ahead: 1, expiry: { days, deletion: all } },
  { table: 'visit', by: 'month', ahead: 1, expiry: { days } },
]
