import type { Ctx, System } from '../../db/context.ts'
import { inSystemTransaction, ofAccount, type SystemTx } from '../../db/transaction.ts'
import type { StampedEvent } from '../../kernel/feed.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import { type Loop, loop } from '../../kernel/work/loop.ts'
import type { EventData, EventType } from '../types/event-types.ts'
import { addReader, lockPosition, removeReader, storePosition } from './readers.ts'

/** An event of one of these types, with its data. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? StampedEvent & { readonly type: Type; readonly data: EventData[Type] }
  : never

/** What a module does after an event, asynchronously. */
export interface Reaction {
  /** The key of its stored position. */
  readonly name: string
  readonly types: readonly EventType[]
  readonly run: (tx: Ctx, event: StampedEvent) => Promise<void>
}

/**
 * Defines a reaction. The writes of `run` in its transaction take effect exactly once for each event of these types, in the
 * order of the events of an account. A failed run is retried up to 10 attempts; then the event is parked (`parked_event`) and
 * an error is logged. Meanwhile later events of that account wait; other accounts are not affected.
 */
export function reaction<Type extends EventType>(definition: {
  name: string
  types: readonly Type[]
  run: (tx: Ctx, event: EventOf<Type>) => Promise<void>
}): Reaction {
  return definition as unknown as Reaction
}

const maxAttempts = 10
const maxRetryDelayMs = 60_000

/** Timeout of the transaction of one run. */
const runTimeoutMs = 30_000

/** Runs reactions until stopped. Several processes can run them. */
export async function runReactions(
  system: System,
  reactions: readonly Reaction[],
  metrics: Metrics,
): Promise<{ wake(): void; stop(): Promise<void> }> {
  const loops: Loop[] = []
  for (const each of reactions) {
    await addReader(system, nameOf(each))
    loops.push(loop(nameOf(each), () => reactOnce(system, each, metrics), { log: system.log }))
  }
  return {
    wake: () => {
      for (const { wake } of loops) wake()
    },
    stop: async () => {
      await Promise.all(loops.map((each) => each.stop()))
    },
  }
}

/** Removes reactions that are disabled, with their events that wait for a retry. */
export async function endReactions(system: System, reactions: readonly Reaction[]): Promise<void> {
  for (const each of reactions) {
    await removeReader(system, nameOf(each))
    await system.db.$executeRaw`DELETE FROM parked_event WHERE reader = ${nameOf(each)} AND parked_at IS NULL`
  }
}

function nameOf({ name }: Reaction): string {
  return `reaction ${name}`
}

/** An event that waits for a retry. */
type WaitingEvent = StampedEvent & { attempts: number }

class ReactionError extends Error {
  readonly event: StampedEvent

  constructor(event: StampedEvent, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.event = event
  }
}

/** Processes one due retry and the next event of the log. Returns true if there may be more. */
async function reactOnce(system: System, target: Reaction, metrics: Metrics): Promise<boolean> {
  const hadWaiting = await retryOnce(system, target, metrics)
  try {
    const hadNew = await inSystemTransaction(system, (tx) => processNext(tx, target), runTimeoutMs)
    return hadNew || hadWaiting
  } catch (error) {
    if (!(error instanceof ReactionError)) throw error
    await inSystemTransaction(system, (tx) => scheduleRetry(tx, target, error))
    system.log.warn({ err: error.cause, ...logFields(target, error.event) }, 'reaction failed, will retry')
    return true
  }
}

async function processNext(tx: SystemTx, target: Reaction): Promise<boolean> {
  const position = await lockPosition(tx, nameOf(target))
  if (position === undefined) return false
  // Read before the events, so that all events up to it are visible.
  const [counter] = await tx.db.$queryRaw<{ position: bigint }[]>`SELECT position FROM event_counter`
  const end = counter?.position ?? position
  if (end <= position) return false
  const [event] = await tx.db.$queryRaw<StampedEvent[]>`
    SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt" FROM outbox_event
    WHERE position > ${position} AND position <= ${end} AND type = ANY(${target.types}::text[]) ORDER BY position LIMIT 1`
  if (event) {
    if (await isBlocked(tx, target, event))
      await insertWaiting(tx, target, { ...event, attempts: 0 }, tx.clock.now(), '')
    else await attempt(tx, target, event)
  }
  await storePosition(tx, nameOf(target), event?.position ?? end)
  return event !== undefined
}

