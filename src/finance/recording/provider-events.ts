import { z } from 'zod'
import type { Ctx, Loader, System } from '../../db/context.ts'
import { asRepeat, erasedHash, hashOf } from '../../db/requests/idempotency.ts'
import { inTransaction } from '../../db/transaction.ts'
import { removeOld } from '../../db/upkeep/retention.ts'
import { invalid } from '../../kernel/errors.ts'
import { checkAt, name } from '../../kernel/values/check.ts'

/** Retention of provider events in days: longer than any provider repeats one. */
const keptDays = 90

/** A payment provider's name, and its id of the event that reports the operation. */
export interface ProviderEventInput {
  provider: string
  eventId: string
}

/** The optional provider event of an operation. */
export interface WithProviderEvent {
  providerEvent?: ProviderEventInput | null | undefined
}

const ProviderEventRules = z.object({ provider: name(64), eventId: name(255) })

/** The ids of the rows that an operation returned: the row itself, and the document that it issued. */
interface StoredResult {
  readonly id: number
  readonly creditNoteId?: number | undefined
}

/** How the result of an operation is stored with its provider event, and read again. */
interface Result<Value> {
  store(value: Value): StoredResult
  load(tx: Ctx, stored: StoredResult): Promise<Value | null>
}

/** Runs an operation with `runOnce` that returns one row, under the name that `loader` has. */
export async function runOncePerEvent<Name extends string, Row extends { id: number }>(
  ctx: Ctx,
  operation: string,
  input: WithProviderEvent,
  loader: { readonly [field in Name]: Loader<number, Row, null> },
  run: (tx: Ctx) => Promise<Row>,
): Promise<Record<Name, Row>> {
  const [field, byId] = Object.entries(loader)[0] as [Name, Loader<number, Row, null>]
  const resultOf = (row: Row) => ({ [field]: row }) as Record<Name, Row>
  return runOnce(ctx, operation, input, async (tx) => resultOf(await run(tx)), {
    store: (result) => ({ id: result[field].id }),
    load: async (tx, { id }) => {
      const row = await tx.load(byId, id)
      return row && resultOf(row)
    },
  })
}

/**
 * Runs an operation in a transaction, once per provider event. If the event was processed before, also concurrently, it
 * changes nothing and returns the current rows. Without a provider event the operation always runs. A failed operation does
 * not store the event, so the provider can repeat it.
 *
 * Throws VALIDATION_ERROR on `providerEvent` if the event was used for another operation or with other input.
 */
export async function runOnce<Value extends object>(
  ctx: Ctx,
  operation: string,
  input: WithProviderEvent,
  run: (tx: Ctx) => Promise<Value>,
  { store, load }: Result<Value>,
): Promise<Value> {
  if (input.providerEvent == null) return inTransaction(ctx, run)
  const { provider, eventId } = checkAt('providerEvent', ProviderEventRules, input.providerEvent)
  const inputHash = hashOf([operation, input])
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      // A concurrent operation with the same event waits here until the first commits, and then reads its row.
      const inserted = await tx.sql`
        INSERT INTO provider_event (account_id, provider, event_id, input_hash, result, created_at)
        VALUES (${tx.sql.account}::int, ${provider}, ${eventId}, ${inputHash}, '{}', ${tx.clock.now()}::timestamptz)
        ON CONFLICT DO NOTHING RETURNING event_id`
      if (inserted.length > 0) {
        const value = await run(tx)
        await tx.sql`
          UPDATE provider_event SET result = ${JSON.stringify(store(value))}::jsonb
          WHERE account_id = ${tx.sql.account} AND provider = ${provider} AND event_id = ${eventId}`
        return value
      }
      const [known] = await tx.sql<{ inputHash: string; result: StoredResult }>`
        SELECT input_hash AS "inputHash", result FROM provider_event
        WHERE account_id = ${tx.sql.account} AND provider = ${provider} AND event_id = ${eventId}`
      if (known && ![inputHash, erasedHash].includes(known.inputHash)) {
        throw invalid({ providerEvent: ['was used for another operation, or with other input'] })
      }
      const value = known && (await load(tx, known.result))
      if (value) return asRepeat(value)
      // The event was deleted after its retention time between the two statements: try again.
    }
  })
}

/** Deletes provider events after their retention time. */
export async function removeOldEvents(system: Pick<System, 'db' | 'clock'>): Promise<void> {
  await removeOld(system, { table: 'provider_event', since: 'created_at', keptDays })
}
