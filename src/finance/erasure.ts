import { impersonalAttribution, impersonalTerms } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { type ErasedPerson, type ErasureStep, tableStep } from '../db/persons/erasure.ts'
import { erasedHash } from '../db/requests/idempotency.ts'
import { join, raw, sql } from '../db/sql.ts'
import { redactDocument } from './billing/billing-documents.ts'
import type { Buyer } from './billing/pdf/parties.ts'

/**
 * Locks the customers of a contact, also one with its address that is linked to no contact, against new sales. Returns the ids
 * of the customers and of their sales.
 */
export async function refsOf(tx: Ctx, contactId: number): Promise<Record<string, number[]>> {
  const customers = await tx.sql<{ id: number }>`
    SELECT u.id FROM customer u WHERE u.account_id = ${tx.sql.account} AND (u.contact_id = ${contactId}::int
      OR (u.contact_id IS NULL AND address_key(u.email) = (SELECT address_key(c.email) FROM contact c
        WHERE c.account_id = u.account_id AND c.id = ${contactId}::int)))
    ORDER BY u.id FOR UPDATE OF u`
  const customerId = customers.map(({ id }) => id)
  const [sales] = await tx.sql<Record<string, number[]>>`
    SELECT ${idsOfCustomers(tx, '"order"', customerId)} AS "orderId",
      ${idsOfCustomers(tx, 'transaction', customerId)} AS "transactionId",
      ${idsOfCustomers(tx, 'invoice', customerId)} AS "invoiceId",
      ${idsOfCustomers(tx, 'credit_note', customerId)} AS "creditNoteId",
      ${idsOfCustomers(tx, 'billing_subscription', customerId)} AS "subscriptionId"`
  return { customerId, ...sales }
}

function idsOfCustomers(tx: Ctx, table: string, customerIds: readonly number[]) {
  return sql`ARRAY(SELECT s.id FROM ${raw(table)} s WHERE s.account_id = ${tx.sql.account}
    AND s.customer_id = ANY(${[...customerIds]}::int[]) ORDER BY s.id)`
}

/** Returns the e-mail addresses of customers. */
export async function emailsOf(tx: Ctx, customerIds: readonly number[]): Promise<string[]> {
  const rows = await tx.sql<{ email: string }>`
    SELECT u.email FROM customer u WHERE u.account_id = ${tx.sql.account} AND u.id = ANY(${[...customerIds]}::int[])`
  return rows.map(({ email }) => email)
}

/**
 * Deletes the customers of an erased person that have no sales. Removes personal values from the attribution of orders, and IP
 * addresses from the terms that were accepted with them. If sales are redacted, also removes the names and addresses of the
 * customers, and of the buyer on invoices and credit notes.
 */
export async function erase(tx: Ctx, { refs, redactSales }: ErasedPerson): Promise<void> {
  const customerIds = [...(refs['customerId'] ?? [])]
  if (customerIds.length === 0) return
  await tx.sql`
    UPDATE "order" o SET attribution = ${impersonalAttribution(sql`o.attribution`)},
      accepted_terms = ${impersonalTerms(sql`o.accepted_terms`)}
    WHERE o.account_id = ${tx.sql.account} AND o.customer_id = ANY(${customerIds}::int[])
      AND (o.attribution <> '{}' OR o.accepted_terms <> '[]')`
  const isSold = (table: string) =>
    sql`EXISTS (SELECT FROM ${raw(table)} s WHERE s.account_id = u.account_id AND s.customer_id = u.id)`
  await tx.sql`
    DELETE FROM customer u WHERE u.account_id = ${tx.sql.account} AND u.id = ANY(${customerIds}::int[])
      AND NOT (${join(sales.map(isSold), ' OR ')})`
  if (!redactSales) return
  await tx.sql`
    UPDATE customer u SET email = 'erased-' || u.id || '@erased.invalid', first_name = '', last_name = '',
      company_name = '', address = '', vat_number = ''
    WHERE u.account_id = ${tx.sql.account} AND u.id = ANY(${customerIds}::int[])`
  const buyer = JSON.stringify(erasedBuyer)
  await tx.sql`
    UPDATE invoice i SET buyer = ${buyer}::jsonb
    WHERE i.account_id = ${tx.sql.account} AND i.customer_id = ANY(${customerIds}::int[])`
  await tx.sql`
    UPDATE credit_note n SET buyer = ${buyer}::jsonb, reason = ''
    WHERE n.account_id = ${tx.sql.account} AND n.customer_id = ANY(${customerIds}::int[])`
}

/** Tables with rows that keep a customer. */
const sales = ['"order"', 'transaction', 'invoice', 'credit_note', 'billing_subscription'] as const

const erasedBuyer: Buyer = { email: '', name: '', companyName: '', address: '', vatNumber: '' }

/** Renders the PDFs of redacted sales again, one in each batch. */
const billingDocuments: ErasureStep = {
  name: 'billing documents',
  tables: ['document'],
  run: async (tx, { refs, redactSales }, position) => {
    const documents = [
      ...(refs['invoiceId'] ?? []).map((id) => ({ kind: 'invoice', id }) as const),
      ...(refs['creditNoteId'] ?? []).map((id) => ({ kind: 'credit_note', id }) as const),
    ]
    const index = Number(position ?? 0)
    const document = redactSales ? documents[index] : undefined
    if (!document) return null
    await redactDocument(tx, document)
    return String(index + 1)
  },
}

/** Removes the hashes of the inputs with which payment providers reported redacted sales. */
const providerEvents = tableStep({
  name: 'provider events',
  table: 'provider_event',
  key: 'event_id',
  keyType: 'text',
  change: async (tx, { refs, redactSales }, inBatch) => {
    if (!redactSales) return
    const { orderId = [], transactionId = [], invoiceId = [], creditNoteId = [], subscriptionId = [] } = refs
    const ids = [...orderId, ...transactionId, ...invoiceId, ...creditNoteId, ...subscriptionId]
    await tx.sql`
      UPDATE provider_event t SET input_hash = ${erasedHash}
      WHERE t.account_id = ${tx.sql.account} AND ${inBatch} AND (t.result ->> 'id')::int = ANY(${ids}::int[])`
  },
})

/** What is removed from sales after the deletion of the contact. */
export const erasureSteps: readonly ErasureStep[] = [providerEvents, billingDocuments]
