import { t } from '@lingui/core/macro'
import { Anchor, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useQuery } from 'urql'
import { OrderDocumentsDocument, OrderRefundDocument, type SalesOrderFragment } from '../generated/sales.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { notify } from '../shared/actions/notify.tsx'
import { useFormat } from '../shared/format.ts'
import { ActionButton, useRefusal } from '../shared/layout/permission.tsx'
import { ActionError, Muted } from '../shared/layout/screen.tsx'

interface RefundProps {
  readonly order: SalesOrderFragment
}

/** The button that refunds an order, and its dialog. */
export function RefundOrder({ order }: RefundProps) {
  const refusal = useRefusal('FINANCE_WRITE')
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const { idOrder } = order
  return (
    <>
      <ActionButton
        variant="subtle"
        size="compact-xs"
        refusal={refusal}
        aria-label={t`Refund order ${idOrder}`}
        onClick={() => setOpen(true)}
      >
        {t`Refund`}
      </ActionButton>
      <Modal opened={isOpen} onClose={close} title={t`Refund the order ${idOrder}?`} centered>
        <RefundForm order={order} onClose={close} />
      </Modal>
    </>
  )
}

/** What is left of an amount, with its decimals. */
function leftOf(amount: string, taken: string): string {
  return (Number(amount) - Number(taken)).toFixed(amount.split('.')[1]?.length ?? 0)
}

/** Asks for the amount, and for what the credit note needs if the order has an invoice. */
function RefundForm({
  order: { id, idOrder, amount: total, refundedAmount },
  onClose,
}: RefundProps & { onClose: () => void }) {
  const format = useFormat()
  const { currency } = total
  const left = leftOf(total.amount, refundedAmount.amount)
  const [refund, isRunning] = useAction(OrderRefundDocument)
  const [{ data, fetching }] = useQuery({
    query: OrderDocumentsDocument,
    variables: { id },
    requestPolicy: 'network-only',
  })
  const [amount, setAmount] = useState(left)
  const [reason, setReason] = useState('')
  const [chosen, choose] = useState<string | null>(null)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const invoices = (data?.order?.invoices?.nodes ?? []).map(({ amountInclVat, creditedAmount, ...invoice }) => ({
    ...invoice,
    left: leftOf(amountInclVat.amount, creditedAmount.amount),
  }))
  const open = invoices.filter((invoice) => Number(invoice.left) > 0)
  const creditNotes = data?.order?.creditNotes?.nodes ?? []
  const submit = async () => {
    const given = amount.trim().replace(',', '.')
    const document = open.length > 0 ? { reason: reason.trim() || null, invoiceId: chosen } : {}
    const result = await refund({ input: { id, amount: given, ...document } })
    if (result.error !== undefined) {
      const isNamed = ['amount', 'invoiceId', 'reason'].some((field) => field in result.fields)
      return setErrors(isNamed ? result.fields : { all: result.error })
    }
    onClose()
    const { order, creditNote } = result.data.orderRefund ?? {}
    const number = creditNote && `${creditNote.prefix}${creditNote.number}`
    const price = format.money({ amount: given, currency })
    const done =
      order?.status === 'REFUNDED'
        ? t`The order ${idOrder} was refunded.`
        : t`${price} of the order ${idOrder} was refunded.`
    notify(number ? `${done} ${t`Credit note ${number} was issued.`}` : done)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack gap="sm">
        <Text size="sm" className="activity-text">
          {t`The refund is recorded, but no money is moved from here. An order that is refunded completely cannot be completed again.`}
        </Text>
        <ActionError>{errors['all']}</ActionError>
        <TextInput
          label={t`Amount in ${currency}`}
          description={t`${format.money({ amount: left, currency })} of ${format.money(total)} is left.`}
          inputMode="decimal"
          required
          value={amount}
          onChange={({ currentTarget }) => setAmount(currentTarget.value)}
          error={errors['amount']}
          data-autofocus
        />
        {open.length > 1 && (
          <Select
            label={t`Invoice to credit`}
            required
            data={open.map((invoice) => ({
              value: invoice.id,
              label: `${invoice.prefix}${invoice.number} · ${format.money({ amount: invoice.left, currency })}`,
            }))}
            value={chosen}
            onChange={choose}
            error={errors['invoiceId']}
          />
        )}
        {open.length > 0 ? (
          <TextInput
            label={t`Reason on the credit note`}
            maxLength={1000}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
            error={errors['reason']}
          />
        ) : (
          !fetching && (
            <Muted>{t`No credit note is issued, because no invoice of the order is open to be credited.`}</Muted>
          )
        )}
        {creditNotes.map(({ id: key, prefix, number, downloadUrl, createdAt, amountInclVat }) => (
          <Muted key={key}>
            <Anchor href={downloadUrl} size="xs">
              {prefix}
              {number} (PDF)
            </Anchor>{' '}
            {format.money(amountInclVat)} · {format.date(createdAt)}
          </Muted>
        ))}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={onClose}>{t`Cancel`}</Button>
          <Button type="submit" color="red.9" loading={isRunning} disabled={fetching}>{t`Refund`}</Button>
        </Group>
      </Stack>
    </form>
  )
}
