import { ContactConnection, ContactFilter, ContactOrder } from '../contacts/contact.schema.ts'
import { TagType } from '../contacts/tag.schema.ts'
import { builder } from '../graphql/builder.ts'
import { listArgs, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { SequenceObject } from '../sequences/sequence.schema.ts'
import type { Audience } from './audience.ts'
import { type AudienceFilter, type ListName, listNames } from './audience-filter.ts'
import { audiences } from './index.ts'

const AudienceMatch = builder.enumType('AudienceMatch', {
  description: 'How the lists that include are joined.',
  values: {
    ANY: { description: 'Whoever is in any of them.' },
    ALL: { description: 'Whoever is in all of them.' },
  },
})

/** What each list of ids means. */
const meanings: Readonly<Record<ListName, string>> = {
  includeTagIds: 'Those who have any of these tags.',
  excludeTagIds: 'Not those who have any of these tags.',
  includeSequenceIds: 'Those who are enrolled in any of these sequences now.',
  excludeSequenceIds: 'Not those who are enrolled in any of these sequences now.',
  includeOpenedIds: 'Those who have opened any of these campaigns.',
  excludeOpenedIds: 'Not those who have opened any of these campaigns.',
  includeNotOpenedIds: 'Those who were sent any of these campaigns and have not opened it.',
  excludeNotOpenedIds: 'Not those who were sent any of these campaigns and have not opened it.',
  includeClickedIds: 'Those who have followed a link in any of these campaigns.',
  excludeClickedIds: 'Not those who have followed a link in any of these campaigns.',
  includeNotClickedIds: 'Those who were sent any of these campaigns and have not followed a link in it.',
  excludeNotClickedIds: 'Not those who were sent any of these campaigns and have not followed a link in it.',
}

export const AudienceFilterInput = builder.inputType('AudienceFilter', {
  description:
    'Chooses contacts. Who is excluded is out, whatever includes them; without a list that includes, everyone else is in. Ids are global ids or integers; an id that is gone matches nobody.',
  fields: (t) => {
    const list = (name: ListName) => t.idList({ description: `${meanings[name]} 1,000 ids at most.` })
    return {
      match: t.field({ type: AudienceMatch, description: 'How the lists that include are joined; ANY where absent.' }),
      includeTagIds: list('includeTagIds'),
      excludeTagIds: list('excludeTagIds'),
      includeSequenceIds: list('includeSequenceIds'),
      excludeSequenceIds: list('excludeSequenceIds'),
      includeOpenedIds: list('includeOpenedIds'),
      excludeOpenedIds: list('excludeOpenedIds'),
      includeNotOpenedIds: list('includeNotOpenedIds'),
      excludeNotOpenedIds: list('excludeNotOpenedIds'),
      includeClickedIds: list('includeClickedIds'),
      excludeClickedIds: list('excludeClickedIds'),
      includeNotClickedIds: list('includeNotClickedIds'),
      excludeNotClickedIds: list('excludeNotClickedIds'),
    }
  },
})

const AudienceCriteria = builder.objectRef<AudienceFilter>('AudienceCriteria').implement({
  description: 'What an audience is chosen by, as it was given: integers, whether or not there is such a thing.',
  fields: (t) => ({
    match: t.expose('match', { type: AudienceMatch, description: 'How the lists that include are joined.' }),
    ...(Object.fromEntries(
      listNames.map((name) => [
        name,
        t.idList({
          description: meanings[name],
          resolve: (filter) => (filter[name] ?? []).map(String),
        }),
      ]),
    ) as Record<ListName, ReturnType<typeof t.idList>>),
  }),
})

/** Counting looks at every contact that may match: it costs as much as a long page. */
const countCost = { field: 100, multiplier: 1 }

export const AudienceType = builder.objectRef<Audience>('Audience').implement({
  description: 'A choice of contacts, as it is at this moment.',
  fields: (t) => ({
    total: t.int({
      description: 'How many contacts match.',
      complexity: countCost,
      resolve: async ({ key }, _args, ctx) => (await ctx.load(audiences.sizeOf, key)).total,
    }),
    optIn: t.int({
      description: 'How many of them have agreed to marketing e-mail: only they are sent a campaign.',
      complexity: countCost,
      resolve: async ({ key }, _args, ctx) => (await ctx.load(audiences.sizeOf, key)).optIn,
    }),
    sendToAll: t.exposeBoolean('sendToAll', { description: 'Whether it is everyone, whatever the criteria say.' }),
    criteria: t.field({
      type: AudienceCriteria,
      description: 'What it is chosen by.',
      resolve: ({ filter }) => filter,
    }),
    contacts: t.field({
      type: ContactConnection,
      nullable: true,
      description: needing('contacts:read', 'The contacts that match, whether or not they agreed to marketing e-mail.'),
      args: listArgs(t.arg, ContactFilter, ContactOrder),
      complexity: pageCost,
      resolve: allowed('contacts:read', (audience, args, ctx) => audiences.contactsOf(ctx, audience, args)),
    }),
  }),
})

readableWith('Audience', 'campaigns:read')

builder.queryField('audience', (t) =>
  t.field({
    type: AudienceType,
    description: needing('campaigns:read', 'Whom a filter chooses at this moment; without one, everyone.'),
    args: { filter: t.arg({ type: AudienceFilterInput, description: 'Whom to choose.' }) },
    resolve: allowed('campaigns:read', (_root, { filter }) => audiences.chosenBy(filter)),
  }),
)

builder.prismaObjectField(SequenceObject, 'audience', (t) =>
  t.field({
    type: AudienceType,
    nullable: true,
    description: needing(
      'campaigns:read',
      'Those who are enrolled in this sequence now, as the audience of a campaign.',
    ),
    resolve: allowed('campaigns:read', ({ id }) => audiences.chosenBy({ includeSequenceIds: [id] })),
  }),
)

builder.prismaObjectField(TagType, 'audience', (t) =>
  t.field({
    type: AudienceType,
    nullable: true,
    description: needing('campaigns:read', 'Those who have this tag, as the audience of a campaign.'),
    resolve: allowed('campaigns:read', ({ id }) => audiences.chosenBy({ includeTagIds: [id] })),
  }),
)
