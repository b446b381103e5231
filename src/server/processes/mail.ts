import { join } from 'node:path'
import { startDueCampaigns } from '../../campaigns/index.ts'
import type { Connections } from '../../db/client.ts'
import type { System } from '../../db/context.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { type Loop, loop } from '../../kernel/work/loop.ts'
import { within } from '../../kernel/work/within.ts'
import {
  type Delivery,
  encodeMessage,
  fileTransport,
  type MailServers,
  newMailServers,
  type SendError,
  type SendMessage,
  smtpTransport,
  startDelivery,
} from '../../mail/index.ts'
import { newSequenceScheduler } from '../../sequences/index.ts'

/** How long a stop waits for calls of sequences to other servers. Unfinished calls are made again. */
const callStopMs = 5_000

/** Number of earlier attempts that is assumed for a direct message. It is sent once, so the server gets more time. */
const assumedAttempts = 2

/**
 * Time in which a direct message must be sent, in milliseconds. A request waits for it, with an open transaction if it has an
 * idempotency key, and many proxies and databases end both after a minute.
 */
const directTimeoutMs = 45_000

/** The part of the configuration that concerns e-mail. */
interface MailConfig {
  readonly mailUrls: readonly string[]
  readonly mailPool: number
  readonly dataDir: string
  readonly mailRatePerAccount?: number | undefined
  readonly mailRatePerDomain?: number | undefined
  readonly smsGatewayUrl?: string | undefined
}

/** The parts of a process that send e-mail. */
export interface MailService {
  /** Looks for work, now. */
  wake(): void
  /** Stops within some seconds. Safe to call twice. */
  stop(): Promise<void>
}

/** Returns the mail servers of the configuration. Without any, messages are written to files under DATA_DIR. */
export function newConfiguredServers(config: MailConfig, log: Log): MailServers {
  const { mailUrls, mailPool, dataDir } = config
  const transports =
    mailUrls.length > 0 ? mailUrls.map((url) => smtpTransport(url, mailPool)) : [fileTransport(join(dataDir, 'mail'))]
  return newMailServers(transports, mailPool, log)
}

/**
 * Returns a function that sends single messages immediately, without the queue. A message that takes too long is not sent later.
 */
export function newMailSender(servers: MailServers, timeoutMs: number = directTimeoutMs): SendMessage {
  return async (message) => {
    const { verdict, answer } = await servers.send(await encodeMessage(0, message), assumedAttempts, timeoutMs)
    if (verdict === 'accepted') return answer
    // The code with which other servers refuse such an address (RFC 6531, section 3.5).
    const [code] = verdict === 'unsupported address' ? ['553'] : (/^\d{3}\b/.exec(answer) ?? [])
    const mayBeAccepted = verdict === 'ambiguous'
    throw Object.assign(
      new Error(answer),
      { mayBeAccepted },
      code && { responseCode: Number(code) },
    ) satisfies SendError
  }
}

/** Starts the schedulers of campaigns and sequences, and the delivery of the messages that they queue. */
export async function startMailService(options: {
  system: System
  /** Connections whose statements look rows up by key. */
  db: Pick<Connections, '$unscoped'>
  servers: MailServers
  config: MailConfig
  metrics: Metrics
}): Promise<MailService> {
  const { system, db, servers, config, metrics } = options
  const { log } = system
  const rates = { perAccount: config.mailRatePerAccount, perDomain: config.mailRatePerDomain }
  const delivery = await startDelivery({ system, db, servers, rates })
  watchMetrics(metrics, delivery, servers)
  const scheduler = newSequenceScheduler(system, { smsGatewayUrl: config.smsGatewayUrl })
  const loops: Loop[] = [
    loop('campaigns: scheduler', () => startDueCampaigns(system), { log }),
    loop('sequences: scheduler', scheduler.run, { log }),
  ]
  const wake = () => {
    delivery.wake()
    for (const each of loops) each.wake()
  }
  const end = async () => {
    const schedulers = Promise.all(loops.map((each) => each.stop())).then(() => within(scheduler.stop(), callStopMs))
    await Promise.all([delivery.stop(), schedulers])
  }
  let ended: Promise<void> | undefined
  return {
    wake,
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}

function watchMetrics(metrics: Metrics, delivery: Delivery, servers: MailServers): void {
  const one = (value: number) => [{ labels: {}, value }]
  metrics.watch(
    'campanile_mail_waiting',
    'Messages that this process has claimed and that wait for a connection.',
    [],
    () => one(delivery.state().waiting),
  )
  metrics.watch(
    'campanile_mail_messages',
    'Messages of this process by result. QUEUED messages are tried again.',
    ['state'],
    () => Object.entries(delivery.state().counts).map(([state, value]) => ({ labels: { state }, value })),
  )
  metrics.watch(
    'campanile_mail_outstanding',
    'Messages in flight: sent to a mail server that has not replied yet.',
    ['server'],
    () => servers.status().map(({ name: server, inFlight: value }) => ({ labels: { server }, value })),
  )
  metrics.watch(
    'campanile_mail_server_down',
    'Whether the circuit breaker of a mail server is open or half-open (1) or closed (0).',
    ['server'],
    () => servers.status().map(({ name: server, isDown }) => ({ labels: { server }, value: Number(isDown) })),
  )
}
