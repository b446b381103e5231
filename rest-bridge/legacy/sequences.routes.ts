import * as z from 'zod'
import { contactName, toContactName } from '../contacts/contact.ts'
import { newestFirst } from '../contacts/tags.routes.ts'
import {
  LegacyContactsOfSequenceDocument,
  LegacySequencesDocument,
  LegacySequencesOfContactDocument,
  SequenceReadDocument,
} from '../generated/documents.ts'
import { contactQuery, contactRef, queryId } from '../input.ts'
import { one, route, walk } from '../route.ts'
import { sequence, stage, toSequence, toStage } from '../sequences/sequence.ts'

const group = 'Legacy'

/** As with tags, a resource carries its id under both its names; sequences also tell how many stages they have. */
const legacySequence = sequence.extend({ sequence_id: z.int(), stages_count: z.int() })
const legacyContactName = contactName.extend({ contact_id: z.int() })
const legacyStage = stage.extend({ stage_id: z.int() })

function toLegacySequence(node: Parameters<typeof toSequence>[0] & { readonly stagesCount: number }) {
  return { ...toSequence(node), sequence_id: node.databaseId, stages_count: node.stagesCount }
}

const listSequences = route(LegacySequencesDocument, {
  id: 'LEG-SEQ-LIST',
  method: 'GET',
  path: '/sequences',
  needs: ['sequences:read'],
  group,
  summary: 'List all sequences',
  variables: ({ after }) => ({ after }),
  reply: walk(legacySequence, ({ sequences }) => sequences, toLegacySequence),
})

const readSequence = route(SequenceReadDocument, {
  id: 'LEG-SEQ-GET',
  method: 'GET',
  path: '/sequence',
  needs: ['sequences:read'],
  group,
  summary: 'Read a sequence with its stages',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
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

const listSequencesOfContact = route(LegacySequencesOfContactDocument, {
  id: 'LEG-SEQ-OF-CONTACT',
  method: 'GET',
  path: '/contacts-sequences',
  needs: ['contacts:read'],
  group,
  summary: 'List the sequences of a contact',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'contact',
  query: contactQuery({}),
  variables: ({ query }) => ({ ref: contactRef(query) }),
  reply: one(z.array(legacySequence), ({ contact }) => contact && newestFirst(contact.sequences).map(toLegacySequence)),
})

const listContactsOfSequence = route(LegacyContactsOfSequenceDocument, {
  id: 'LEG-SEQ-CONTACTS',
  method: 'GET',
  path: '/sequences-contacts',
  needs: ['sequences:read', 'contacts:read'],
  group,
  summary: 'List all contacts that are subscribed to a sequence',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'sequence',
  query: z.object({ sequence_id: queryId }),
  variables: ({ query, after }) => ({ sequenceId: query.sequence_id, after }),
  reply: walk(
    legacyContactName,
    ({ sequence: found }) => found?.contacts,
    (node) => ({ ...toContactName(node), contact_id: node.databaseId }),
  ),
})

/** Sequences of the unversioned API. */
export const legacySequenceRoutes = [listSequences, readSequence, listSequencesOfContact, listContactsOfSequence]
