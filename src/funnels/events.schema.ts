import { contactOfEvent } from '../contacts/events.schema.ts'
import { eventObject, resourceFields } from '../events/log/event-object.schema.ts'
import { FunnelType } from './funnel.schema.ts'
import { funnelList, stepList } from './index.ts'
import { StepType } from './step.schema.ts'

eventObject('FunnelOptInEvent', 'A visitor opted in on a funnel step.', (t) => ({
  ...resourceFields(t, 'funnel', {
    type: FunnelType,
    byId: funnelList.byId,
    description: 'The funnel. Null if it was deleted.',
  }),
  ...resourceFields(t, 'step', {
    type: StepType,
    byId: stepList.byId,
    description: 'The step on whose page the contact opted in. Null if it was deleted.',
  }),
  ...resourceFields(t, 'contact', contactOfEvent),
}))
