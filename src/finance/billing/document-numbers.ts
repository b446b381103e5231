import type { Ctx } from '../../db/context.ts'

/** The kinds of numbered documents. Each kind has its own number series. */
export type DocumentKind = 'invoice' | 'credit_note'

const folders = { invoice: 'invoices', credit_note: 'credit-notes' } as const satisfies Record<DocumentKind, string>

/**
 * Takes the next number of a series, which starts at 1. The row of the series stays locked until the transaction ends, so
 * that numbers have no gaps and no duplicates. Call it after all other locks are taken.
 */
export async function nextNumber(tx: Ctx, kind: DocumentKind, prefix: string): Promise<number> {
  const [row] = await tx.sql<{ last: number }>`
    INSERT INTO number_series AS s (account_id, kind, prefix, last) VALUES (${tx.sql.account}::int, ${kind}, ${prefix}, 1)
    ON CONFLICT (account_id, kind, prefix) DO UPDATE SET last = s.last + 1 RETURNING last`
  return (row as { last: number }).last
}

/** Formats a number without its prefix, with at least six digits: `000001`. */
export function formatNumber(number: number): string {
  return String(number).padStart(6, '0')
}

/** Formats a number with its prefix, as the PDF shows it: `INV-000001`. */
export function formatFullNumber({ prefix, number }: { prefix: string; number: number }): string {
  return `${prefix}${formatNumber(number)}`
}

/** The path of a document's PDF, relative to the account's document store. */
export function pdfPath(kind: DocumentKind, numbered: { prefix: string; number: number }): string {
  return `${folders[kind]}/${formatFullNumber(numbered)}.pdf`
}
