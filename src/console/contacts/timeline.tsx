import { i18n } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Group, Stack, Text } from '@mantine/core'
import {
  CircleDollarSign,
  Clock,
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
  MESSAGE_DELAYED: Clock,
  MESSAGE_FAILED: MailX,
  MESSAGE_OPENED: MailOpen,
  MESSAGE_SENT: Mail,
  MESSAGE_SKIPPED: MailX,
  ORDER_PLACED: CircleDollarSign,
  PAGE_VISITED: Eye,
  TAG_ADDED: Tag,
  TAG_REMOVED: Tag,
}

/** What happened to a contact, newest first. */
export function Timeline({ entries }: { entries: readonly TimelineItemFragment[] | undefined }) {
  const format = useFormat()
  return (
    <Listed items={entries} empty={t`Nothing has happened yet.`}>
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
  const message = 'recipient' in entry && messageOf(entry.recipient)
  const sequence = 'enrolment' in entry && strong(entry.enrolment?.sequence?.name)
  const tag = 'tag' in entry && strong(entry.tag?.name)
  switch (entry.type) {
    case 'MESSAGE_SENT':
      return <Trans>Received {message}</Trans>
    case 'MESSAGE_FAILED': {
      const failure = 'recipient' in entry && withReason(entry.recipient, 'failureCause')
      return <Trans>Did not get {failure}</Trans>
    }
    case 'MESSAGE_SKIPPED': {
      const skip = 'recipient' in entry && withReason(entry.recipient, 'skipReason')
      return <Trans>Was not sent {skip}</Trans>
    }
    case 'MESSAGE_DELAYED': {
      const delay = 'recipient' in entry && withReason(entry.recipient, 'delayReason')
      return <Trans>Had to wait for {delay}</Trans>
    }
    case 'MESSAGE_COMPLAINED':
      return <Trans>Reported {message} as spam</Trans>
    case 'MESSAGE_OPENED':
      return <Trans>Opened {message}</Trans>
    case 'MESSAGE_CLICKED': {
      const url = 'url' in entry && <span>{entry.url}</span>
      return (
        <Trans>
          Clicked {url} in {message}
        </Trans>
      )
    }
    case 'TAG_ADDED':
      return <Trans>Got the tag {tag}</Trans>
    case 'TAG_REMOVED':
      return <Trans>Lost the tag {tag}</Trans>
    case 'FIELD_CHANGED':
    case 'CUSTOM_FIELD_CHANGED':
      return changeOf(entry)
    case 'ORDER_PLACED': {
      const price = 'order' in entry && entry.order && strong(format.money(entry.order.amount))
      return <Trans>Ordered for {price}</Trans>
    }
    case 'ENROLMENT_STARTED':
      return <Trans>Entered the sequence {sequence}</Trans>
    case 'ENROLMENT_ENDED':
      return <Trans>Left the sequence {sequence}</Trans>
    case 'FORM_SUBMITTED': {
      const form = 'submission' in entry && strong(entry.submission?.form?.name)
      return <Trans>Completed {form}</Trans>
    }
    case 'PAGE_VISITED': {
      const page = 'step' in entry && strong(entry.step?.name)
      return <Trans>Visited {page}</Trans>
    }
    case 'CONSENT_RECORDED':
      if ('consent' in entry && entry.consent?.kind === 'TOPIC') {
        const topic = strong(entry.consent.topic?.name)
        return entry.consent.granted ? <Trans>Joined the topic {topic}</Trans> : <Trans>Left the topic {topic}</Trans>
      }
      return 'consent' in entry && entry.consent
        ? i18n._(consents[entry.consent.kind][entry.consent.granted ? 'given' : 'withdrawn'])
        : t`Gave or withdrew a consent`
    default:
      return words(entry.type)
  }
}

const consents = {
  EMAIL_MARKETING: {
    given: msg`Consented to marketing by e-mail`,
    withdrawn: msg`Withdrew the consent to marketing by e-mail`,
  },
  GDPR: {
    given: msg`Consented to the processing of data`,
    withdrawn: msg`Withdrew the consent to the processing of data`,
  },
  TOPIC: { given: msg`Joined a topic`, withdrawn: msg`Left a topic` },
} as const

const strong = (text: string | null | undefined) => (
  <Text span size="sm" fw={550}>
    {text ?? t`something that was deleted`}
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
  return strong(message?.stage?.name ?? t`a message`)
}

type ReasonField = 'failureCause' | 'skipReason' | 'delayReason'

function withReason(
  message: (TimelineMessageFragment & { readonly [Field in ReasonField]?: string | null }) | null | undefined,
  field: ReasonField,
): ReactNode {
  const reason = message?.[field]
  return (
    <>
      {messageOf(message)}
      {reason && `: ${words(reason)}`}
    </>
  )
}

function changeOf(entry: TimelineItemFragment): ReactNode {
  if (!('field' in entry)) return t`Changed`
  const name = entry.customField?.name ?? (entry.field ? words(entry.field) : t`A field`)
  return (
    <>
      {name}: <del className="muted">{entry.oldValue}</del> {strong(entry.newValue || t`empty`)}
    </>
  )
}
