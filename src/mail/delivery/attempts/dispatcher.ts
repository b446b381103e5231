import { setTimeout as sleep } from 'node:timers/promises'
import type { Connections } from '../../../db/client.ts'
import type { System } from '../../../db/context.ts'
import { inSpan } from '../../../kernel/telemetry/tracing.ts'
import type { QueueSource } from '../queue/claims.ts'
import { newQuotaRefunds, type QuotaRefunds } from '../queue/quota-refunds.ts'
import type { AccountTurns } from '../selection/account-turns.ts'
import { type MessageBuffer, newMessageBuffer, type ReadyMessage } from '../selection/message-buffer.ts'
import { newSelector, type Selector, type SendRates } from '../selection/selector.ts'
import { newSenderProblemWatch, type SenderProblemWatch } from '../selection/sender-problem-watch.ts'
import type { MailServers } from '../transport/mail-servers.ts'
import { releaseOf, resultOfSurplus } from './attempt-results.ts'
import { type AttemptResult, type RecipientChange, recordResultsAndStartAttempts } from './delivery-attempts.ts'
import { newOutcomeHandler, type OutcomeHandler } from './outcome-handler.ts'
import { newResultGathering, type ResultGathering } from './result-gathering.ts'
import { newSentHint } from './sent-hint.ts'

/** A started attempt that is older than this is released: the process stood still, and may have lost its claims. */
const maxStartDelayMs = 10_000

/** Pause after a statement failed. */
const databaseRetryMs = 500

/** Sends the messages that a process has claimed, and records the results. */
export interface Dispatcher {
  /** Number of messages that wait for a connection, of all accounts or of one. Excludes domains that back off. */
  waiting(accountId?: number): number
  /** Whether more messages of an account may be added: they are limited by size. */
  hasRoom(accountId: number): boolean
  /** Adds claimed and rendered messages. */
  add(messages: readonly ReadyMessage[]): void
  /** Records results of messages that are not sent at all. */
  record(results: readonly AttemptResult[]): void
  /** Releases all messages that are not in flight. */
  release(): void
  /** Resolves when no message is in flight and every result is recorded. */
  drained(): Promise<void>
  /** Discards everything: another worker has the claims of this process now. */
  discard(): void
  /** Refunds the quota of messages that were not sent. */
  settleQuota(): Promise<void>
  /** Number of messages by result since the start. */
  readonly counts: Counts
}

type Counts = Readonly<Record<AttemptResult['state'] | 'SKIPPED', number>>

interface DispatcherOptions {
  system: System
  /** Connections whose statements look rows up by key. */
  db: Pick<Connections, '$unscoped'>
  servers: MailServers
  turns: AccountTurns
  rates: SendRates
  workerId: () => number
  /** Number of workers that share the rates. */
  workers: () => number
  /** Called when there may be room for more messages. */
  onRoom: () => void
  /** Called when the last message that this process has of a campaign got its result. */
  onDrained: (source: QueueSource) => void
}

/** A message moves through these in this order: buffer, (repeats,) started, inFlight, results. */
interface State extends DispatcherOptions {
  /** Messages that wait for a connection. */
  readonly buffer: MessageBuffer
  readonly selector: Selector
  readonly problems: SenderProblemWatch
  /** Messages whose attempt was requested, and the reply of the database was lost. They are requested again. */
  repeats: ReadyMessage[]
  /** Messages that may be SENDING in the database. Never more than there are connections. */
  readonly started: Set<bigint>
  /** Messages that are with a mail server, and when they were sent. */
  readonly inFlight: Map<ReadyMessage, number>
  /** Results that the next statement records. */
  results: AttemptResult[]
  readonly gathering: ResultGathering
  /** Set while results wait for others. */
  gatheringTimer: NodeJS.Timeout | undefined
  readonly counts: { -readonly [Key in keyof Counts]: number }
  readonly refunds: QuotaRefunds
  readonly hintSent: () => void
  readonly handleOutcome: OutcomeHandler
  readonly drainWaiters: (() => void)[]
  isRecording: boolean
  timer: NodeJS.Timeout | undefined
}

/** Input of one statement. */
interface Batch {
  readonly results: readonly AttemptResult[]
  readonly requests: readonly ReadyMessage[]
}

