import { contactFields } from '../contacts/events.schema.ts'
import { eventObject, resourceFields } from '../events/feed/event-object.schema.ts'
import { FunnelType } from './funnel/funnel.schema.ts'
import { StepType } from './funnel/step.schema.ts'

eventObject('FunnelOptInEvent', 'A visitor opted in on a funnel step.', (t) => ({
  ...resourceFields(t, 'funnel', FunnelType),
  ...resourceFields(t, 'step', StepType),
  ...contactFields(t),
}))

eventObject('FunnelVisitsEvent', 'Visitors opened pages of a funnel.', (t) => ({
  ...resourceFields(t, 'funnel', FunnelType),
  visits: t.int({
    description:
      'Number of visits since the last event, without those of bots. The statistics of the funnel are exact.',
    resolve: ({ data }) => data.visits,
  }),
}))

eventObject('FunnelChangeEvent', 'A funnel was created, updated or deleted.', (t) =>
  resourceFields(t, 'funnel', FunnelType),
)

eventObject('FunnelStepChangeEvent', 'A step of a funnel was created, updated or deleted.', (t) => ({
  ...resourceFields(t, 'step', StepType),
  ...resourceFields(t, 'funnel', FunnelType),
}))
