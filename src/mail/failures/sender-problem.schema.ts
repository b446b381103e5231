import { builder } from '../../graphql/schema/builder.ts'
import { connectionOf } from '../../graphql/schema/connection.ts'
import { filterOf } from '../../graphql/schema/filter.ts'
import { largeNodeSource, Node } from '../../graphql/schema/node.ts'
import { FailureCauseType } from './failure-cause.schema.ts'
import * as senderProblems from './sender-problems.ts'

export const SenderProblemType = builder.prismaObject('SenderProblem', {
  description:
    'Messages that a receiving domain refused for a fault of the sender, by cause. The account then sends to the domain over one connection, and each accepted message allows one more. Deleted 30 days after the last one.',
  interfaces: [Node],
  fields: (t) => ({
    domain: t.exposeString('domain', { description: 'Receiving domain.' }),
    cause: t.expose('cause', { type: FailureCauseType, description: 'Why the messages were refused.' }),
    failures: t.exposeInt('failures', {
      description: 'Number of refusals. A message that is tried again can count again.',
    }),
    detail: t.exposeString('detail', { description: 'Last reply of the mail server, or the last report.' }),
    firstAt: t.exposeTime('firstAt', { description: 'Time of the first refusal.' }),
    lastAt: t.exposeTime('lastAt', { description: 'Time of the last refusal.' }),
  }),
})

largeNodeSource(SenderProblemType, 'mail:read', senderProblems.byId)

const SenderProblemFilter = filterOf('SenderProblemFilterInput', 'sender problems', senderProblems.problemFilter, {
  domain: 'Receiving domain.',
  cause: 'One of these causes.',
  lastAt: 'Time of the last refusal.',
})

const SenderProblemConnection = connectionOf(SenderProblemType, {
  noun: 'sender problems',
  filter: SenderProblemFilter,
  orders: { LAST_AT: 'Time of the last refusal.' },
})

builder.queryField('senderProblems', (t) =>
  t.connection(SenderProblemConnection, {
    description: 'Returns the problems that receiving domains have with the sender. Defaults to the latest first.',
    resolve: (_root, args, ctx) => senderProblems.list(ctx, args),
  }),
)
