import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
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
      label={t`Invoices`}
      rows={invoices}
      empty={
        <Trans>
          There are no invoices yet. They are issued through the <ApiLink />.
        </Trans>
      }
      columns={({ left, right }) => [
        left(t`Invoice`, ({ prefix, number, downloadUrl, customer }) => (
          <>
            <Anchor href={downloadUrl} size="sm">
              {prefix}
              {number} (PDF)
            </Anchor>
            <Muted className="activity-text">{customer.companyName || customer.email}</Muted>
          </>
        )),
        left(t`Status`, ({ status }) => <Status value={status} />),
        right(t`Date`, ({ createdAt }) => format.date(createdAt), 'sm'),
        right(t`Amount`, ({ amountInclVat }) => format.money(amountInclVat)),
      ]}
    />
  )
}
