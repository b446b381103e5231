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
    description: 'The sequence as it is now; null where it is gone.',
    resolve: ({ data }, _args, ctx) => ctx.load(sequences.byId, data.sequenceId),
  }),
)

builder.objectField(MessageEvent, 'stage', (t) =>
  t.field({
    type: StageObject,
    nullable: true,
    description: needing('sequences:read', 'The stage that sent it; null where a campaign did, or where it is gone.'),
    resolve: allowed('sequences:read', ({ data: { stageId } }, _args, ctx) =>
      stageId === null ? null : ctx.load(stages.byId, stageId),
    ),
  }),
)
