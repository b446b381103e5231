import { contactFields } from '../contacts/events.schema.ts'
import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { builder } from '../graphql/schema/builder.ts'
import { MessageEvent } from '../mail/events.schema.ts'
import { SequenceObject } from './definition/sequence.schema.ts'
import { StageObject } from './stages/stage.schema.ts'

eventObject('SequenceEvent', 'A contact was enrolled in, was removed from, or completed a sequence.', (t) => ({
  ...contactFields(t),
  ...resourceFields(t, 'sequence', SequenceObject),
}))

eventObject('SequenceChangeEvent', 'A sequence was created, updated or deleted.', (t) =>
  resourceFields(t, 'sequence', SequenceObject),
)

eventObject('SequenceStageChangeEvent', 'A stage of a sequence was created, updated or deleted.', (t) => ({
  ...resourceFields(t, 'stage', StageObject),
  ...resourceFields(t, 'sequence', SequenceObject),
}))

builder.objectField(MessageEvent, 'stage', (t) =>
  t.node(({ data }) => data.stageId, {
    type: StageObject,
    description: 'The stage that sent the message. Null if a campaign sent it, or if the stage was deleted.',
  }),
)
