import type { Ctx } from '../../db/context.ts'
import { changeRows, insertFigures } from '../../db/figures.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { type FigureObject, figureObject, figures } from '../../kernel/figures.ts'
import { announcedChannel } from './sequencer.ts'
import { type Announced, declarationOf, type EventData, type EventType, isEventType } from './types.ts'

/**
 * Emits an event in the transaction of a change, so that both become visible together, and adds it to the figure that its
 * declaration names. Call it after the change, so that the events of one resource keep their order.
 */
export async function emit<Type extends keyof Announced>(tx: Ctx, type: Type, data: Announced[Type]): Promise<void> {
  await insertEvents(tx, type, [data])
}

/** Emits many events of one type with one statement. */
export async function emitAll<Type extends EventType>(
  tx: Ctx,
  type: Type,
  all: readonly EventData[Type][],
): Promise<void> {
  await insertEvents(tx, type, all)
}

async function insertEvents(tx: Ctx, type: string, all: readonly object[]): Promise<void> {
  if (!tx.afterCommit) throw new Error(`${type} must be emitted inside a transaction.`)
  if (all.length === 0) return
  await tx.sql.later`
    ${counting(tx, type, all)}
    INSERT INTO outbox_event (account_id, type, data, created_at)
    SELECT ${tx.sql.account}::int, ${type}, data, ${tx.clock.now()}::timestamptz
    FROM jsonb_array_elements(${JSON.stringify(all)}::jsonb) WITH ORDINALITY AS given(data, place) ORDER BY place`
  tx.afterCommit(() => tx.notify(announcedChannel))
}

/** Returns the part of the statement that adds the events to their figure: one row for each object, however many events. */
function counting(tx: Ctx, type: string, all: readonly object[]): Sql {
  const counts = isEventType(type) ? declarationOf(type).counts : undefined
  if (!counts) return sql``
  const { figure, of, adds = 1 } = counts
  const isOfAccount = (figures[figure].objects as readonly FigureObject[]).includes('Account')
  const objectsOf = (data: object) => [
    ...(isOfAccount ? [''] : []),
    ...(of ? [figureObject(of.type, (data as Record<string, number>)[of.field] as number)] : []),
  ]
  const at = tx.clock.now()
  const byObject = Map.groupBy(all.flatMap(objectsOf), (object) => object)
  const changes = [...byObject].map(([object, { length }]) => ({ figure, object, at, value: adds * length }))
  return sql`WITH counted AS (${insertFigures(changeRows(tx, changes))})`
}

/**
 * Returns the SQL that emits events as part of a larger statement over several accounts. `rows` selects account_id and data in
 * the order of the events.
 */
export function emission(type: EventType, rows: Sql, now: Date): Sql {
  if (declarationOf(type).counts) throw new Error(`${type} is counted, so it cannot be part of another statement.`)
  return sql`INSERT INTO outbox_event (account_id, type, data, created_at)
    SELECT account_id, ${type}, data, ${now}::timestamptz FROM (${rows}) announced`
}
