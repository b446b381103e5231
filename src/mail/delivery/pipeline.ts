import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../db/client.ts'
import { newCtx, type System } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { announcedChannel } from '../../events/index.ts'
import { suppress } from '../bounces/suppression.ts'
import { ports } from '../ports.ts'
import { newBuffer, type Ready } from './buffer.ts'
import { newChoice, type Rates } from './choice.ts'
import { refund, type Source } from './claims.ts'
import { type Done, type Recorded, recordAndOpen } from './hand-over.ts'
import type { Outcome } from './outcome.ts'
import { back, basis, reachAgain, recordOf, recordOfSurplus } from './records.ts'
import type { Servers } from './servers.ts'

/** How long a hand-over that was granted may wait before it is taken back: whoever slept so long may have lost it. */
const staleAfter = 10_000

/** How soon it is tried again what the database failed for, in milliseconds. */
const databaseAgain = 500

/** How often it is hinted at most that messages were sent, in milliseconds. */
const hintMilliseconds = 100

/** What goes into one statement. */
interface Batch {
  readonly answers: readonly Recorded[]
  readonly asked: readonly Ready[]
}

/** The way of messages from a process's hands to the servers, and of the answers back. */
export interface Pipeline {
  /** How many messages wait for a server, of all accounts or of one, without those that wait for a domain in trouble. */
  waiting(accountId?: number): number
  /** Takes messages that this process has claimed. */
  add(messages: readonly Ready[]): void
  /** Notes what became of messages that are not handed over at all. */
  note(recorded: readonly Recorded[]): void
  /** Puts what waits back into the queue. */
  giveBack(): void
  /** Goes on after a change: of the servers, or of time. */
  wake(): void
  /** Resolves once nothing is on its way and every answer is recorded. */
  drained(): Promise<void>
  /** Forgets all: what this process had is another's. */
  forget(): void
  /** Gives back to the quota what was not sent. */
  settleQuota(): Promise<void>
  /** How many messages came to which end since the start. */
  readonly counts: Readonly<Record<Recorded['state'] | 'SKIPPED', number>>
}

/**
 * One statement at a time records the answers that have come in since the last one, and opens as many hand-overs as become
 * free by that: so never more messages are HANDING_OVER than there are connections, and the statements grow fewer, not
 * slower, with the load. `onRoom` is called when there is room for more messages, `onLast` when the last one of a campaign
 * that is here was answered.
 */
