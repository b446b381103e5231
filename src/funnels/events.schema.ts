import { contactFields } from '../contacts/events.schema.ts'
import { eventObject, resourceFields } from '../events/log/event-object.schema.ts'
import { FunnelType } from './funnel.schema.ts'
import { funnelList, stepList } from './index.ts'
import { StepType } from './step.schema.ts'

eventObject('FunnelOptInEvent', 'A visitor opted in on a funnel step.', (t) => ({
  ...resourceFields(t, 'funnel', FunnelType, funnelList.byId),
  ...resourceFields(t, 'step', StepType, stepList.byId),
  ...contactFields(t),
}))
