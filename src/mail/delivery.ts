import type { Client } from '../db/client.ts'
import { newCtx, type System } from '../kernel/context.ts'
import { loop } from '../kernel/loop.ts'
import { within } from '../kernel/within.ts'
import { type Claimed, claim, dueSources, type Source } from './claims.ts'
import type { Recorded } from './hand-over.ts'
import { lettersFor } from './letters.ts'
import { pack } from './parcel.ts'
import { newPipeline, type Pipeline, type Rates } from './pipeline.ts'
import { ports } from './ports.ts'
import { back } from './records.ts'
import type { Servers } from './servers.ts'
import { endStalled, noteStalled, unstall } from './stalls.ts'
import { beat, signOff, signOn, sweep } from './workers.ts'

/** How often a worker gives a sign of life. */
const beatMilliseconds = 3_000

/** How long a stop waits for answers of the servers, and then for the answers to be recorded. */
const answersMilliseconds = 6_000
const recordingMilliseconds = 1_500

/** How many messages of one source are taken on at a time, and at least. */
const mostAtOnce = 50
const leastAtOnce = 5

/** How soon what could not be rendered for a fault of ours is tried again. */
const renderAgain = 30_000

/** A worker that sends what is in the queue. */
export interface Delivery {
  /** Looks for something to send, now. */
  wake(): void
  /** How many messages wait in this process, and how many came to which end. */
  state(): { waiting: number; counts: Pipeline['counts'] }
  /** Gives back what is not handed over, waits for the answers to what is, and ends. Safe to call twice. */
  stop(): Promise<void>
}

/**
 * Sends what is in the queue, until stopped: any number of processes may. Accounts take turns, and the sources of an account
 * do (ADR 14). Fails where the database cannot be reached at the start.
 */
export async function startDelivery(options: {
  system: System
  /** Connections that look rows up by their keys only. */
  db: Client
  servers: Servers
  rates: Rates
  /** The one account that is served; all of them where absent. */
  only?: number
}): Promise<Delivery> {
  const { system, servers } = options
  const { log } = system
  let workerId = await signOn(system)
  /** How many workers share the rates; 0 while this one is taken for dead. */
  let workers = 1
  let isStopping = false
  const pipeline = newPipeline({
    ...options,
    workerId: () => workerId,
    workers: () => Math.max(workers, 1),
    onRoom: () => looking.wake(),
    onLast: (source) => {
      ending.set(keyOf(source), source)
      looking.wake()
    },
  })
  /** Sources of which nothing is here any more: they may be through, whatever time they are due. */
  const ending = new Map<string, Source>()
  /** Enough for every connection while the next ones are claimed and rendered. */
  const enough = Math.max(2 * mostAtOnce, 8 * servers.size)
  /** When an account, and when a source of it, was served last: a running number. */
  const turns = new Map<number | string, number>()
  let turn = 0

  /** Takes on what is due while there is room for it. */
  const fill = async (): Promise<boolean> => {
    const tried = new Set<string>()
    while (!isStopping && pipeline.waiting() <= enough / 2) {
      // Who cannot send needs no more; a single one finds out when the servers are back.
      if (servers.areDown() && pipeline.waiting() > 0) return false
      const due = new Map([
        ...ending,
        ...(await dueSources(system, options.only)).map((source) => [keyOf(source), source] as const),
      ])
      ending.clear()
      const sources = [...due.values()].filter((source) => !tried.has(keyOf(source)))
      const accounts = new Set(sources.map(({ accountId }) => accountId)).size
      const share = Math.min(Math.max(Math.ceil(enough / 2 / Math.max(accounts, 1)), leastAtOnce), mostAtOnce)
      const [source] = sources
        .filter(({ accountId }) => pipeline.waiting(accountId) < share)
        .toSorted((a, b) => turnOf(a.accountId) - turnOf(b.accountId) || turnOf(keyOf(a)) - turnOf(keyOf(b)))
      if (!source) return false
      turn += 1
      turns.set(source.accountId, turn).set(keyOf(source), turn)
      const claimed = await claim(system, source, workerId, share)
      if (claimed.length === 0) tried.add(keyOf(source))
      else if (isStopping) pipeline.note(claimed.map((message) => back(message, system.clock.now())))
      else await render(source, claimed)
    }
    return false
  }
  const turnOf = (key: number | string) => turns.get(key) ?? 0

  const render = async (source: Source, claimed: readonly Claimed[]) => {
    const ctx = newCtx(system, source)
    const open = new Set(claimed)
    const fail = (message: Claimed, failed: Pick<Recorded, 'state' | 'answer' | 'isAttempt'>) =>
      pipeline.note([{ ...back(message, system.clock.now()), ...failed }])
    try {
      const letters = await lettersFor(ctx, claimed.map(asked))
      let isUnfit = false
      for (const message of claimed) {
        const made = letters.get(message.id) ?? { error: 'There is nothing to send any more.', of: 'CONTACT' as const }
        open.delete(message)
        if (!('error' in made)) {
          // One by one: the first need not wait until the last is made.
          const parcel = await pack(made).catch((error: Error) => ({ error: error.message }))
          if ('error' in parcel) fail(message, { state: 'FAILED', answer: parcel.error, isAttempt: true })
          else pipeline.add([{ ...message, to: made.to.address, parcel, isRepeat: false }])
          continue
        }
        // What is wrong with the e-mail is wrong for all: the campaign stops, and can be sent on once it is mended.
        const isCampaigns = made.of === 'EMAIL' && message.campaignId !== null
        isUnfit ||= isCampaigns
        fail(message, { state: isCampaigns ? 'QUEUED' : 'FAILED', answer: made.error, isAttempt: !isCampaigns })
      }
      if (isUnfit) await ports.stopped(ctx, source.campaignId, 'TEMPLATE_ERROR')
    } catch (error) {
      const later = new Date(system.clock.now().getTime() + renderAgain)
      pipeline.note([...open].map((message) => back(message, later)))
      throw error
    }
  }

  const live = async (): Promise<boolean> => {
    workers = await beat(system, workerId)
    if (workers === 0) {
      log.warn('this worker was taken for dead; it begins anew')
      pipeline.forget()
      workerId = await signOn(system)
    }
    if ((await sweep(system)) > 0) looking.wake()
    await pipeline.settleQuota()
    // Whether mail stands still is for those to say who serve everybody.
    if (options.only !== undefined) return false
    if (servers.areDown()) {
      await noteStalled(system)
      if ((await endStalled(system)) > 0) pipeline.giveBack()
    } else await unstall(system)
    return false
  }

  const living = loop('mail: signs of life', live, { log, every: beatMilliseconds })
  const looking = loop('mail: what is due', fill, { log })

  const end = async () => {
    isStopping = true
    await looking.stop()
    pipeline.giveBack()
    if (!(await within(pipeline.drained(), answersMilliseconds))) {
      // What is cut off tells by this how far it had come.
      servers.close(true)
      await within(pipeline.drained(), recordingMilliseconds)
    }
    await living.stop()
    await pipeline.settleQuota()
    await signOff(system, workerId)
    servers.close(true)
  }
  let ended: Promise<void> | undefined
  return {
    wake: looking.wake,
    state: () => ({ waiting: pipeline.waiting(), counts: pipeline.counts }),
    stop: () => {
      ended ??= end()
      return ended
    },
  }
}

function keyOf({ accountId, campaignId }: Source): string {
  return `${accountId} ${campaignId}`
}

function asked({ id, contactId, emailId }: Claimed) {
  return { recipientId: id, contactId, emailId: emailId ?? 0 }
}
