import { apiKeys, pageChangesChannel } from '../account/index.ts'
import type { Database } from '../db/client.ts'
import type { System } from '../db/context.ts'
import { type Hints, openHints } from '../db/hints.ts'
import { keepPartitions, type Partitioned } from '../db/partitions.ts'
import {
  announcedChannel,
  deliveriesChannel,
  logPartitions,
  newOutbound,
  type Resolve,
  runFeed,
  runSequencer,
  stampedChannel,
} from '../events/index.ts'
import { addVisitTotals } from '../funnels/index.ts'
import type { Executor } from '../graphql/execute.ts'
import { newPayloads, type PayloadOptions } from '../graphql/payloads.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Post } from '../kernel/letter.ts'
import type { Log } from '../kernel/log.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { SenderPolicy } from '../kernel/sender-policy.ts'
import { newSigner, type Signer } from '../kernel/signer.ts'
import { queueSources } from '../mail/index.ts'
import { schema } from './schema.ts'

/** What every process stands on, whatever its role: the system that operations get, and the log that is kept in order. */
export interface Ground {
  readonly system: System & { readonly secret: string; readonly signer: Signer }
  /** The same for what goes on by itself: on connections of its own, so that no request waits for it, nor it for one. */
  readonly background: System
  readonly hints: Hints
  /** Calls `hear` whenever there is something new on a channel. */
  on(channel: string, hear: () => void): void
  /** Makes the partitions that will be needed and drops those whose time is over. */
  keep(): Promise<void>
  /** Lends the executor that documents of webhooks are checked with, once it is there. */
  lend(prepare: Executor['prepare']): void
}

export interface GroundOptions {
  readonly database: Database
  /** The same database, through connections for what goes on by itself. */
  readonly background: Database
  readonly secret: string
  readonly redisUrl?: string | undefined
  readonly eventRetentionDays: number
  /** For how long opens, clicks and visits are kept one by one. */
  readonly trackingRetentionDays: number
  /** Where bounces come back; unset: to each message's sender. */
  readonly returnPath?: string | undefined
  readonly post: Post
  readonly senders: SenderPolicy
  readonly webhookAllowPrivate: boolean
  readonly resolve?: Resolve | undefined
  /** Whether clients are served here, who may listen. */
  readonly isServing: boolean
  readonly baseUrl: () => string
  readonly clock: Clock
  readonly metrics: Metrics
  readonly log: Log
  /** What webhooks are told of an event. */
  readonly told: PayloadOptions['resource']
  /** Takes what is to be stopped, in the opposite order. */
  add(stop: () => Promise<unknown>): void
}

/** On what processes hint to each other. */
const channels = [
  apiKeys.keysChannel,
  announcedChannel,
  stampedChannel,
  deliveriesChannel,
  pageChangesChannel,
  queueSources.mailChannel,
]

/** Opens it: hints, partitions, the sequencer, and the feed where someone may listen. */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { database, background, clock, metrics, log, add } = options
  const listeners = new Map<string, (() => void)[]>()
  const heard = (channel: string) => {
    for (const hear of listeners.get(channel) ?? []) hear()
  }
  const on = (channel: string, hear: () => void) => {
    listeners.set(channel, [...(listeners.get(channel) ?? []), hear])
  }
  const hearers = Object.fromEntries(channels.map((channel) => [channel, () => heard(channel)]))
  const hints = await openHints({ database: background, redisUrl: options.redisUrl, hearers, log })
  add(() => hints.close())
  const { baseUrl, secret, returnPath, post, senders } = options
  const signer = newSigner(secret)
  const shared = { log, clock, heard, tell: hints.tell, baseUrl, signer, secret, returnPath, post, senders }
  const behind: System = { db: background.db, ...shared }

  const partitions = partitionsOf(options)
  const keep = () => keepPartitions(partitions, { directUrl: database.directUrl, clock, log })
  await keep()
  const tell = () => hints.tell(stampedChannel)
  const sequencer = runSequencer({ directUrl: database.directUrl, watch: database.watch, tell, metrics, log })
  add(() => sequencer.stop())
  on(announcedChannel, sequencer.wake)
  const feed = options.isServing ? await runFeed(behind) : undefined
  if (feed) {
    add(() => feed.stop())
    on(stampedChannel, feed.wake)
  }
  let lent: Executor['prepare'] | undefined
  const more = {
    feed,
    outbound: newOutbound({ allowPrivate: options.webhookAllowPrivate, resolve: options.resolve }),
    payloads: newPayloads({
      schema,
      system: behind,
      resource: options.told,
      prepare: () => lent,
    }),
  }
  return {
    system: { db: database.db, ...shared, ...more },
    background: { ...behind, ...more },
    hints,
    on,
    keep,
    lend: (prepare) => {
      lent = prepare
    },
  }
}

/** What is partitioned by time. */
const partitionsOf = ({
  eventRetentionDays,
  trackingRetentionDays: days,
}: Pick<GroundOptions, 'eventRetentionDays' | 'trackingRetentionDays'>): Partitioned[] => [
  logPartitions(eventRetentionDays),
  { table: 'mail_open', by: 'month', ahead: 1, expiry: { days, which: 'true', mayDrop: async () => true } },
  { table: 'mail_click', by: 'month', ahead: 1, expiry: { days, which: 'true', mayDrop: async () => true } },
  { table: 'visit', by: 'month', ahead: 1, expiry: { days, which: 'true', mayDrop: addVisitTotals } },
]
