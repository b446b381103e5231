import type { Document } from '../../../prisma/generated/client/client.ts'
import { documents } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import { zoneOf } from '../../db/zone.ts'
import { invalid } from '../../kernel/errors.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import type { Line, VatCalculation } from '../amounts.ts'
import { load as loadProfile } from '../billing-profile/billing-profile.ts'
import { type Customer, byId as customerById } from '../customers/customer-list.ts'
import type { FinanceServices } from '../services.ts'
import { type DocumentKind, formatFullNumber, nextNumber } from './document-numbers.ts'
import { byId as invoiceById } from './invoice-list.ts'
import type { Buyer, Seller } from './pdf/parties.ts'
import type { BillingDocument, RenderedDocument } from './pdf/render.ts'

/** The input of `issueDocument`. */
interface DocumentInput {
  readonly kind: DocumentKind
  /** Prefix of the number. Defaults to that of the billing profile. */
  readonly prefix?: string | undefined
  readonly customerId: number
  readonly currency: string
  readonly vatCalculation: VatCalculation
  readonly lines: readonly Line[]
  /** Text below the number, such as the credited invoice and the reason. */
  readonly notes?: readonly string[]
}

/** An issued document: its number, its parties, and the stored PDF. */
interface IssuedDocument {
  readonly prefix: string
  readonly number: number
  readonly seller: Seller
  readonly buyer: Buyer
  readonly document: Document
  /** Characters that no font has, so that the PDF does not show them. */
  readonly missingCharacters: string
  readonly createdAt: Date
}

/** A document with one line takes 50 ms to render, one with 500 lines some seconds. */
const renderDocument = threadTask<{ content: BillingDocument } & FinanceServices, RenderedDocument>({
  file: './pdf.worker',
  base: import.meta.url,
  name: 'renderDocument',
})

const titles = { invoice: 'Invoice', credit_note: 'Credit note' } as const satisfies Record<DocumentKind, string>

/**
 * Issues a document: takes the next number of its series, renders the PDF and stores it, in the transaction that inserts the
 * row of the document. The series stays locked until that transaction ends, so take no other contended lock after it.
 */
export async function issueDocument(tx: Ctx, input: DocumentInput): Promise<IssuedDocument> {
  const profile = await loadProfile(tx)
  const customer = (await tx.load(customerById, input.customerId)) as Customer
  const zone = await zoneOf(tx)
  const { companyName, address, vatNumber, footer } = profile
  const seller: Seller = { companyName, address, vatNumber, footer }
  const buyer = buildBuyer(customer)
  const prefix = input.prefix ?? (input.kind === 'invoice' ? profile.invoicePrefix : profile.creditNotePrefix)
  const number = await nextNumber(tx, input.kind, prefix)
  // Read while the series is locked, so that dates ascend with numbers.
  const createdAt = tx.clock.now()
  const fullNumber = formatFullNumber({ prefix, number })
  const content: BillingDocument = {
    title: titles[input.kind],
    number: fullNumber,
    date: createdAt,
    zone,
    seller,
    buyer,
    currency: input.currency,
    vatCalculation: input.vatCalculation,
    lines: input.lines,
    notes: input.notes ?? [],
  }
  const { body, missingCharacters } = await render(tx, content).catch((error: unknown) => {
    if (error instanceof TaskError) throw invalid({ lines: [`cannot be rendered as a PDF: ${error.message}`] })
    throw error
  })
  const document = await documents.store(tx, { name: `${fullNumber}.pdf`, contentType: 'application/pdf', body })
  return { prefix, number, seller, buyer, document, missingCharacters, createdAt }
}

/** Renders the PDF of an invoice or a credit note again, after its buyer was removed. Its date and number stay the same. */
export async function redactDocument(tx: Ctx, { kind, id }: { kind: DocumentKind; id: number }): Promise<void> {
  const [issued] = await tx.sql<StoredDocument>`
    SELECT d.prefix, d.number, d.currency, d.vat_calculation AS "vatCalculation", d.seller, d.buyer, d.lines, d.created_at AS date, d.document_id AS "documentId",
      ${kind === 'invoice' ? sql`NULL::int` : sql`d.invoice_id`} AS "invoiceId"
    FROM ${kind === 'invoice' ? sql`invoice` : sql`credit_note`} d
    WHERE d.account_id = ${tx.sql.account} AND d.id = ${id}::int`
  if (!issued) return
  const { prefix, number, documentId, invoiceId, ...content } = issued
  const invoice = invoiceId === null ? null : await tx.load(invoiceById, invoiceId)
  const { body, missingCharacters } = await render(tx, {
    ...content,
    title: titles[kind],
    number: formatFullNumber({ prefix, number }),
    zone: await zoneOf(tx),
    notes: invoice ? [creditedInvoice(invoice)] : [],
  })
  await documents.replace(tx, documentId, body)
  await tx.sql`
    UPDATE ${kind === 'invoice' ? sql`invoice` : sql`credit_note`} d SET missing_characters = ${missingCharacters}
    WHERE d.account_id = ${tx.sql.account} AND d.id = ${id}::int`
}

/** An issued document as it is stored. */
interface StoredDocument
  extends Pick<BillingDocument, 'currency' | 'vatCalculation' | 'seller' | 'buyer' | 'lines' | 'date'> {
  readonly prefix: string
  readonly number: number
  readonly documentId: number
  readonly invoiceId: number | null
}

/** Returns the note on a credit note that names its invoice. */
export function creditedInvoice(invoice: { prefix: string; number: number }): string {
  return `Credits invoice ${formatFullNumber(invoice)}`
}

async function render(ctx: Ctx, content: BillingDocument): Promise<RenderedDocument> {
  const { accountId, services } = ctx
  return renderDocument(accountId, { content, ...services.finance }, 200 * content.lines.length)
}

function buildBuyer({ email, firstName, lastName, companyName, address, vatNumber }: Customer): Buyer {
  return { email, name: `${firstName} ${lastName}`.trim(), companyName, address, vatNumber }
}
