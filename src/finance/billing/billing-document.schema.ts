import { documents } from '../../account/index.ts'
import type { Loader } from '../../db/context.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import type { Schema } from '../../graphql/schema/builder.ts'
import { OrderLineType } from '../orders/order.schema.ts'
import type * as creditNoteList from './credit-note-list.ts'
import * as numbers from './document-numbers.ts'
import type * as invoiceList from './invoice-list.ts'

type BillingDocument = invoiceList.Invoice | creditNoteList.CreditNote

/** The fields that invoices and credit notes share. The lines are in the snapshot of the document. */
export function documentFields<Row extends BillingDocument>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Schema, Row>,
  kind: numbers.DocumentKind,
  snapshots: Loader<number, invoiceList.BillingSnapshot, null>,
) {
  return {
    prefix: t.string({ description: 'Prefix of the number. May be empty.', resolve: ({ prefix }) => prefix }),
    number: t.string({
      description: 'Number without the prefix, at least six digits. Numbers of one prefix have no gaps.',
      resolve: ({ number }) => numbers.formatNumber(number),
    }),
    lines: t.field({
      type: [OrderLineType],
      description: 'Lines of the document, as they were at the time of issue.',
      complexity: listCost('lines'),
      resolve: async ({ id, currency }, _args, ctx) =>
        ((await ctx.load(snapshots, id))?.lines ?? []).map((line) => ({ ...line, currency })),
    }),
    filename: t.string({
      description: "Path of the PDF, relative to the account's document store.",
      resolve: (row) => numbers.pdfPath(kind, row),
    }),
    downloadUrl: t.string({
      description: 'URL of the PDF. It expires after one hour and needs no API key.',
      resolve: ({ documentId }, _args, ctx) => documents.linkTo(ctx, documentId),
    }),
    missingCharacters: t.string({
      description:
        'Characters of the document that no font has, one after another. The PDF shows `\ufffd` for each of them. Empty if the PDF shows everything.',
      resolve: ({ missingCharacters }) => missingCharacters,
    }),
    createdAt: t.field({ type: 'DateTime', description: 'Time of issue.', resolve: ({ createdAt }) => createdAt }),
  }
}
