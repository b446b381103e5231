import type { Ctx, System } from '../../db/context.ts'
import { inSystemTransaction, ofAccount, type SystemTx } from '../../db/transaction.ts'
import type { StampedEvent } from '../../kernel/feed.ts'
import { type Loop, loop } from '../../kernel/loop.ts'
import type { Metrics } from '../../kernel/metrics.ts'
import { enter, leave, move, take } from './readers.ts'
import type { EventData, EventType } from './types.ts'

/** An event of one of these types, as a reaction gets it. */
export type EventOf<Type extends EventType> = Type extends EventType
  ? StampedEvent & { readonly type: Type; readonly data: EventData[Type] }
  : never

/** What a room does about an event, a moment after it happened. */
export interface Reaction {
  /** Under this name its place is kept. */
  readonly name: string
  readonly types: readonly EventType[]
  readonly run: (tx: Ctx, event: StampedEvent) => Promise<void>
}

/**
 * A reaction: what `run` does within its transaction happens exactly once for each event of these types, in the order of
 * the events of an account. One that fails is tried again, ten times in some minutes; then its event is set aside
 * (`parked_event`), with an alarm. Meanwhile the later events of that account wait, those of others do not.
 */
export function reaction<Type extends EventType>(given: {
  name: string
  types: readonly Type[]
  run: (tx: Ctx, event: EventOf<Type>) => Promise<void>
}): Reaction {
  return given as unknown as Reaction
}

/** How often an event is tried, and the longest pause between two attempts. */
export const attempts = 10
const longestPause = 60_000

/** How long a reaction to one event may take. */
const longest = 30_000

