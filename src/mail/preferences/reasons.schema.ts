import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import type { ReasonCount } from './reasons.ts'
import { reasonsOfAccount } from './reasons.ts'

const UnsubscribeReasonType = builder.enumType('UnsubscribeReason', {
  description: 'Why a contact unsubscribed, as it said on its preference page.',
  values: {
    TOO_MANY: { description: 'It got too many messages.' },
    NOT_RELEVANT: { description: 'The messages are not relevant for it.' },
    NEVER_SIGNED_UP: { description: 'It does not remember that it signed up.' },
    OTHER: { description: 'For another reason.' },
  },
})

export const UnsubscribeReasonCount = builder.objectRef<ReasonCount>('UnsubscribeReasonCount').implement({
  description: 'How many contacts unsubscribed for a reason. A contact need not give one.',
  fields: (t) => ({
    reason: t.expose('reason', { type: UnsubscribeReasonType, description: 'Why they unsubscribed.' }),
    count: t.exposeInt('count', { description: 'Number of messages through which contacts did.' }),
  }),
})

readableWith('UnsubscribeReasonCount', 'mail:read', 'campaigns:read')

builder.queryFields((t) => ({
  unsubscribeReasons: t.field({
    type: [UnsubscribeReasonCount],
    description: 'Returns why contacts unsubscribed from a topic or from everything, the most frequent reasons first.',
    complexity: { ...listCost('reasons'), weight: 10 },
    resolve: allowed('mail:read', (_root, _args, ctx) => ctx.load(reasonsOfAccount, 'all')),
  }),
}))
