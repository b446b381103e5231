import * as z from 'zod'
import { allPages, legacyRoute, one, unpaged } from '../envelope/route.ts'
import {
  LegacyContactsOfSequenceDocument,
  type LegacySequenceRowFragment,
  LegacySequencesDocument,
  LegacySequencesOfContactDocument,
  SequenceReadDocument,
} from '../generated/documents.ts'
import { queryId } from '../input/input.ts'
import { sequence, stage, toSequence, toStage } from '../sequences/sequence.ts'
import {
  listContactsOfSequence,
  listSequences,
  listSequencesOfContact,
  readSequence,
} from '../sequences/sequences.routes.ts'
import { sortNewestFirst } from '../values/sort.ts'
import { legacyContactIdentity, toLegacyContactIdentity } from './tags.routes.ts'

/** Like a legacy tag, a resource has its ID under both names. A sequence also has the number of its stages. */
const legacySequence = sequence.extend({ sequence_id: z.int(), stages_count: z.int() })
const legacyStage = stage.extend({ stage_id: z.int() })

function toLegacySequence(node: LegacySequenceRowFragment) {
  return { ...toSequence(node), sequence_id: node.databaseId, stages_count: node.stagesCount }
}

/** Sequences of the legacy API. */
export const legacySequenceRoutes = [
  legacyRoute('LEG-SEQ-LIST', listSequences, LegacySequencesDocument, {
    ...unpaged,
    summary: 'List all sequences',
    reply: allPages(legacySequence, ({ sequences }) => sequences, toLegacySequence),
  }),
  legacyRoute('LEG-SEQ-GET', readSequence, SequenceReadDocument, {
    reply: one(
      legacySequence.extend({ stages: z.array(legacyStage) }),
      ({ sequence: found }) =>
        found && {
          ...toLegacySequence({ ...found, stagesCount: found.stages?.length ?? 0 }),
          stages: (found.stages ?? []).map((each) => ({ ...toStage(each), stage_id: each.databaseId })),
        },
    ),
  }),
  legacyRoute('LEG-SEQ-OF-CONTACT', listSequencesOfContact, LegacySequencesOfContactDocument, {
    reply: one(
      z.array(legacySequence),
      ({ contact }) => contact && sortNewestFirst(contact.sequences).map(toLegacySequence),
    ),
  }),
  legacyRoute('LEG-SEQ-CONTACTS', listContactsOfSequence, LegacyContactsOfSequenceDocument, {
    summary: 'List all contacts of a sequence',
    query: z.object({ sequence_id: queryId }),
    variables: ({ query, after }) => ({ sequenceId: query.sequence_id, after }),
    reply: allPages(legacyContactIdentity, ({ sequence: found }) => found?.contacts, toLegacyContactIdentity),
  }),
]
