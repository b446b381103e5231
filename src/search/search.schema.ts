import { listCost } from '../graphql/cost/sizes.ts'
import { builder } from '../graphql/schema/builder.ts'
import { Node } from '../graphql/schema/node.ts'
import { maxResults, minCharacters, type SearchResult, search, searchKinds } from './search.ts'

const SearchKindType = builder.enumType('SearchKind', {
  description: 'Kind of an object that a search finds.',
  values: {
    CONTACT: { description: 'A contact, by e-mail address, names, company and phone number.' },
    CAMPAIGN: { description: 'A campaign, by name and subject.' },
    SEQUENCE: { description: 'A sequence, by name.' },
    SEGMENT: { description: 'A segment, by name.' },
    FORM: { description: 'A form, by name.' },
    FUNNEL: { description: 'A funnel, by name.' },
    ORDER: { description: "An order, by the shop's ID, and by the customer." },
    INVOICE: { description: 'An invoice, by number, and by the buyer and the customer.' },
    TAG: { description: 'A tag, by name.' },
    MEDIA: { description: 'A media file, by name.' },
  } satisfies Record<keyof typeof searchKinds, { description: string }>,
})

const SearchResultType = builder.objectRef<SearchResult>('SearchResult').implement({
  description: 'An object that a search found.',
  fields: (t) => ({
    kind: t.expose('kind', { type: SearchKindType, description: 'Kind of the object.' }),
    title: t.exposeString('title', {
      description: 'Name or number of the object, or the e-mail address of a contact without a name.',
    }),
    detail: t.exposeString('detail', {
      nullable: true,
      description: 'E-mail address of a contact. Null for other kinds.',
    }),
    node: t.field({ type: Node, description: 'The object.', resolve: ({ node }) => node }),
  }),
})

builder.queryField('search', (t) =>
  t.field({
    type: [SearchResultType],
    description: `Finds objects of all kinds by words in any order, which can be parts of words. Returns at most ${maxResults} of each kind, in the order of \`kinds\`, and only kinds that the key may read.`,
    args: {
      text: t.arg.string({
        required: true,
        description: `Words to search for. At least ${minCharacters} and at most 200 characters, and at most 10 words.`,
      }),
      kinds: t.arg({
        type: [SearchKindType],
        required: { list: false, items: true },
        description: `Only these kinds. Defaults to all: ${Object.keys(searchKinds).join(', ')}.`,
      }),
    },
    complexity: { ...listCost('searchResults'), weight: 5 },
    resolve: (_root, args, ctx) => search(ctx, args),
  }),
)
