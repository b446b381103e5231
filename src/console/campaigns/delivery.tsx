import { plural, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Alert, Button, Checkbox, Divider, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import {
  type CampaignQuery,
  CampaignScheduleDocument,
  CampaignSendDocument,
  CampaignTestDocument,
  CampaignUnscheduleDocument,
} from '../generated/campaigns.documents.ts'
import { useAction } from '../graph/use-screen.ts'
import { Findings } from '../messages/findings.tsx'
import type { Reader } from '../messages/message-preview.tsx'
import { TestForm } from '../messages/test-form.tsx'
import { ask } from '../shared/actions/confirm.tsx'
import { report } from '../shared/actions/report.ts'
import { useFormat, useZone, zoneName } from '../shared/format.ts'
import { hasDraft } from '../shared/forms/drafts.ts'
import { Section } from '../shared/layout/screen.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

interface DeliveryProps {
  readonly campaign: Campaign
  /** The contact that the preview shows. */
  readonly reader: Reader | undefined
}

/** Checks a campaign, sends a test as the preview shows it, and sends or schedules it. */
export function Delivery({ campaign, reader }: DeliveryProps) {
  const { check, status, scheduledFor } = campaign
  const isUnsaved = hasUnsavedBody(campaign)
  return (
    <Section title={t`Delivery`}>
      <Stack gap="sm">
        {isUnsaved && (
          <Alert color="red" py="xs" role="alert">
            {t`The content has changes in this browser that are not saved. Save or discard them first.`}
          </Alert>
        )}
        <Check check={check} />
        <TestMessage campaign={campaign} reader={reader} />
        <Divider />
        {status === 'SCHEDULED' && scheduledFor ? (
          <Scheduled campaign={campaign} time={scheduledFor} />
        ) : (
          <SendOrSchedule campaign={campaign} isUnsaved={isUnsaved} />
        )}
      </Stack>
    </Section>
  )
}

/** Whether this browser has changes of the content that are not stored, and would not be sent. */
function hasUnsavedBody({ id, email }: Campaign): boolean {
  const form = !email ? undefined : email.content !== null ? 'content' : email.html ? 'html' : 'text'
  return form !== undefined && hasDraft(`${id}:${form}`)
}

function Check({ check }: Pick<Campaign, 'check'>) {
  // Without a check, nothing is known to be right.
  if (!check) {
    return (
      <Alert color="gray" py="xs">
        <Trans>The campaign was cancelled, so it cannot be sent. Duplicate it to send it.</Trans>
      </Alert>
    )
  }
  if (check.findings.length === 0) {
    return <Alert color="teal" py="xs">{t`The campaign can be sent.`}</Alert>
  }
  return <Findings {...check} />
}

function TestMessage({ campaign: { id }, reader }: DeliveryProps) {
  const [test, isSending] = useAction(CampaignTestDocument)
  return <TestForm isSending={isSending} reader={reader} onSend={(target) => test({ input: { id, ...target } })} />
}

interface SendProps {
  readonly campaign: Campaign
  readonly isUnsaved: boolean
}

function SendOrSchedule({ campaign: { id, name, check, audience }, isUnsaved }: SendProps) {
  const zone = zoneName(useZone())
  const [send, isSending] = useAction(CampaignSendDocument)
  const [schedule, isScheduling] = useAction(CampaignScheduleDocument)
  const [time, setTime] = useState('')
  const [inContactZones, setInContactZones] = useState(false)
  const [error, setError] = useState<string>()
  const sendNow = async () => {
    const title = plural(audience.optIn, {
      one: `Send “${name}” to # contact?`,
      other: `Send “${name}” to # contacts?`,
    })
    const consequence = t`Sending begins at once. It can be paused, but what was sent cannot be taken back.`
    if (!(await ask({ title, consequence, verb: t`Send now` }))) return
    const result = await send({ input: { id } })
    setError(result.error)
  }
  const sendLater = async () => {
    // A time without an offset is in the account's time zone, or in those of the contacts.
    const result = await schedule({ input: { id, scheduledFor: time, inContactZones } })
    setError(result.error === undefined ? undefined : (result.fields['scheduledFor'] ?? result.error))
  }
  return (
    <Stack gap="xs">
      <Group gap="xs" align="end">
        <TextInput
          size="xs"
          type="datetime-local"
          label={t`Send later`}
          description={inContactZones ? t`In the time zone of each contact` : t`In the time zone ${zone}`}
          value={time}
          onChange={({ currentTarget }) => setTime(currentTarget.value)}
        />
        <Button
          variant="light"
          disabled={time === '' || isUnsaved}
          loading={isScheduling}
          onClick={() => void sendLater()}
        >{t`Schedule`}</Button>
        <Button
          ml="auto"
          disabled={!check?.canSend || isUnsaved}
          loading={isSending}
          onClick={() => void sendNow()}
        >{t`Send now`}</Button>
      </Group>
      <Checkbox
        size="xs"
        label={t`At this local time of each contact. Sending begins in the first time zone, up to 26 hours before.`}
        checked={inContactZones}
        onChange={({ currentTarget }) => setInContactZones(currentTarget.checked)}
      />
      {error && (
        <Text size="xs" c="red" role="alert">
          {error}
        </Text>
      )}
    </Stack>
  )
}

function Scheduled({ campaign: { id, localTime }, time }: { campaign: Campaign; time: string }) {
  const format = useFormat()
  const zone = zoneName(useZone())
  const [unschedule, isRunning] = useAction(CampaignUnscheduleDocument)
  return (
    <Group justify="space-between">
      <Text size="sm">
        {localTime === null
          ? t`Will be sent ${format.dateTime(time)} (${zone}).`
          : t`Will be sent ${localTime.slice(0, 16)} local time of each contact, from ${format.dateTime(time)} (${zone}) on.`}
      </Text>
      <Button
        variant="default"
        loading={isRunning}
        onClick={async () => void report(await unschedule({ input: { id } }))}
      >{t`Do not send`}</Button>
    </Group>
  )
}
