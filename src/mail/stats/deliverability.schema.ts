import { builder } from '../../graphql/schema/builder.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { type Deliverability, deliverability } from './deliverability.ts'
import { ratio } from './stats.ts'

const DeliverabilityType = builder.objectRef<Deliverability>('Deliverability').implement({
  description: 'E-mail statistics of the account over all campaigns and sequences. Every number counts contacts.',
  fields: (t) => ({
    days: t.exposeInt('days', { description: 'Length of the period in days.' }),
    since: t.exposeTime('since', { description: 'Start of the period.' }),
    sent: t.exposeInt('sent', {
      description: 'Number of contacts with at least one message that the mail server accepted in the period.',
    }),
    uniqueOpens: t.exposeInt('uniqueOpens', {
      description: 'Number of these contacts that opened at least one of the messages.',
    }),
    uniqueClicks: t.exposeInt('uniqueClicks', { description: 'Number of these contacts that clicked a link.' }),
    unsubscribes: t.exposeInt('unsubscribes', {
      description: 'Number of these contacts that unsubscribed through one of the messages.',
    }),
    openRate: t.float({
      description: '`uniqueOpens` divided by `sent`, from 0 to 1: 0.1678 means 16.78 %. 0 if nothing was sent.',
      resolve: ({ uniqueOpens, sent }) => ratio(uniqueOpens, sent),
    }),
    clickRate: t.float({
      description: '`uniqueClicks` divided by `sent`, from 0 to 1. 0 if nothing was sent.',
      resolve: ({ uniqueClicks, sent }) => ratio(uniqueClicks, sent),
    }),
    unsubscribeRate: t.float({
      description: '`unsubscribes` divided by `sent`, from 0 to 1. 0 if nothing was sent.',
      resolve: ({ unsubscribes, sent }) => ratio(unsubscribes, sent),
    }),
  }),
})

readableWith('Deliverability', 'campaigns:read')

builder.queryField('deliverability', (t) =>
  t.field({
    type: DeliverabilityType,
    description: 'Returns e-mail statistics of the account for the last `days` days.',
    args: {
      days: t.arg.int({
        required: true,
        defaultValue: 30,
        description: 'Length of the period in days, from 1 to 365.',
      }),
    },
    complexity: 20,
    resolve: (_root, args, ctx) => deliverability(ctx, args),
  }),
)
