import { z } from 'zod'
import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { emit } from '../events/index.ts'
import { check, sent, text } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { amountOf, currencyCode, Decimal, decimal } from '../kernel/money.ts'
import { type Line, type LineInput, linesOf, singleLine, totalsOf } from './amounts.ts'
import { prefix } from './billing-profile.ts'
import { again, type CustomerInput, checked, record as recordCustomer } from './customers.ts'
import { byId, creditedOf, type Invoice, invoiceColumns, lock } from './invoice-list.ts'
import { linesOfOrder, lock as lockOrder } from './order-list.ts'
import { issuePaper } from './papers.ts'
import { onceByEvent, type Reported } from './provider-events.ts'
import { mustMove, wrongState } from './states.ts'

export interface InvoiceInput extends Reported {
  orderId?: string | number | null | undefined
  customer?: CustomerInput | null | undefined
  createContact?: boolean | null | undefined
  lines?: readonly LineInput[] | null | undefined
  currency?: string | null | undefined
  type?: string | null | undefined
  prefix?: string | null | undefined
}

const Rules = z.object({
  type: text(255).default('one_time'),
  prefix: prefix.optional(),
  currency: currencyCode.optional(),
})

/** What an invoice is for: a customer who owes, for these lines. */
interface Debt {
  customerId: number
  orderId: number | null
  currency: string
  lines: readonly Line[]
}

/**
 * Issues an invoice, for an order or for lines of its own, with the next number of its series and its PDF. Seller, buyer
 * and lines are kept as they stand now.
 *
 * Announces `invoice.created`, and `invoice.paid` where there is nothing to pay. Fails with VALIDATION_ERROR, and with
 * NOT_FOUND for an order that is not there or cancelled.
 */
export async function issue(ctx: Ctx, input: InvoiceInput): Promise<{ invoice: Invoice }> {
  const given = check(Rules, sent({ type: input.type, prefix: input.prefix, currency: input.currency }))
  const debtOf = input.orderId == null ? await ownDebt(ctx, input, given.currency) : orderDebt(input, input.orderId)
  const invoice = await onceByEvent(ctx, 'invoiceIssue', input, byId, async (tx) => {
    const debt = await debtOf(tx)
    const { amount, amountInclVat } = totalsOf(debt.lines)
    const paper = await issuePaper(tx, { kind: 'invoice', prefix: given.prefix, ...debt })
    const status = decimal(amountInclVat).isZero() ? 'PAID' : 'PAYMENT_DUE'
    const { number, seller, buyer, document, createdAt } = paper
    const [row] = await tx.sql<Invoice>`
      INSERT INTO invoice AS i (account_id, prefix, number, customer_id, order_id, status, type, amount, amount_incl_vat,
        currency, seller, buyer, lines, document_id, created_at, updated_at)
      VALUES (${tx.sql.account}::int, ${paper.prefix}, ${number}::int, ${debt.customerId}::int, ${debt.orderId}::int,
        ${status}::invoice_status, ${given.type}, ${amount}::numeric, ${amountInclVat}::numeric, ${debt.currency},
        ${JSON.stringify(seller)}::jsonb, ${JSON.stringify(buyer)}::jsonb, ${JSON.stringify(debt.lines)}::jsonb,
        ${document.id}::int, ${createdAt}::timestamptz, ${createdAt}::timestamptz)
      RETURNING ${invoiceColumns}`
    const issued = row as Invoice
    await emit(tx, 'invoice.created', { invoiceId: issued.id })
    if (status === 'PAID') await emit(tx, 'invoice.paid', { invoiceId: issued.id })
    return issued
  })
  return { invoice }
}

/**
 * Pays an invoice, all that is open or a part of it. Announces `invoice.paid` once nothing is open. Fails with NOT_FOUND
 * where it is paid already, and with VALIDATION_ERROR for more than is open.
 */
export async function pay(
  ctx: Ctx,
  input: Reported & { id: string | number; amount?: string | null | undefined },
): Promise<{ invoice: Invoice }> {
  const invoice = await onceByEvent(ctx, 'invoicePay', input, byId, async (tx) => {
    const before = await lock(tx, input.id)
    if (before.status === 'PAID') throw wrongState('invoice', before.status)
    const amount = input.amount == null ? await openOf(tx, before) : amountOf(input.amount, before.currency, 'amount')
    if (amount.isZero()) throw invalid({ amount: ['must be more than nothing'] })
    return settle(tx, before, amount)
  })
  return { invoice }
}

