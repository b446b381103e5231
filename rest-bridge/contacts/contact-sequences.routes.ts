import * as z from 'zod'
import { one, route } from '../envelope/route.ts'
import {
  ContactStatsDocument,
  SequenceSubscribeDocument,
  type SequenceSubscribeMutation,
  SequenceUnsubscribeDocument,
} from '../generated/documents.ts'
import { contactBody, contactQuery, contactRef, dateTime, id } from '../input/input.ts'
import { percentage } from '../values/rates.ts'

const group = 'Contacts'

const pair = z.strictObject({ contact_id: z.int(), sequence_id: z.int() })

function toPair({ contactDatabaseId, sequenceDatabaseId }: NonNullable<SequenceSubscribeMutation['sequenceEnrol']>) {
  return { contact_id: contactDatabaseId, sequence_id: sequenceDatabaseId }
}

const subscribe = route('POST /v1/contact-sequence', SequenceSubscribeDocument, {
  id: 'CON-SEQ-ADD',
  scopes: ['sequences:write'],
  group,
  summary: 'Subscribe a contact to a sequence',
  description:
    'Repeating the request has no further effect. `anchor_date` is the date from which an inverted sequence counts back: a date, or a time, which is in UTC without an offset.',
  errors: ['VALIDATION_ERROR', 'SEQUENCE_HAS_NO_STAGES', 'NOT_FOUND'],
  resource: 'contact or sequence',
  body: contactBody({ sequence_id: id, anchor_date: dateTime.optional() }),
  variables: ({ body }) => ({
    input: { contact: contactRef(body), sequenceId: body.sequence_id, anchorDate: body.anchor_date },
  }),
  reply: one(pair, ({ sequenceEnrol }) => toPair(sequenceEnrol)),
})

const unsubscribe = route('DELETE /v1/contact-sequence', SequenceUnsubscribeDocument, {
  id: 'CON-SEQ-REMOVE',
  scopes: ['sequences:write'],
  group,
  summary: 'Remove a contact from a sequence',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact or sequence',
  body: contactBody({ sequence_id: id }),
  variables: ({ body }) => ({ input: { contact: contactRef(body), sequenceId: body.sequence_id } }),
  reply: one(pair, ({ sequenceUnenrol }) => toPair(sequenceUnenrol)),
})

const contactStats = route('GET /v1/contact-stats', ContactStatsDocument, {
  id: 'CON-STATS',
  scopes: ['contacts:read', 'mail:read'],
  group,
  summary: 'Get e-mail statistics of a contact',
  description: 'Rates are percentages: 66.7 means 66.7%.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(
    z.strictObject({
      id: z.int(),
      emails_sent: z.int(),
      emails_opened: z.int(),
      emails_clicked: z.int(),
      open_rate: z.number(),
      click_rate: z.number(),
    }),
    ({ contact }) =>
      contact?.stats
        ? {
            id: contact.databaseId,
            emails_sent: contact.stats.sent,
            emails_opened: contact.stats.opened,
            emails_clicked: contact.stats.clicked,
            open_rate: percentage(contact.stats.opened, contact.stats.sent),
            click_rate: percentage(contact.stats.clicked, contact.stats.sent),
          }
        : null,
  ),
})

/** Sequences and e-mail statistics of a contact, from the specification's table “Contacts”. */
export const contactSequenceRoutes = [subscribe, unsubscribe, contactStats]
