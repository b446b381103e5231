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
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Section } from '../shared/layout/screen.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

interface DeliveryProps {
  readonly campaign: Campaign
  /** The domains that the account sends from. Null if the user may not read them. */
  readonly domains: CampaignQuery['senderDomains']
  /** The contact that the preview shows. */
  readonly reader: Reader | undefined
}

/** Checks a campaign, sends a test as the preview shows it, and sends or schedules it. */
export function Delivery({ campaign, domains, reader }: DeliveryProps) {
  const { check, status, scheduledFor } = campaign
  const isUnsaved = hasUnsavedBody(campaign)
  const unverified = unverifiedDomain(campaign, domains)
  return (
    <Section title={t`Delivery`}>
      <Stack gap="sm">
        {isUnsaved && (
          <Alert color="red" py="xs" role="alert">
            {t`The content has changes in this browser that are not saved. Save or discard them first.`}
          </Alert>
        )}
        <Check check={check} />
        {unverified !== undefined && (
          <Alert color="yellow" py="xs" title={t`The domain ${unverified} is not verified`}>
            <Trans>
              Mailboxes may refuse its messages, or take them for spam. Verify it in the{' '}
              <RouterAnchor to="/settings" search={{ tab: 'domains' }} c="inherit" inherit underline="always">
                settings
              </RouterAnchor>{' '}
              before you send.
            </Trans>
          </Alert>
        )}
        <TestMessage campaign={campaign} reader={reader} />
        <Divider />
        {status === 'SCHEDULED' && scheduledFor ? (
          <Scheduled campaign={campaign} time={scheduledFor} />
        ) : (
          <SendOrSchedule campaign={campaign} isUnsaved={isUnsaved} unverified={unverified} />
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

/** Returns the domain of the sender unless it, or a domain above it, is verified. */
function unverifiedDomain({ fromEmail }: Campaign, domains: DeliveryProps['domains']): string | undefined {
  const domain = fromEmail.split('@').at(-1)?.toLowerCase() ?? ''
  if (!domains || domain === '') return undefined
  const isVerified = domains.some(
    (each) => each.status === 'VERIFIED' && (domain === each.domain || domain.endsWith(`.${each.domain}`)),
  )
  return isVerified ? undefined : domain
}

const doubtOf = (domain: string) => t`The sender domain ${domain} is not verified: mailboxes may refuse the messages.`

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

function TestMessage({ campaign: { id }, reader }: Omit<DeliveryProps, 'domains'>) {
  const [test, isSending] = useAction(CampaignTestDocument)
  return <TestForm isSending={isSending} reader={reader} onSend={(target) => test({ input: { id, ...target } })} />
}

interface SendProps {
  readonly campaign: Campaign
  readonly isUnsaved: boolean
  /** The domain of the sender if it is not verified. */
  readonly unverified: string | undefined
}

function SendOrSchedule({ campaign: { id, name, check, audience }, isUnsaved, unverified }: SendProps) {
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
    const lines = [
      t`Sending begins at once. It can be paused, but what was sent cannot be taken back.`,
      ...(unverified === undefined ? [] : [doubtOf(unverified)]),
    ]
    if (!(await ask({ title, consequence: lines.join('\n'), verb: t`Send now` }))) return
    const result = await send({ input: { id } })
    setError(result.error)
  }
  const sendLater = async () => {
    const title = t`Schedule “${name}”?`
    const isSure =
      unverified === undefined || (await ask({ title, consequence: doubtOf(unverified), verb: t`Schedule` }))
    if (!isSure) return
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
