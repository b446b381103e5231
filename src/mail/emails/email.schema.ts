import { documents } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idText, scopeText } from '../../graphql/schema/descriptions.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { mustReach } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import * as emails from './emails.ts'
import * as testMessages from './test-messages.ts'

const url = (documentId: number | null, ctx: Ctx) =>
  documentId === null ? null : ctx.load(documents.urlOf, documentId)

const EmailPreview = builder.objectRef<testMessages.Preview>('EmailPreview').implement({
  description: 'An e-mail as one contact would see it.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'Subject with merge fields filled in.' }),
    html: t.exposeString('html', {
      description:
        'HTML with merge fields filled in and without tracking links. Display it in a sandboxed frame: it is untrusted.',
    }),
    text: t.exposeString('text', {
      description: 'Plain text with merge fields filled in. Generated from the HTML if no text was set.',
    }),
  }),
})

export const EmailType = builder.prismaObject('Email', {
  description: 'An e-mail that a campaign or a stage of a sequence sends: subject, sender and body.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    subject: t.exposeString('subject', {
      description: 'Subject line, which may contain merge fields. Empty if it is not set.',
    }),
    fromName: t.exposeString('fromName', { description: 'Display name of the sender. May be empty.' }),
    fromEmail: t.exposeString('fromEmail', { description: 'E-mail address of the sender. Empty if it is not set.' }),
    html: t.string({
      nullable: true,
      description: 'HTML body. Null if it was never set.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(emails.contentById, id))?.html ?? null,
    }),
    text: t.string({
      nullable: true,
      description: 'Plain-text body. Null if it was never set: messages then use text generated from the HTML.',
      resolve: async ({ id }, _args, ctx) => (await ctx.load(emails.contentById, id))?.text ?? null,
    }),
    htmlUrl: t.string({
      nullable: true,
      description: 'Public URL of the HTML body. It does not change with the body. Null if the body was never set.',
      resolve: ({ htmlDocumentId }, _args, ctx) => url(htmlDocumentId, ctx),
    }),
    textUrl: t.string({
      nullable: true,
      description: 'Public URL of the plain-text body. Null if it was never set.',
      resolve: ({ textDocumentId }, _args, ctx) => url(textDocumentId, ctx),
    }),
    preview: t.field({
      type: EmailPreview,
      nullable: true,
      description:
        'Renders the e-mail for a contact, or for an example contact if `contactId` is omitted. Null if the contact does not exist. Throws VALIDATION_ERROR if the body cannot be rendered.',
      args: {
        contactId: t.arg.id({
          description: `${idText('the contact to render the e-mail for')} ${scopeText('contacts:read')}`,
        }),
      },
      complexity: 100,
      resolve: ({ id }, { contactId }, ctx) => {
        if (contactId == null) return testMessages.renderPreview(ctx, id, null)
        mustReach(ctx, 'contacts:read')
        return testMessages.renderPreview(ctx, id, idOf('Contact', contactId, 'contactId'))
      },
    }),
    renderError: t.exposeString('renderError', {
      nullable: true,
      description:
        'Reason why the body could not be rendered. Null if it could, or if it was not rendered yet. Setting a body clears it.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the e-mail was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last update.' }),
  }),
})

nodeSource(EmailType, 'mail:read', emails.byId)
// Campaigns and sequence stages return their e-mail, so their scopes are enough to read it.
readableWith('Email', 'mail:read', 'campaigns:read', 'sequences:read')