/** How much of an invoice is still to be paid: neither paid nor taken back by credit notes. */
export async function openOf(ctx: Ctx, invoice: Invoice): Promise<Decimal> {
  const credited = (await ctx.load(creditedOf, invoice.id)) ?? '0'
  return Decimal.max(0, decimal(invoice.amountInclVat).minus(invoice.paidAmount).minus(credited))
}

/**
 * Takes a payment for an invoice whose row is locked, in the invoice's currency. Announces `invoice.paid` once nothing is
 * open. Fails with VALIDATION_ERROR for more than is open.
 */
export async function settle(tx: Ctx, invoice: Invoice, amount: Decimal): Promise<Invoice> {
  const open = await openOf(tx, invoice)
  if (amount.gt(open)) throw invalid({ amount: [`must not be more than is open: ${open} ${invoice.currency}`] })
  const status = amount.eq(open) ? 'PAID' : 'PARTIALLY_PAID'
  return stand(tx, invoice, status, decimal(invoice.paidAmount).plus(amount))
}

/** Marks an invoice whose row is locked as paid where a credit note has left nothing open. Announces `invoice.paid`. */
export async function closeIfSettled(tx: Ctx, invoice: Invoice): Promise<void> {
  if (invoice.status === 'PAID' || !(await openOf(tx, invoice)).isZero()) return
  await stand(tx, invoice, 'PAID', decimal(invoice.paidAmount))
}

async function stand(tx: Ctx, before: Invoice, status: Invoice['status'], paid: Decimal): Promise<Invoice> {
  mustMove('invoice', before.status, status)
  const [after] = await tx.sql<Invoice>`
    UPDATE invoice i SET status = ${status}::invoice_status, paid_amount = ${paid.toString()}::numeric,
      updated_at = ${tx.clock.now()}::timestamptz
    WHERE i.account_id = ${tx.sql.account} AND i.id = ${before.id} RETURNING ${invoiceColumns}`
  if (status === 'PAID') await emit(tx, 'invoice.paid', { invoiceId: before.id })
  return after as Invoice
}

function orderDebt(input: InvoiceInput, orderId: string | number): (tx: Ctx) => Promise<Debt> {
  const besides = (['customer', 'lines', 'currency'] as const).filter((field) => input[field] != null)
  if (besides.length > 0) {
    throw invalid(
      Object.fromEntries(besides.map((field) => [field, ['must not be given with an order, which has its own']])),
    )
  }
  return async (tx) => {
    const order = await lockOrder(tx, orderId, 'orderId')
    if (order.status === 'CANCELLED') throw wrongState('order', order.status)
    const { id: customerId } = await again(tx, order.customerId)
    const kept = await tx.load(linesOfOrder, order.id)
    const lines = kept.map(({ name, quantity, unitPrice, vatRate, amount, vat }): Line => {
      const [price, net, tax] = [unitPrice, amount, vat].map((value) => decimal(value).toString())
      return { name, quantity, unitPrice: price, vatRate, amount: net, vat: tax } as Line
    })
    const whole = [singleLine(`Order ${order.idOrder}`, order.amount)]
    return { customerId, orderId: order.id, currency: order.currency, lines: lines.length > 0 ? lines : whole }
  }
}

async function ownDebt(ctx: Ctx, input: InvoiceInput, given: string | undefined): Promise<(tx: Ctx) => Promise<Debt>> {
  const { customer } = input
  if (customer == null) throw invalid({ customer: ['is required where there is no order'] })
  if (input.lines == null) throw invalid({ lines: ['are required where there is no order'] })
  const currency = given ?? (await ownAccount(ctx)).currency
  const lines = linesOf(input.lines, currency)
  totalsOf(lines)
  const buyer = checked(customer)
  return async (tx) => {
    const { id: customerId } = await recordCustomer(tx, buyer, input.createContact === true)
    return { customerId, orderId: null, currency, lines }
  }
}
