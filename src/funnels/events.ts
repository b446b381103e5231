import { declareEvents } from '../events/index.ts'

export const funnelEvents = declareEvents(
  { kind: 'FunnelOptInEvent', needs: 'funnels:read', sample: { funnelId: 1, stepId: 1, contactId: 1 } },
  { 'funnel.opt_in': 'A visitor opted in on a funnel step.' },
)

type FunnelEvents = typeof funnelEvents

declare module '../events/index.ts' {
  interface DeclaredEvents extends FunnelEvents {}
}