/**
 * One statement at a time records the results since the last one and starts as many attempts as connections become free.
 * So never more messages are SENDING than there are connections, and with more load statements get larger, not more.
 */
export function newDispatcher(options: DispatcherOptions): Dispatcher {
  const { system, servers, turns, rates, workers } = options
  const buffer = newMessageBuffer(turns)
  const selector = newSelector({ buffer, rates, workers, size: servers.size })
  const state: State = {
    ...{ ...options, buffer, selector, problems: newSenderProblemWatch(system, selector.slowDown) },
    repeats: [],
    started: new Set(),
    inFlight: new Map(),
    results: [],
    gathering: newResultGathering(),
    gatheringTimer: undefined,
    counts: { QUEUED: 0, SENT: 0, BOUNCED: 0, FAILED: 0, UNKNOWN: 0, SKIPPED: 0 },
    refunds: newQuotaRefunds(system),
    hintSent: newSentHint(system),
    handleOutcome: newOutcomeHandler({
      system,
      workerId: options.workerId,
      addResult: (result) => state.results.push(result),
      onRecorded: ({ id }, changes) => {
        state.started.delete(id)
        applyChanges(state, changes, [], false)
      },
    }),
    drainWaiters: [],
    isRecording: false,
    timer: undefined,
  }
  return {
    counts: state.counts,
    waiting: state.selector.waitingCount,
    hasRoom: buffer.hasRoom,
    add: (messages) => {
      buffer.add(messages)
      wakeTogether(state)
    },
    record: (results) => {
      for (const { accountId } of results) turns.count(accountId, 1)
      state.results.push(...results)
      wake(state)
    },
    release: () => {
      const released = [...state.repeats.splice(0), ...buffer.remove(() => true)]
      state.results.push(...released.map((message) => releaseOf(message, system.clock.now())))
      wake(state)
    },
    drained: async () => {
      await new Promise<void>((resolve) => {
        state.drainWaiters.push(resolve)
        wake(state)
      })
      await state.problems.settle()
    },
    discard: () => discard(state),
    settleQuota: state.refunds.settle,
  }
}

/** Runs the next statement, unless one is running or there is nothing to do. */
function wake(state: State): void {
  if (state.isRecording) return
  clearTimeout(state.gatheringTimer)
  state.gatheringTimer = undefined
  const batch = nextBatch(state)
  if (!batch) {
    if (state.inFlight.size === 0) for (const resolve of state.drainWaiters.splice(0)) resolve()
    return
  }
  state.isRecording = true
  recordBatch(state, batch).finally(() => {
    state.isRecording = false
    wakeTogether(state)
  })
}

/** Runs the next statement when all results have arrived that are expected at about the same time. */
function wakeTogether(state: State): void {
  if (state.isRecording) return
  const waitMs = state.gathering.waitMs(state.inFlight.values())
  if (waitMs === 0) wake(state)
  else state.gatheringTimer ??= setTimeout(wake, waitMs, state)
}

/** Takes the input of the next statement out of the state. Undefined if there is nothing to record or to start. */
function nextBatch(state: State): Batch | undefined {
  const { system, servers, turns, selector, started, inFlight } = state
  state.problems.tick()
  const surplus = selector.removeSurplus().map((each) => resultOfSurplus(each, system.clock.now()))
  for (const { accountId } of surplus) turns.count(accountId, 1)
  const results = [...state.results, ...surplus]
  state.results = []
  state.gathering.clear()
  const finished = results.filter(({ id }) => started.has(id)).length
  const free = Math.min(servers.freeConnections(), servers.size - started.size + finished)
  const requests = state.repeats.splice(0)
  requests.push(...selector.select(free - requests.length, [...inFlight.keys(), ...requests]))
  for (const { id } of requests) started.add(id)
  wakeLater(state)
  return requests.length === 0 && results.length === 0 ? undefined : { results, requests }
}

/** Wakes the dispatcher when a server is tried again, or when a rate or a back-off allows the next message. */
function wakeLater(state: State): void {
  const { servers, selector, buffer } = state
  const areServersDown = servers.freeConnections() === 0 && servers.areDown()
  const delayMs = areServersDown ? servers.retryDelayMs() + 10 : selector.nextDelayMs()
  if (delayMs <= 0 || buffer.size === 0) return
  clearTimeout(state.timer)
  state.timer = setTimeout(wake, delayMs, state)
}

