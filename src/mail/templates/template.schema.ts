import { brands } from '../../content/index.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { allowed } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import {
  type KeyedTemplate,
  listShipped,
  type ShippedTemplateKey,
  shippedTemplates,
  thumbnailOfShipped,
} from './shipped-templates.ts'

/** What a thumbnail costs: the document is read and drawn. */
export const thumbnailCost = 10

export const thumbnailText =
  'Picture of the document as SVG text of at most 8 kB, in the colours of the brand: sections, the words of texts, and boxes for pictures.'

export const ShippedTemplateKeyType = builder.enumType('ShippedTemplateKey', {
  description: 'A template of the product.',
  values: Object.fromEntries(
    Object.entries(shippedTemplates).map(([key, { name, description }]) => [
      key,
      { description: `${name}. ${description}` },
    ]),
  ) as Record<ShippedTemplateKey, { description: string }>,
})

const ShippedTemplateType = builder.objectRef<KeyedTemplate>('ShippedTemplate').implement({
  description: 'A template of the product, from which content begins. It has the colours and the font of the brand.',
  fields: (t) => ({
    key: t.expose('key', { type: ShippedTemplateKeyType, description: 'Key of the template.' }),
    name: t.exposeString('name', { description: 'Name of the template, in English.' }),
    description: t.exposeString('description', { description: 'What the template is for.' }),
    subject: t.exposeString('subject', { description: 'A subject that suits the template.' }),
    preheader: t.exposeString('preheader', { description: 'A preheader that suits the template.' }),
    content: t.field({
      type: 'JSON',
      description: 'Document of blocks (`messageSchema`).',
      resolve: ({ content }) => content,
    }),
    thumbnail: t.string({
      description: thumbnailText,
      complexity: thumbnailCost,
      resolve: async ({ content }, _args, ctx) => thumbnailOfShipped(content, await brands.styleOf(ctx)),
    }),
  }),
})

readableWith('ShippedTemplate', 'mail:read')

builder.queryField('shippedTemplates', (t) =>
  t.field({
    type: [ShippedTemplateType],
    description: 'Returns the templates of the product.',
    complexity: listCost('shippedTemplates'),
    resolve: allowed('mail:read', () => listShipped()),
  }),
)
