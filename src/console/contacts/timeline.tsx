import { Group, Stack, Text } from '@mantine/core'
import {
  CircleDollarSign,
  Eye,
  FileText,
  ListChecks,
  type LucideIcon,
  Mail,
  MailOpen,
  MailX,
  MousePointerClick,
  PenLine,
  ShieldCheck,
  Tag,
  TriangleAlert,
  UserPlus,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { TimelineItemFragment, TimelineMessageFragment } from '../generated/contacts.documents.ts'
import { type Format, useFormat, words } from '../shared/format.ts'
import { RouterAnchor } from '../shared/layout/links.tsx'
import { Listed } from '../shared/layout/listed.tsx'
import { Muted } from '../shared/layout/screen.tsx'

const icons: Readonly<Record<TimelineItemFragment['type'], LucideIcon>> = {
  ADDRESS_SUPPRESSED: TriangleAlert,
  CONSENT_RECORDED: ShieldCheck,
  CONTACT_CREATED: UserPlus,
  CUSTOM_FIELD_CHANGED: PenLine,
  ENROLMENT_ENDED: ListChecks,
  ENROLMENT_STARTED: ListChecks,
  FIELD_CHANGED: PenLine,
  FORM_SUBMITTED: FileText,
  MESSAGE_CLICKED: MousePointerClick,
  MESSAGE_COMPLAINED: TriangleAlert,
  MESSAGE_FAILED: MailX,
  MESSAGE_OPENED: MailOpen,
  MESSAGE_SENT: Mail,
  ORDER_PLACED: CircleDollarSign,
  PAGE_VISITED: Eye,
  TAG_ADDED: Tag,
  TAG_REMOVED: Tag,
}

/** What happened to a contact, newest first. */
export function Timeline({ entries }: { entries: readonly TimelineItemFragment[] | undefined }) {
  const format = useFormat()
  return (
    <Listed items={entries} empty="Nothing has happened yet.">
      {(listed) => (
        <Stack component="ol" gap={8} className="timeline-list">
          {listed.map((entry) => {
            const Icon = icons[entry.type]
            return (
              <Group component="li" key={entry.id} gap="sm" wrap="nowrap" align="start">
                <Icon size={15} className="muted activity-icon" aria-hidden="true" />
                <Text size="sm" flex={1} miw={0} className="activity-text">
                  {textOf(entry, format)}
                </Text>
                <Muted className="activity-time">
                  <time dateTime={entry.occurredAt} title={format.relative(entry.occurredAt)}>
                    {format.dateTime(entry.occurredAt)}
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

function textOf(entry: TimelineItemFragment, format: Format): ReactNode {
  switch (entry.type) {
    case 'MESSAGE_SENT':
      return <>Received {'recipient' in entry && messageOf(entry.recipient)}</>
    case 'MESSAGE_FAILED':
      return <>Did not get {'recipient' in entry && failureOf(entry.recipient)}</>
    case 'MESSAGE_COMPLAINED':
      return <>Reported {'recipient' in entry && messageOf(entry.recipient)} as spam</>
    case 'MESSAGE_OPENED':
      return <>Opened {'recipient' in entry && messageOf(entry.recipient)}</>
    case 'MESSAGE_CLICKED':
      return (
        <>
          Clicked {'url' in entry && entry.url} in {'recipient' in entry && messageOf(entry.recipient)}
        </>
      )
    case 'TAG_ADDED':
      return <>Got the tag {'tag' in entry && strong(entry.tag?.name)}</>
    case 'TAG_REMOVED':
      return <>Lost the tag {'tag' in entry && strong(entry.tag?.name)}</>
    case 'FIELD_CHANGED':
    case 'CUSTOM_FIELD_CHANGED':
      return changeOf(entry)
    case 'ORDER_PLACED':
      return <>Ordered for {'order' in entry && entry.order && strong(format.money(entry.order.amount))}</>
    case 'ENROLMENT_STARTED':
      return <>Entered the sequence {'enrolment' in entry && strong(entry.enrolment?.sequence?.name)}</>
    case 'ENROLMENT_ENDED':
      return <>Left the sequence {'enrolment' in entry && strong(entry.enrolment?.sequence?.name)}</>
    case 'FORM_SUBMITTED':
      return <>Completed {'submission' in entry && strong(entry.submission?.form?.name)}</>
    case 'PAGE_VISITED':
      return <>Visited {'step' in entry && strong(entry.step?.name)}</>
    case 'CONSENT_RECORDED':
      return 'consent' in entry && entry.consent
        ? `${entry.consent.granted ? 'Consented to' : 'Withdrew the consent to'} ${consentNames[entry.consent.kind]}`
        : 'Gave or withdrew a consent'
    default:
      return words(entry.type)
  }
}

const consentNames = { EMAIL_MARKETING: 'marketing by e-mail', GDPR: 'the processing of data' } as const

const strong = (text: string | null | undefined) => (
  <Text span size="sm" fw={550}>
    {text ?? 'something that was deleted'}
  </Text>
)

function messageOf(message: TimelineMessageFragment | null | undefined): ReactNode {
  if (message?.campaign) {
    return (
      <RouterAnchor to="/campaigns/$id" params={{ id: message.campaign.id }} className="row-link">
        {message.campaign.name}
      </RouterAnchor>
    )
  }
  return strong(message?.stage?.name ?? 'a message')
}

function failureOf(
  message: (TimelineMessageFragment & { failureCause?: string | null }) | null | undefined,
): ReactNode {
  return (
    <>
      {messageOf(message)}
      {message?.failureCause && `: ${words(message.failureCause).toLowerCase()}`}
    </>
  )
}

function changeOf(entry: TimelineItemFragment): ReactNode {
  if (!('field' in entry)) return 'Changed'
  const name = entry.customField?.name ?? (entry.field ? words(entry.field) : 'A field')
  return (
    <>
      {name}: <del className="muted">{entry.oldValue}</del> {strong(entry.newValue || 'empty')}
    </>
  )
}