async function recordBatch(state: State, { results, requests }: Batch): Promise<void> {
  const { system, db, started } = state
  const startedAt = performance.now()
  const statement = recordResultsAndStartAttempts(
    system.signer,
    state.workerId(),
    results,
    requests,
    system.clock.now(),
  )
  try {
    const changes = await db.$unscoped<RecipientChange>('a worker serves all accounts', statement)
    for (const { id } of results) started.delete(id)
    const elapsed = performance.now() - startedAt
    state.gathering.recordStatement(elapsed)
    applyChanges(state, changes, requests, elapsed > maxStartDelayMs)
  } catch (error) {
    system.log.error({ err: error }, 'the results of messages could not be recorded; trying again')
    state.results = [...results, ...state.results]
    state.repeats = [...state.repeats, ...requests.map((message) => ({ ...message, isRepeat: true }))]
    await sleep(databaseRetryMs)
  }
  state.onRoom()
}

/** Sends the messages whose attempt was started, and counts the others. `isLate` releases them instead of sending. */
function applyChanges(
  state: State,
  changes: readonly RecipientChange[],
  requests: readonly ReadyMessage[],
  isLate: boolean,
): void {
  const { started, counts, refunds, system } = state
  const requested = new Map(requests.map((message) => [message.id, message]))
  const isStart = (change: RecipientChange) => change.isRequested && change.state === 'SENDING'
  const granted = new Set(changes.filter(isStart).map(({ id }) => id))
  for (const { id } of requests) if (!granted.has(id)) started.delete(id)
  const finished: RecipientChange[] = []
  for (const change of changes) {
    const message = requested.get(change.id)
    if (!message || !isStart(change)) finished.push(change)
    else if (isLate) state.results.push(releaseOf(message, system.clock.now()))
    else send(state, message)
  }
  for (const { accountId, state: result } of finished) {
    if (result in counts) counts[result as keyof Counts] += 1
    if (result !== 'SENT' && result !== 'UNKNOWN') refunds.count(accountId)
  }
  if (finished.some(({ state: result }) => result === 'SENT' || result === 'BOUNCED')) state.hintSent()
  reportDrained(state, finished)
}

/** Calls `onDrained` for campaigns of which no message waits or is in flight in this process. */
function reportDrained({ buffer, inFlight, onDrained }: State, finished: readonly RecipientChange[]): void {
  const sources = new Map<number, QueueSource>()
  for (const { accountId, campaignId } of finished) {
    if (campaignId !== null) sources.set(campaignId, { accountId, campaignId })
  }
  for (const source of sources.values()) {
    const isInFlight = inFlight.keys().some(({ campaignId }) => campaignId === source.campaignId)
    if (buffer.countOf(source.accountId) === 0 && !isInFlight) onDrained(source)
  }
}

/** Gives a message to a mail server and handles the outcome. */
function send(state: State, message: ReadyMessage): void {
  const { system, servers, selector, inFlight } = state
  const sentAt = performance.now()
  inFlight.set(message, sentAt)
  inSpan(
    () => {
      const attributes = { 'campanile.account_id': message.accountId, 'messaging.message.id': String(message.id) }
      return { name: 'send message', kind: 'PRODUCER', under: message.trace, attributes }
    },
    () => servers.send(message.encoded, message.attempts),
  )
    .then((outcome) => {
      selector.recordVerdict(message, outcome.verdict, sentAt, outcome.cause)
      state.problems.count(message, outcome.cause, outcome.answer)
      return state.handleOutcome(message, outcome)
    })
    .catch((error: unknown) => system.log.error({ err: error }, 'the outcome of a message could not be handled'))
    .finally(() => {
      inFlight.delete(message)
      state.gathering.add(sentAt)
      wakeTogether(state)
    })
}

function discard(state: State): void {
  state.buffer.remove(() => true)
  state.results = []
  state.repeats = []
  state.started.clear()
  for (const { id } of state.inFlight.keys()) state.started.add(id)
}
