import { z } from 'zod'
import { contacts } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { isOneOf, type Sql, sql } from '../../db/sql.ts'
import { inSavepoint } from '../../db/transaction.ts'
import { Refusal } from '../../kernel/errors.ts'
import { checkAt, email, sent, text } from '../../kernel/values/check.ts'
import { byId } from './customer-list.ts'

const CustomerRules = z.object({
  email,
  firstName: text(255).optional(),
  lastName: text(255).optional(),
  companyName: text(255).optional(),
  address: text(500).optional(),
  vatNumber: text(64).optional(),
})

type Optional = 'firstName' | 'lastName' | 'companyName' | 'address' | 'vatNumber'

/** A customer as clients send it, identified by e-mail address. Absent and null fields stay as they are stored. */
export type CustomerInput = { email: string } & { [Key in Optional]?: string | null | undefined }

/** The customer of an operation that records a sale. */
export interface WithCustomer {
  customer: CustomerInput
  /** Whether stored fields are kept, because the buyer has not proven that the e-mail address is theirs. */
  keepsCustomer?: boolean | undefined
  createContact?: boolean | null | undefined
}

/** A validated customer. */
type CustomerFields = z.output<typeof CustomerRules>

/** Validates a customer. Throws VALIDATION_ERROR. */
export function checkCustomer(customer: CustomerInput): CustomerFields {
  return checkAt('customer', CustomerRules, sent(customer))
}

/**
 * Creates or updates the customer of an e-mail address, and locks its row until the transaction ends. Links the contact with
 * the same address. If there is none, `createContact` creates it; a full quota is ignored and leaves the customer without a
 * contact, because a quota must not reject a sale. With `keepsCustomer`, only empty fields are filled in.
 *
 * Also locks the contact, so that a concurrent deletion of it sees the sale that is recorded here.
 */
export async function recordCustomer(
  tx: Ctx,
  fields: CustomerFields,
  createContact: boolean,
  keepsCustomer = false,
): Promise<RecordedCustomer> {
  const { linked, addressed } = contactsOf(tx, fields.email)
  const isBuyer = sql`c.account_id = ${tx.sql.account} AND c.id = coalesce(${linked}, ${addressed})`
  const found = await write(tx, fields, keepsCustomer, sql`SELECT c.id FROM contact c WHERE ${isBuyer} FOR KEY SHARE`)
  if (found) return found
  // There is no contact, or a concurrent operation deletes the linked one.
  const contactId =
    (await lockContactByEmail(tx, fields.email)) ?? (createContact ? await createContactFrom(tx, fields) : null)
  const recorded = await write(tx, fields, keepsCustomer, sql`SELECT ${contactId}::int AS id`)
  if (!recorded) throw new Error('The customer was neither inserted nor updated.')
  return recorded
}

/** A customer whose row and whose contact are locked. */
interface RecordedCustomer {
  readonly id: number
  readonly contactId: number | null
}

/**
 * Inserts or updates a customer, linked to the contact that `contact` selects and locks. Returns undefined, and changes nothing,
 * if it selects none. The contact is locked before the customer, in the same order as its deletion locks them.
 */
async function write(
  tx: Ctx,
  fields: CustomerFields,
  keepsCustomer: boolean,
  contact: Sql,
): Promise<RecordedCustomer | undefined> {
  const merged = (column: Sql, value: string | undefined) =>
    sql`CASE WHEN ${keepsCustomer}::boolean AND ${column} <> '' THEN ${column} ELSE coalesce(${value ?? null}::text, ${column}) END`
  const [customer] = await tx.sql<RecordedCustomer & { locked: number | null }>`
    WITH buyer AS MATERIALIZED (${contact}), saved AS (
    INSERT INTO customer AS u (account_id, email, first_name, last_name, company_name, address, vat_number, contact_id, created_at)
    SELECT ${tx.sql.account}::int, ${fields.email}, ${fields.firstName ?? ''}, ${fields.lastName ?? ''},
      ${fields.companyName ?? ''}, ${fields.address ?? ''}, ${fields.vatNumber ?? ''}, buyer.id, ${tx.clock.now()}::timestamptz
    FROM buyer
    ON CONFLICT (account_id, address_key(email)) DO UPDATE SET
      first_name = ${merged(sql`u.first_name`, fields.firstName)},
      last_name = ${merged(sql`u.last_name`, fields.lastName)},
      company_name = ${merged(sql`u.company_name`, fields.companyName)},
      address = ${merged(sql`u.address`, fields.address)},
      vat_number = ${merged(sql`u.vat_number`, fields.vatNumber)},
      contact_id = coalesce(u.contact_id, excluded.contact_id)
    RETURNING u.id, u.contact_id)
    SELECT saved.id, saved.contact_id AS "contactId", buyer.id AS locked FROM saved CROSS JOIN buyer`
  if (!customer) return undefined
  const { locked, ...recorded } = customer
  // A concurrent operation linked it to another contact.
  if (recorded.contactId !== null && recorded.contactId !== locked) await lockContact(tx, recorded.contactId)
  return recorded
}

