import { t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Group, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import {
  OrderCompleteDocument,
  SalesDocument,
  type SalesOrderFragment,
  type SalesQuery,
} from '../generated/sales.documents.ts'
import { useAction, useLive, useScreen } from '../graph/use-screen.ts'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { SeriesFigure } from '../shared/figures/figures.tsx'
import { personName, useFormat } from '../shared/format.ts'
import { ApiLink, PersonLink, RouterAnchor } from '../shared/layout/links.tsx'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'
import { Columns, Muted, Screen, Section } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable, Pager } from '../shared/tables/data-table.tsx'
import { InvoiceTable } from '../shared/tables/invoice-table.tsx'
import { CreditNoteTable } from './credit-note-table.tsx'
import { RefundOrder } from './refund-order.tsx'
import { orderStatuses, type SalesSearch } from './sales-search.ts'

const route = getRouteApi('/sales')

const liveTypes = [
  'ORDER_CREATED',
  'ORDER_COMPLETED',
  'ORDER_REFUNDED',
  'ORDER_PARTIALLY_REFUNDED',
  'ORDER_CANCELLED',
  'INVOICE_CREATED',
  'INVOICE_PAID',
  'CREDIT_NOTE_CREATED',
] as const

/** Orders, invoices and subscriptions, with the revenue. */
export function SalesScreen() {
  const { q, status, after } = route.useSearch()
  const result = useScreen(SalesDocument, { search: q ?? null, status: status ? [status] : null, after: after ?? null })
  useLive(result.data?.eventCursor, { types: [...liveTypes] }, result.reload)
  return (
    <Screen title={t`Sales`} result={result}>
      {(data) => <Content data={data} />}
    </Screen>
  )
}

function Content({ data: { account, orders, invoices, creditNotes, billingSubscriptions } }: { data: SalesQuery }) {
  const format = useFormat()
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <SeriesFigure label={t`Revenue, 30 days`} series={account?.revenue} />
        <SeriesFigure label={t`Orders, 30 days`} series={account?.orders} />
        <SeriesFigure label={t`New recurring revenue, 30 days`} series={account?.mrr} />
      </SimpleGrid>
      <Orders orders={orders} />
      <Columns first={6}>
        <Stack gap="md">
          <Section title={t`Latest invoices`} isFlush>
            <InvoiceTable invoices={invoices?.nodes} />
          </Section>
          {creditNotes?.nodes.length !== 0 && (
            <Section title={t`Latest credit notes`} isFlush>
              <CreditNoteTable creditNotes={creditNotes?.nodes} />
            </Section>
          )}
        </Stack>
        <Section title={t`Subscriptions`} isFlush>
          <DataTable
            label={t`Subscriptions`}
            rows={billingSubscriptions?.nodes}
            empty={
              <Trans>
                There are no subscriptions yet. They come through the <ApiLink />.
              </Trans>
            }
            columns={({ left, right }) => [
              left(t`Subscription`, ({ name, customer }) => (
                <>
                  {name}
                  <Muted className="activity-text">{customer.email}</Muted>
                </>
              )),
              left(t`Status`, ({ status }) => <Status value={status} />),
              right(
                t({ message: 'Next', context: 'payment' }),
                ({ rebillDate }) => rebillDate && format.date(rebillDate),
                'sm',
              ),
              right(t`Amount`, ({ amount }) => format.money(amount)),
            ]}
          />
        </Section>
      </Columns>
    </Stack>
  )
}