export function newPipeline(options: {
  system: System
  db: Client
  servers: Servers
  rates: Rates
  workerId: () => number
  workers: () => number
  onRoom: () => void
  onLast: (source: Source) => void
}): Pipeline {
  const { system, db, servers, workerId, onRoom, onLast } = options
  const { log, clock } = system
  const buffer = newBuffer()
  const choice = newChoice({ buffer, rates: options.rates, workers: options.workers, size: servers.size })
  const counts = { QUEUED: 0, SENT: 0, BOUNCED: 0, FAILED: 0, UNKNOWN: 0, SKIPPED: 0 }
  const unused = new Map<number, number>()
  const onTheWay = new Set<Ready>()
  const stopping = new Set<number>()
  const drains: (() => void)[] = []
  /** What is to be recorded; and what is to be opened again, for the answer to the first time was lost. */
  let recorded: Recorded[] = []
  let again: Ready[] = []
  /** Messages that may be HANDING_OVER as the database knows them. */
  const held = new Set<bigint>()
  let isRunning = false
  let timer: NodeJS.Timeout | undefined
  let hinting: NodeJS.Timeout | undefined

  const wake = () => {
    if (isRunning) return
    const batch = next()
    if (!batch) {
      if (onTheWay.size === 0) for (const drained of drains.splice(0)) drained()
      return
    }
    isRunning = true
    run(batch).finally(() => {
      isRunning = false
      wake()
    })
  }

  /** What the next statement is to record and to open; undefined where there is nothing. */
  const next = (): Batch | undefined => {
    recorded.push(...choice.surplus().map((each) => recordOfSurplus(each, clock.now())))
    const answers = recorded
    recorded = []
    const isHeld = answers.filter(({ id }) => held.has(id)).length
    const room = Math.min(servers.free(), servers.size - held.size + isHeld)
    const asked = again.splice(0)
    asked.push(...choice.take(room - asked.length, [...onTheWay, ...asked]))
    for (const { id } of asked) held.add(id)
    const nextWait = servers.free() === 0 && servers.areDown() ? servers.pause() + 10 : choice.wait()
    if (nextWait > 0 && buffer.size > 0) {
      clearTimeout(timer)
      timer = setTimeout(wake, nextWait)
    }
    return asked.length === 0 && answers.length === 0 ? undefined : { answers, asked }
  }

  const run = async ({ answers, asked }: Batch) => {
    const startedAt = performance.now()
    const statement = recordAndOpen(workerId(), answers, asked, clock.now())
    try {
      const done = await db.$unscoped<Done>('a worker serves all accounts', statement)
      for (const { id } of answers) held.delete(id)
      takeNote(done, asked, performance.now() - startedAt > staleAfter)
    } catch (error) {
      log.error({ err: error }, 'what became of messages could not be recorded; trying again')
      recorded = [...answers, ...recorded]
      again = [...again, ...asked.map((message) => ({ ...message, isRepeat: true }))]
      await sleep(databaseAgain)
    }
    onRoom()
  }

  const takeNote = (done: readonly Done[], asked: readonly Ready[], isStale: boolean) => {
    const byId = new Map(asked.map((message) => [message.id, message]))
    const granted = new Set(done.flatMap(({ id, state, isAsked }) => (isAsked && state === 'HANDING_OVER' ? id : [])))
    for (const { id } of asked) if (!granted.has(id)) held.delete(id)
    const answered = new Map<number, Source>()
    let isNews = false
    for (const { accountId, id, campaignId, state, isAsked } of done) {
      const message = isAsked ? byId.get(id) : undefined
      if (message && state === 'HANDING_OVER') {
        if (isStale) recorded.push(back(message, clock.now()))
        else send(message)
        continue
      }
      if (state === 'SENT' || state === 'BOUNCED') isNews = true
      if (campaignId !== null) answered.set(campaignId, { accountId, campaignId })
      if (state in counts) counts[state as keyof typeof counts] += 1
      if (state !== 'SENT' && state !== 'UNKNOWN') unused.set(accountId, (unused.get(accountId) ?? 0) + 1)
    }
    if (isNews) announce()
    for (const source of answered.values()) {
      const isOnTheWay = [...onTheWay].some(({ campaignId }) => campaignId === source.campaignId)
      if (buffer.of(source.accountId) === 0 && !isOnTheWay) onLast(source)
    }
  }

  /** Hints that there are events, now and then: each hint makes a pass over the log. */
  const announce = () => {
    if (hinting) return
    system.notify?.(announcedChannel)
    hinting = setTimeout(() => {
      hinting = undefined
      system.notify?.(announcedChannel)
    }, hintMilliseconds)
  }

  const send = (message: Ready) => {
    onTheWay.add(message)
    const sentAt = performance.now()
    servers
      .hand(message.parcel, message.attempts)
      .then((outcome) => {
        choice.learn(message, outcome.verdict, sentAt)
        return conclude(message, outcome)
      })
      .catch((error: unknown) => log.error({ err: error }, 'the answer to a message could not be taken'))
      .finally(() => {
        onTheWay.delete(message)
        wake()
      })
  }

  const conclude = async (message: Ready, outcome: Outcome) => {
    const isRejected = outcome.verdict === 'bad sender' || outcome.verdict === 'bad login'
    if (isRejected && message.campaignId !== null) {
      recorded.push({ ...back(message, clock.now()), answer: outcome.answer })
      await stop(message, message.campaignId)
    } else if (outcome.verdict === 'bad address') {
      await bounce(message, outcome.answer).catch((error: unknown) => {
        log.error({ err: error }, 'a bounce could not be recorded; the message is tried again')
        recorded.push(back(message, new Date(clock.now().getTime() + reachAgain)))
      })
    } else recorded.push(recordOf(message, outcome, clock.now()))
  }

  const stop = async ({ accountId }: Ready, campaignId: number) => {
    if (stopping.has(campaignId)) return
    stopping.add(campaignId)
    try {
      await ports.stopped(newCtx(system, { accountId }), campaignId, 'SENDER_REJECTED')
    } finally {
      stopping.delete(campaignId)
    }
  }

  /** The address is suppressed in the transaction that says why. */
  const bounce = async (message: Ready, answer: string) => {
    const bounced = { ...basis(message), state: 'BOUNCED', answer, isAttempt: true } as const
    const { accountId } = message
    let done: Done[] = []
    await inTransaction(newCtx(system, { accountId }), async (tx) => {
      done = await tx.db.$queryRaw<Done[]>(recordAndOpen(workerId(), [bounced], [], tx.clock.now()))
      if (done.length === 0) return
      await suppress(tx, {
        email: message.to,
        reason: 'BOUNCE',
        detail: answer.slice(0, 500).toWellFormed(),
      })
    })
    held.delete(message.id)
    takeNote(done, [], false)
  }

  return {
    counts,
    waiting: choice.waiting,
    add: (messages) => {
      buffer.add(messages)
      wake()
    },
    note: (all) => {
      recorded.push(...all)
      wake()
    },
    giveBack: () => {
      recorded.push(...[...again.splice(0), ...buffer.drop(() => true)].map((message) => back(message, clock.now())))
      wake()
    },
    wake,
    drained: () =>
      new Promise((resolve) => {
        drains.push(resolve)
        wake()
      }),
    forget: () => {
      buffer.drop(() => true)
      recorded = []
      again = []
      held.clear()
      for (const { id } of onTheWay) held.add(id)
    },
    settleQuota: async () => {
      const all = [...unused]
      unused.clear()
      for (const [accountId, messages] of all) await refund(system, accountId, messages)
    },
  }
}
