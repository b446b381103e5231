import type { Connections } from '../../db/client.ts'
import type { System } from '../../db/context.ts'
import { loop } from '../../kernel/work/loop.ts'
import { within } from '../../kernel/work/within.ts'
import { type Dispatcher, newDispatcher } from './attempts/dispatcher.ts'
import { newClaimer } from './claimer.ts'
import { clearStalledSources, markStalledSources, stopStalledCampaigns } from './queue/stalled-sources.ts'
import { registerWorker, releaseExpiredClaims, renewLease, unregisterWorker } from './queue/worker-leases.ts'
import { newRenderMarks } from './render-marks.ts'
import { newAccountTurns } from './selection/account-turns.ts'
import type { SendRates } from './selection/selector.ts'
import type { MailServers } from './transport/mail-servers.ts'

/** How often a worker renews its lease. */
const renewIntervalMs = 3_000

/** Time limits of the steps of a stop: rendering, replies of the mail servers, recording of the last results. */
const renderStopMs = 1_000
const replyStopMs = 6_000
const recordStopMs = 1_500

/** A worker that sends what is in the queue. */
export interface Delivery {
  /** Looks for messages to send, now. */
  wake(): void
  /** Number of messages that wait in this process, and of messages by result. */
  state(): { waiting: number; counts: Dispatcher['counts'] }
  /** Releases what is not in flight, waits for the replies to what is, and stops. Safe to call twice. */
  stop(): Promise<void>
}

/**
 * Sends what is in the queue until it is stopped. Any number of processes can do so at the same time; each is a worker
 * with a lease. Rejects if the database cannot be reached at the start.
 */
export async function startDelivery(options: {
  system: System
  /** Connections whose statements look rows up by key. */
  db: Pick<Connections, '$unscoped'>
  servers: MailServers
  rates: SendRates
  /** The only account to serve. Defaults to all accounts. */
  only?: number
}): Promise<Delivery> {
  const { system, servers, only } = options
  const { log } = system
  let workerId = await registerWorker(system)
  /** Number of live workers, which share the rates. 0 if the lease of this one has expired. */
  let workers = 1
  let isStopping = false
  const turns = newAccountTurns()
  const dispatcher = newDispatcher({
    ...{ ...options, turns },
    workerId: () => workerId,
    workers: () => Math.max(workers, 1),
    onRoom: () => claiming.wake(),
    onDrained: (source) => {
      claimer.revisit(source)
      claiming.wake()
    },
  })
  const claimer = newClaimer({
    ...{ system, servers, dispatcher, turns },
    onlyAccountId: only,
    workerId: () => workerId,
    isStopping: () => isStopping,
    marks: newRenderMarks(system, () => workerId),
    onRendered: () => claiming.wake(),
  })

  const renew = async (): Promise<boolean> => {
    workers = await renewLease(system, workerId)
    if (workers === 0) {
      log.warn('the lease of this mail worker has expired; it registers again')
      dispatcher.discard()
      workerId = await registerWorker(system)
    }
    if ((await releaseExpiredClaims(system)) > 0) claiming.wake()
    await dispatcher.settleQuota()
    // A worker for one account does not judge the queue of all accounts.
    if (only === undefined) await updateStalledSources()
    return false
  }

  const updateStalledSources = async () => {
    if (!servers.areDown()) return clearStalledSources(system)
    await markStalledSources(system)
    if ((await stopStalledCampaigns(system)) > 0) dispatcher.release()
  }

  const renewing = loop('mail: lease', renew, { log, every: renewIntervalMs })
  const claiming = loop('mail: claims', claimer.fill, { log })

  const end = async () => {
    isStopping = true
    await claiming.stop()
    await within(claimer.rendered(), renderStopMs)
    dispatcher.release()
    if (!(await within(dispatcher.drained(), replyStopMs))) {
      // Closing the connections gives each message in flight an outcome by the phase that it reached.
      servers.close(true)
      await within(dispatcher.drained(), recordStopMs)
    }
    await renewing.stop()
    await dispatcher.settleQuota()
    await unregisterWorker(system, workerId)
    servers.close(true)
  }
  let ended: Promise<void> | undefined
  return {
    wake: claiming.wake,
    state: () => ({ waiting: dispatcher.waiting(), counts: dispatcher.counts }),
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}
