import { ContactType } from '../../contacts/people/contact.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder, type Schema } from '../../graphql/schema/builder.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { type LinkStats, maxLinks } from './link-stats.ts'
import { bounceRate, emptyStats, type MailStats, ratio, statsOfContact } from './stats.ts'

type StatsFields = PothosSchemaTypes.ObjectFieldBuilder<Schema, MailStats>

/** Returns the fields of numbers of messages and their rates. */
export function statsFields(t: StatsFields) {
  return {
    sent: t.exposeInt('sent', { description: 'Number of messages that the mail server accepted.' }),
    opened: t.exposeInt('opened', { description: 'Number of sent messages that were opened.' }),
    clicked: t.exposeInt('clicked', { description: 'Number of sent messages with at least one click.' }),
    unsubscribed: t.exposeInt('unsubscribed', {
      description: 'Number of sent messages through which the contact unsubscribed.',
    }),
    bounced: t.exposeInt('bounced', { description: 'Number of messages to addresses that do not accept e-mail.' }),
    rejected: t.exposeInt('rejected', {
      description: 'Number of bounced messages that the mail server did not accept. They are not part of `sent`.',
    }),
    complained: t.exposeInt('complained', {
      description: 'Number of sent messages that their recipients reported as spam.',
    }),
    openRate: t.float({
      description: '`opened` divided by `sent`, from 0 to 1. 0 if nothing was sent.',
      resolve: ({ opened, sent }) => ratio(opened, sent),
    }),
    clickRate: t.float({
      description: '`clicked` divided by `sent`, from 0 to 1. 0 if nothing was sent.',
      resolve: ({ clicked, sent }) => ratio(clicked, sent),
    }),
    unsubscribeRate: t.float({
      description: '`unsubscribed` divided by `sent`, from 0 to 1. 0 if nothing was sent.',
      resolve: ({ unsubscribed, sent }) => ratio(unsubscribed, sent),
    }),
    bounceRate: t.float({
      description: '`bounced` divided by the sum of `sent` and `rejected`, from 0 to 1. 0 if there are none.',
      resolve: bounceRate,
    }),
    complaintRate: t.float({
      description: '`complained` divided by `sent`, from 0 to 1. 0 if nothing was sent.',
      resolve: ({ complained, sent }) => ratio(complained, sent),
    }),
  }
}

export const MailStatsType = builder.objectRef<MailStats>('MailStats').implement({
  description:
    'E-mail statistics. Each message counts once. Opens and clicks by prefetchers and scanners do not count.',
  fields: statsFields,
})

export const LinkStatsType = builder.objectRef<LinkStats>('LinkStats').implement({
  description: 'Clicks on a link in sent messages. Clicks by scanners do not count.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Target of the link as written in the e-mail, with merge fields.' }),
    clicks: t.exposeInt('clicks', { description: 'Number of clicks. Several clicks in one message count.' }),
    uniqueClicks: t.exposeInt('uniqueClicks', {
      description: 'Number of messages with at least one click on the link.',
    }),
  }),
})

/** The description and the cost of a list of links. */
export const linksOptions = {
  description: `Clicked links of the messages, most clicked first. Maximum ${maxLinks}. Empty without clicks.`,
  complexity: listCost('clickedLinks'),
}

builder.prismaObjectField(ContactType, 'stats', (t) =>
  t.field({
    type: MailStatsType,
    description: 'Returns the e-mail statistics of all messages to this contact.',
    resolve: allowed('mail:read', async ({ id }, _args, ctx) => (await ctx.load(statsOfContact, id)) ?? emptyStats),
  }),
)
