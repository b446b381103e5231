import * as z from 'zod'
import { allPages, one, route } from '../envelope/route.ts'
import {
  LegacyContactsOfSequenceDocument,
  type LegacySequenceRowFragment,
  LegacySequencesDocument,
  LegacySequencesOfContactDocument,
  SequenceReadDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, queryId } from '../input/input.ts'
import { sequence, stage, toSequence, toStage } from '../sequences/sequence.ts'
import { sortNewestFirst } from '../values/sort.ts'
import { legacyContactIdentity, toLegacyContactIdentity } from './tags.routes.ts'

const group = 'Legacy'

/** Like a legacy tag, a resource has its ID under both names. A sequence also has the number of its stages. */
const legacySequence = sequence.extend({ sequence_id: z.int(), stages_count: z.int() })
const legacyStage = stage.extend({ stage_id: z.int() })

function toLegacySequence(node: LegacySequenceRowFragment) {
  return { ...toSequence(node), sequence_id: node.databaseId, stages_count: node.stagesCount }
}

const listSequences = route('GET /sequences', LegacySequencesDocument, {
  id: 'LEG-SEQ-LIST',
  scopes: ['sequences:read'],
  group,
  summary: 'List all sequences',
  variables: ({ after }) => ({ after }),
  reply: allPages(legacySequence, ({ sequences }) => sequences, toLegacySequence),
})

const readSequence = route('GET /sequence', SequenceReadDocument, {
  id: 'LEG-SEQ-GET',
  scopes: ['sequences:read'],
  group,
  summary: 'Get a sequence with its stages',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
  query: z.object({ sequence_id: queryId }),
  variables: ({ query }) => ({ id: query.sequence_id }),
  reply: one(
    legacySequence.extend({ stages: z.array(legacyStage) }),
    ({ sequence: found }) =>
      found && {
        ...toLegacySequence({ ...found, stagesCount: found.stages?.length ?? 0 }),
        stages: (found.stages ?? []).map((each) => ({ ...toStage(each), stage_id: each.databaseId })),
      },
  ),
})

const listSequencesOfContact = route('GET /contacts-sequences', LegacySequencesOfContactDocument, {
  id: 'LEG-SEQ-OF-CONTACT',
  scopes: ['contacts:read'],
  group,
  summary: 'List the sequences of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(
    z.array(legacySequence),
    ({ contact }) => contact && sortNewestFirst(contact.sequences).map(toLegacySequence),
  ),
})

const listContactsOfSequence = route('GET /sequences-contacts', LegacyContactsOfSequenceDocument, {
  id: 'LEG-SEQ-CONTACTS',
  scopes: ['sequences:read', 'contacts:read'],
  group,
  summary: 'List all contacts of a sequence',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'sequence',
  query: z.object({ sequence_id: queryId }),
  variables: ({ query, after }) => ({ sequenceId: query.sequence_id, after }),
  reply: allPages(legacyContactIdentity, ({ sequence: found }) => found?.contacts, toLegacyContactIdentity),
})

/** Sequences of the legacy API. */
export const legacySequenceRoutes = [listSequences, readSequence, listSequencesOfContact, listContactsOfSequence]
