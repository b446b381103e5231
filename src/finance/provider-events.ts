import { z } from 'zod'
import type { Ctx, System } from '../db/context.ts'
import { hashOf } from '../db/idempotency.ts'
import type { Loader } from '../db/load.ts'
import { deleteOld } from '../db/retention.ts'
import { inTransaction } from '../db/transaction.ts'
import { check, name } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'

/** How long a provider's message is known again: longer than any of them goes on repeating one. */
export const keptDays = 90

/** A payment provider's name, and its own id of the message that tells of this. */
export interface ProviderEventInput {
  provider: string
  eventId: string
}

/** What every recording operation takes besides its own. */
export interface Reported {
  providerEvent?: ProviderEventInput | null | undefined
}

const Given = z.object({ provider: name(64), eventId: name(255) })

/**
 * Runs an operation in a transaction, once per message of a payment provider: the same message again, and at the same
 * moment too, changes nothing and answers the row as it is now. Without a message it simply runs. A failure keeps
 * nothing, so the provider may try again.
 *
 * Fails with VALIDATION_ERROR naming `providerEvent` where the message was used for another operation or with other input.
 */
export async function onceByEvent<Row extends { id: number }>(
  ctx: Ctx,
  operation: string,
  input: Reported,
  loader: Loader<number, Row, null>,
  run: (tx: Ctx) => Promise<Row>,
): Promise<Row> {
  if (input.providerEvent == null) return inTransaction(ctx, run)
  const { provider, eventId } = check(z.object({ providerEvent: Given }), {
    providerEvent: input.providerEvent,
  }).providerEvent
  const inputHash = hashOf([operation, input])
  return inTransaction(ctx, async (tx) => {
    for (;;) {
      // Whoever comes second waits here until the first has committed, and then finds its row.
      const taken = await tx.sql`
        INSERT INTO provider_event (account_id, provider, event_id, input_hash, result, created_at)
        VALUES (${tx.sql.account}::int, ${provider}, ${eventId}, ${inputHash}, '{}', ${tx.clock.now()}::timestamptz)
        ON CONFLICT DO NOTHING RETURNING event_id`
      if (taken.length > 0) {
        const row = await run(tx)
        await tx.sql`
          UPDATE provider_event SET result = jsonb_build_object('id', ${row.id}::int)
          WHERE account_id = ${tx.sql.account} AND provider = ${provider} AND event_id = ${eventId}`
        return row
      }
      const [known] = await tx.sql<{ inputHash: string; id: number }>`
        SELECT input_hash AS "inputHash", (result->>'id')::int AS id FROM provider_event
        WHERE account_id = ${tx.sql.account} AND provider = ${provider} AND event_id = ${eventId}`
      if (known && known.inputHash !== inputHash) {
        throw invalid({ providerEvent: ['was used for another operation, or with other input'] })
      }
      const row = known && (await tx.load(loader, known.id))
      if (row) return row
      // The message was too old, and forgotten in this very moment.
    }
  })
}

/** Deletes the messages that no provider repeats any more. */
export async function forgetOldEvents(system: Pick<System, 'db' | 'clock'>): Promise<void> {
  await deleteOld(system, { table: 'provider_event', since: 'created_at', keptDays })
}
