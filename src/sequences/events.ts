import { declareEvents } from '../events/index.ts'

export const sequenceEvents = declareEvents(
  { kind: 'SequenceEvent', needs: 'sequences:read', sample: { contactId: 1, sequenceId: 1 } },
  {
    'sequence.subscribed': 'A contact was enrolled in a sequence.',
    'sequence.unsubscribed': 'A contact was removed from a sequence before its end.',
    'sequence.completed': 'A contact completed a sequence.',
  },
)

type SequenceEvents = typeof sequenceEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends SequenceEvents {}
}
