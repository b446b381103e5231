import { Alert, Button, Divider, Group, List, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type CampaignQuery,
  CampaignScheduleDocument,
  CampaignSendDocument,
  CampaignTestDocument,
  CampaignUnscheduleDocument,
} from '../generated/campaigns.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import type { Reader } from '../messages/message-editor.tsx'
import { TestForm } from '../messages/test-form.tsx'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat } from '../shared/format.ts'
import { Section } from '../shared/layout/screen.tsx'
import { useShell } from '../shell/use-shell.ts'

type Campaign = NonNullable<CampaignQuery['campaign']>

type Finding = NonNullable<Campaign['check']>['findings'][number]

/** How the fields that messages begin with are named on the screen. */
const labels: Readonly<Record<Finding['field'], string>> = {
  HTML: 'The content',
  TEXT: 'The plain text',
  SUBJECT: 'The subject',
  FROM_EMAIL: 'The from address',
  AUDIENCE: 'The audience',
}

interface DeliveryProps {
  readonly campaign: Campaign
  /** The contact that the preview shows. */
  readonly reader: Reader | undefined
}

/** Checks a campaign, sends a test as the preview shows it, and sends or schedules it. */
export function Delivery({ campaign, reader }: DeliveryProps) {
  const { check, status, scheduledFor } = campaign
  return (
    <Section title="Delivery">
      <Stack gap="sm">
        <Findings check={check} />
        <TestMessage campaign={campaign} reader={reader} />
        <Divider />
        {status === 'SCHEDULED' && scheduledFor ? (
          <Scheduled campaign={campaign} time={scheduledFor} />
        ) : (
          <SendOrSchedule campaign={campaign} />
        )}
      </Stack>
    </Section>
  )
}

function Findings({ check }: Pick<Campaign, 'check'>) {
  // Without a check, nothing is known to be right.
  if (!check) {
    return (
      <Alert color="gray" py="xs">
        The campaign was cancelled, so it cannot be sent. Duplicate it to send it.
      </Alert>
    )
  }
  const { findings, canSend } = check
  if (findings.length === 0) {
    return (
      <Alert color="teal" py="xs">
        The campaign can be sent.
      </Alert>
    )
  }
  return (
    <Alert color={canSend ? 'yellow' : 'red'} title={canSend ? 'Before you send' : 'Not ready yet'} py="xs">
      <List size="sm" spacing={2}>
        {findings.map(({ code, field, message }) => (
          <List.Item key={`${code} ${field} ${message}`}>{message.replace(/^[a-z]\w*(?= )/, labels[field])}</List.Item>
        ))}
      </List>
    </Alert>
  )
}

function TestMessage({ campaign: { id }, reader }: DeliveryProps) {
  const [test, isSending] = useAction(CampaignTestDocument)
  return <TestForm isSending={isSending} reader={reader} onSend={(target) => test({ input: { id, ...target } })} />
}

function SendOrSchedule({ campaign: { id, name, check, audience } }: { campaign: Campaign }) {
  const format = useFormat()
  const { account } = useShell()
  const [send, isSending] = useAction(CampaignSendDocument)
  const [schedule, isScheduling] = useAction(CampaignScheduleDocument)
  const [time, setTime] = useState('')
  const [error, setError] = useState<string>()
  const sendNow = async () => {
    const title = `Send “${name}” to ${format.count(audience.optIn, 'contact')}?`
    const consequence = 'Sending begins at once. It can be paused, but what was sent cannot be taken back.'
    if (!(await ask({ title, consequence, verb: 'Send now' }))) return
    const result = await send({ input: { id } })
    setError(result.error)
  }
  const sendLater = async () => {
    // A time without an offset is in the account's time zone.
    const result = await schedule({ input: { id, scheduledFor: time } })
    setError(result.error === undefined ? undefined : (result.fields['scheduledFor'] ?? result.error))
  }
  return (
    <Stack gap="xs">
      <Group gap="xs" align="end">
        <TextInput
          size="xs"
          type="datetime-local"
          label="Send later"
          description={account?.timezone ? `In the time zone ${account.timezone}` : undefined}
          value={time}
          onChange={({ currentTarget }) => setTime(currentTarget.value)}
        />
        <Button variant="light" disabled={time === ''} loading={isScheduling} onClick={() => void sendLater()}>
          Schedule
        </Button>
        <Button ml="auto" disabled={!check?.canSend} loading={isSending} onClick={() => void sendNow()}>
          Send now
        </Button>
      </Group>
      {error && (
        <Text size="xs" c="red" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  )
}

function Scheduled({ campaign: { id }, time }: { campaign: Campaign; time: string }) {
  const format = useFormat()
  const [unschedule, isRunning] = useAction(CampaignUnscheduleDocument)
  return (
    <Group justify="space-between">
      <Text size="sm">Will be sent {format.dateTime(time)}.</Text>
      <Button
        variant="default"
        loading={isRunning}
        onClick={async () => void report(await unschedule({ input: { id } }))}
      >
        Do not send
      </Button>
    </Group>
  )
}
