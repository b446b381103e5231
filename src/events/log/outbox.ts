import type { Ctx } from '../../db/context.ts'
import { addFigures, changeRows, type FigureChange, figureObject, insertFigures } from '../../db/figures/figures.ts'
import { join, type Sql, sql } from '../../db/sql.ts'
import { type Announcements, declarationOf, type EventData, type EventType, isEventType } from '../types/event-types.ts'
import { announcedChannel } from './sequencer.ts'

/** Up to this number of events, each is a row of parameters. More would be too many different statements. */
const maxPlain = 4

/**
 * Emits an event in the transaction of a change, so that both become visible together, and adds it to the figure that its
 * declaration names. Call it after the change, so that the events of one resource keep their order. Several types are events
 * with the same data, in this order.
 */
export async function emit<Type extends keyof Announcements>(
  tx: Ctx,
  types: Type | readonly Type[],
  data: Announcements[Type],
): Promise<void> {
  const all = [types].flat() as Type[]
  const changes = all.flatMap((type) => figureChanges(tx, type, [data]))
  await insertPlain(
    tx,
    all.map((type) => ({ type, data })),
    changes,
  )
}

async function insertPlain(
  tx: Ctx,
  events: readonly { readonly type: string; readonly data: object }[],
  changes: readonly FigureChange[],
): Promise<void> {
  const names = events.map(({ type }) => type).join()
  mustBeInTransaction(tx, names)
  if (events.length === 0) return
  await addFigures(tx, changes)
  const rows = events.map(
    ({ type, data }) =>
      sql`(${tx.sql.account}::int, ${type}::text, ${JSON.stringify(data)}::jsonb, ${tx.clock.now()}::timestamptz)`,
  )
  await insertEvent(tx, sql`VALUES ${join(rows)}`)
}

/**
 * Emits an event with the insertion of rows whose ids it contains, in one statement. `insertion` returns the ids. They are stored
 * as text in `field`, in the order of their insertion.
 */
export async function emitWithIds<Type extends EventType>(
  tx: Ctx,
  type: Type,
  data: EventData[Type],
  { field, insertion }: { field: string & keyof EventData[Type]; insertion: Sql },
): Promise<void> {
  mustBeInTransaction(tx, type)
  await addFigures(tx, figureChanges(tx, type, [data]))
  await insertEvent(
    tx,
    sql`SELECT ${tx.sql.account}::int, ${type}::text,
      ${JSON.stringify(data)}::jsonb || jsonb_build_object(${field}::text, jsonb_agg(inserted.id::text ORDER BY inserted.id)), ${tx.clock.now()}::timestamptz
    FROM inserted`,
    sql`WITH inserted (id) AS (${insertion})`,
  )
}

async function insertEvent(tx: Ctx, rows: Sql, before = sql``): Promise<void> {
  await tx.sql.later`${before} INSERT INTO outbox_event (account_id, type, data, created_at) ${rows}`
  tx.afterCommit?.(() => tx.notify(announcedChannel))
}

/** Emits many events of one type with one statement. */
export async function emitAll<Type extends EventType>(
  tx: Ctx,
  type: Type,
  all: readonly EventData[Type][],
): Promise<void> {
  if (all.length > maxPlain) await insertMany(tx, type, all)
  else
    await insertPlain(
      tx,
      all.map((data) => ({ type, data })),
      figureChanges(tx, type, all),
    )
}

async function insertMany(tx: Ctx, type: string, all: readonly object[]): Promise<void> {
  mustBeInTransaction(tx, type)
  await tx.sql.later`
    ${counting(tx, type, all)}
    INSERT INTO outbox_event (account_id, type, data, created_at)
    SELECT ${tx.sql.account}::int, ${type}, data, ${tx.clock.now()}::timestamptz
    FROM jsonb_array_elements(${JSON.stringify(all)}::jsonb) WITH ORDINALITY AS given(data, place) ORDER BY place`
  tx.afterCommit?.(() => tx.notify(announcedChannel))
}

function mustBeInTransaction(tx: Ctx, type: string): void {
  if (!tx.afterCommit) throw new Error(`${type} must be emitted inside a transaction.`)
}

/** Returns the part of the statement that adds the events to their figure. */
function counting(tx: Ctx, type: string, all: readonly object[]): Sql {
  const changes = figureChanges(tx, type, all)
  return changes.length === 0 ? sql`` : sql`WITH counted AS (${insertFigures(changeRows(tx, changes))})`
}

/** Returns what events add to their figure: one change for each object, however many events. */
function figureChanges(tx: Ctx, type: string, all: readonly object[]): FigureChange[] {
  const counts = isEventType(type) ? declarationOf(type).counts : undefined
  if (!counts) return []
  const { figure, of, isOfAccount = true, adds = 1 } = counts
  const objectsOf = (data: object) => [
    ...(isOfAccount ? [''] : []),
    ...(of ? [figureObject(of.type, (data as Record<string, number>)[of.field] as number)] : []),
  ]
  const at = tx.clock.now()
  const byObject = Map.groupBy(all.flatMap(objectsOf), (object) => object)
  return [...byObject].map(([object, { length }]) => ({ figure, object, at, value: adds * length }))
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

/** As `emission`, for a statement of a transaction of one account. */
export function emissionWithin(tx: Ctx, type: EventType, rows: Sql): Sql {
  mustBeInTransaction(tx, type)
  tx.afterCommit?.(() => tx.notify(announcedChannel))
  return emission(type, rows, tx.clock.now())
}
