import { builder } from '../../graphql/builder.ts'
import { needing } from '../../graphql/mutation.ts'
import { allowed } from '../../graphql/query.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { type Deliverability, deliverability, figures } from '../index.ts'

const DeliverabilityType = builder.objectRef<Deliverability>('Deliverability').implement({
  description: "How the account's mail was received, over all campaigns and sequences.",
  fields: (t) => ({
    days: t.exposeInt('days', { description: 'How many days are looked at.' }),
    since: t.expose('since', { type: 'DateTime', description: 'When they began.' }),
    sent: t.exposeInt('sent', {
      description: 'Number of contacts to whom the mail server accepted at least one message in these days.',
    }),
    uniqueOpens: t.exposeInt('uniqueOpens', { description: 'How many different contacts have opened any of them.' }),
    uniqueClicks: t.exposeInt('uniqueClicks', { description: 'How many different contacts have followed a link.' }),
    unsubscribes: t.exposeInt('unsubscribes', { description: 'How many different contacts have unsubscribed.' }),
    openRate: t.float({
      description: '`uniqueOpens` / `sent`: 0.1678 means 16.78 %. 0 if nothing was sent.',
      resolve: ({ uniqueOpens, sent }) => figures.ratio(uniqueOpens, sent),
    }),
    clickRate: t.float({
      description: '`uniqueClicks` / `sent`, in the same form.',
      resolve: ({ uniqueClicks, sent }) => figures.ratio(uniqueClicks, sent),
    }),
    unsubscribeRate: t.float({
      description: '`unsubscribes` / `sent`, in the same form.',
      resolve: ({ unsubscribes, sent }) => figures.ratio(unsubscribes, sent),
    }),
  }),
})

readableWith('Deliverability', 'campaigns:read')

builder.queryField('deliverability', (t) =>
  t.field({
    type: DeliverabilityType,
    description: needing('campaigns:read', "How the account's mail was received in the last days."),
    args: { days: t.arg.int({ required: true, defaultValue: 30, description: 'How many days: 1 to 365.' }) },
    complexity: 100,
    resolve: allowed('campaigns:read', (_root, args, ctx) => deliverability(ctx, args)),
  }),
)
