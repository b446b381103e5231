import { z } from 'zod'
import type { Ctx } from '../db/context.ts'
import { emit } from '../events/index.ts'
import { check, text } from '../kernel/check.ts'
import { invalid } from '../kernel/errors.ts'
import { amountOf, decimal, sum } from '../kernel/money.ts'
import {
  type Line,
  type LineInput,
  linesOf,
  negated,
  type RateTotal,
  shareOf,
  totalsByRate,
  totalsOf,
} from './amounts.ts'
import { byId, type CreditNote, creditNoteColumns } from './credit-note-list.ts'
import { again } from './customers.ts'
import { type Invoice, lock, partsOf } from './invoice-list.ts'
import { closeIfSettled } from './invoices.ts'
import { fullNumber } from './numbers.ts'
import { issuePaper } from './papers.ts'
import { onceByEvent, type Reported } from './provider-events.ts'

export interface CreditNoteInput extends Reported {
  invoiceId: string | number
  lines?: readonly LineInput[] | null | undefined
  amount?: string | null | undefined
  reason?: string | null | undefined
}

/**
 * Takes back an invoice, all that is left of it or a part: lines of its own, or an amount with VAT that is shared among
 * the invoice's rates in proportion. Its amounts are negative, and all credit notes of an invoice never come to more than
 * the invoice. What it takes back is no longer open; where that leaves nothing open the invoice is paid.
 *
 * Announces `credit_note.created`, and `invoice.paid`. Fails with NOT_FOUND, and with VALIDATION_ERROR for more than is left.
 */
export async function issue(ctx: Ctx, input: CreditNoteInput): Promise<{ creditNote: CreditNote }> {
  const { reason } = check(z.object({ reason: text(1000) }), { reason: input.reason ?? '' })
  if (input.lines != null && input.amount != null) throw invalid({ amount: ['must not be given with lines'] })
  const creditNote = await onceByEvent(ctx, 'creditNoteIssue', input, byId, async (tx) => {
    const invoice = await lock(tx, input.invoiceId, 'invoiceId')
    const taken = await linesFor(tx, invoice, input)
    const { customerId, orderId, currency, type } = invoice
    await again(tx, customerId)
    const lines = negated(taken)
    const { amount, amountInclVat } = totalsOf(taken)
    const notes = [`Credits invoice ${fullNumber(invoice)}`, ...(reason === '' ? [] : [`Reason: ${reason}`])]
    const paper = await issuePaper(tx, { kind: 'credit_note', customerId, currency, lines, notes })
    const { seller, buyer, document, createdAt } = paper
    const [row] = await tx.sql<CreditNote>`
      INSERT INTO credit_note AS n (account_id, prefix, number, customer_id, order_id, invoice_id, type, amount,
        amount_incl_vat, currency, reason, seller, buyer, lines, document_id, created_at)
      VALUES (${tx.sql.account}::int, ${paper.prefix}, ${paper.number}::int, ${customerId}::int, ${orderId}::int,
        ${invoice.id}::int, ${type}, -(${amount}::numeric), -(${amountInclVat}::numeric), ${currency}, ${reason},
        ${JSON.stringify(seller)}::jsonb, ${JSON.stringify(buyer)}::jsonb, ${JSON.stringify(lines)}::jsonb,
        ${document.id}::int, ${createdAt}::timestamptz)
      RETURNING ${creditNoteColumns}`
    const issued = row as CreditNote
    tx.load.clear()
    await emit(tx, 'credit_note.created', { creditNoteId: issued.id })
    await closeIfSettled(tx, invoice)
    return issued
  })
  return { creditNote }
}

/** What is taken back, as positive lines. */
async function linesFor(tx: Ctx, invoice: Invoice, input: CreditNoteInput): Promise<readonly Line[]> {
  const { currency } = invoice
  const left = await leftOf(tx, invoice)
  const [net, gross] = [sum(left.map((rate) => rate.amount)), sum(left.map((rate) => rate.amount.plus(rate.vat)))]
  if (gross.isZero()) throw invalid({ invoiceId: ['has nothing left to be taken back'] })
  const tooMuch = (field: string) => invalid({ [field]: [`must not come to more than is left: ${gross} ${currency}`] })
  if (input.lines == null) {
    const amount = input.amount == null ? gross : amountOf(input.amount, currency, 'amount')
    if (amount.isZero()) throw invalid({ amount: ['must be more than nothing'] })
    if (amount.gt(gross)) throw tooMuch('amount')
    return shareOf(left, amount, currency, `Credit for invoice ${fullNumber(invoice)}`)
  }
  const lines = linesOf(input.lines, currency)
  const totals = totalsOf(lines)
  if (decimal(totals.amountInclVat).isZero()) throw invalid({ lines: ['must come to more than nothing'] })
  if (decimal(totals.amountInclVat).gt(gross) || decimal(totals.amount).gt(net)) throw tooMuch('lines')
  return lines
}

/** What is left of an invoice after the credit notes before, rate by rate. */
async function leftOf(tx: Ctx, invoice: Invoice): Promise<RateTotal[]> {
  const parts = await tx.load(partsOf, invoice.id)
  const before = await tx.sql<{ lines: Line[] }>`
    SELECT n.lines FROM credit_note n WHERE n.account_id = ${tx.sql.account} AND n.invoice_id = ${invoice.id}`
  // Theirs are negative, so what is left is the sum.
  return totalsByRate([...(parts?.lines ?? []), ...before.flatMap(({ lines }) => lines)])
}
