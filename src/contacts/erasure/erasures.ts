import type { ContactErasure } from '../../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../../db/context.ts'
import { enqueue, runBatches } from '../../db/jobs/jobs.ts'
import type { ErasedPerson, ErasureStep } from '../../db/persons/erasure.ts'
import { storedResultErasure } from '../../db/persons/erasure.ts'
import { type RowOf, table } from '../../db/table.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit, eventErasure } from '../../events/index.ts'
import { addressSpellings } from '../../kernel/values/address-key.ts'
import { bulkErasure } from '../bulk/bulk-erasure.ts'
import { isWithdrawn } from '../consents/consents.ts'
import { importErasure } from '../imports/import-erasure.ts'
import { removeLocked } from '../people/batch-changes.ts'
import { ports } from '../ports.ts'
import { type Contact, type ContactRef, lock } from '../record/contact-lookup.ts'

export const erasureJob = 'contacts:erase'

/** Payload of the job that continues an erasure. */
interface ErasureJobPayload {
  accountId: number
  erasureId: number
}

/** Minimum length of a phone number by which copies are found. Shorter ones occur in other data. */
const minPhoneLength = 7

const erasureTable = table('ContactErasure', 'z', {
  noun: 'erasure',
  without: ['person', 'step', 'position'],
})

/** An erasure, without the person. */
export type Erasure = RowOf<typeof erasureTable>

/** Loads erasures by id. */
export const { byId } = erasureTable

/**
 * Erases a person: deletes the contact as `remove` does, also a contact with sales, and enqueues the job that removes the person
 * from copies. With `redactSales`, names and addresses are also removed from sales. An address that opted out stays suppressed
 * by its hash.
 *
 * **Emits** `contact.deleted`, and `contact.erased` when the erasure is complete. **Throws** NOT_FOUND.
 */
export async function erase(
  ctx: Ctx,
  input: { contact: ContactRef; redactSales?: boolean | null | undefined },
): Promise<{ databaseId: number; contactErasure: Erasure }> {
  return inTransaction(ctx, async (tx) => {
    const contact = await lock(tx, input.contact)
    const person = await identify(tx, contact, input.redactSales ?? false)
    const isOptedOut = await isWithdrawn(tx, contact.id)
    await removeLocked(tx, [contact.id])
    await ports.erase(tx, person, isOptedOut)
    const [erasure] = await tx.sql<Erasure>`
      INSERT INTO contact_erasure AS z (account_id, contact_id, redact_sales, person, created_at)
      VALUES (${tx.sql.account}::int, ${contact.id}::int, ${person.redactSales}, ${JSON.stringify(person)}::jsonb,
        ${tx.clock.now()}::timestamptz)
      RETURNING ${erasureTable.columns}`
    await enqueueErasure(tx, (erasure as Erasure).id)
    return { databaseId: contact.id, contactErasure: erasure as Erasure }
  })
}

/** Collects what identifies a person in copies. The contact is locked and not yet deleted. */
async function identify(tx: Ctx, { id, email, phone }: Contact, redactSales: boolean): Promise<ErasedPerson> {
  const { refs, emails } = await ports.identify(tx, id)
  const texts = [email, ...emails].flatMap(addressSpellings)
  if (phone.length >= minPhoneLength) texts.push(phone.toLowerCase())
  return {
    contactId: id,
    texts: [...new Set(texts)],
    refs: { contactId: [id], ...refs },
    redactSales,
  }
}

/** The steps of an erasure, in order. Events come before the deliveries that are copied from them. */
export function erasureSteps(): readonly ErasureStep[] {
  return [...eventErasure, ...storedResultErasure, ...importErasure, ...bulkErasure, ...ports.erasureSteps]
}

async function enqueueErasure(tx: Ctx, erasureId: number): Promise<void> {
  const payload: ErasureJobPayload = { accountId: tx.accountId, erasureId }
  await enqueue(tx, erasureJob, payload, { queue: `contact erasure ${tx.accountId}`, priority: 5 })
}

/**
 * Runs the job of an erasure: runs its steps batch by batch until it is complete or the time is up. Each batch stores how far it
 * is in its transaction, so that an interrupted run continues there.
 */
export async function runErasure(system: System, { accountId, erasureId }: ErasureJobPayload): Promise<void> {
  await runBatches(system, accountId, {
    next: (ctx) => inTransaction(ctx, (tx) => runBatch(tx, erasureId)),
    enqueueNext: (tx) => enqueueErasure(tx, erasureId),
  })
}

/** Runs a batch. Returns whether the erasure is complete. */
async function runBatch(tx: Ctx, erasureId: number): Promise<boolean> {
  const [found] = await tx.sql<Pick<ContactErasure, 'step' | 'position'> & { person: ErasedPerson }>`
    SELECT z.person, z.step, z.position FROM contact_erasure z
    WHERE z.account_id = ${tx.sql.account} AND z.id = ${erasureId}::int AND z.status = 'RUNNING' FOR UPDATE`
  if (!found) return true
  const steps = erasureSteps()
  // A step that this version does not have was done by another version: the erasure starts again.
  const index = Math.max(
    steps.findIndex(({ name }) => name === found.step),
    0,
  )
  const step = steps[index] as ErasureStep
  const position = await step.run(tx, found.person, step.name === found.step ? found.position : null)
  const next = position === null ? steps[index + 1] : step
  if (next) {
    await tx.sql`
      UPDATE contact_erasure SET step = ${next.name}, position = ${position}
      WHERE account_id = ${tx.sql.account} AND id = ${erasureId}::int`
    return false
  }
  await tx.sql`
    UPDATE contact_erasure SET status = 'COMPLETED', completed_at = ${tx.clock.now()}::timestamptz, person = NULL,
      step = NULL, position = NULL
    WHERE account_id = ${tx.sql.account} AND id = ${erasureId}::int`
  await emit(tx, 'contact.erased', { contactId: found.person.contactId })
  return true
}
