import { z } from 'zod'
import { ownAccount } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { emit } from '../../events/index.ts'
import { invalid, invalidStored } from '../../kernel/errors.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import { amountOf, currencyCode, Decimal, decimal } from '../../kernel/values/money.ts'
import {
  buildSingleLine,
  computeLines,
  computeTotals,
  type Line,
  type LineInput,
  type VatCalculation,
} from '../amounts.ts'
import { numberPrefix, vatCalculationOf } from '../billing-profile/billing-profile.ts'
import { type CustomerInput, checkCustomer, recordCustomer, refreshCustomer } from '../customers/customers.ts'
import { linesOfOrder, lock as lockOrder } from '../orders/order-list.ts'
import { runOncePerEvent, type WithProviderEvent } from '../recording/provider-events.ts'
import { mustBeTransition, wrongStatus } from '../recording/status-transitions.ts'
import { issueDocument } from './billing-documents.ts'
import { byId, creditedAmountById, type Invoice, invoiceTable, lock } from './invoice-list.ts'

interface InvoiceInput extends WithProviderEvent {
  orderId?: string | number | null | undefined
  customer?: CustomerInput | null | undefined
  createContact?: boolean | null | undefined
  lines?: readonly LineInput[] | null | undefined
  pricesInclVat?: boolean | null | undefined
  currency?: string | null | undefined
  type?: string | null | undefined
  prefix?: string | null | undefined
}

const InvoiceRules = z.object({
  type: text(255).default('one_time'),
  prefix: numberPrefix.optional(),
  currency: currencyCode.optional(),
})

/** The customer, the currency and the lines of an invoice that is to be issued. */
interface InvoiceDraft {
  customerId: number
  orderId: number | null
  currency: string
  vatCalculation: VatCalculation
  lines: readonly Line[]
}

/**
 * Issues an invoice for an order, or for a customer and lines, with the next number of its series and a PDF. Seller, buyer
 * and lines are stored as they are now.
 *
 * Emits `invoice.created`, and `invoice.paid` if its total is 0. Throws VALIDATION_ERROR, NOT_FOUND for an order that
 * does not exist, and INVALID_STATE for a cancelled one.
 */
export async function issue(ctx: Ctx, input: InvoiceInput): Promise<{ invoice: Invoice }> {
  const fields = check(InvoiceRules, sent({ type: input.type, prefix: input.prefix, currency: input.currency }))
  const loadDraft =
    input.orderId == null ? await draftFromLines(ctx, input, fields.currency) : draftFromOrder(input, input.orderId)
  return runOncePerEvent(ctx, 'invoiceIssue', input, { invoice: byId }, async (tx) => {
    const draft = await loadDraft(tx)
    const { amount, amountInclVat } = computeTotals(draft.lines)
    const issuedDocument = await issueDocument(tx, { kind: 'invoice', prefix: fields.prefix, ...draft })
    const { prefix, number, seller, buyer, document, missingCharacters, createdAt } = issuedDocument
    const status = decimal(amountInclVat).isZero() ? 'PAID' : 'PAYMENT_DUE'
    const [row] = await tx.sql<Invoice>`
      INSERT INTO invoice AS i (account_id, prefix, number, customer_id, order_id, status, type, amount, amount_incl_vat,
        currency, vat_calculation, seller, buyer, lines, document_id,
        missing_characters, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${prefix}, ${number}::int, ${draft.customerId}::int, ${draft.orderId}::int,
        ${status}::invoice_status, ${fields.type}, ${amount}::numeric, ${amountInclVat}::numeric, ${draft.currency},
        ${draft.vatCalculation}::vat_calculation,
        ${JSON.stringify(seller)}::jsonb, ${JSON.stringify(buyer)}::jsonb, ${JSON.stringify(draft.lines)}::jsonb,
        ${document.id}::int, ${missingCharacters}, ${createdAt}::timestamptz, ${createdAt}::timestamptz)
      RETURNING ${invoiceTable.columns}`
    const issued = row as Invoice
    await emit(tx, 'invoice.created', { invoiceId: issued.id })
    if (status === 'PAID') await emit(tx, 'invoice.paid', { invoiceId: issued.id })
    return issued
  })
}

/**
 * Pays an invoice. The amount defaults to the open amount. Emits `invoice.paid` if nothing is open then. Throws INVALID_STATE
 * if the invoice is paid already, and VALIDATION_ERROR if the amount exceeds the open amount.
 */
export async function pay(
  ctx: Ctx,
  input: WithProviderEvent & { id: string | number; amount?: string | null | undefined },
): Promise<{ invoice: Invoice }> {
  return runOncePerEvent(ctx, 'invoicePay', input, { invoice: byId }, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status === 'PAID') throw wrongStatus('invoice', before.status)
    const amount =
      input.amount == null ? await computeOpenAmount(tx, before) : amountOf(input.amount, before.currency, 'amount')
    if (amount.isZero()) throw invalid({ amount: ['must be greater than 0'] }, 'TOO_SMALL')
    return applyPayment(tx, before, amount)
  })
}

