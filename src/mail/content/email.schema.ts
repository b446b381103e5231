import { documents } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/builder.ts'
import { Node, nodeSource } from '../../graphql/node.ts'
import { mustReach } from '../../graphql/query.ts'
import { readableWith } from '../../graphql/scopes.ts'
import { idOf } from '../../kernel/ids.ts'
import { emails, samples } from '../index.ts'

const url = (documentId: number | null, ctx: Ctx) =>
  documentId === null ? null : ctx.load(documents.urlOf, documentId)

const EmailPreview = builder.objectRef<samples.Preview>('EmailPreview').implement({
  description: 'An e-mail as one reader would see it.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'Its subject, merge fields in their places.' }),
    html: t.exposeString('html', {
      description: 'Its HTML; links are as written and nothing is counted. Show it in a sandbox: a client wrote it.',
    }),
    text: t.exposeString('text', { description: 'Its plain text, made from the HTML where none was set.' }),
  }),
})

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
    preview: t.field({
      type: EmailPreview,
      nullable: true,
      description:
        'The e-mail as a contact would see it, or someone made up. Null where there is no such contact. To name one takes the scope `contacts:read`. VALIDATION_ERROR if the body cannot be rendered.',
      args: { contactId: t.arg.id({ description: 'Who reads it, by global id or integer.' }) },
      complexity: 500,
      resolve: ({ id }, { contactId }, ctx) => {
        if (contactId == null) return samples.previewOf(ctx, id, null)
        mustReach(ctx, 'contacts:read')
        return samples.previewOf(ctx, id, idOf('Contact', contactId, 'contactId'))
      },
    }),
    renderError: t.exposeString('renderError', {
      nullable: true,
      description:
        'Why messages could not be rendered from the body; null if they could, or if none was rendered yet. Cleared when a body is set.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it was last changed.' }),
  }),
})

nodeSource('Email', 'mail:read', emails.byId)
// An e-mail belongs to what sends it.
readableWith('Email', 'mail:read', 'campaigns:read', 'sequences:read')