/** Locks a customer by id, as `recordCustomer` does: also locks its contact, and links one if there was none. */
export async function refreshCustomer(tx: Ctx, id: number): Promise<RecordedCustomer> {
  const customer = await tx.load(byId, id)
  if (!customer) throw new Error(`Customer ${id} does not exist.`)
  return recordCustomer(tx, { email: customer.email }, false)
}

/** Selects the contact that is linked to the customer of an e-mail address, and the contact with that address. */
function contactsOf(tx: Ctx, address: string): { linked: Sql; addressed: Sql } {
  return {
    linked: sql`(SELECT u.contact_id FROM customer u
      WHERE u.account_id = ${tx.sql.account} AND address_key(u.email) = address_key(${address}))`,
    addressed: sql`(SELECT a.id FROM contact a WHERE a.account_id = ${tx.sql.account} AND address_key(a.email) = address_key(${address}))`,
  }
}

/** Locks the contact that is linked to the customer of an e-mail address, or else the contact with that address. */
async function lockContactByEmail(tx: Ctx, address: string): Promise<number | null> {
  const { linked, addressed } = contactsOf(tx, address)
  const [row] = await tx.sql<{ linked: number | null; addressed: number | null }>`
    SELECT ${linked} AS linked, ${addressed} AS addressed`
  for (const id of [row?.linked, row?.addressed]) {
    if (id != null && (await lockContact(tx, id))) return id
  }
  return null
}

/** Prevents the deletion of a contact until the transaction ends. Returns false if it does not exist. */
async function lockContact(tx: Ctx, id: number): Promise<boolean> {
  const rows = await tx.sql`
    SELECT id FROM contact WHERE account_id = ${tx.sql.account} AND id = ${id} FOR KEY SHARE`
  return rows.length > 0
}

async function createContactFrom(tx: Ctx, fields: CustomerFields): Promise<number | null> {
  const { email: address, firstName, lastName, companyName } = fields
  try {
    const { contact } = await inSavepoint(tx, (inner) =>
      contacts.create(inner, { email: address, firstName, lastName, companyName }),
    )
    return contact.id
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'QUOTA_EXCEEDED') return null
    // A concurrent operation created it.
    if (error.code === 'CONTACT_EXISTS') return lockContactByEmail(tx, address)
    throw error
  }
}

/** Links customers without a contact to those of the contacts that have the same e-mail address. */
export async function linkCustomersByEmail(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  await tx.sql.later`
    UPDATE customer u SET contact_id = c.id FROM contact c
    WHERE c.account_id = ${tx.sql.account} AND ${isOneOf(sql`c.id`, contactIds)}
      AND u.account_id = c.account_id AND address_key(u.email) = address_key(c.email) AND u.contact_id IS NULL`
}

/** Links the customers of a contact, and one with its address that has none, to another contact. */
export async function mergeCustomers(
  tx: Ctx,
  from: { id: number; email: string },
  into: { id: number },
): Promise<void> {
  await tx.sql`
    UPDATE customer u SET contact_id = ${into.id}::int
    WHERE u.account_id = ${tx.sql.account} AND (u.contact_id = ${from.id}::int
      OR (u.contact_id IS NULL AND address_key(u.email) = address_key(${from.email})))`
}

/**
 * Returns why contacts must be kept, by their ids: orders and transactions of a customer that is linked to the contact, or has
 * its address and is linked to no contact. The rows of the contacts are locked.
 */
export async function reasonsToKeepContacts(
  tx: Ctx,
  contactIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const rows = await tx.sql<{ contactId: number; orders: boolean; transactions: boolean }>`
    WITH buyer AS (
      SELECT u.id, u.contact_id FROM customer u
      WHERE u.account_id = ${tx.sql.account} AND u.contact_id = ANY(${contactIds}::int[])
      UNION SELECT u.id, c.id FROM customer u JOIN contact c ON c.account_id = u.account_id AND address_key(c.email) = address_key(u.email)
        WHERE u.account_id = ${tx.sql.account} AND c.id = ANY(${contactIds}::int[]) AND u.contact_id IS NULL
    ), sale AS (
      SELECT b.contact_id,
        EXISTS (SELECT FROM "order" o WHERE o.account_id = ${tx.sql.account} AND o.customer_id = b.id) AS orders,
        EXISTS (SELECT FROM transaction t WHERE t.account_id = ${tx.sql.account} AND t.customer_id = b.id) AS transactions
      FROM buyer b)
    SELECT contact_id AS "contactId", bool_or(orders) AS orders, bool_or(transactions) AS transactions FROM sale
    GROUP BY contact_id HAVING bool_or(orders) OR bool_or(transactions)`
  return new Map(
    rows.map(({ contactId, orders }) => [
      contactId,
      `The contact has ${orders ? 'orders' : 'transactions'}; it was unsubscribed instead.`,
    ]),
  )
}
