import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { periodArgs } from '../../graphql/schema/period.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { FailureCauseType } from '../failures/failure-cause.schema.ts'
import { type BounceCount, type Deliverability, deliverability } from './deliverability.ts'
import { type MailReach, mailReach } from './reach.ts'
import { statsFields } from './stats.schema.ts'
import { ratio } from './stats.ts'

const BounceCountType = builder.objectRef<BounceCount>('BounceCount').implement({
  description: 'Number of messages that bounced with one cause.',
  fields: (t) => ({
    cause: t.expose('cause', { type: FailureCauseType, description: 'Cause of the bounces.' }),
    count: t.exposeInt('count', { description: 'Number of messages.' }),
    share: t.float({
      description: '`count` divided by the number of all bounced messages of the period, from 0 to 1.',
      resolve: ({ count, bounced }) => ratio(count, bounced),
    }),
  }),
})

readableWith('BounceCount', 'campaigns:read')

const DeliverabilityType = builder.objectRef<Deliverability>('Deliverability').implement({
  description:
    'Numbers of messages of the account in a period, over all campaigns and sequences. Each counts at the time at which it happened, as in the series of the account, so a message that was sent before the period can be opened in it.',
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Start of the period, inclusive. Null for all time.',
      resolve: ({ span }) => span.from ?? null,
    }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'End of the period, exclusive. Null for all time.',
      resolve: ({ span }) => span.until ?? null,
    }),
    ...statsFields(t as never),
    bounces: t.field({
      type: [BounceCountType],
      description: 'The bounced messages by cause, most frequent first. Causes without bounces are left out.',
      complexity: { ...listCost('bounceCauses'), weight: 4 },
      resolve: (statistics) => statistics.bounces(),
    }),
  }),
})

readableWith('Deliverability', 'campaigns:read')

const MailReachType = builder.objectRef<MailReach>('MailReach').implement({
  description:
    'How many contacts the messages of the account reached, over all campaigns and sequences. A contact counts once, with any number of messages; `deliverability` counts messages.',
  fields: (t) => ({
    days: t.exposeInt('days', { description: 'Length of the period in days.' }),
    since: t.exposeTime('since', { description: 'Start of the period.' }),
    reached: t.exposeInt('reached', {
      description: 'Number of contacts with at least one message that the mail server accepted in the period.',
    }),
    openers: t.exposeInt('openers', {
      description: 'Number of these contacts that opened at least one of the messages.',
    }),
    clickers: t.exposeInt('clickers', { description: 'Number of these contacts that clicked a link.' }),
    unsubscribers: t.exposeInt('unsubscribers', {
      description: 'Number of these contacts that unsubscribed through one of the messages.',
    }),
  }),
})

readableWith('MailReach', 'campaigns:read')

builder.queryFields((t) => ({
  deliverability: t.field({
    type: DeliverabilityType,
    description: 'Returns how many messages of the account were sent, opened, clicked and lost in a period.',
    args: periodArgs(t.arg),
    complexity: 50,
    resolve: (_root, args, ctx) => deliverability(ctx, args),
  }),
  mailReach: t.field({
    type: MailReachType,
    description:
      'Returns how many contacts the messages of the last `days` days reached. The period ends now, because only the latest messages of a contact are stored by time.',
    args: {
      days: t.arg.int({
        required: true,
        defaultValue: 30,
        description: 'Length of the period in days of 24 hours, from 1 to 365.',
      }),
    },
    complexity: 20,
    resolve: (_root, args, ctx) => mailReach(ctx, args),
  }),
}))
