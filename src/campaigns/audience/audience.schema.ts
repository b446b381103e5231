import { ContactFilter } from '../../contacts/filters/contact-filter.schema.ts'
import { ContactConnection } from '../../contacts/people/contact.schema.ts'
import { TagType } from '../../contacts/tags/tag.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idsText, idText } from '../../graphql/schema/descriptions.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { SequenceObject } from '../../sequences/definition/sequence.schema.ts'
import type { Audience } from './audience.ts'
import * as audiences from './audience.ts'
import type { ListName } from './audience-filter.ts'

/** The description of each list of ids. */
const descriptions: Readonly<Record<ListName, string>> = {
  includeTagIds: 'Includes contacts that have any of these tags.',
  excludeTagIds: 'Excludes contacts that have any of these tags.',
  includeSegmentIds: 'Includes contacts that are in any of these segments. Not in the REST API.',
  excludeSegmentIds: 'Excludes contacts that are in any of these segments. Not in the REST API.',
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

export const AudienceListsInput = builder.inputType('AudienceListsInput', {
  description: `The filters of the REST API: lists that select contacts. A contact matches if any \`include…\` list includes it. An \`exclude…\` list overrides the \`include…\` lists. Without \`include…\` lists, all contacts that are not excluded match. ${idsText('the named objects')} An unknown ID matches no contact.`,
  fields: (t) => {
    const list = (name: ListName) => t.idList({ description: `${descriptions[name]} Maximum 1,000 IDs.` })
    return {
      includeTagIds: list('includeTagIds'),
      excludeTagIds: list('excludeTagIds'),
      includeSegmentIds: list('includeSegmentIds'),
      excludeSegmentIds: list('excludeSegmentIds'),
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

/** A count reads every contact that may match, so it costs as much as a page. */
const countCost = 50

const AudienceExclusionReason = builder.enumType('AudienceExclusionReason', {
  description: 'Why a contact of an audience gets no message of a campaign.',
  values: {
    NO_CONSENT: { description: 'The contact never consented to marketing e-mail.' },
    CONSENT_WITHDRAWN: {
      description: 'The contact withdrew consent to marketing e-mail, for example by unsubscribing.',
    },
    NOT_IN_TOPIC: { description: 'The contact consented, and left the topic of the e-mail or did not join it.' },
    ADDRESS_SUPPRESSED: { description: 'The contact consented, and the e-mail address is suppressed.' },
  } satisfies Record<audiences.ExclusionReason, { description: string }>,
})

const AudienceExclusion = builder.objectRef<audiences.AudienceExclusion>('AudienceExclusion').implement({
  description: 'The contacts of an audience that get no message for one reason.',
  fields: (t) => ({
    reason: t.expose('reason', { type: AudienceExclusionReason, description: 'Why they get no message.' }),
    count: t.exposeInt('count', { description: 'Number of contacts.' }),
  }),
})

export const AudienceType = builder.objectRef<Audience>('Audience').implement({
  description: 'A selection of contacts. It is computed when it is queried.',
  fields: (t) => ({
    total: t.int({
      description: 'Number of contacts that match.',
      complexity: countCost,
      resolve: async ({ key }, _args, ctx) => (await ctx.load(audiences.sizeOf, key)).total,
    }),
    optIn: t.int({
      description:
        'Number of matching contacts that consented to marketing e-mail, and get that of the topic. Campaigns are sent only to these, except those whose address is suppressed: see `leftOut`.',
      complexity: countCost,
      resolve: async ({ key }, _args, ctx) => (await ctx.load(audiences.sizeOf, key)).optIn,
    }),
    leftOut: t.field({
      type: [AudienceExclusion],
      description:
        'The matching contacts that a campaign would not be sent to, by reason. A contact has one reason, the first that applies: `total` less all counts is the number of recipients. Reasons that apply to no contact are absent.',
      complexity: { ...listCost('exclusions'), weight: countCost },
      resolve: ({ key }, _args, ctx) => ctx.load(audiences.exclusionsOf, key),
    }),
    sendToAll: t.exposeBoolean('sendToAll', {
      description: 'Whether the audience is all contacts. If true, `filter` is ignored.',
    }),
    filter: t.field({
      type: 'JSON',
      description: 'The filter that selects the contacts, in the form of the input `ContactFilterInput`.',
      resolve: ({ filter }) => filter,
    }),
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
    description: 'Returns the audience that a filter selects. Without a condition, all contacts.',
    args: {
      filter: t.arg({
        type: ContactFilter,
        description:
          'The filter to evaluate. Defaults to all contacts. Needs the scope `CONTACTS_READ` and the scopes of its fields.',
      }),
      lists: t.arg({
        type: AudienceListsInput,
        description: 'Lists of ids, as the REST API sends them. Cannot be combined with `filter`.',
      }),
      topicId: t.arg.id({ description: `${idText('the topic of the e-mail')} It changes \`optIn\` and \`leftOut\`.` }),
    },
    resolve: (_root, input, ctx) => audiences.selectAudience(ctx, input),
  }),
)

builder.prismaObjectField(SequenceObject, 'audience', (t) =>
  t.field({
    type: AudienceType,
    nullable: true,
    description: 'The contacts that are currently enrolled in the sequence, as an audience.',
    resolve: ({ id }) => audiences.audienceOfList({ includeSequenceIds: [id] }),
  }),
)

builder.prismaObjectField(TagType, 'audience', (t) =>
  t.field({
    type: AudienceType,
    nullable: true,
    description: 'The contacts that have the tag, as an audience.',
    resolve: ({ id }) => audiences.audienceOfList({ includeTagIds: [id] }),
  }),
)
