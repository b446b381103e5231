import { ContactType } from '../../contacts/people/contact.schema.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf, orderOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { largeNodeSource, Node } from '../../graphql/schema/node.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { EmailType } from '../emails/email.schema.ts'
import { FailureCauseType } from '../failures/failure-cause.schema.ts'
import { ClickConnection } from '../tracking/click.schema.ts'
import * as clicks from '../tracking/clicks.ts'
import { DelayReasonType, SkipReasonType } from './hold.schema.ts'
import * as recipients from './recipients.ts'

const RecipientState = builder.enumType('RecipientState', {
  description: 'Delivery state of a message to one contact.',
  values: {
    QUEUED: { description: 'Waits for its first attempt, or for the next one at `nextAttemptAt`.' },
    CLAIMED: { description: 'A worker has claimed the message and prepares it. Nothing was sent yet.' },
    SENDING: { description: 'Is being sent: the mail server has not replied yet.' },
    SENT: { description: 'The mail server accepted the message.' },
    BOUNCED: { description: 'The address does not accept e-mail. It was suppressed.' },
    FAILED: { description: 'The message was refused, could not be rendered, or failed in 9 attempts.' },
    SKIPPED: {
      description: 'The message is not sent. `skipReason` is why.',
    },
    UNKNOWN: {
      description:
        'A worker or a connection failed while the message was being sent, so it may have arrived or not. It is not sent again automatically; see `campaignSendUnknown`.',
    },
  },
})

export const RecipientType = builder.prismaObject('MailRecipient', {
  name: 'Recipient',
  description: 'A message of a campaign or a sequence to one contact, with its delivery state.',
  interfaces: [Node],
  fields: (t) => ({
    state: t.expose('state', { type: RecipientState, description: 'Delivery state of the message.' }),
    contact: t.node('contactId', {
      type: ContactType,
      description: 'Contact that the message is addressed to. Null if the contact was deleted.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the message was put into the queue.' }),
    attempts: t.exposeInt('attempts', {
      description: 'Number of attempts that count. Attempts that did not reach the mail server do not count.',
    }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Earliest time of the next attempt. Null unless `state` is QUEUED.',
      resolve: ({ state, dueAt }) => (state === 'QUEUED' ? dueAt : null),
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description:
        'Last reply of the mail server, or the reason why there is none. Null before the first attempt, and if the contact was deleted.',
    }),
    failureCause: t.expose('failureCause', {
      type: FailureCauseType,
      nullable: true,
      description:
        'Why the last attempt failed, or why the message bounced after it was sent. Null if neither happened.',
    }),
    skipReason: t.expose('skipReason', {
      type: SkipReasonType,
      nullable: true,
      description: 'Why the message is not sent. Null unless `state` is SKIPPED.',
    }),
    skippedAt: t.exposeTime('skippedAt', {
      nullable: true,
      description: 'Time at which the message was skipped. Null unless `state` is SKIPPED.',
    }),
    delayReason: t.expose('delayReason', {
      type: DelayReasonType,
      nullable: true,
      description: 'Why the message waits, or waited the last time before it was sent or skipped. Null if it did not.',
    }),
    delayedAt: t.exposeTime('delayedAt', {
      nullable: true,
      description: 'Time at which the message began to wait for this reason. Null if it did not.',
    }),
    delayedUntil: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time until which the message waits for this reason. Null unless `state` is QUEUED.',
      resolve: ({ state, delayReason, attempts, dueAt }) =>
        state === 'QUEUED' && delayReason !== null && attempts === 0 ? dueAt : null,
    }),
    failedAt: t.exposeTime('failedAt', {
      nullable: true,
      description:
        'Time at which the message finally failed, or at which its bounce was reported. Null if neither happened.',
    }),
    sentAt: t.exposeTime('sentAt', {
      nullable: true,
      description: 'Time at which the mail server accepted the message. Null if it has not.',
    }),
    openedAt: t.exposeTime('openedAt', {
      nullable: true,
      description: 'Time of the first open by a person. Null if there was none. Prefetchers and scanners do not count.',
    }),
    clickedAt: t.exposeTime('clickedAt', {
      nullable: true,
      description: 'Time of the first click by a person. Null if there was none.',
    }),
    unsubscribedAt: t.exposeTime('unsubscribedAt', {
      nullable: true,
      description: 'Time at which the contact unsubscribed through this message. Null if it has not.',
    }),
    complainedAt: t.exposeTime('complainedAt', {
      nullable: true,
      description: 'Time at which the recipient reported the message as spam. Null if it was not reported.',
    }),
    email: t.node('emailId', {
      type: EmailType,
      description:
        'E-mail that is sent, as it is now. Null for a text message, and if the campaign or the stage was deleted.',
    }),
    clicks: t.connection(ClickConnection, {
      description:
        'Clicks of people on the links of the message. Default order: latest first. Kept for `TRACKING_RETENTION_DAYS`, by default 400.',
      resolve: ({ id }, args, ctx) => clicks.listOfRecipient(ctx, id, args),
    }),
  }),
})

