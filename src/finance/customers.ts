import { z } from 'zod'
import { contacts } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inSavepoint } from '../db/transaction.ts'
import { check, email, sent, text } from '../kernel/check.ts'
import { Refusal } from '../kernel/errors.ts'
import { byId, type Customer, customerColumns } from './customer-list.ts'

const Details = z.object({
  email,
  firstName: text(255).optional(),
  lastName: text(255).optional(),
  companyName: text(255).optional(),
  address: text(500).optional(),
  vatNumber: text(64).optional(),
})

type Optional = 'firstName' | 'lastName' | 'companyName' | 'address' | 'vatNumber'

/** Who buys, as clients tell of them: by address; what is absent or null stays as it is known. */
export type CustomerInput = { email: string } & { [Key in Optional]?: string | null | undefined }

/** What a recording operation takes about who it is for. */
export interface ForCustomer {
  customer: CustomerInput
  /** Whether what is known of the customer stays, because nobody has proven that the address is the buyer's own. */
  keepsCustomer?: boolean | undefined
  createContact?: boolean | null | undefined
}

/** A customer as told, checked. */
export type GivenCustomer = z.output<typeof Details>

/** Checks what a client tells of a customer. Fails with VALIDATION_ERROR. */
export function checked(customer: CustomerInput): GivenCustomer {
  return check(z.object({ customer: Details }), { customer: sent(customer) }).customer
}

/**
 * The customer of an address, made or brought up to date, its row locked until the transaction ends: however many ask at
 * once, one comes of it. The contact of the address stands beside it; `createContact` makes one where there is none and
 * the quota allows. Over the quota there is none, for a quota never refuses money. With `keepsCustomer` only what is not
 * known of the customer is filled in.
 *
 * The contact's row is held as well, so that it cannot be deleted before the deletion sees what is recorded here.
 */
export async function record(
  tx: Ctx,
  given: GivenCustomer,
  createContact: boolean,
  keepsCustomer = false,
): Promise<Customer> {
  // The contact before the customer, as a deletion takes them.
  const held = (await holdContact(tx, given.email)) ?? (createContact ? await newContact(tx, given) : null)
  const known = (column: Sql, value: string | undefined) =>
    sql`CASE WHEN ${keepsCustomer}::boolean AND ${column} <> '' THEN ${column} ELSE coalesce(${value ?? null}::text, ${column}) END`
  const [customer] = await tx.sql<Customer>`
    INSERT INTO customer AS u (account_id, email, first_name, last_name, company_name, address, vat_number, contact_id, created_at)
    VALUES (${tx.sql.account}::int, ${given.email}, ${given.firstName ?? ''}, ${given.lastName ?? ''},
      ${given.companyName ?? ''}, ${given.address ?? ''}, ${given.vatNumber ?? ''}, ${held}::int,
      ${tx.clock.now()}::timestamptz)
    ON CONFLICT (account_id, lower(email)) DO UPDATE SET
      first_name = ${known(sql`u.first_name`, given.firstName)},
      last_name = ${known(sql`u.last_name`, given.lastName)},
      company_name = ${known(sql`u.company_name`, given.companyName)},
      address = ${known(sql`u.address`, given.address)},
      vat_number = ${known(sql`u.vat_number`, given.vatNumber)},
      contact_id = coalesce(u.contact_id, excluded.contact_id)
    RETURNING ${customerColumns}`
  if (!customer) throw new Error('A customer was neither made nor found.')
  // Someone else linked it to another contact in this very moment.
  if (customer.contactId !== null && customer.contactId !== held) await hold(tx, customer.contactId)
  return customer
}

/** The same for a customer that is known by id: its contact is held, and linked where there was none. */
export async function again(tx: Ctx, id: number): Promise<Customer> {
  const customer = await tx.load(byId, id)
  if (!customer) throw new Error(`The customer ${id} is gone.`)
  return record(tx, { email: customer.email }, false)
}

/** The contact that stands beside a customer of this address, or would: held until the transaction ends. */
async function holdContact(tx: Ctx, address: string): Promise<number | null> {
  const [found] = await tx.sql<{ linked: number | null; addressed: number | null }>`
    SELECT (SELECT u.contact_id FROM customer u
        WHERE u.account_id = ${tx.sql.account} AND lower(u.email) = lower(${address})) AS linked,
      (SELECT c.id FROM contact c WHERE c.account_id = ${tx.sql.account} AND lower(c.email) = lower(${address})) AS addressed`
  for (const id of [found?.linked, found?.addressed]) {
    if (id != null && (await hold(tx, id))) return id
  }
  return null
}

/** Keeps a contact from being deleted until the transaction ends; false where it is gone. */
async function hold(tx: Ctx, id: number): Promise<boolean> {
  const rows = await tx.sql`
    SELECT id FROM contact WHERE account_id = ${tx.sql.account} AND id = ${id} FOR KEY SHARE`
  return rows.length > 0
}

async function newContact(tx: Ctx, given: GivenCustomer): Promise<number | null> {
  const { email: address, firstName, lastName, companyName } = given
  try {
    const made = await inSavepoint(tx, (inner) =>
      contacts.create(inner, { email: address, firstName, lastName, companyName }),
    )
    return made.contact.id
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.code === 'QUOTA_EXCEEDED') return null
    // Someone else made it in this very moment.
    if (error.code === 'CONTACT_EXISTS') return holdContact(tx, address)
    throw error
  }
}

/** Links customers without a contact to the contacts that have got their address. */
export async function linkByAddress(tx: Ctx, contactIds: readonly number[]): Promise<void> {
  await tx.sql`
    UPDATE customer u SET contact_id = c.id FROM contact c
    WHERE c.account_id = ${tx.sql.account} AND c.id = ANY(${contactIds}::int[])
      AND u.account_id = c.account_id AND lower(u.email) = lower(c.email) AND u.contact_id IS NULL`
}

/**
 * Returns why a contact must be kept, or undefined if it may be deleted: orders and transactions of a customer that is
 * linked to it, or has its address and is linked to no contact. Its row is locked.
 */
export async function whyKept(tx: Ctx, contactId: number): Promise<string | undefined> {
  const [found] = await tx.sql<{ orders: boolean; transactions: boolean }>`
    WITH buyer AS (
      SELECT u.id FROM customer u WHERE u.account_id = ${tx.sql.account} AND u.contact_id = ${contactId}
      UNION SELECT u.id FROM customer u JOIN contact c ON c.account_id = u.account_id AND lower(c.email) = lower(u.email)
        WHERE u.account_id = ${tx.sql.account} AND c.id = ${contactId} AND u.contact_id IS NULL)
    SELECT
      EXISTS (SELECT FROM buyer JOIN "order" o ON o.customer_id = buyer.id
        WHERE o.account_id = ${tx.sql.account}) AS orders,
      EXISTS (SELECT FROM buyer JOIN transaction t ON t.customer_id = buyer.id
        WHERE t.account_id = ${tx.sql.account}) AS transactions`
  if (found?.orders) return 'The contact has orders; it was unsubscribed instead.'
  return found?.transactions ? 'The contact has transactions; it was unsubscribed instead.' : undefined
}
