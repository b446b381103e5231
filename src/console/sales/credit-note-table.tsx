import { t } from '@lingui/core/macro'
import { Anchor } from '@mantine/core'
import type { SalesQuery } from '../generated/sales.documents.ts'
import { useFormat } from '../shared/format.ts'
import { Muted } from '../shared/layout/screen.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

type CreditNote = NonNullable<SalesQuery['creditNotes']>['nodes'][number]

/** Credit notes, with their PDF and the credited invoice. */
export function CreditNoteTable({ creditNotes }: { creditNotes: readonly CreditNote[] | undefined }) {
  const format = useFormat()
  return (
    <DataTable
      label={t`Credit notes`}
      rows={creditNotes}
      empty={t`There are no credit notes yet.`}
      columns={({ left, right }) => [
        left(t`Credit note`, ({ prefix, number, downloadUrl, reason, customer }) => (
          <>
            <Anchor href={downloadUrl} size="sm">
              {prefix}
              {number} (PDF)
            </Anchor>
            <Muted className="activity-text">
              {[customer.companyName || customer.email, reason].filter(Boolean).join(' · ')}
            </Muted>
          </>
        )),
        left(t`Invoice`, ({ invoice }) => `${invoice.prefix}${invoice.number}`, 'sm'),
        right(t`Date`, ({ createdAt }) => format.date(createdAt), 'sm'),
        right(t`Amount`, ({ amountInclVat }) => format.money(amountInclVat)),
      ]}
    />
  )
}