/** Computes the open amount of an invoice: its total less payments and credit notes, at least 0. */
export async function computeOpenAmount(ctx: Ctx, invoice: Invoice): Promise<Decimal> {
  const credited = (await ctx.load(creditedAmountById, invoice.id)) ?? '0'
  return Decimal.max(0, decimal(invoice.amountInclVat).minus(invoice.paidAmount).minus(credited))
}

/**
 * Adds a payment in the invoice's currency to an invoice whose row the caller has locked. Emits `invoice.paid` if nothing is
 * open then. Throws VALIDATION_ERROR if the amount exceeds the open amount. With `owner`, the amount is not in the input but
 * of the object with the ID in this field.
 */
export async function applyPayment(tx: Ctx, invoice: Invoice, amount: Decimal, owner?: 'id'): Promise<Invoice> {
  const open = await computeOpenAmount(tx, invoice)
  if (amount.gt(open)) {
    const faults = { amount: [`must not exceed the open amount of ${open} ${invoice.currency}`] }
    throw owner ? invalidStored(owner, faults, 'TOO_BIG') : invalid(faults, 'TOO_BIG')
  }
  const status = amount.eq(open) ? 'PAID' : 'PARTIALLY_PAID'
  return updateStatus(tx, invoice, status, decimal(invoice.paidAmount).plus(amount))
}

/** Sets an invoice, whose row the caller has locked, to PAID if nothing is open. Emits `invoice.paid`. */
export async function closeIfSettled(tx: Ctx, invoice: Invoice): Promise<void> {
  if (invoice.status === 'PAID' || !(await computeOpenAmount(tx, invoice)).isZero()) return
  await updateStatus(tx, invoice, 'PAID', decimal(invoice.paidAmount))
}

async function updateStatus(tx: Ctx, before: Invoice, status: Invoice['status'], paid: Decimal): Promise<Invoice> {
  mustBeTransition('invoice', before.status, status)
  const [after] = await tx.sql<Invoice>`
    UPDATE invoice i SET status = ${status}::invoice_status, paid_amount = ${paid.toString()}::numeric,
      updated_at = ${tx.clock.now()}::timestamptz
    WHERE i.account_id = ${tx.sql.account} AND i.id = ${before.id} RETURNING ${invoiceTable.columns}`
  if (status === 'PAID') await emit(tx, 'invoice.paid', { invoiceId: before.id })
  return after as Invoice
}

function draftFromOrder(input: InvoiceInput, orderId: string | number): (tx: Ctx) => Promise<InvoiceDraft> {
  const conflicting = (['customer', 'lines', 'pricesInclVat', 'currency'] as const).filter(
    (field) => input[field] != null,
  )
  if (conflicting.length > 0) {
    throw invalid(Object.fromEntries(conflicting.map((field) => [field, ['must not be given with an order']])))
  }
  return async (tx) => {
    const order = await lockOrder(tx, orderId, 'orderId')
    if (order.status === 'CANCELLED') throw wrongStatus('order', order.status, 'orderId')
    const { id: customerId } = await refreshCustomer(tx, order.customerId)
    const orderLines = await tx.load(linesOfOrder, order.id)
    const lines = orderLines.map(({ name, quantity, unitPrice, vatRate, amount, vat }): Line => {
      const [price, net, tax] = [unitPrice, amount, vat].map((value) => decimal(value).toString())
      return { name, quantity, unitPrice: price, vatRate, amount: net, vat: tax } as Line
    })
    if (lines.length === 0) lines.push(buildSingleLine(`Order ${order.idOrder}`, order.amount))
    const { id, currency, vatCalculation } = order
    return { customerId, orderId: id, currency, vatCalculation, lines }
  }
}

async function draftFromLines(
  ctx: Ctx,
  input: InvoiceInput,
  requestedCurrency: string | undefined,
): Promise<(tx: Ctx) => Promise<InvoiceDraft>> {
  const { customer } = input
  if (customer == null) throw invalid({ customer: ['is required without an order'] }, 'REQUIRED')
  if (input.lines == null) throw invalid({ lines: ['are required without an order'] }, 'REQUIRED')
  const currency = requestedCurrency ?? (await ownAccount(ctx)).currency
  const vatCalculation = await vatCalculationOf(ctx, input.pricesInclVat)
  const lines = computeLines(input.lines, currency, vatCalculation)
  computeTotals(lines)
  const buyer = checkCustomer(customer)
  return async (tx) => {
    const { id: customerId } = await recordCustomer(tx, buyer, input.createContact === true)
    return { customerId, orderId: null, currency, vatCalculation, lines }
  }
}
