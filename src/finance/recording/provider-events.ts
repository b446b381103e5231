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

/**
 * Runs an operation in a transaction, once per provider event. If the event was processed before, also concurrently, it
 * changes nothing and returns the current row. Without a provider event the operation always runs. A failed operation does
 * not store the event, so the provider can repeat it. The result contains the row under the name that `loader` has.
 *
 * Throws VALIDATION_ERROR on `providerEvent` if the event was used for another operation or with other input.
 */
export async function runOncePerEvent<Name extends string, Row extends { id: number }>(
  ctx: Ctx,
  operation: string,
  input: WithProviderEvent,
  loader: { readonly [field in Name]: Loader<number, Row, null> },
  run: (tx: Ctx) => Promise<Row>,
): Promise<Record<Name, Row>> {
  const [field, byId] = Object.entries(loader)[0] as [Name, Loader<number, Row, null>]
  const resultOf = (row: Row) => ({ [field]: row }) as Record<Name, Row>
  if (input.providerEvent == null) return inTransaction(ctx, async (tx) => resultOf(await run(tx)))
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
        const row = await run(tx)
        await tx.sql`
          UPDATE provider_event SET result = jsonb_build_object('id', ${row.id}::int)
          WHERE account_id = ${tx.sql.account} AND provider = ${provider} AND event_id = ${eventId}`
        return resultOf(row)
      }
      const [known] = await tx.sql<{ inputHash: string; id: number }>`
        SELECT input_hash AS "inputHash", (result->>'id')::int AS id FROM provider_event
        WHERE account_id = ${tx.sql.account} AND provider = ${provider} AND event_id = ${eventId}`
      if (known && ![inputHash, erasedHash].includes(known.inputHash)) {
        throw invalid({ providerEvent: ['was used for another operation, or with other input'] })
      }
      const row = known && (await tx.load(byId, known.id))
      if (row) return asRepeat(resultOf(row))
      // The event was deleted after its retention time between the two statements: try again.
    }
  })
}

/** Deletes provider events after their retention time. */
export async function removeOldEvents(system: Pick<System, 'db' | 'clock'>): Promise<void> {
  await removeOld(system, { table: 'provider_event', since: 'created_at', keptDays })
}
