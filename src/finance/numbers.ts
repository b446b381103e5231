import type { Ctx } from '../db/context.ts'

/** What is numbered, each kind in series of its own. */
export type Kind = 'invoice' | 'credit_note'

const folders = { invoice: 'invoices', credit_note: 'credit-notes' } as const satisfies Record<Kind, string>

/**
 * The next number of a series, which starts at 1. Its row stays locked until the transaction ends: whoever wants the next
 * one waits, so that no number is left out or given twice. To be taken after everything else that is locked.
 */
export async function nextNumber(tx: Ctx, kind: Kind, prefix: string): Promise<number> {
  const [row] = await tx.sql<{ last: number }>`
    INSERT INTO number_series AS s (account_id, kind, prefix, last) VALUES (${tx.sql.account}::int, ${kind}, ${prefix}, 1)
    ON CONFLICT (account_id, kind, prefix) DO UPDATE SET last = s.last + 1 RETURNING last`
  return (row as { last: number }).last
}

/** A number as it is shown, prefix apart: six digits at least. */
export function shownNumber(number: number): string {
  return String(number).padStart(6, '0')
}

/** The whole of it, as it stands on the paper: `INV-000001`. */
export function fullNumber({ prefix, number }: { prefix: string; number: number }): string {
  return `${prefix}${shownNumber(number)}`
}

/** Where the PDF of a paper stands, relative to the account's document store. */
export function fileOf(kind: Kind, paper: { prefix: string; number: number }): string {
  return `${folders[kind]}/${fullNumber(paper)}.pdf`
}
