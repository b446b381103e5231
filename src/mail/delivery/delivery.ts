import type { Client } from '../../db/client.ts'
import type { System } from '../../db/context.ts'
import { loop } from '../../kernel/loop.ts'
import { within } from '../../kernel/within.ts'
import type { Rates } from './choice.ts'
import { type Claimed, claim, dueSources, type Source } from './claims.ts'
import { newPipeline, type Pipeline } from './pipeline.ts'
import { back } from './records.ts'
import { render } from './rendering.ts'
import type { Servers } from './servers.ts'
import { endStalled, noteStalled, unstall } from './stalls.ts'
import { beat, signOff, signOn, sweep } from './workers.ts'

/** How often a worker gives a sign of life. */
const beatMilliseconds = 3_000

/** How long a stop waits for answers of the servers, and then for the answers to be recorded. */
const answersMilliseconds = 6_000
const recordingMilliseconds = 1_500

/** How long a stop waits for messages that are being rendered: other workers take over what is left. */
const renderingMilliseconds = 1_000

/** How many messages of one source are taken on at a time, and at least. */
const mostAtOnce = 50
const leastAtOnce = 5

/** How long rendering may hold up other accounts, in milliseconds, and how many accounts may be rendered beside them. */
const renderPatience = 100
const mostBeside = 20

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
  /** Accounts whose messages are being rendered in threads, which may take seconds. */
  const beside = new Map<number, Promise<void>>()

  /** Takes on what is due while there is room for it. */
  const fill = async (): Promise<boolean> => {
    const tried = new Set<string>()
    while (!isStopping && pipeline.waiting() <= enough / 2 && beside.size < mostBeside) {
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
        .filter(({ accountId }) => pipeline.waiting(accountId) < share && !beside.has(accountId))
        .toSorted((a, b) => turnOf(a.accountId) - turnOf(b.accountId) || turnOf(keyOf(a)) - turnOf(keyOf(b)))
      if (!source) return false
      turn += 1
      turns.set(source.accountId, turn).set(keyOf(source), turn)
      const claimed = await claim(system, source, workerId, share)
      if (claimed.length === 0) tried.add(keyOf(source))
      else if (isStopping) pipeline.note(claimed.map((message) => back(message, system.clock.now())))
      else await renderBeside(source, claimed)
    }
    return false
  }

  /** Renders, and waits for it no longer than others can. */
  const renderBeside = async (source: Source, claimed: readonly Claimed[]) => {
    const { accountId } = source
    let isWaitedFor = true
    const rendering = render(system, source, claimed, { pipeline, isStopping: () => isStopping })
      .catch((error: unknown) => {
        if (isWaitedFor) throw error
        log.error({ err: error, accountId }, 'messages could not be rendered; they are tried again')
      })
      .finally(() => {
        beside.delete(accountId)
        if (!isWaitedFor) looking.wake()
      })
    beside.set(accountId, rendering)
    await within(rendering, renderPatience)
    isWaitedFor = false
  }
  const turnOf = (key: number | string) => turns.get(key) ?? 0

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
    await within(Promise.all(beside.values()), renderingMilliseconds)
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