export const RecipientCountsType = builder.objectRef<recipients.RecipientCounts>('RecipientCounts').implement({
  description: 'Number of messages in each delivery state.',
  fields: (t) => ({
    queued: t.exposeInt('QUEUED', { description: 'Messages that wait for their first or next attempt.' }),
    claimed: t.exposeInt('CLAIMED', { description: 'Messages that a worker has claimed.' }),
    sending: t.exposeInt('SENDING', { description: 'Messages that are being sent now.' }),
    sent: t.exposeInt('SENT', { description: 'Messages that a mail server accepted.' }),
    bounced: t.exposeInt('BOUNCED', { description: 'Messages to addresses that do not accept e-mail.' }),
    failed: t.exposeInt('FAILED', { description: 'Messages that could not be delivered and are not tried again.' }),
    skipped: t.exposeInt('SKIPPED', {
      description: 'Messages that are not sent, for example after a withdrawn consent.',
    }),
    unknown: t.exposeInt('UNKNOWN', { description: 'Messages that may have been sent or not.' }),
  }),
})

largeNodeSource(RecipientType, 'mail:read', recipients.byId)
// A campaign returns its recipients, so its scope is enough to read them.
readableWith('Recipient', 'mail:read', 'campaigns:read')

filterKind('enum RecipientState', [RecipientState])

export const RecipientFilter = filterOf('RecipientFilterInput', 'messages', recipients.recipientFilter, {
  state: 'One of these delivery states.',
  attempts: 'Number of attempts that count.',
  answer: 'Last reply of the mail server, or the reason why there is none.',
  failureCause: 'One of these causes.',
  skipReason: 'One of these reasons why the message is not sent.',
  delayReason: 'One of these reasons why the message waits, or waited the last time.',
  createdAt: 'Time at which the message was put into the queue.',
  sentAt: 'Time at which the mail server accepted the message.',
  openedAt: 'Time of the first open by a person. `exists: false` matches messages that no person opened.',
  clickedAt: 'Time of the first click by a person. `exists: false` matches messages without a click.',
  unsubscribedAt: 'Time at which the contact unsubscribed through the message.',
  failedAt: 'Time at which the message finally failed, or at which its bounce was reported.',
  complainedAt: 'Time at which the recipient reported the message as spam.',
  contacts: 'The contact that the message is addressed to.',
  contact:
    'The contact of the message matches this filter. Deleted contacts do not match. Its conditions and levels count towards the maximum.',
  search: 'Words in any order, in the e-mail address, first and last name, company and phone number of the contact.',
  campaigns: 'The campaign of the message. A message of a sequence has none.',
  sequences: 'The sequence of the message. A message of a campaign has none.',
  stages: 'The sequence stage of the message. A message of a campaign has none.',
  clickedUrl:
    'Target of a link that a person clicked in the message, as written in the e-mail. Clicks are kept for `TRACKING_RETENTION_DAYS`.',
})

export const RecipientConnection = connectionOf(RecipientType, {
  noun: 'recipients',
  filter: RecipientFilter,
  orders: { CONTACT: 'Contact of the message, in the order in which contacts were added.' },
  direction: 'ASC',
})

const MessageConnection = {
  ...RecipientConnection,
  ...orderOf('Message', 'messages', {
    ID: 'ID of the message: the order in which messages were put into the queue.',
    SENT_AT: 'Time at which the message was sent. Messages that were not sent come first in ascending order.',
    OPENED_AT: 'Time of the first open. Messages that were not opened come first in ascending order.',
    CLICKED_AT: 'Time of the first click. Messages without a click come first in ascending order.',
  }),
}

builder.queryField('recipients', (t) =>
  t.connection(MessageConnection, {
    description: 'Returns the messages of all campaigns and sequences, sent or not. Defaults to the newest first.',
    resolve: allowed('mail:read', (_root, args, ctx) => recipients.list(ctx, args)),
  }),
)

builder.prismaObjectField(ContactType, 'messages', (t) =>
  t.connection(MessageConnection, {
    description: 'Returns the messages to this contact, sent or not. Defaults to the newest first.',
    resolve: allowed('mail:read', ({ id }, args, ctx) => recipients.listOfContact(ctx, id, args)),
  }),
)
