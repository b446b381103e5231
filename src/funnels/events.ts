import { declareEvents } from '../events/index.ts'

const needs = 'funnels:read'

export const funnelEvents = {
  ...declareEvents(
    { kind: 'FunnelOptInEvent', needs, sample: { funnelId: 1, stepId: 1, contactId: 1 } },
    { 'funnel.opt_in': 'A visitor opted in on a funnel step.' },
  ),
  ...declareEvents(
    { kind: 'FunnelVisitsEvent', needs, sample: { funnelId: 1, visits: 1 }, isEdit: true },
    {
      'funnel.visited':
        'Visitors opened pages of a funnel. Each process emits at most one event a minute for a funnel, with the number of visits since the last one.',
    },
  ),
  ...declareEvents(
    { kind: 'FunnelChangeEvent', needs, sample: { funnelId: 1 }, isEdit: true },
    {
      'funnel.created':
        'A funnel was created, also as a copy with steps. No `funnel_step.created` is emitted for those.',
      'funnel.updated': 'The name or the type of a funnel was updated, or it was archived or restored.',
      'funnel.deleted': 'A funnel was deleted with its steps. No `funnel_step.deleted` is emitted for them.',
    },
  ),
  ...declareEvents(
    { kind: 'FunnelStepChangeEvent', needs, sample: { stepId: 1, funnelId: 1 }, isEdit: true },
    {
      'funnel_step.created': 'A step was added to a funnel.',
      'funnel_step.updated':
        'A step, its page or its position was updated, or its page was published. Other steps may have another position.',
      'funnel_step.deleted': 'A step was deleted. Later steps have another position.',
    },
  ),
}

type FunnelEvents = typeof funnelEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends FunnelEvents {}
}
