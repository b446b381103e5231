import { contactFields } from '../contacts/events.schema.ts'
import { eventObject, resourceFields } from '../events/log/event-object.schema.ts'
import { FunnelType } from './funnel.schema.ts'
import { StepType } from './step.schema.ts'

eventObject('FunnelOptInEvent', 'A visitor opted in on a funnel step.', (t) => ({
  ...resourceFields(t, 'funnel', FunnelType),
  ...resourceFields(t, 'step', StepType),
  ...contactFields(t),
}))
