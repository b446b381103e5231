import { Group, Stack, Text } from '@mantine/core'
import type { ContactQuery } from '../generated/contacts.documents.ts'
import { useFormat, words } from '../shared/format.ts'
import { Listed } from '../shared/layout/listed.tsx'
import { Muted } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'
import { InvoiceTable } from '../shared/tables/invoice-table.tsx'

type Contact = NonNullable<ContactQuery['contact']>
type NodesOf<Name extends 'orders' | 'invoices' | 'submissions'> = NonNullable<Contact[Name]>['nodes'] | undefined

/** The orders of a contact, and its invoices as PDF. */
export function OrderList({ orders, invoices }: { orders: NodesOf<'orders'>; invoices: NodesOf<'invoices'> }) {
  const format = useFormat()
  return (
    <Stack gap="sm">
      <DataTable
        label="Orders"
        rows={orders}
        empty="There are no orders."
        columns={({ left, right }) => [
          left('Order', ({ idOrder }) => idOrder),
          left('Content', ({ lines }) => lines.map(({ name }) => name).join(', '), 'sm'),
          left('Status', ({ status }) => <Status value={status} />),
          left('Date', ({ createdAt }) => format.date(createdAt), 'sm'),
          right('Amount', ({ amount }) => format.money(amount)),
        ]}
      />
      {invoices?.length !== 0 && <InvoiceTable invoices={invoices} />}
    </Stack>
  )
}

/** What a contact answered in forms. */
export function SubmissionList({ submissions }: { submissions: NodesOf<'submissions'> }) {
  const format = useFormat()
  return (
    <Listed items={submissions} empty="No form was answered.">
      {(listed) => (
        <Stack gap="md">
          {listed.map(({ id, form, bucket, score, createdAt, answers }) => (
            <div key={id}>
              <Group gap="xs">
                <Text size="sm" fw={550}>
                  {form?.name ?? 'A form that was deleted'}
                </Text>
                <Status value={bucket} />
                <Muted ml="auto">
                  {format.count(score, 'point')} · {format.dateTime(createdAt)}
                </Muted>
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
      )}
    </Listed>
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
      columns={({ left, right }) => [
        left('Consent', ({ kind }) => (kind === 'GDPR' ? 'Processing of data' : words(kind))),
        left('Given', ({ granted }) => (granted ? 'Given' : 'Withdrawn')),
        left('Source', ({ source }) => source, 'sm'),
        right('Time', ({ createdAt }) => format.dateTime(createdAt)),
      ]}
    />
  )
}