function Orders({ orders }: Pick<SalesQuery, 'orders'>) {
  const format = useFormat()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const change = (next: Partial<SalesSearch>) => {
    const { after: _, ...rest } = { ...search, ...next }
    return navigate({ search: rest, replace: true })
  }
  const searchFor = useDebouncedCallback((q: string) => void change({ q: q.trim() || undefined }), 300)
  return (
    <Section title={t`Orders`} isFlush>
      <Group px="md" pb="xs" gap="xs">
        <TextInput
          size="xs"
          flex={1}
          miw={180}
          type="search"
          aria-label={t`Search orders`}
          placeholder={t`Order, customer…`}
          leftSection={<Search size={14} />}
          defaultValue={search.q ?? ''}
          onChange={({ currentTarget }) => searchFor(currentTarget.value)}
        />
        <SegmentedControl
          size="xs"
          aria-label={t`Status of orders`}
          value={search.status ?? 'ALL'}
          onChange={(value) => void change({ status: orderStatuses().find((each) => each.value === value)?.value })}
          data={[{ value: 'ALL', label: t`All` }, ...orderStatuses()]}
        />
      </Group>
      <DataTable<SalesOrderFragment>
        label={t`Orders`}
        rows={orders?.nodes}
        empty={search.q || search.status ? t`No order matches.` : <NoOrders />}
        columns={({ left, right }) => [
          left(t({ message: 'Order', context: 'purchase' }), ({ idOrder }) => idOrder, 'xs'),
          left(t`Customer`, (order) => <Buyer order={order} />),
          left(
            t({ message: 'Content', context: 'of an order' }),
            ({ lines, acceptedTerms }) => (
              <>
                {lines.map(({ name }) => name).join(', ')}
                {acceptedTerms.map(({ text, documentVersion, ip, acceptedAt }) => (
                  <Muted key={text} title={[text, t`Version ${documentVersion}`, ip].filter(Boolean).join(' · ')}>
                    {t`Terms accepted on ${format.dateTime(acceptedAt)}`}
                  </Muted>
                ))}
              </>
            ),
            'md',
          ),
          left(t`Status`, (order) => <OrderStatus order={order} />),
          right(t`Date`, ({ createdAt }) => format.dateTime(createdAt), 'sm'),
          right(t`Amount`, (order) => <Amount order={order} />),
        ]}
      />
      <Pager page={orders} />
    </Section>
  )
}

/** The amount of an order, and what was refunded of it in part. */
function Amount({ order: { status, amount, refundedAmount } }: { order: SalesOrderFragment }) {
  const format = useFormat()
  const isPart = status === 'COMPLETED' && Number(refundedAmount.amount) > 0
  return (
    <>
      {format.money(amount)}
      {isPart && <Muted>{t`${format.money(refundedAmount)} refunded`}</Muted>}
    </>
  )
}

function NoOrders() {
  return (
    <Trans>
      There are no orders yet. They come from the pages of{' '}
      <RouterAnchor to="/funnels" size="sm" underline="always">
        funnels
      </RouterAnchor>{' '}
      and through the <ApiLink />.
    </Trans>
  )
}

function Buyer({ order: { idOrder, contact, customer } }: { order: SalesOrderFragment }) {
  return (
    <>
      {contact ? <PersonLink contact={{ ...customer, id: contact.id }} size="sm" /> : personName(customer)}
      <Muted hiddenFrom="xs">{idOrder}</Muted>
    </>
  )
}

function OrderStatus({ order }: { order: SalesOrderFragment }) {
  return (
    <Group gap="0 var(--mantine-spacing-xs)">
      <Status value={order.status} />
      {order.status === 'WAITING' && <CompleteOrder order={order} />}
      {order.status === 'COMPLETED' && <RefundOrder order={order} />}
    </Group>
  )
}

function CompleteOrder({ order: { id, idOrder, amount } }: { order: SalesOrderFragment }) {
  const format = useFormat()
  const refusal = useRefusal('FINANCE_WRITE')
  const [run, isRunning] = useAction(OrderCompleteDocument)
  const act = async () => {
    const question = {
      title: t`Complete the order ${idOrder} for ${format.money(amount)}?`,
      consequence: t`The order counts as paid, and what depends on it happens at once.`,
      verb: t({ message: 'Complete', context: 'an order' }),
    }
    if (await ask(question)) report(await run({ input: { id } }), t`The order ${idOrder} was completed.`)
  }
  return (
    <ActionButton
      variant="subtle"
      size="compact-xs"
      loading={isRunning}
      refusal={refusal}
      aria-label={t`Complete order ${idOrder}`}
      onClick={() => void act()}
    >
      {t({ message: 'Complete', context: 'an order' })}
    </ActionButton>
  )
}
