import type { Ctx } from '../../db/context.ts'
import { invalid, refuseValue } from '../../kernel/errors.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { amountOf, type Decimal, decimal } from '../../kernel/values/money.ts'
import type { LineInput } from '../amounts.ts'
import { lock as lockOrder, type Order, byId as orderById } from '../orders/order-list.ts'
import { addRefund } from '../orders/orders.ts'
import { runOnce, type WithProviderEvent } from '../recording/provider-events.ts'
import { mustBeTransition } from '../recording/status-transitions.ts'
import { type CreditNote, byId as creditNoteById } from './credit-note-list.ts'
import * as creditNotes from './credit-notes.ts'
import { formatFullNumber } from './document-numbers.ts'

interface OrderRefundInput extends WithProviderEvent {
  id: string | number
  amount?: string | null | undefined
  lines?: readonly LineInput[] | null | undefined
  invoiceId?: string | number | null | undefined
  reason?: string | null | undefined
}

interface RefundedOrder {
  order: Order
  /** Null if no invoice was credited. */
  creditNote: CreditNote | null
}

/**
 * Refunds a completed order. With an amount or lines, a part of it: one credit note credits the part to an invoice of the order
 * that is not credited completely, if there is one. Without them, what is left of the order, and no invoice changes. An order of
 * which nothing is left is refunded.
 *
 * Emits `order.refunded` or `order.partially_refunded`, and the events of the credit note. Throws NOT_FOUND, INVALID_STATE if the
 * order is not completed, and VALIDATION_ERROR, also if the part exceeds what is left of the order or of the invoice.
 */
export async function refund(ctx: Ctx, input: OrderRefundInput): Promise<RefundedOrder> {
  const { lines } = input
  const isPart = input.amount != null || lines != null
  mustFitTogether(input, isPart)
  const result = {
    store: ({ order, creditNote }: RefundedOrder) => ({ id: order.id, creditNoteId: creditNote?.id }),
    async load(tx: Ctx, { id, creditNoteId }: { id: number; creditNoteId?: number | undefined }) {
      const order = await tx.load(orderById, id)
      return order && { order, creditNote: creditNoteId ? await tx.load(creditNoteById, creditNoteId) : null }
    },
  }
  const run = async (tx: Ctx): Promise<RefundedOrder> => {
    // All refunds and invoices of the order wait here for each other.
    const before = await lockOrder(tx, input.id)
    const invoice = isPart ? await findInvoice(tx, before, input.invoiceId) : undefined
    mustBeTransition('order', before.status, 'REFUNDED')
    const left = decimal(before.amount).minus(before.refundedAmount)
    if (!isPart) return { order: await addRefund(tx, before, left), creditNote: null }
    const given = input.amount == null ? undefined : partOf(before, left, input.amount)
    const creditNote = await credit(tx, invoice, input)
    const amount = given ?? decimal(creditNote?.amountInclVat ?? 0).negated()
    if (amount.gt(left)) throw exceeds('lines', left, before)
    return { order: await addRefund(tx, before, amount), creditNote }
  }
  return runOnce(ctx, 'orderRefund', input, run, result)
}

function mustFitTogether({ amount, lines, invoiceId, reason }: OrderRefundInput, isPart: boolean): void {
  if (amount != null && lines != null) throw invalid({ amount: ['must not be given with lines'] }, 'NOT_COMBINABLE')
  const needless = Object.entries({ invoiceId, reason }).filter(([, value]) => value != null)
  if (isPart || needless.length === 0) return
  const message = 'belongs to a credit note: give an amount or lines too'
  throw invalid(Object.fromEntries(needless.map(([field]) => [field, [message]])))
}

function partOf(order: Order, left: Decimal, given: string): Decimal {
  const amount = amountOf(given, order.currency, 'amount')
  if (amount.isZero()) throw invalid({ amount: ['must be greater than 0'] }, 'TOO_SMALL')
  if (amount.gt(left)) throw exceeds('amount', left, order)
  return amount
}

function exceeds(field: 'amount' | 'lines', left: Decimal, { currency }: Order) {
  return invalid(
    { [field]: [`must not exceed the amount of ${left} ${currency} that is left of the order`] },
    'TOO_BIG',
  )
}

/** Credits a part to the invoice with an id. Returns null without one. */
async function credit(tx: Ctx, invoiceId: number | undefined, { amount, lines, reason }: OrderRefundInput) {
  if (invoiceId !== undefined) return (await creditNotes.issue(tx, { invoiceId, amount, lines, reason })).creditNote
  const needless = Object.entries({ lines, reason }).filter(([, value]) => value != null)
  if (needless.length === 0) return null
  const message = 'needs an invoice of the order that is not credited completely'
  throw invalid(Object.fromEntries(needless.map(([field]) => [field, [message]])))
}

/** Returns the id of the invoice to credit: the given one, or the only one of the order with anything left. */
async function findInvoice(tx: Ctx, order: Order, given: OrderRefundInput['invoiceId']): Promise<number | undefined> {
  const invoices = await tx.sql<{ id: number; prefix: string; number: number; isCredited: boolean }>`
    SELECT i.id, i.prefix, i.number, i.amount_incl_vat <= coalesce((SELECT -sum(n.amount_incl_vat) FROM credit_note n
      WHERE n.account_id = i.account_id AND n.invoice_id = i.id), 0) AS "isCredited"
    FROM invoice i WHERE i.account_id = ${tx.sql.account} AND i.order_id = ${order.id}::int ORDER BY i.id`
  if (given != null) {
    const id = idOf('Invoice', given, 'invoiceId')
    if (invoices.some((invoice) => invoice.id === id)) return id
    throw refuseValue('invoiceId', 'NOT_FOUND', 'The order has no such invoice.')
  }
  const [open, ...others] = invoices.filter(({ isCredited }) => !isCredited)
  if (open === undefined || others.length === 0) return open?.id
  const numbers = [open, ...others].slice(0, 20).map(formatFullNumber).join(', ')
  throw invalid({ invoiceId: [`is required, because the order has several invoices: ${numbers}`] }, 'REQUIRED')
}
