import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
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
        label={t`Orders`}
        rows={orders}
        empty={t`There are no orders.`}
        columns={({ left, right }) => [
          left(t({ message: 'Order', context: 'purchase' }), ({ idOrder }) => idOrder),
          left(
            t({ message: 'Content', context: 'of an order' }),
            ({ lines }) => lines.map(({ name }) => name).join(', '),
            'sm',
          ),
          left(t`Status`, ({ status }) => <Status value={status} />),
          left(t`Date`, ({ createdAt }) => format.date(createdAt), 'sm'),
          right(t`Amount`, ({ amount }) => format.money(amount)),
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
    <Listed items={submissions} empty={t`No form was answered.`}>
      {(listed) => (
        <Stack gap="md">
          {listed.map(({ id, form, bucket, score, createdAt, answers }) => (
            <div key={id}>
              <Group gap="xs">
                <Text size="sm" fw={550}>
                  {form?.name ?? t`A form that was deleted`}
                </Text>
                <Status value={bucket} />
                <Muted ml="auto">
                  {plural(score, { one: '# point', other: '# points' })} · {format.dateTime(createdAt)}
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

/** Ways in which a consent arises, by the beginning of its source. */
const ways: Readonly<Record<string, MessageDescriptor>> = {
  console: msg`Console`,
  import: msg`Import`,
  form: msg`Form`,
  funnel: msg`Page of a funnel`,
}

/**
 * Returns the words of what a consent came from: `funnel:3/opt-in` becomes "Page of a funnel: opt-in". Others are shown as they
 * were given.
 */
function consentSource(source: string): string {
  const [, way = '', place] = /^(console|import|form|funnel)(?::\d+)?(?:\/(.*))?$/.exec(source) ?? []
  const known = ways[way]
  if (!known) return source
  return place ? t`${i18n._(known)}: ${place}` : i18n._(known)
}

/** The consents that a contact gave and withdrew. */
export function ConsentList({ consents }: { consents: Contact['consents']['nodes'] }) {
  const format = useFormat()
  return (
    <DataTable
      label={t`Consents`}
      rows={consents}
      empty={t`No consent was recorded.`}
      columns={({ left, right }) => [
        left(t`Consent`, ({ kind, topic }) =>
          kind === 'GDPR' ? t`Processing of data` : kind === 'TOPIC' ? (topic?.name ?? t`A topic`) : words(kind),
        ),
        left(t`Given`, ({ granted }) => (granted ? t`Given` : t`Withdrawn`)),
        left(t`Source`, ({ source }) => consentSource(source), 'sm'),
        right(t`Time`, ({ createdAt }) => format.dateTime(createdAt)),
      ]}
    />
  )
}
