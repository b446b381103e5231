import { FunnelOptInEvent } from '../events/log/event-kinds.schema.ts'
import { builder } from '../graphql/builder.ts'
import { FunnelType } from './funnel.schema.ts'
import { StepType } from './step.schema.ts'

builder.objectFields(FunnelOptInEvent, (t) => ({
  funnel: t.node(({ data }) => data.funnelId, { type: FunnelType, description: 'The funnel. Null if it was deleted.' }),
  step: t.node(({ data }) => data.stepId, {
    type: StepType,
    description: 'The step on whose page the contact opted in. Null if it was deleted.',
  }),
}))
