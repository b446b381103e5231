import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Group, Stack, Text } from '@mantine/core'
import {
  CircleDollarSign,
  FileText,
  ListChecks,
  type LucideIcon,
  Mail,
  MailOpen,
  MousePointerClick,
  ReceiptText,
  Send,
  TriangleAlert,
  UserMinus,
  UserPlus,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { OverviewQuery, PersonNameFragment } from '../generated/overview.documents.ts'
import type { EventType } from '../graph/use-screen.ts'
import { type Format, useFormat, words } from '../shared/format.ts'
import { PersonLink } from '../shared/layout/links.tsx'
import { Listed } from '../shared/layout/listed.tsx'
import { Muted } from '../shared/layout/screen.tsx'

export type ActivityEvent = NonNullable<OverviewQuery['events']>['nodes'][number]

const kinds = {
  CONTACT_CREATED: { icon: UserPlus, text: msg`was added` },
  CONTACT_UNSUBSCRIBED: { icon: UserMinus, text: msg`unsubscribed` },
  EMAIL_OPENED: { icon: MailOpen, text: msg`opened an e-mail` },
  EMAIL_CLICKED: { icon: MousePointerClick, text: msg`clicked a link` },
  EMAIL_BOUNCED: { icon: TriangleAlert, text: msg`could not be reached` },
  FORM_SUBMISSION_COMPLETED: { icon: FileText, text: msg`completed` },
  FUNNEL_OPT_IN: { icon: ListChecks, text: msg`opted in` },
  ORDER_CREATED: { icon: CircleDollarSign, text: msg`ordered` },
  ORDER_COMPLETED: { icon: CircleDollarSign, text: msg`paid` },
  INVOICE_PAID: { icon: ReceiptText, text: msg`was paid` },
  CAMPAIGN_SENT: { icon: Send, text: msg`was sent` },
  SEQUENCE_COMPLETED: { icon: ListChecks, text: msg`completed` },
} as const satisfies Partial<Record<EventType, { icon: LucideIcon; text: MessageDescriptor }>>

/** The types of events that are shown. */
export const activityTypes = Object.keys(kinds) as (keyof typeof kinds)[]

/** What happened, newest first. New entries are announced to screen readers. */
export function ActivityList({ events }: { events: readonly ActivityEvent[] | undefined }) {
  const format = useFormat()
  return (
    <Listed items={events} empty={t`Nothing has happened yet.`}>
      {(listed) => (
        <Stack component="ul" gap={6} className="timeline-list" aria-live="polite">
          {listed.map((event) => {
            const { icon: Icon, text } = kinds[event.type as keyof typeof kinds] ?? { icon: Mail, text: undefined }
            return (
              <Group component="li" key={event.cursor} gap="sm" wrap="nowrap" align="start">
                <Icon size={15} className="muted activity-icon" aria-hidden="true" />
                <Text size="sm" flex={1} miw={0} className="activity-text">
                  {subjectOf(event)} {text ? i18n._(text) : words(event.type)} {objectOf(event, format)}
                </Text>
                <Muted className="activity-time">
                  <time dateTime={event.occurredAt} title={format.dateTime(event.occurredAt)}>
                    {format.relative(event.occurredAt)}
                  </time>
                </Muted>
              </Group>
            )
          })}
        </Stack>
      )}
    </Listed>
  )
}

const person = (contact: PersonNameFragment | null | undefined): ReactNode =>
  contact ? <PersonLink contact={contact} /> : t`A former contact`

function subjectOf(event: ActivityEvent): ReactNode {
  if ('campaign' in event && event.campaign) return event.campaign.name
  if ('invoice' in event) return t`Invoice ${event.invoice?.number ?? ''}`
  if ('order' in event) return person(event.order?.contact)
  if ('submission' in event) return person(event.submission?.contact)
  if ('contact' in event) return person(event.contact)
  return ''
}

function objectOf(event: ActivityEvent, format: Format): ReactNode {
  if ('order' in event && event.order) return format.money(event.order.amount)
  if ('submission' in event) return event.submission?.form?.name
  if ('sequence' in event) return event.sequence?.name
  return null
}