/** Returns true if earlier events of the account wait: this one must not overtake them. */
async function isBlocked(tx: SystemTx, target: Reaction, { accountId }: StampedEvent): Promise<boolean> {
  const [row] = await tx.db.$queryRaw<{ blocked: boolean }[]>`
    SELECT EXISTS (SELECT FROM parked_event WHERE account_id = ${accountId} AND reader = ${nameOf(target)}
      AND parked_at IS NULL) AS blocked`
  return row?.blocked === true
}

async function attempt(tx: SystemTx, target: Reaction, event: StampedEvent): Promise<void> {
  try {
    await target.run(ofAccount(tx, event.accountId), event)
  } catch (error) {
    throw new ReactionError(event, error)
  }
}

/** Stores the event for a retry and moves on, unless another process has already processed it. */
async function scheduleRetry(tx: SystemTx, target: Reaction, { event, message }: ReactionError): Promise<void> {
  const position = await lockPosition(tx, nameOf(target))
  if (position === undefined || position >= event.position) return
  await insertWaiting(tx, target, { ...event, attempts: 1 }, retryTime(tx, 1), message)
  await storePosition(tx, nameOf(target), event.position)
}

async function insertWaiting(
  tx: SystemTx,
  target: Reaction,
  event: WaitingEvent,
  dueAt: Date,
  error: string,
): Promise<void> {
  const { accountId, position, id, type, data, createdAt, attempts: attemptCount } = event
  await tx.db.$executeRaw`
    INSERT INTO parked_event (account_id, reader, position, id, type, data, created_at, attempts, error, due_at)
    VALUES (${accountId}, ${nameOf(target)}, ${position}, ${id}, ${type}, ${JSON.stringify(data)}::jsonb, ${createdAt},
      ${attemptCount}, ${error}, ${dueAt})`
}

/** Retries the first waiting event of an account if it is due. */
async function retryOnce(system: System, target: Reaction, metrics: Metrics): Promise<boolean> {
  try {
    return await inSystemTransaction(
      system,
      async (tx) => {
        const event = await lockDue(tx, target)
        if (!event) return false
        await attempt(tx, target, event)
        await tx.db.$executeRaw`
          DELETE FROM parked_event WHERE account_id = ${event.accountId} AND reader = ${nameOf(target)}
            AND position = ${event.position}`
        return true
      },
      runTimeoutMs,
    )
  } catch (error) {
    if (!(error instanceof ReactionError)) throw error
    const event = error.event as WaitingEvent
    const attemptCount = event.attempts + 1
    const now = system.clock.now()
    const isParked = attemptCount >= maxAttempts
    await system.db.$executeRaw`
      UPDATE parked_event SET attempts = ${attemptCount}, error = ${error.message}, due_at = ${retryTime(system, attemptCount)},
        parked_at = ${isParked ? now : null}
      WHERE account_id = ${event.accountId} AND reader = ${nameOf(target)} AND position = ${event.position}
        AND attempts = ${event.attempts}`
    if (isParked) {
      metrics.eventParked(target.name)
      system.log.error({ err: error.cause, ...logFields(target, event) }, 'reaction failed permanently, event parked')
    }
    return true
  }
}

async function lockDue(tx: SystemTx, target: Reaction): Promise<WaitingEvent | undefined> {
  const [event] = await tx.db.$queryRaw<WaitingEvent[]>`
    SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt", attempts FROM parked_event p
    WHERE reader = ${nameOf(target)} AND parked_at IS NULL AND due_at <= ${tx.clock.now()}
      AND NOT EXISTS (SELECT FROM parked_event q WHERE q.account_id = p.account_id AND q.reader = p.reader
        AND q.parked_at IS NULL AND q.position < p.position)
    ORDER BY due_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED`
  return event
}

function retryTime({ clock }: Pick<System, 'clock'>, attemptCount: number): Date {
  return new Date(clock.now().getTime() + Math.min(500 * 2 ** attemptCount, maxRetryDelayMs))
}

function logFields({ name }: Reaction, { accountId, type, position }: StampedEvent) {
  return { reaction: name, accountId, type, position: String(position) }
}
