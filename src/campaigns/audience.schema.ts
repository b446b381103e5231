import { ContactConnection } from '../contacts/contact.schema.ts'
import { TagType } from '../contacts/tag.schema.ts'
import { builder } from '../graphql/builder.ts'
import { readableWith } from '../graphql/scopes.ts'
import { SequenceObject } from '../sequences/sequence.schema.ts'
import type { Audience } from './audience.ts'
import { type AudienceFilter, type ListName, listNames } from './audience-filter.ts'
import { audiences } from './index.ts'

const AudienceMatch = builder.enumType('AudienceMatch', {
  description: 'How the `include…` lists of an audience filter are combined.',
  values: {
    ANY: { description: 'A contact matches if at least one list includes it.' },
    ALL: { description: 'A contact matches only if every given list includes it.' },
  },
})

/** The description of each list of ids. */
const descriptions: Readonly<Record<ListName, string>> = {
  includeTagIds: 'Includes contacts that have any of these tags.',
  excludeTagIds: 'Excludes contacts that have any of these tags.',
  includeSequenceIds: 'Includes contacts that are currently enrolled in any of these sequences.',
  excludeSequenceIds: 'Excludes contacts that are currently enrolled in any of these sequences.',
  includeOpenedIds: 'Includes contacts that opened any of these campaigns.',
  excludeOpenedIds: 'Excludes contacts that opened any of these campaigns.',
  includeNotOpenedIds: 'Includes contacts that were sent any of these campaigns and did not open it.',
  excludeNotOpenedIds: 'Excludes contacts that were sent any of these campaigns and did not open it.',
  includeClickedIds: 'Includes contacts that clicked a link in any of these campaigns.',
  excludeClickedIds: 'Excludes contacts that clicked a link in any of these campaigns.',
  includeNotClickedIds: 'Includes contacts that were sent any of these campaigns and did not click a link in it.',
  excludeNotClickedIds: 'Excludes contacts that were sent any of these campaigns and did not click a link in it.',
}

export const AudienceFilterInput = builder.inputType('AudienceFilter', {
  description:
    'Selects contacts. An `exclude…` list overrides the `include…` lists. Without `include…` lists, all contacts that are not excluded match. IDs are global ids or integers; an unknown id matches no contact.',
  fields: (t) => {
    const list = (name: ListName) => t.idList({ description: `${descriptions[name]} Maximum 1,000 ids.` })
    return {
      match: t.field({ type: AudienceMatch, description: 'How the `include…` lists are combined. Defaults to ANY.' }),
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
  description:
    'The stored filter of an audience. It contains the integer ids as they were sent, even if no such row exists.',
  fields: (t) => ({
    match: t.expose('match', { type: AudienceMatch, description: 'How the `include…` lists are combined.' }),
    ...(Object.fromEntries(
      listNames.map((name) => [
        name,
        t.idList({
          description: descriptions[name],
          resolve: (filter) => (filter[name] ?? []).map(String),
        }),
      ]),
    ) as Record<ListName, ReturnType<typeof t.idList>>),
  }),
})

/** A count reads every contact that may match, so it costs as much as a long page. */
const countCost = { field: 100, multiplier: 1 }

export const AudienceType = builder.objectRef<Audience>('Audience').implement({
  description: 'A selection of contacts. It is computed when it is queried.',
  fields: (t) => ({
    total: t.int({
      description: 'Number of contacts that match.',
      complexity: countCost,
      resolve: async ({ key }, _args, ctx) => (await ctx.load(audiences.sizeOf, key)).total,
    }),
    optIn: t.int({
      description: 'Number of matching contacts that consented to marketing e-mail. Campaigns are sent only to these.',
      complexity: countCost,
      resolve: async ({ key }, _args, ctx) => (await ctx.load(audiences.sizeOf, key)).optIn,
    }),
    sendToAll: t.exposeBoolean('sendToAll', {
      description: 'Whether the audience is all contacts. If true, `criteria` is ignored.',
    }),
    criteria: t.expose('filter', { type: AudienceCriteria, description: 'The filter that selects the contacts.' }),
    contacts: t.connection(ContactConnection, {
      description: 'The contacts that match, with or without consent to marketing e-mail.',
      resolve: (audience, args, ctx) => audiences.contactsOf(ctx, audience, args),
    }),
  }),
})

readableWith('Audience', 'campaigns:read')

builder.queryField('audience', (t) =>
  t.field({
    type: AudienceType,
    description: 'Returns the audience that a filter selects. Without a filter, all contacts.',
    args: {
      filter: t.arg({ type: AudienceFilterInput, description: 'The filter to evaluate. Defaults to all contacts.' }),
    },
    resolve: (_root, { filter }) => audiences.selectAudience(filter),
  }),
)

builder.prismaObjectField(SequenceObject, 'audience', (t) =>
  t.field({
    type: AudienceType,
    nullable: true,
    description: 'The contacts that are currently enrolled in the sequence, as an audience.',
    resolve: ({ id }) => audiences.selectAudience({ includeSequenceIds: [id] }),
  }),
)

builder.prismaObjectField(TagType, 'audience', (t) =>
  t.field({
    type: AudienceType,
    nullable: true,
    description: 'The contacts that have the tag, as an audience.',
    resolve: ({ id }) => audiences.selectAudience({ includeTagIds: [id] }),
  }),
)
