import { Anchor } from '@mantine/core'
import type { ListedInvoiceFragment } from '../../generated/sales.documents.ts'
import { useFormat } from '../format.ts'
import { ApiLink } from '../layout/links.tsx'
import { Muted } from '../layout/screen.tsx'
import { Status } from '../layout/status.tsx'
import { DataTable } from './data-table.tsx'

/** Invoices, with their PDF. */
export function InvoiceTable({ invoices }: { invoices: readonly ListedInvoiceFragment[] | null | undefined }) {
  const format = useFormat()
  return (
    <DataTable
      label="Invoices"
      rows={invoices}
      empty={
        <>
          There are no invoices yet. They are issued through the <ApiLink />.
        </>
      }
      columns={({ left, right }) => [
        left('Invoice', ({ prefix, number, downloadUrl, customer }) => (
          <>
            <Anchor href={downloadUrl} size="sm">
              {prefix}
              {number} (PDF)
            </Anchor>
            <Muted className="activity-text">{customer.companyName || customer.email}</Muted>
          </>
        )),
        left('Status', ({ status }) => <Status value={status} />),
        right('Date', ({ createdAt }) => format.date(createdAt), 'sm'),
        right('Amount', ({ amountInclVat }) => format.money(amountInclVat)),
      ]}
    />
  )
}
