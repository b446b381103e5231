import { Anchor, Group, Stack, Text } from '@mantine/core'
import type { ContactQuery } from '../generated/contacts.documents.ts'
import { DataTable } from '../shared/data-table.tsx'
import { useFormat, words } from '../shared/format.ts'
import { Empty } from '../shared/screen.tsx'
import { Status } from '../shared/status.tsx'

type Contact = NonNullable<ContactQuery['contact']>
type NodesOf<Name extends 'orders' | 'invoices' | 'submissions'> = NonNullable<Contact[Name]>['nodes']

/** The orders of a contact, and its invoices as PDF. */
export function OrderList({ orders, invoices }: { orders: NodesOf<'orders'>; invoices: NodesOf<'invoices'> }) {
  const format = useFormat()
  return (
    <Stack gap="sm">
      <DataTable
        label="Orders"
        rows={orders}
        empty="There are no orders."
        columns={[
          { key: 'order', title: 'Order', render: ({ idOrder }) => idOrder },
          {
            key: 'lines',
            title: 'Content',
            from: 'sm',
            render: ({ lines }) => lines.map(({ name }) => name).join(', '),
          },
          { key: 'status', title: 'Status', render: ({ status }) => <Status value={status} /> },
          { key: 'date', title: 'Date', from: 'sm', render: ({ createdAt }) => format.date(createdAt) },
          { key: 'amount', title: 'Amount', align: 'right', render: ({ amount }) => format.money(amount) },
        ]}
      />
      {invoices.length > 0 && (
        <DataTable
          label="Invoices"
          rows={invoices}
          empty=""
          columns={[
            {
              key: 'number',
              title: 'Invoice',
              render: ({ prefix, number, downloadUrl }) => (
                <Anchor href={downloadUrl} size="sm">
                  {prefix}
                  {number} (PDF)
                </Anchor>
              ),
            },
            { key: 'status', title: 'Status', render: ({ status }) => <Status value={status} /> },
            { key: 'date', title: 'Date', from: 'sm', render: ({ createdAt }) => format.date(createdAt) },
            {
              key: 'amount',
              title: 'Amount',
              align: 'right',
              render: ({ amountInclVat }) => format.money(amountInclVat),
            },
          ]}
        />
      )}
    </Stack>
  )
}

/** What a contact answered in forms. */
export function SubmissionList({ submissions }: { submissions: NodesOf<'submissions'> }) {
  const format = useFormat()
  if (submissions.length === 0) return <Empty>No form was answered.</Empty>
  return (
    <Stack gap="md">
      {submissions.map(({ id, form, bucket, score, createdAt, answers }) => (
        <div key={id}>
          <Group gap="xs">
            <Text size="sm" fw={550}>
              {form?.name ?? 'A form that was deleted'}
            </Text>
            <Status value={bucket} />
            <Text size="xs" className="muted" ml="auto">
              {format.number(score)} points · {format.dateTime(createdAt)}
            </Text>
          </Group>
          <dl className="answers">
            {answers.map((answer) => (
              <div key={answer.id}>
                <dt>{answer.label}</dt>
                <dd>{answer.values.join(', ')}</dd>
              </div>
            ))}
          </dl>
        </div>
      ))}
    </Stack>
  )
}

/** The consents that a contact gave and withdrew. */
export function ConsentList({ consents }: { consents: Contact['consents']['nodes'] }) {
  const format = useFormat()
  return (
    <DataTable
      label="Consents"
      rows={consents}
      empty="No consent was recorded."
      columns={[
        { key: 'kind', title: 'Consent', render: ({ kind }) => (kind === 'GDPR' ? 'Processing of data' : words(kind)) },
        { key: 'granted', title: 'Given', render: ({ granted }) => (granted ? 'Given' : 'Withdrawn') },
        { key: 'source', title: 'Source', from: 'sm', render: ({ source }) => source },
        { key: 'date', title: 'Time', align: 'right', render: ({ createdAt }) => format.dateTime(createdAt) },
      ]}
    />
  )
}
