import { documents } from '../account/index.ts'
import { builder } from '../graphql/builder.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import type { Ctx } from '../kernel/context.ts'
import { emails } from './index.ts'

const url = (documentId: number | null, ctx: Ctx) =>
  documentId === null ? null : ctx.load(documents.urlOf, documentId)

export const EmailType = builder.prismaObject('Email', {
  description: 'What a campaign or a stage of a sequence sends.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'Empty where not set yet.' }),
    fromName: t.exposeString('fromName', { description: 'Whom it comes from, by name; may be empty.' }),
    fromEmail: t.exposeString('fromEmail', { description: 'Whom it comes from, by address; empty where not set yet.' }),
    html: t.string({
      nullable: true,
      description: 'The HTML body; null where it was never set.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(emails.contentOf, id))?.html ?? null,
    }),
    text: t.string({
      nullable: true,
      description: 'The plain-text body; null where it was never set: then it is made from the HTML.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(emails.contentOf, id))?.text ?? null,
    }),
    htmlUrl: t.string({
      nullable: true,
      description:
        'Where the HTML body can be seen by whoever has this URL; it stays the same when the body is changed.',
      resolve: ({ htmlDocumentId }, _args, ctx) => url(htmlDocumentId, ctx),
    }),
    textUrl: t.string({
      nullable: true,
      description: 'Where the plain-text body can be seen by whoever has this URL.',
      resolve: ({ textDocumentId }, _args, ctx) => url(textDocumentId, ctx),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

nodeSource('Email', 'mail:read', emails.byId)
