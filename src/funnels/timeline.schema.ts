import { AttributionPairType, pairsOf } from '../contacts/attribution.schema.ts'
import type { Attribution } from '../contacts/index.ts'
import { linkedField, timelineEntry } from '../contacts/timeline.schema.ts'
import { listCost } from '../graphql/sizes.ts'
import { FunnelType } from './funnel.schema.ts'
import { StepType } from './step.schema.ts'

interface Visit {
  readonly funnelId: number
  readonly stepId: number
  readonly attribution: Attribution
}

timelineEntry<Visit>('VisitEntry', 'A visit of the page of a funnel step.', (t) => ({
  ...linkedField(t, 'funnel', FunnelType),
  ...linkedField(t, 'step', StepType),
  attribution: t.field({
    type: [AttributionPairType],
    description: 'Where the contact came from.',
    complexity: listCost('attribution'),
    resolve: ({ data }) => pairsOf(data.attribution),
  }),
}))
