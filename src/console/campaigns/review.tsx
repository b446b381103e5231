import { plural, t } from '@lingui/core/macro'
import { Anchor, Group, Stack, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { CampaignQuery } from '../generated/campaigns.documents.ts'
import type { Reader } from '../messages/message-preview.tsx'
import { useFormat } from '../shared/format.ts'
import { Muted, Section } from '../shared/layout/screen.tsx'
import type { CampaignStep } from './campaign-search.ts'
import { Delivery } from './delivery.tsx'
import { DeliveryTimes } from './delivery-times.tsx'

type Campaign = NonNullable<CampaignQuery['campaign']>

interface ReviewProps {
  readonly campaign: Campaign
  readonly domains: CampaignQuery['senderDomains']
  /** The contact that the preview shows. */
  readonly reader: Reader | undefined
  readonly onStep: (step: CampaignStep) => void
}

/** Why contacts of the audience get no message. */
const reasons: Readonly<
  Record<NonNullable<Campaign['audience']['leftOut']>[number]['reason'], (count: number) => string>
> = {
  NO_CONSENT: (count) =>
    plural(count, { one: '# contact did not accept e-mail.', other: '# contacts did not accept e-mail.' }),
  CONSENT_WITHDRAWN: (count) => plural(count, { one: '# contact unsubscribed.', other: '# contacts unsubscribed.' }),
  NOT_IN_TOPIC: (count) =>
    plural(count, { one: '# contact does not get the topic.', other: '# contacts do not get the topic.' }),
  ADDRESS_SUPPRESSED: (count) =>
    plural(count, { one: '# address is suppressed.', other: '# addresses are suppressed.' }),
}

/** What will be sent to whom, before it is sent. */
export function Review({ campaign, domains, reader, onStep }: ReviewProps) {
  const format = useFormat()
  const { audience, subject, fromName, fromEmail, email } = campaign
  const leftOut = (audience.leftOut ?? []).reduce((sum, { count }) => sum + count, 0)
  return (
    <Stack gap="md">
      <Section title={t`Summary`}>
        <Table className="summary" withRowBorders={false}>
          <Table.Tbody>
            <Line label={t`Recipients`} onChange={() => onStep('audience')}>
              {plural(audience.leftOut ? audience.total - leftOut : audience.optIn, {
                one: '# contact',
                other: '# contacts',
              })}
              {audience.leftOut?.map(({ reason, count }) => (
                <Muted key={reason}>{reasons[reason](count)}</Muted>
              ))}
            </Line>
            <Line label={t({ message: 'Subject', context: 'of an e-mail' })} onChange={() => onStep('content')}>
              {subject || t`Not set`}
              <Muted>{email?.preheader || t`Without a preheader`}</Muted>
            </Line>
            <Line label={t`Sender`} onChange={() => onStep('content')}>
              {fromName || fromEmail || t`Not set`}
              {fromName && <Muted>{fromEmail}</Muted>}
            </Line>
            <Line label={t`Test`}>
              {email?.testedAt
                ? t`Sent ${format.relative(email.testedAt)}, with this content`
                : t`Not sent with this content`}
            </Line>
          </Table.Tbody>
        </Table>
      </Section>
      <DeliveryTimes campaign={campaign} />
      <Delivery campaign={campaign} domains={domains} reader={reader} />
    </Stack>
  )
}

interface LineProps {
  readonly label: string
  readonly onChange?: () => void
  readonly children: ReactNode
}

function Line({ label, onChange, children }: LineProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" w={110}>
        <Text size="sm" fw={550}>
          {label}
        </Text>
      </Table.Th>
      <Table.Td>{children}</Table.Td>
      <Table.Td w={80}>
        {onChange && (
          <Group justify="end">
            <Anchor
              component="button"
              type="button"
              size="sm"
              aria-label={t`Change: ${label}`}
              onClick={onChange}
            >{t`Change`}</Anchor>
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
