import { t } from '@lingui/core/macro'
import { Button, Code, Group, NativeSelect, Skeleton, Text } from '@mantine/core'
import { useState } from 'react'
import { useClient, useQuery } from 'urql'
import { readErrors } from '../../client/errors.ts'
import { eventNames } from '../generated/event-names.documents.ts'
import {
  type SettingsWebhookFragment,
  WebhookDeliveryDocument,
  WebhookDryRunDocument,
  type WebhookDryRunQueryVariables,
  WebhookReplayDocument,
} from '../generated/settings.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Muted } from '../shared/layout/screen.tsx'
import { Status } from '../shared/layout/status.tsx'
import { DataTable } from '../shared/tables/data-table.tsx'

/** Returns the enum value of an event type: `contact.created` becomes `CONTACT_CREATED`. */
const eventTypeOf = (name: (typeof eventNames)[number]) => name.replace('.', '_').toUpperCase()

interface DeliveriesProps {
  readonly webhook: SettingsWebhookFragment
  readonly onChanged: () => void
}

/** The last messages to a webhook. Each can be read and sent again. */
export function Deliveries({ webhook: { url, deliveries }, onChanged }: DeliveriesProps) {
  const format = useFormat()
  const [replay] = useAction(WebhookReplayDocument)
  const [openId, setOpenId] = useState<string>()
  const again = async (deliveryId: string) => {
    if (report(await replay({ input: { deliveryId } }), t`The message is sent again.`)) onChanged()
  }
  return (
    <div>
      <Group justify="space-between">
        <Text size="xs" fw={550}>{t`Deliveries`}</Text>
        <Button variant="subtle" size="compact-xs" onClick={onChanged}>{t`Refresh`}</Button>
      </Group>
      <DataTable
        label={t`Deliveries to ${url}`}
        rows={deliveries.nodes}
        empty={t`Nothing was delivered yet.`}
        columns={({ left, right }) => [
          left(t`Event`, ({ name }) => name),
          left(t`Status`, ({ status }) => <Status value={status} />),
          left(t`Response`, ({ responseStatus, error }) => responseStatus ?? error, 'sm'),
          right(t`Time`, ({ createdAt }) => format.dateTime(createdAt), 'sm'),
          right('', ({ id, name }) => (
            <Group gap={4} justify="end" wrap="nowrap">
              <Button
                variant="subtle"
                size="compact-xs"
                aria-expanded={openId === id}
                aria-label={t`Message: ${name}`}
                onClick={() => setOpenId(openId === id ? undefined : id)}
              >{t`Message`}</Button>
              <Button
                variant="subtle"
                size="compact-xs"
                aria-label={t`Send again: ${name}`}
                onClick={() => void again(id)}
              >{t`Send again`}</Button>
            </Group>
          )),
        ]}
      />
      {openId && <Message id={openId} />}
    </div>
  )
}

function Message({ id }: { id: string }) {
  const [{ data, fetching }] = useQuery({ query: WebhookDeliveryDocument, variables: { id } })
  if (fetching && !data) return <Skeleton h={80} />
  const { body = null, response = null } = data?.node && 'body' in data.node ? data.node : {}
  return (
    <>
      <Muted mt="xs">{body === null ? t`No attempt was made yet.` : t`Body`}</Muted>
      {body !== null && <Json text={body} />}
      {response && (
        <>
          <Muted mt="xs">{t`Response`}</Muted>
          <Code block>{response}</Code>
        </>
      )}
    </>
  )
}

/** Shows the message that a webhook would receive for an event, without sending it. */
export function DryRun({ webhook: { id } }: Pick<DeliveriesProps, 'webhook'>) {
  const client = useClient()
  const [name, setName] = useState<(typeof eventNames)[number]>('contact.created')
  const [shown, setShown] = useState<{ body?: string | undefined; error?: string | undefined }>({})
  const run = async () => {
    const type = eventTypeOf(name) as WebhookDryRunQueryVariables['type']
    const { data, error } = await client.query(
      WebhookDryRunDocument,
      { webhookId: id, type },
      { requestPolicy: 'network-only' },
    )
    setShown({ body: data?.webhookDryRun?.body, error: readErrors(error)[0]?.message })
  }
  return (
    <div>
      <Group gap="xs" align="end">
        <NativeSelect
          size="xs"
          label={t`Try an event`}
          value={name}
          error={shown.error}
          data={[...eventNames]}
          onChange={({ currentTarget }) => setName(currentTarget.value as typeof name)}
        />
        <Button variant="default" onClick={() => void run()}>{t`Show the message`}</Button>
      </Group>
      {shown.body && <Json text={shown.body} />}
    </div>
  )
}

function Json({ text }: { text: string }) {
  let formatted = text
  try {
    formatted = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // A body that is no JSON is shown as it is.
  }
  return (
    <Code block mah={320} mt="xs" className="scrolling" tabIndex={0}>
      {formatted}
    </Code>
  )
}
