import { ContactType } from '../../contacts/contact.schema.ts'
import { builder } from '../../graphql/builder.ts'
import { needing } from '../../graphql/mutation.ts'
import { allowed } from '../../graphql/query.ts'
import { type Figures, figures } from '../index.ts'

export const MailFigures = builder.objectRef<Figures>('MailFigures').implement({
  description: 'What became of messages. Each message counts once; prefetchers and scanners do not count.',
  fields: (t) => ({
    sent: t.exposeInt('sent', { description: 'How many were accepted by the mail server.' }),
    opened: t.exposeInt('opened', { description: 'How many of these were opened.' }),
    clicked: t.exposeInt('clicked', { description: 'How many of these had a link followed.' }),
    unsubscribed: t.exposeInt('unsubscribed', { description: 'How many of these led to an unsubscription.' }),
    bounced: t.exposeInt('bounced', { description: 'How many came back.' }),
    openRate: t.float({
      description: 'Opened per sent, from 0 to 1; 0 where nothing was sent.',
      resolve: ({ opened, sent }) => figures.ratio(opened, sent),
    }),
    clickRate: t.float({
      description: 'Clicked per sent, in the same form.',
      resolve: ({ clicked, sent }) => figures.ratio(clicked, sent),
    }),
    unsubscribeRate: t.float({
      description: 'Unsubscribed per sent, in the same form.',
      resolve: ({ unsubscribed, sent }) => figures.ratio(unsubscribed, sent),
    }),
  }),
})

builder.prismaObjectField(ContactType, 'stats', (t) =>
  t.field({
    type: MailFigures,
    nullable: true,
    description: needing('mail:read', 'What became of all messages to this contact.'),
    resolve: allowed(
      'mail:read',
      async ({ id }, _args, ctx) => (await ctx.load(figures.figuresOfContact, id)) ?? figures.nothing,
    ),
  }),
)
