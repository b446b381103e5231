import { MessageEvent, SequenceEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { allowed } from '../graphql/query.ts'
import { sequences, stages } from './index.ts'
import { SequenceObject } from './sequence.schema.ts'
import { StageObject } from './stage.schema.ts'

builder.objectField(SequenceEvent, 'sequence', (t) =>
  t.field({
    type: SequenceObject,
    nullable: true,
    description: 'The current state of the sequence. Null if it was deleted.',
    resolve: ({ data }, _args, ctx) => ctx.load(sequences.byId, data.sequenceId),
  }),
)

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
