import type { Ctx } from '../../db/context.ts'
import { emit } from '../../events/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { checkAt, text } from '../../kernel/values/check.ts'
import { amountOf, decimal, sum } from '../../kernel/values/money.ts'
import {
  apportionCredit,
  computeLines,
  computeTotals,
  type Line,
  type LineInput,
  negateLines,
  type RateTotal,
  totalsByRate,
} from '../amounts.ts'
import { refreshCustomer } from '../customers/customers.ts'
import { runOncePerEvent, type WithProviderEvent } from '../recording/provider-events.ts'
import { creditedInvoice, issueDocument } from './billing-documents.ts'
import { limitCredit } from './credit-amounts.ts'
import { byId, type CreditNote, creditNoteTable } from './credit-note-list.ts'
import { formatFullNumber } from './document-numbers.ts'
import { type Invoice, lock, snapshotById } from './invoice-list.ts'
import { closeIfSettled } from './invoices.ts'

const Reason = text(1000)

interface CreditNoteInput extends WithProviderEvent {
  invoiceId: string | number
  lines?: readonly LineInput[] | null | undefined
  amount?: string | null | undefined
  reason?: string | null | undefined
}

/**
 * Issues a credit note for all or a part of the remaining amount of an invoice: for the given lines, or for an amount with
 * VAT that is apportioned among the VAT rates of the invoice. The amounts of a credit note are negative. The credit notes of
 * an invoice have only its VAT rates, calculate VAT in its way, and never exceed its total or that of a rate. The credited amount
 * is no longer open; if nothing is open, the invoice is paid.
 *
 * Emits `credit_note.created`, and `invoice.paid` if nothing is open. Throws NOT_FOUND, and VALIDATION_ERROR if the credit
 * exceeds the remaining amount.
 */
export async function issue(ctx: Ctx, input: CreditNoteInput): Promise<{ creditNote: CreditNote }> {
  const reason = checkAt('reason', Reason, input.reason ?? '')
  if (input.lines != null && input.amount != null)
    throw invalid({ amount: ['must not be given with lines'] }, 'NOT_COMBINABLE')
  return runOncePerEvent(ctx, 'creditNoteIssue', input, { creditNote: byId }, async (tx) => {
    const invoice = await lock(tx, input.invoiceId, 'invoiceId')
    const credited = await creditLines(tx, invoice, input)
    const { customerId, orderId, currency, vatCalculation, type } = invoice
    await refreshCustomer(tx, customerId)
    const lines = negateLines(credited)
    const { amount, amountInclVat } = computeTotals(credited)
    const notes = [creditedInvoice(invoice), ...(reason === '' ? [] : [`Reason: ${reason}`])]
    const content = { kind: 'credit_note', customerId, currency, vatCalculation, lines, notes } as const
    const { prefix, number, seller, buyer, document, missingCharacters, createdAt } = await issueDocument(tx, content)
    const [row] = await tx.sql<CreditNote>`
      INSERT INTO credit_note AS n (account_id, prefix, number, customer_id, order_id, invoice_id, type, amount,
        amount_incl_vat, currency, vat_calculation, reason, seller, buyer, lines,
        document_id, missing_characters, created_at)
      VALUES (${tx.sql.account}::int, ${prefix}, ${number}::int, ${customerId}::int, ${orderId}::int,
        ${invoice.id}::int, ${type}, -(${amount}::numeric), -(${amountInclVat}::numeric), ${currency},
        ${vatCalculation}::vat_calculation, ${reason},
        ${JSON.stringify(seller)}::jsonb, ${JSON.stringify(buyer)}::jsonb, ${JSON.stringify(lines)}::jsonb,
        ${document.id}::int, ${missingCharacters}, ${createdAt}::timestamptz)
      RETURNING ${creditNoteTable.columns}`
    const issued = row as CreditNote
    tx.load.clear()
    await emit(tx, 'credit_note.created', { creditNoteId: issued.id })
    await closeIfSettled(tx, invoice)
    return issued
  })
}

/** Computes the credited lines, with positive amounts. */
async function creditLines(tx: Ctx, invoice: Invoice, input: CreditNoteInput): Promise<readonly Line[]> {
  const { currency, vatCalculation } = invoice
  const remaining = await loadRemainder(tx, invoice)
  const net = sum(remaining.map((rate) => rate.amount))
  const gross = sum(remaining.map((rate) => rate.amount.plus(rate.vat)))
  if (gross.isZero()) throw invalid({ invoiceId: ['has no remaining amount to credit'] })
  const tooMuch = (field: string) =>
    invalid({ [field]: [`must not exceed the remaining amount of ${gross} ${currency}`] }, 'TOO_BIG')
  if (input.lines == null) {
    const amount = input.amount == null ? gross : amountOf(input.amount, currency, 'amount')
    if (amount.isZero()) throw invalid({ amount: ['must be greater than 0'] }, 'TOO_SMALL')
    if (amount.gt(gross)) throw tooMuch('amount')
    const title = `Credit for invoice ${formatFullNumber(invoice)}`
    return apportionCredit(remaining, amount, currency, title, vatCalculation)
  }
  const lines = computeLines(input.lines, currency, vatCalculation)
  const totals = computeTotals(lines)
  if (decimal(totals.amountInclVat).isZero()) throw invalid({ lines: ['must have a total greater than 0'] })
  // VAT is left out if prices are without it: it can differ from the rest by a cent, which `limitCredit` corrects.
  const isTooMuch =
    vatCalculation === 'GROSS_BY_RATE' ? decimal(totals.amountInclVat).gt(gross) : decimal(totals.amount).gt(net)
  if (isTooMuch) throw tooMuch('lines')
  return limitCredit(remaining, lines, invoice)
}

/** Loads the total of an invoice less its earlier credit notes, by VAT rate. */
async function loadRemainder(tx: Ctx, invoice: Invoice): Promise<RateTotal[]> {
  const snapshot = await tx.load(snapshotById, invoice.id)
  const creditNotes = await tx.sql<{ lines: Line[] }>`
    SELECT n.lines FROM credit_note n WHERE n.account_id = ${tx.sql.account} AND n.invoice_id = ${invoice.id}`
  // The lines of credit notes are negative, so the sum is the remainder.
  return totalsByRate([...(snapshot?.lines ?? []), ...creditNotes.flatMap(({ lines }) => lines)])
}
