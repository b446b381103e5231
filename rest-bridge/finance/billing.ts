import * as z from 'zod'
import type { CreditNoteRowFragment, InvoiceRowFragment, TransactionRowFragment } from '../generated/documents.ts'
import { toRestEnum } from '../values/enums.ts'
import { amount, toAmount } from '../values/money.ts'
import { isoMicroseconds, isoTime } from '../values/time.ts'

/** A payment or refund, in any status. */
export const transaction = z.strictObject({
  id: z.int(),
  id_transaction: z.string(),
  id_order: z.string(),
  id_invoice: z.int().nullable(),
  id_customer: z.int(),
  status: z.enum(['waiting', 'processing', 'completed', 'refunded', 'cancelled', 'error']),
  type: z.string(),
  amount,
  currency: z.string(),
  created_at: isoTime,
})

/** A credit note. Its amounts are negative. */
export const creditNote = z.strictObject({
  id: z.int(),
  id_order: z.string(),
  id_customer: z.int(),
  prefix: z.string(),
  number: z.string(),
  amount,
  amount_incl_vat: amount,
  currency: z.string(),
  type: z.string(),
  created_at: isoTime,
  filename: z.string(),
})

export const invoice = creditNote.extend({ status: z.enum(['payment_due', 'paid', 'partially_paid']) })

export function toTransaction(node: TransactionRowFragment) {
  return {
    id: node.databaseId,
    id_transaction: node.idTransaction,
    id_order: node.order?.idOrder ?? '',
    id_invoice: node.invoice?.databaseId ?? null,
    id_customer: node.customer.databaseId,
    status: toRestEnum(node.status),
    type: node.type,
    amount: toAmount(node.amount),
    currency: node.amount.currency,
    created_at: isoMicroseconds(node.createdAt),
  }
}

export function toCreditNote(node: CreditNoteRowFragment) {
  return {
    id: node.databaseId,
    id_order: node.order?.idOrder ?? '',
    id_customer: node.customer.databaseId,
    prefix: node.prefix,
    number: node.number,
    amount: toAmount(node.amount),
    amount_incl_vat: toAmount(node.amountInclVat),
    currency: node.amount.currency,
    type: node.type,
    created_at: isoMicroseconds(node.createdAt),
    filename: node.filename,
  }
}

export function toInvoice(node: InvoiceRowFragment) {
  return { ...toCreditNote(node), status: toRestEnum(node.status) }
}
