import { linkedField, timelineEntry } from '../contacts/timeline/timeline.schema.ts'
import { RecipientType } from './recipients/recipient.schema.ts'
import { SuppressionType } from './suppressions/suppression.schema.ts'

interface Reaction {
  readonly recipientId: string
  readonly times: number
}

timelineEntry<{ recipientId: string }>('MessageSentEntry', 'A message was sent to the contact.', (t) =>
  linkedField(t, 'recipient', RecipientType),
)

timelineEntry<{ recipientId: string }>(
  'MessageFailedEntry',
  'A message to the contact was not delivered. The message contains the cause.',
  (t) => linkedField(t, 'recipient', RecipientType),
)

timelineEntry<{ recipientId: string }>(
  'MessageSkippedEntry',
  'A message to the contact was skipped. The message contains the reason.',
  (t) => linkedField(t, 'recipient', RecipientType),
)

timelineEntry<{ recipientId: string }>(
  'MessageDelayedEntry',
  'A message to the contact began to wait. The message contains the reason.',
  (t) => linkedField(t, 'recipient', RecipientType),
)

timelineEntry<{ recipientId: string }>('MessageComplainedEntry', 'The contact reported a message as spam.', (t) =>
  linkedField(t, 'recipient', RecipientType),
)

timelineEntry<Reaction>('MessageOpenedEntry', 'The contact opened an e-mail.', (t) => ({
  ...linkedField(t, 'recipient', RecipientType),
  times: t.int({
    description:
      'Number of opens. More than 1 only for the last entry of an e-mail that was opened more than 20 times.',
    resolve: ({ data }) => data.times,
  }),
}))

timelineEntry<Reaction & { url: string }>('MessageClickedEntry', 'The contact clicked on a link.', (t) => ({
  ...linkedField(t, 'recipient', RecipientType),
  url: t.string({
    description: 'Target of the link as written in the e-mail, with merge fields.',
    resolve: ({ data }) => data.url,
  }),
  times: t.int({
    description: 'Number of clicks. More than 1 only for the last entry of a link that was clicked more than 20 times.',
    resolve: ({ data }) => data.times,
  }),
}))

timelineEntry<{ suppressionId: string }>(
  'AddressSuppressedEntry',
  'The e-mail address of the contact was suppressed. The record contains the reason.',
  (t) => linkedField(t, 'suppression', SuppressionType),
)
