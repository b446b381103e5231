import type { System } from '../../db/context.ts'
import { inSystemTransaction, type SystemTx } from '../../db/transaction.ts'
import type { StampedEvent } from '../../kernel/feed.ts'
import { type Loop, loop } from '../../kernel/loop.ts'

/** Someone who goes through the log of all accounts from one event to the next, once. */
export interface Reader {
  /** Under this name its place is kept: who changes it starts anew, at the end. */
  readonly name: string
  /**
   * Takes the next events, in their order. What it does within the transaction happens exactly once, for its place moves
   * in the same transaction; a failure undoes both, and the same events come again. `ofAccount(tx, accountId)` is the
   * context for one event's account.
   */
  read(tx: SystemTx, events: readonly StampedEvent[]): Promise<void>
}

/** How many events a reader gets at once, at most. */
export const batchSize = 500

/** How long a reader may take for them. */
const longest = 30_000

/**
 * Lets a reader go through the log, in any number of processes: one at a time does, the others find its row locked. Woken
 * when events were stamped, it looks each second by itself. A new one starts at the current end.
 */
export async function runReader(system: System, reader: Reader): Promise<Loop> {
  await enter(system, reader.name)
  return loop(`reader ${reader.name}`, () => readOnce(system, reader), { log: system.log })
}

/** Gives a new reader its place at the end of the log; one that is known keeps its own. */
export async function enter(system: System, name: string): Promise<void> {
  await system.db.$executeRaw`
    INSERT INTO log_reader (name, position) SELECT ${name}, position FROM event_counter ON CONFLICT (name) DO NOTHING`
}

/** Takes a reader's place away: what nobody reads for holds no old events back. It begins at the end when it comes again. */
export async function leave(system: System, name: string): Promise<void> {
  await system.db.$executeRaw`DELETE FROM log_reader WHERE name = ${name}`
}

async function readOnce(system: System, reader: Reader): Promise<boolean> {
  return inSystemTransaction(
    system,
    async (tx) => {
      const place = await take(tx, reader.name)
      if (place === undefined) return false
      const events = await tx.db.$queryRaw<StampedEvent[]>`
        SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt"
        FROM outbox_event WHERE position > ${place} ORDER BY position LIMIT ${batchSize}`
      const last = events.at(-1)
      if (!last) return false
      await reader.read(tx, events)
      await move(tx, reader.name, last.position)
      return events.length === batchSize
    },
    longest,
  )
}

/** Locks a reader's place until the transaction ends and answers it; nothing where another process reads just now. */
export async function take(tx: SystemTx, name: string): Promise<bigint | undefined> {
  const [place] = await tx.db.$queryRaw<{ position: bigint }[]>`
    SELECT position FROM log_reader WHERE name = ${name} FOR UPDATE SKIP LOCKED`
  return place?.position
}

/** Moves a reader on, with what it has done. */
export async function move(tx: SystemTx, name: string, to: bigint): Promise<void> {
  await tx.db.$executeRaw`UPDATE log_reader SET position = ${to} WHERE name = ${name}`
}