/** Runs reactions, in any number of processes. */
export async function runReactions(
  system: System,
  reactions: readonly Reaction[],
  metrics: Metrics,
): Promise<{ wake(): void; stop(): Promise<void> }> {
  const loops: Loop[] = []
  for (const each of reactions) {
    await enter(system, nameOf(each))
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

/** Ends reactions that are not wanted here any more, with the events that wait for another attempt. */
export async function endReactions(system: System, reactions: readonly Reaction[]): Promise<void> {
  for (const each of reactions) {
    await leave(system, nameOf(each))
    await system.db.$executeRaw`DELETE FROM parked_event WHERE reader = ${nameOf(each)} AND parked_at IS NULL`
  }
}

function nameOf({ name }: Reaction): string {
  return `reaction ${name}`
}

/** An event that waits for another attempt. */
type Waiting = StampedEvent & { attempts: number }

class Failure extends Error {
  readonly event: StampedEvent

  constructor(event: StampedEvent, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.event = event
  }
}

/** One event: of those that wait one that is due, and the next of the log. Answers whether there may be more. */
async function reactOnce(system: System, given: Reaction, metrics: Metrics): Promise<boolean> {
  const hadWaiting = await retryOnce(system, given, metrics)
  try {
    const hadNew = await inSystemTransaction(system, (tx) => takeNext(tx, given), longest)
    return hadNew || hadWaiting
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await inSystemTransaction(system, (tx) => setAside(tx, given, error))
    system.log.warn({ err: error.cause, ...told(given, error.event) }, 'a reaction failed; it is tried again')
    return true
  }
}

async function takeNext(tx: SystemTx, given: Reaction): Promise<boolean> {
  const place = await take(tx, nameOf(given))
  if (place === undefined) return false
  // Read before the events are: all up to it can be seen.
  const [counter] = await tx.db.$queryRaw<{ position: bigint }[]>`SELECT position FROM event_counter`
  const end = counter?.position ?? place
  if (end <= place) return false
  const [event] = await tx.db.$queryRaw<StampedEvent[]>`
    SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt" FROM outbox_event
    WHERE position > ${place} AND position <= ${end} AND type = ANY(${given.types}::text[]) ORDER BY position LIMIT 1`
  if (event) {
    if (await isHeldUp(tx, given, event)) await wait(tx, given, { ...event, attempts: 0 }, tx.clock.now(), '')
    else await attempt(tx, given, event)
  }
  await move(tx, nameOf(given), event?.position ?? end)
  return event !== undefined
}

/** Whether earlier events of the account wait: this one must not overtake them. */
async function isHeldUp(tx: SystemTx, given: Reaction, { accountId }: StampedEvent): Promise<boolean> {
  const [row] = await tx.db.$queryRaw<{ held: boolean }[]>`
    SELECT EXISTS (SELECT FROM parked_event WHERE account_id = ${accountId} AND reader = ${nameOf(given)}
      AND parked_at IS NULL) AS held`
  return row?.held === true
}

async function attempt(tx: SystemTx, given: Reaction, event: StampedEvent): Promise<void> {
  try {
    await given.run(ofAccount(tx, event.accountId), event)
  } catch (error) {
    throw new Failure(event, error)
  }
}

/** Leaves the event for later and goes on, unless another process came to it meanwhile. */
async function setAside(tx: SystemTx, given: Reaction, { event, message }: Failure): Promise<void> {
  const place = await take(tx, nameOf(given))
  if (place === undefined || place >= event.position) return
  await wait(tx, given, { ...event, attempts: 1 }, later(tx, 1), message)
  await move(tx, nameOf(given), event.position)
}

async function wait(tx: SystemTx, given: Reaction, event: Waiting, dueAt: Date, error: string): Promise<void> {
  const { accountId, position, id, type, data, createdAt, attempts: tried } = event
  await tx.db.$executeRaw`
    INSERT INTO parked_event (account_id, reader, position, id, type, data, created_at, attempts, error, due_at)
    VALUES (${accountId}, ${nameOf(given)}, ${position}, ${id}, ${type}, ${JSON.stringify(data)}::jsonb, ${createdAt},
      ${tried}, ${error}, ${dueAt})`
}

/** Tries the first waiting event of an account that is due. */
async function retryOnce(system: System, given: Reaction, metrics: Metrics): Promise<boolean> {
  try {
    return await inSystemTransaction(
      system,
      async (tx) => {
        const event = await dueOf(tx, given)
        if (!event) return false
        await attempt(tx, given, event)
        await tx.db.$executeRaw`
          DELETE FROM parked_event WHERE account_id = ${event.accountId} AND reader = ${nameOf(given)}
            AND position = ${event.position}`
        return true
      },
      longest,
    )
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const event = error.event as Waiting
    const tried = event.attempts + 1
    const now = system.clock.now()
    const isParked = tried >= attempts
    await system.db.$executeRaw`
      UPDATE parked_event SET attempts = ${tried}, error = ${error.message}, due_at = ${later(system, tried)},
        parked_at = ${isParked ? now : null}
      WHERE account_id = ${event.accountId} AND reader = ${nameOf(given)} AND position = ${event.position}
        AND attempts = ${event.attempts}`
    if (isParked) {
      metrics.eventParked(given.name)
      system.log.error({ err: error.cause, ...told(given, event) }, 'a reaction failed for good; its event is parked')
    }
    return true
  }
}

async function dueOf(tx: SystemTx, given: Reaction): Promise<Waiting | undefined> {
  const [event] = await tx.db.$queryRaw<Waiting[]>`
    SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt", attempts FROM parked_event p
    WHERE reader = ${nameOf(given)} AND parked_at IS NULL AND due_at <= ${tx.clock.now()}
      AND NOT EXISTS (SELECT FROM parked_event q WHERE q.account_id = p.account_id AND q.reader = p.reader
        AND q.parked_at IS NULL AND q.position < p.position)
    ORDER BY due_at LIMIT 1 FOR UPDATE OF p SKIP LOCKED`
  return event
}

function later({ clock }: Pick<System, 'clock'>, tried: number): Date {
  return new Date(clock.now().getTime() + Math.min(500 * 2 ** tried, longestPause))
}

function told({ name }: Reaction, { accountId, type, position }: StampedEvent) {
  return { reaction: name, accountId, type, position: String(position) }
}
