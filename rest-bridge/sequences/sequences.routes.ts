import * as z from 'zod'
import { contactName, toContactName } from '../contacts/contact.ts'
import {
  ContactsOfSequenceDocument,
  SequenceCreateDocument,
  SequenceDeleteDocument,
  SequenceListDocument,
  SequenceReadDocument,
  SequenceStatsDocument,
  SequencesOfContactDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, id, queryId, someText } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { ratio } from '../rates.ts'
import { one, page, route, written } from '../route.ts'
import { sequence, stage, toSequence, toSequencesOfContact, toStage } from './sequence.ts'

const group = 'Sequences'
const types = ['normal', 'inverted'] as const
type GraphType = 'NORMAL' | 'INVERTED'

const createSequence = route(SequenceCreateDocument, {
  id: 'SEQ-CREATE',
  method: 'POST',
  path: '/v1/sequence',
  needs: ['sequences:write'],
  group,
  summary: 'Create a sequence',
  status: 201,
  errors: ['VALIDATION_ERROR'],
  body: z.object({
    name: someText.meta({ maxLength: 255 }),
    type: z.enum(types, 'must be normal or inverted').optional(),
  }),
  variables: ({ body }) => ({ input: { name: body.name, type: body.type?.toUpperCase() as GraphType | undefined } }),
  reply: one(
    z.strictObject({ id: z.int(), name: z.string(), type: z.enum(types) }),
    ({ sequenceCreate: { sequence } }) => {
      const { databaseId, name, type } = written(sequence)
      return { id: databaseId, name, type: type.toLowerCase() as (typeof types)[number] }
    },
  ),
})

const listSequences = route(SequenceListDocument, {
  id: 'SEQ-LIST',
  method: 'GET',
  path: '/v1/sequences',
  needs: ['sequences:read'],
  group,
  summary: 'List sequences, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(sequence, ({ sequences }) => sequences, toSequence),
})

const readSequence = route(SequenceReadDocument, {
  id: 'SEQ-GET',
  method: 'GET',
  path: '/v1/sequence',
  needs: ['sequences:read'],
  group,
  summary: 'Read a sequence with its stages',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
  query: z.object({ sequence_id: queryId }),
  variables: ({ query }) => ({ id: query.sequence_id }),
  reply: one(
    sequence.extend({ stages: z.array(stage) }),
    ({ sequence: found }) => found && { ...toSequence(found), stages: (found.stages ?? []).map(toStage) },
  ),
})

const listSequencesOfContact = route(SequencesOfContactDocument, {
  id: 'SEQ-OF-CONTACT',
  method: 'GET',
  path: '/v1/contacts-sequences',
  needs: ['contacts:read'],
  group,
  summary: 'List the sequences a contact is subscribed to',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(sequence), ({ contact }) => contact && toSequencesOfContact(contact.sequences)),
})

const listContactsOfSequence = route(ContactsOfSequenceDocument, {
  id: 'SEQ-CONTACTS',
  method: 'GET',
  path: '/v1/sequences-contacts',
  needs: ['sequences:read', 'contacts:read'],
  group,
  summary: 'List the contacts that are subscribed to a sequence',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
  query: z.object({ sequence_id: queryId, ...paging }),
  variables: ({ query }) => ({ sequenceId: query.sequence_id, ...pageArguments(query) }),
  reply: page(contactName, ({ sequence: found }) => found?.contacts, toContactName),
})

const deleteSequence = route(SequenceDeleteDocument, {
  id: 'SEQ-DELETE',
  method: 'DELETE',
  path: '/v1/sequence',
  needs: ['sequences:write'],
  group,
  summary: 'Delete a sequence with its stages',
  description: 'Irreversible. Everybody who is in it is taken out.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
  names: { id: 'sequence_id' },
  body: z.object({ sequence_id: id }),
  variables: ({ body }) => ({ input: { id: body.sequence_id } }),
  reply: one(z.strictObject({ deleted: z.literal(true) }), () => ({ deleted: true as const })),
})

const sequenceStats = route(SequenceStatsDocument, {
  id: 'SEQ-STATS',
  method: 'GET',
  path: '/v1/sequence-stats',
  needs: ['sequences:read'],
  group,
  summary: 'Read what became of the e-mails of a sequence, stage by stage',
  description: 'Rates are ratios: 0.6667 means 66.67 %. `bounced` is reserved and always 0.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
  query: z.object({ sequence_id: queryId }),
  variables: ({ query }) => ({ id: query.sequence_id }),
  reply: one(
    z.strictObject({
      id: z.int(),
      name: z.string(),
      active_contacts: z.int(),
      stages: z.array(
        z.strictObject({
          id: z.int(),
          position: z.int(),
          subject: z.string(),
          sent: z.int(),
          opened: z.int(),
          clicked: z.int(),
          unsubscribed: z.int(),
          bounced: z.literal(0),
          open_rate: z.number(),
          click_rate: z.number(),
          unsubscribe_rate: z.number(),
        }),
      ),
    }),
    ({ sequence: found }) =>
      found && {
        id: found.databaseId,
        name: found.name,
        active_contacts: found.activeContacts ?? 0,
        stages: (found.stages ?? [])
          .filter(({ stageType }) => stageType === 'SEND_EMAIL')
          .map(({ databaseId, step, email, stats }) => ({
            id: databaseId,
            position: step,
            subject: email?.subject ?? '',
            sent: stats.sent,
            opened: stats.opened,
            clicked: stats.clicked,
            unsubscribed: stats.unsubscribed,
            bounced: 0 as const,
            open_rate: ratio(stats.opened, stats.sent),
            click_rate: ratio(stats.clicked, stats.sent),
            unsubscribe_rate: ratio(stats.unsubscribed, stats.sent),
          })),
      },
  ),
})

/** Sequences themselves, of the specification's table “Sequences”. */
export const sequenceRoutes = [
  createSequence,
  listSequences,
  readSequence,
  listSequencesOfContact,
  listContactsOfSequence,
  deleteSequence,
  sequenceStats,
]
