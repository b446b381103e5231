import { MessageEvent, SequenceEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { SequenceObject } from './sequence.schema.ts'
import { StageObject } from './stage.schema.ts'

builder.objectField(SequenceEvent, 'sequence', (t) =>
  t.node(({ data }) => data.sequenceId, {
    type: SequenceObject,
    description: 'The current state of the sequence. Null if it was deleted.',
  }),
)

builder.objectField(MessageEvent, 'stage', (t) =>
  t.node(({ data }) => data.stageId, {
    type: StageObject,
    description: 'The stage that sent the message. Null if a campaign sent it, or if the stage was deleted.',
  }),
)
