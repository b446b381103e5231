import type { Document } from '../../prisma/generated/client/client.ts'
import { documents, zoneOf } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { invalid } from '../kernel/errors.ts'
import { TaskError, threadTask } from '../kernel/thread-pool.ts'
import type { Line } from './amounts.ts'
import { own as ownProfile } from './billing-profile.ts'
import { type Customer, byId as customerById } from './customer-list.ts'
import type { Buyer, Seller } from './invoice-list.ts'
import { fullNumber, type Kind, nextNumber } from './numbers.ts'
import type { Paper } from './paper/draw.ts'

/** A paper to be issued: to whom, for what. */
export interface NewPaper {
  readonly kind: Kind
  /** The billing profile's where absent. */
  readonly prefix?: string | undefined
  readonly customerId: number
  readonly currency: string
  readonly lines: readonly Line[]
  /** What stands below the number: the invoice that is credited, and why. */
  readonly notes?: readonly string[]
}

/** What was issued: its number, what was written on it, and the PDF. */
export interface IssuedPaper {
  readonly prefix: string
  readonly number: number
  readonly seller: Seller
  readonly buyer: Buyer
  readonly document: Document
  readonly createdAt: Date
}

/** A paper with one line takes 50 ms to draw, one with 500 lines some seconds. */
const drawPaper = threadTask<Paper, Uint8Array<ArrayBuffer>>({
  file: './paper.worker',
  base: import.meta.url,
  name: 'drawPaper',
})

const titles = { invoice: 'Invoice', credit_note: 'Credit note' } as const satisfies Record<Kind, string>

/**
 * Gives a paper the next number of its series, draws it, and stores its PDF, in the transaction of the row it belongs to.
 * The series stays locked until then, so nothing else that others wait for may be locked after it.
 */
export async function issuePaper(tx: Ctx, paper: NewPaper): Promise<IssuedPaper> {
  const profile = await ownProfile(tx)
  const customer = (await tx.load(customerById, paper.customerId)) as Customer
  const zone = await zoneOf(tx)
  const { companyName, address, vatNumber, footer } = profile
  const seller: Seller = { companyName, address, vatNumber, footer }
  const buyer = buyerOf(customer)
  const prefix = paper.prefix ?? (paper.kind === 'invoice' ? profile.invoicePrefix : profile.creditNotePrefix)
  const number = await nextNumber(tx, paper.kind, prefix)
  // Taken while the series is locked, so that dates run with numbers.
  const createdAt = tx.clock.now()
  const drawing: Paper = {
    title: titles[paper.kind],
    number: fullNumber({ prefix, number }),
    date: createdAt,
    zone,
    seller,
    buyer,
    currency: paper.currency,
    lines: paper.lines,
    notes: paper.notes ?? [],
  }
  const body = await drawPaper(tx.accountId, drawing, 200 * paper.lines.length).catch((error: unknown) => {
    if (error instanceof TaskError) throw invalid({ lines: [`cannot be drawn: ${error.message}`] })
    throw error
  })
  const name = `${fullNumber({ prefix, number })}.pdf`
  const document = await documents.store(tx, { name, contentType: 'application/pdf', body })
  return { prefix, number, seller, buyer, document, createdAt }
}

function buyerOf({ email, firstName, lastName, companyName, address, vatNumber }: Customer): Buyer {
  return { email, name: `${firstName} ${lastName}`.trim(), companyName, address, vatNumber }
}
