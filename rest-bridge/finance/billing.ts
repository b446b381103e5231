import * as z from 'zod'
import type {
  CreditNoteOfListFragment,
  InvoiceOfListFragment,
  TransactionOfListFragment,
} from '../generated/documents.ts'
import { amount, toAmount } from '../money.ts'
import { isoMicroseconds } from '../time.ts'
import { toStatus } from './order.ts'

const isoTime = z.iso.datetime({ precision: 6 })

/** Money that moved, or was meant to. */
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

/** A credit note: what an invoice is lowered by. */
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

/** An invoice. */
export const invoice = creditNote.extend({ status: z.enum(['payment_due', 'paid', 'partially_paid']) })

/** Gives a transaction. */
export function toTransaction(node: TransactionOfListFragment) {
  return {
    id: node.databaseId,
    id_transaction: node.idTransaction,
    id_order: node.order?.idOrder ?? '',
    id_invoice: node.invoice?.databaseId ?? null,
    id_customer: node.customer.databaseId,
    status: toStatus(node.status),
    type: node.type,
    amount: toAmount(node.amount),
    currency: node.amount.currency,
    created_at: isoMicroseconds(node.createdAt),
  }
}

/** Gives a credit note. */
export function toCreditNote(node: Omit<CreditNoteOfListFragment, '__typename' | ' $fragmentName'>) {
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

/** Gives an invoice. */
export function toInvoice(node: InvoiceOfListFragment) {
  return { ...toCreditNote(node), status: toStatus(node.status) }
}
