import { ContactType } from '../../contacts/contact.schema.ts'
import { contactList } from '../../contacts/index.ts'
import { builder } from '../../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../../graphql/connection.ts'
import { needing } from '../../graphql/mutation.ts'
import { allowed } from '../../graphql/query.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { type RecipientCounts, recipients } from '../index.ts'

const RecipientState = builder.enumType('RecipientState', {
  description: 'How far a message to one contact has come.',
  values: {
    QUEUED: { description: 'Waits for its turn.' },
    CLAIMED: { description: 'A process has taken it on.' },
    HANDING_OVER: { description: 'Is being given to the mail server at this moment.' },
    SENT: { description: 'The mail server has accepted it.' },
    BOUNCED: { description: 'The address does not take mail.' },
    FAILED: { description: 'Was given up after several attempts.' },
    SKIPPED: { description: 'Was left out: the contact had withdrawn its consent or was deleted, for example.' },
    UNKNOWN: { description: 'Was being handed over when a process died: it may have been sent or not.' },
  },
})

export const RecipientType = builder.prismaObject('MailRecipient', {
  name: 'Recipient',
  description: 'One message to one contact, and what became of it.',
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    id: t.id({ description: 'Opaque; unique among recipients.', resolve: ({ id }) => String(id) }),
    state: t.expose('state', { type: RecipientState, description: 'How far it has come.' }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', 'Whom it goes to; null if the contact was deleted.'),
      resolve: allowed('contacts:read', ({ contactId }, _args, ctx) => ctx.load(contactList.byId, contactId)),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was decided to send it.' }),
    attempts: t.exposeInt('attempts', { description: 'How often it was given to a mail server, which answered.' }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'From when on it may be given to one; null where it is not waiting.',
      resolve: ({ state, dueAt }) => (state === 'QUEUED' ? dueAt : null),
    }),
    answer: t.exposeString('answer', {
      nullable: true,
      description:
        'What the mail server said last, or why there was no answer; null before any attempt, and if the contact was deleted.',
    }),
    sentAt: t.expose('sentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the mail server accepted it; null where it has not.',
    }),
    openedAt: t.expose('openedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was first opened; null where it was not.',
    }),
    clickedAt: t.expose('clickedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When a link in it was first followed; null where none was.',
    }),
    unsubscribedAt: t.expose('unsubscribedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it led to an unsubscription; null where it did not.',
    }),
  }),
})

export const RecipientCountsType = builder.objectRef<RecipientCounts>('RecipientCounts').implement({
  description: 'How many messages have come how far.',
  fields: (t) => ({
    queued: t.exposeInt('QUEUED', { description: 'Wait for their turn, or for another attempt.' }),
    claimed: t.exposeInt('CLAIMED', { description: 'A process has taken them on.' }),
    handingOver: t.exposeInt('HANDING_OVER', { description: 'Are being given to a mail server.' }),
    sent: t.exposeInt('SENT', { description: 'A mail server has accepted them.' }),
    bounced: t.exposeInt('BOUNCED', { description: 'Came back: the address does not take mail.' }),
    failed: t.exposeInt('FAILED', { description: 'Were given up.' }),
    skipped: t.exposeInt('SKIPPED', { description: 'Were left out.' }),
    unknown: t.exposeInt('UNKNOWN', { description: 'May have been sent or not.' }),
  }),
})

readableWith('Recipient', 'mail:read', 'campaigns:read')

export const RecipientConnection = connectionOf('Recipient', RecipientType, 'recipients')

export const RecipientFilter = builder.inputType('RecipientFilter', {
  description: 'Which messages a list is about; all conditions must hold.',
  fields: (t) => ({
    states: t.field({ type: [RecipientState], description: 'Those that have come as far as any of these.' }),
    opened: t.boolean({ description: 'Those that were, or were not, opened.' }),
    clicked: t.boolean({ description: 'Those that had a link followed, or had none.' }),
  }),
})

export const RecipientOrder = orderOf(
  'Recipient',
  'recipients',
  { CONTACT: 'Whom the message goes to, in the order in which contacts were added.' },
  { field: 'CONTACT', direction: 'ASC' },
)

const MessageOrder = orderOf(
  'Message',
  'messages',
  { ID: 'Their id: the order in which it was decided to send them.' },
  { field: 'ID', direction: 'DESC' },
)

builder.prismaObjectField(ContactType, 'messages', (t) =>
  t.field({
    type: RecipientConnection,
    nullable: true,
    description: needing(
      'mail:read',
      'What was or will be sent to this contact, the latest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, RecipientFilter, MessageOrder),
    complexity: pageCost,
    resolve: allowed('mail:read', ({ id }, args, ctx) => recipients.listOfContact(ctx, id, args)),
  }),
)
