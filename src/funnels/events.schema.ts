import { FunnelOptInEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { FunnelType } from './funnel.schema.ts'
import { funnelList, stepList } from './index.ts'
import { StepType } from './step.schema.ts'

builder.objectFields(FunnelOptInEvent, (t) => ({
  funnel: t.field({
    type: FunnelType,
    nullable: true,
    description: 'The funnel. Null if it was deleted.',
    resolve: ({ data }, _args, ctx) => ctx.load(funnelList.byId, data.funnelId),
  }),
  step: t.field({
    type: StepType,
    nullable: true,
    description: 'The step on whose page the contact opted in. Null if it was deleted.',
    resolve: ({ data }, _args, ctx) => ctx.load(stepList.byId, data.stepId),
  }),
}))
