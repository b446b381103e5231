import type { Attribution } from '../contacts/index.ts'
import { AttributionPairType, pairsOf } from '../contacts/record/attribution.schema.ts'
import { linkedField, timelineEntry } from '../contacts/timeline/timeline.schema.ts'
import { listCost } from '../graphql/cost/sizes.ts'
import { FunnelType } from './funnel/funnel.schema.ts'
import { StepType } from './funnel/step.schema.ts'

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
