import type { System } from '../../db/context.ts'
import { inSystemTransaction, type SystemTx } from '../../db/transaction.ts'
import type { StampedEvent } from '../../kernel/feed.ts'
import { type Loop, loop } from '../../kernel/work/loop.ts'

/** A consumer of the log of all accounts. It processes each event once, in order. */
export interface Reader {
  /** The key of its stored position. A new name starts at the end of the log. */
  readonly name: string
  /**
   * Processes the next events. Its writes in the transaction take effect exactly once, because the position is stored in the
   * same transaction. A failure rolls back both, and the same events are read again. `ofAccount(tx, accountId)` returns the
   * context of the account of an event.
   */
  read(tx: SystemTx, events: readonly StampedEvent[]): Promise<void>
}

/** The maximum number of events per batch. */
const batchSize = 500

/** Timeout of the transaction of a batch. */
const batchTimeoutMs = 30_000

/**
 * Runs a reader until stopped. Several processes can run it: the row lock of its position lets one work at a time. It wakes
 * up on new positions, and every second. A new reader starts at the end of the log.
 */
export async function runReader(system: System, reader: Reader): Promise<Loop> {
  await addReader(system, reader.name)
  return loop(`reader ${reader.name}`, () => readOnce(system, reader), { log: system.log })
}

/** Stores the position of a new reader, the end of the log. An existing reader keeps its position. */
export async function addReader(system: System, name: string): Promise<void> {
  await system.db.$executeRaw`
    INSERT INTO log_reader (name, position) SELECT ${name}, position FROM event_counter ON CONFLICT (name) DO NOTHING`
}

/** Deletes the position of a reader, so that it does not prevent the deletion of old events. */
export async function removeReader(system: System, name: string): Promise<void> {
  await system.db.$executeRaw`DELETE FROM log_reader WHERE name = ${name}`
}

async function readOnce(system: System, reader: Reader): Promise<boolean> {
  return inSystemTransaction(
    system,
    async (tx) => {
      const position = await lockPosition(tx, reader.name)
      if (position === undefined) return false
      const events = await tx.db.$queryRaw<StampedEvent[]>`
        SELECT account_id AS "accountId", position, id, type, data, created_at AS "createdAt"
        FROM outbox_event WHERE position > ${position} ORDER BY position LIMIT ${batchSize}`
      const last = events.at(-1)
      if (!last) return false
      await reader.read(tx, events)
      await storePosition(tx, reader.name, last.position)
      return events.length === batchSize
    },
    batchTimeoutMs,
  )
}

/** Locks and returns the position of a reader; undefined if another process holds the lock. */
export async function lockPosition(tx: SystemTx, name: string): Promise<bigint | undefined> {
  const [row] = await tx.db.$queryRaw<{ position: bigint }[]>`
    SELECT position FROM log_reader WHERE name = ${name} FOR UPDATE SKIP LOCKED`
  return row?.position
}

/** Stores the new position of a reader. */
export async function storePosition(tx: SystemTx, name: string, position: bigint): Promise<void> {
  await tx.db.$executeRaw`UPDATE log_reader SET position = ${position} WHERE name = ${name}`
}
