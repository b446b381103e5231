import { join } from 'node:path'
import { beginDue } from '../campaigns/index.ts'
import type { Client } from '../db/client.ts'
import type { System } from '../db/context.ts'
import type { Log } from '../kernel/log.ts'
import { type Loop, loop } from '../kernel/loop.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { SendMessage } from '../kernel/outgoing-message.ts'
import { within } from '../kernel/within.ts'
import { type Delivery, files, newServers, pack, type Servers, smtp, startDelivery } from '../mail/index.ts'
import { newSequenceClock } from '../sequences/index.ts'

/** How long a stop waits for calls to other servers: what is not over then is made again. */
const callsMilliseconds = 5_000

/** A single letter is not tried again, so a server gets more time for it at once. */
const patientTries = 2

/** What of the configuration is about sending. */
export interface MailSettings {
  readonly mailUrls: readonly string[]
  readonly mailPool: number
  readonly dataDir: string
  readonly mailRatePerAccount?: number | undefined
  readonly mailRatePerDomain?: number | undefined
  readonly smsGatewayUrl?: string | undefined
}

/** What sends mail in a process. */
export interface Mailing {
  /** Looks for something to do, now. */
  wake(): void
  /** Ends it, within some seconds. Safe to call twice. */
  stop(): Promise<void>
}

/** The mail servers that are configured; without any, messages become files under DATA_DIR. */
export function serversOf(config: MailSettings, log: Log): Servers {
  const { mailUrls, mailPool, dataDir } = config
  const transports = mailUrls.length > 0 ? mailUrls.map((url) => smtp(url, mailPool)) : [files(join(dataDir, 'mail'))]
  return newServers(transports, mailPool, log)
}

/** Hands over single letters, beside what is in the queue. */
export function postOf(servers: Servers): SendMessage {
  return async (letter) => {
    const { verdict, answer } = await servers.hand(await pack(0, letter), patientTries)
    if (verdict === 'accepted') return answer
    const [code] = /^\d{3}\b/.exec(answer) ?? []
    throw Object.assign(new Error(answer), code && { responseCode: Number(code) })
  }
}

/** Starts what sends mail: the clocks of campaigns and sequences, and the delivery of what they put into the queue. */
export async function startMailing(options: {
  system: System
  /** Connections that look rows up by their keys only. */
  db: Client
  servers: Servers
  config: MailSettings
  metrics: Metrics
}): Promise<Mailing> {
  const { system, db, servers, config, metrics } = options
  const { log } = system
  const rates = { perAccount: config.mailRatePerAccount, perDomain: config.mailRatePerDomain }
  const delivery = await startDelivery({ system, db, servers, rates })
  measure(metrics, delivery, servers)
  const clock = newSequenceClock(system, { smsGatewayUrl: config.smsGatewayUrl })
  const loops: Loop[] = [
    loop('campaigns: what is due', () => beginDue(system), { log }),
    loop('sequences: what is due', clock.run, { log }),
  ]
  const wake = () => {
    delivery.wake()
    for (const each of loops) each.wake()
  }
  const end = async () => {
    const clocks = Promise.all(loops.map((each) => each.stop())).then(() => within(clock.stop(), callsMilliseconds))
    await Promise.all([delivery.stop(), clocks])
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

function measure(metrics: Metrics, delivery: Delivery, servers: Servers): void {
  const one = (value: number) => [{ labels: {}, value }]
  metrics.watch('campanile_mail_waiting', 'Messages that this process has taken on and not yet handed over.', [], () =>
    one(delivery.state().waiting),
  )
  metrics.watch(
    'campanile_mail_messages',
    'Messages by what became of them here; QUEUED are to be tried again.',
    ['state'],
    () => Object.entries(delivery.state().counts).map(([state, value]) => ({ labels: { state }, value })),
  )
  metrics.watch('campanile_mail_outstanding', 'Messages that are with a mail server at this moment.', ['server'], () =>
    servers.state().map(({ name: server, outstanding: value }) => ({ labels: { server }, value })),
  )
  metrics.watch('campanile_mail_server_down', 'Whether a mail server is left alone for its failures.', ['server'], () =>
    servers.state().map(({ name: server, isDown }) => ({ labels: { server }, value: Number(isDown) })),
  )
}
