import { contactFields } from '../contacts/events.schema.ts'
import { eventObject, resourceFields } from '../events/log/event-object.schema.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { allowed } from '../graphql/query.ts'
import { MessageEvent } from '../mail/events.schema.ts'
import { sequences, stages } from './index.ts'
import { SequenceObject } from './sequence.schema.ts'
import { StageObject } from './stage.schema.ts'

eventObject('SequenceEvent', 'A contact was enrolled in, was removed from, or completed a sequence.', (t) => ({
  ...contactFields(t),
  ...resourceFields(t, 'sequence', SequenceObject, sequences.byId),
}))

builder.objectField(MessageEvent, 'stage', (t) =>
  t.field({
    type: StageObject,
    nullable: true,
    description: needing(
      'sequences:read',
      'The stage that sent the message. Null if a campaign sent it, or if the stage was deleted.',
    ),
    resolve: allowed('sequences:read', ({ data: { stageId } }, _args, ctx) =>
      stageId === null ? null : ctx.load(stages.byId, stageId),
    ),
  }),
)
