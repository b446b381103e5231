import * as z from 'zod'
import { contactIdentity, toContactIdentity } from '../contacts/contact.ts'
import { deleted, one, page, requireNode, route } from '../envelope/route.ts'
import {
  ContactsOfSequenceDocument,
  SequenceCreateDocument,
  SequenceDeleteDocument,
  SequenceListDocument,
  SequenceReadDocument,
  SequenceStatsDocument,
  SequencesOfContactDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, id, nonEmptyText, queryId } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { toGraphEnum, toRestEnum } from '../values/enums.ts'
import { ratio } from '../values/rates.ts'
import { sortNewestFirst } from '../values/sort.ts'
import { sequence, stage, toSequence, toStage } from './sequence.ts'

const group = 'Sequences'
const types = ['normal', 'inverted'] as const

const createSequence = route('POST /v1/sequence', SequenceCreateDocument, {
  id: 'SEQ-CREATE',
  scopes: ['sequences:write'],
  group,
  summary: 'Create a sequence',
  status: 201,
  errors: ['VALIDATION_ERROR'],
  body: z.object({
    name: nonEmptyText.meta({ maxLength: 255 }),
    type: z.enum(types, 'must be normal or inverted').optional(),
  }),
  variables: ({ body }) => ({ input: { name: body.name, type: body.type && toGraphEnum(body.type) } }),
  reply: one(
    z.strictObject({ id: z.int(), name: z.string(), type: z.enum(types) }),
    ({ sequenceCreate: { sequence } }) => {
      const { databaseId, name, type } = requireNode(sequence)
      return { id: databaseId, name, type: toRestEnum(type) }
    },
  ),
})

export const listSequences = route('GET /v1/sequences', SequenceListDocument, {
  id: 'SEQ-LIST',
  scopes: ['sequences:read'],
  group,
  summary: 'List sequences, newest first',
  errors: ['VALIDATION_ERROR'],
  query: z.object(paging),
  variables: ({ query }) => pageArguments(query),
  reply: page(sequence, ({ sequences }) => sequences, toSequence),
})

export const readSequence = route('GET /v1/sequence', SequenceReadDocument, {
  id: 'SEQ-GET',
  scopes: ['sequences:read'],
  group,
  summary: 'Get a sequence with its stages',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
  query: z.object({ sequence_id: queryId }),
  variables: ({ query }) => ({ id: query.sequence_id }),
  reply: one(
    sequence.extend({ stages: z.array(stage) }),
    ({ sequence: found }) => found && { ...toSequence(found), stages: (found.stages ?? []).map(toStage) },
  ),
})

export const listSequencesOfContact = route('GET /v1/contacts-sequences', SequencesOfContactDocument, {
  id: 'SEQ-OF-CONTACT',
  scopes: ['contacts:read'],
  group,
  summary: 'List the sequences of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(sequence), ({ contact }) => contact && sortNewestFirst(contact.sequences).map(toSequence)),
})

export const listContactsOfSequence = route('GET /v1/sequences-contacts', ContactsOfSequenceDocument, {
  id: 'SEQ-CONTACTS',
  scopes: ['sequences:read', 'contacts:read'],
  group,
  summary: 'List the contacts that are subscribed to a sequence',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
  query: z.object({ sequence_id: queryId, ...paging }),
  variables: ({ query }) => ({ sequenceId: query.sequence_id, ...pageArguments(query) }),
  reply: page(contactIdentity, ({ sequence: found }) => found?.contacts, toContactIdentity),
})

const deleteSequence = route('DELETE /v1/sequence', SequenceDeleteDocument, {
  id: 'SEQ-DELETE',
  scopes: ['sequences:write'],
  group,
  summary: 'Delete a sequence with its stages',
  description: 'The deletion is irreversible. All contacts are removed from the sequence.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
  fieldNames: { id: 'sequence_id' },
  body: z.object({ sequence_id: id }),
  variables: ({ body }) => ({ input: { id: body.sequence_id } }),
  reply: deleted,
})

const sequenceStats = route('GET /v1/sequence-stats', SequenceStatsDocument, {
  id: 'SEQ-STATS',
  scopes: ['sequences:read'],
  group,
  summary: 'Get statistics of a sequence and its stages',
  description:
    'Lists only stages that send an e-mail. Rates are ratios: 0.6667 means 66.67%. `bounced` is reserved and always 0.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
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

/** Sequences, from the specification's table “Sequences”. */
export const sequenceRoutes = [
  createSequence,
  listSequences,
  readSequence,
  listSequencesOfContact,
  listContactsOfSequence,
  deleteSequence,
  sequenceStats,
]
