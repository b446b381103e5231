import { declareEvents } from '../events/index.ts'

const needs = 'sequences:read'

export const sequenceEvents = {
  ...declareEvents(
    { kind: 'SequenceEvent', needs, sample: { contactId: 1, sequenceId: 1 } },
    {
      'sequence.subscribed': 'A contact was enrolled in a sequence.',
      'sequence.unsubscribed': 'A contact was removed from a sequence before its end.',
      'sequence.completed': 'A contact completed a sequence.',
    },
  ),
  ...declareEvents(
    { kind: 'SequenceChangeEvent', needs, sample: { sequenceId: 1 }, isEdit: true },
    {
      'sequence.created':
        'A sequence was created, also as a copy with stages. No `sequence_stage.created` is emitted for those.',
      'sequence.updated':
        'The name or the type of a sequence was updated, it was archived or restored, or its enrolments were replanned in the background.',
      'sequence.deleted': 'A sequence was deleted with its stages. No `sequence_stage.deleted` is emitted for them.',
    },
  ),
  ...declareEvents(
    { kind: 'SequenceStageChangeEvent', needs, sample: { stageId: 1, sequenceId: 1 }, isEdit: true },
    {
      'sequence_stage.created': 'A stage was added to a sequence.',
      'sequence_stage.updated': 'A stage, its content or its step was updated. Other stages may have another step.',
      'sequence_stage.deleted': 'A stage was deleted. Later stages have another step.',
    },
  ),
}

type SequenceEvents = typeof sequenceEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends SequenceEvents {}
}
