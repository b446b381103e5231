import { Anchor } from '@mantine/core'
import type { ListedInvoiceFragment } from '../generated/sales.documents.ts'
import { DataTable } from './data-table.tsx'
import { useFormat } from './format.ts'
import { Status } from './status.tsx'

/** Invoices, with their PDF. */
export function InvoiceTable({ invoices }: { invoices: readonly ListedInvoiceFragment[] }) {
  const format = useFormat()
  return (
    <DataTable
      label="Invoices"
      rows={invoices}
      empty="There are no invoices yet."
      columns={({ left, right }) => [
        left('Invoice', ({ prefix, number, downloadUrl }) => (
          <Anchor href={downloadUrl} size="sm">
            {prefix}
            {number} (PDF)
          </Anchor>
        )),
        left('Customer', ({ customer }) => customer.companyName || customer.email, 'sm'),
        left('Status', ({ status }) => <Status value={status} />),
        left('Date', ({ createdAt }) => format.date(createdAt), 'sm'),
        right('Amount', ({ amountInclVat }) => format.money(amountInclVat)),
      ]}
    />
  )
}
