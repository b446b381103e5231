import { documents } from '../../account/index.ts'
import { topics } from '../../contacts/index.ts'
import { TopicType } from '../../contacts/topics/topic.schema.ts'
import { BrandType } from '../../content/brand/brand.schema.ts'
import { maxBlocks, maxContentBytes, messageSchema } from '../../content/index.ts'
import type { Ctx } from '../../db/context.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { idText, scopeText } from '../../graphql/schema/descriptions.ts'
import type { InputBuilder } from '../../graphql/schema/mutation.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { allowed, mustReach } from '../../graphql/schema/query.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { idOf } from '../../kernel/values/ids.ts'
import { maxPreheader } from '../bodies/preheader.ts'
import { type Utm, utmNames } from '../bodies/utm.ts'
import { compile } from '../compile/compiler.ts'
import { ShippedTemplateKeyType } from '../templates/template.schema.ts'
import * as emailMeta from './email-meta.ts'
import * as emails from './emails.ts'
import * as previews from './previews.ts'

const url = (documentId: number | null, ctx: Ctx) =>
  documentId === null ? null : ctx.load(documents.urlOf, documentId)

const htmlLimits =
  'Maximum 1,000,000 characters, 50,000 elements (nested up to 200 deep, up to 250 attributes each), 20,000 merge fields, and 20,000 links to 5,000 addresses.'

const PreviewCondition = builder.objectRef<previews.Preview['conditions'][number]>('PreviewCondition').implement({
  description: 'A condition under which blocks of an e-mail are shown.',
  fields: (t) => ({
    paths: t.exposeStringList('paths', {
      description: 'Paths of the sections and blocks in `Email.content`, such as `sections.0.columns.1.blocks.2`.',
    }),
    holds: t.exposeBoolean('holds', {
      description: 'Whether the contact matches the filter, so that they are shown. The example contact matches each.',
    }),
  }),
})

const EmailPreview = builder.objectRef<previews.Preview>('EmailPreview').implement({
  description: 'An e-mail as one contact would see it.',
  fields: (t) => ({
    subject: t.exposeString('subject', { description: 'Subject with merge fields filled in.' }),
    preheader: t.exposeString('preheader', {
      description:
        'Text that inboxes show after the subject, with merge fields filled in. Empty if `Email.preheader` is empty, so that they show the beginning of the body, and for a message of plain text alone.',
    }),
    html: t.exposeString('html', {
      description:
        'HTML with merge fields filled in and without tracking links. Empty for a message of plain text alone. Display it in a sandboxed frame: it is untrusted.',
    }),
    htmlBytes: t.int({
      description:
        'Size of `html` in bytes. Gmail shows only the first 102 kB of a message. Tracking links make messages longer: `campaignCheck` counts them.',
      resolve: ({ html }) => Buffer.byteLength(html),
    }),
    pictureBytes: t.int({
      nullable: true,
      description:
        'Size in bytes of the pictures of the media library that the HTML shows, each once, at most 1,000 of them. Null if it shows none.',
      complexity: 10,
      resolve: (preview, _args, ctx) => previews.pictureBytesOf(ctx, preview),
    }),
    text: t.exposeString('text', {
      description: 'Plain text with merge fields filled in. Generated from the HTML if no text was set.',
    }),
    conditions: t.expose('conditions', {
      type: [PreviewCondition],
      description: 'The conditions of blocks (`showTo`) and their outcome, in the order in which they first occur.',
    }),
  }),
})

const utmTexts = {
  source: '`utm_source`: where visitors come from, such as `newsletter`.',
  medium: '`utm_medium`: the kind of link, such as `email`.',
  campaign: '`utm_campaign`: the name of the campaign.',
  term: '`utm_term`: a search term.',
  content: '`utm_content`: what distinguishes links of a campaign.',
} as const satisfies Record<keyof Utm, string>

const EmailUtm = builder.objectRef<Utm>('EmailUtm').implement({
  description:
    'UTM parameters of the links of an e-mail. A parameter that is empty is not added, nor one that a link has already.',
  fields: (t) =>
    Object.fromEntries(
      utmNames.map((name) => [
        name,
        t.string({ description: `${utmTexts[name]} May be empty.`, resolve: (utm) => utm[name] ?? '' }),
      ]),
    ),
})

readableWith('EmailUtm', 'mail:read', 'campaigns:read', 'sequences:read', 'forms:read', 'funnels:read')

const EmailUtmInput = builder.inputType('EmailUtmInput', {
  description: 'UTM parameters of the links of an e-mail. Absent ones stay as they are, and empty ones are removed.',
  fields: (t) => {
    const parameter = (name: keyof Utm) =>
      t.string({ description: `${utmTexts[name]} Maximum ${emailMeta.maxUtm} characters.` })
    return {
      source: parameter('source'),
      medium: parameter('medium'),
      campaign: parameter('campaign'),
      term: parameter('term'),
      content: parameter('content'),
    }
  },
})

export const EmailType = builder.prismaObject('Email', {
  description:
    'An e-mail that a campaign or a stage of a sequence sends, or that asks to confirm an address: subject, sender and body.',
  interfaces: [Node],
  fields: (t) => ({
    subject: t.exposeString('subject', {
      description: 'Subject line, which may contain merge fields. Empty if it is not set.',
    }),
    fromName: t.exposeString('fromName', { description: 'Display name of the sender. May be empty.' }),
    fromEmail: t.exposeString('fromEmail', { description: 'E-mail address of the sender. Empty if it is not set.' }),
    replyTo: t.exposeString('replyTo', { description: 'E-mail address for answers. Empty if they go to the sender.' }),
    preheader: t.exposeString('preheader', {
      description:
        'Text that inboxes show after the subject, which may contain merge fields. If it is empty, they show the beginning of the body.',
    }),
    language: t.exposeString('language', {
      description:
        'Language tag (BCP 47) of the message, which its HTML and the header `Content-Language` contain. Empty if it is not declared; HTML of blocks then has `en`.',
    }),
    topic: t.field({
      type: TopicType,
      nullable: true,
      description:
        'What the e-mail is about. It is sent only to contacts that get messages of the topic, and its links leave the topic alone. Null if it is marketing e-mail about anything, whose links leave all.',
      resolve: ({ topicId }, _args, ctx) => (topicId === null ? null : ctx.load(topics.byId, topicId)),
    }),
    utm: t.field({
      type: EmailUtm,
      description: 'UTM parameters that links of the message get.',
      resolve: ({ utm }) => utm as Utm,
    }),
    content: t.field({
      type: 'JSON',
      nullable: true,
      description:
        'Document of blocks of which the body is made (`messageSchema`). Null if the body was written as HTML, or never set.',
      complexity: 10,
      resolve: async ({ id }, _args, ctx) => (await ctx.load(emails.blocksById, id))?.content ?? null,
    }),
    html: t.string({
      nullable: true,
      description: 'HTML body. Null if it was never set, or if messages are plain text alone.',
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
        content: t.arg({
          type: 'JSON',
          description: 'Document of blocks that replaces the stored body in the preview, as an object or as JSON text.',
        }),
      },
      complexity: 100,
      resolve: ({ id }, { contactId, content }, ctx) => {
        if (contactId == null) return previews.renderPreview(ctx, id, null, content)
        mustReach(ctx, 'contacts:read')
        return previews.renderPreview(ctx, id, idOf('Contact', contactId, 'contactId'), content)
      },
    }),
    renderError: t.exposeString('renderError', {
      nullable: true,
      description:
        'Reason why the body could not be rendered. Null if it could, or if it was not rendered yet. Setting a body clears it.',
    }),
    compileError: t.exposeString('compileError', {
      nullable: true,
      description:
        'Reason why the body could not be made of `content` again after the brand or a reusable block was changed. Messages then have the previous body. Null if it could, or if it never had to be. Setting a body clears it.',
    }),
    testedAt: t.exposeTime('testedAt', {
      nullable: true,
      description:
        'Time at which the last test of the e-mail was sent (`campaignTest`, `sequenceStageTest`). Null if none was since the e-mail was last changed: setting a body clears it, and so does another value of any other field. A test changes neither `updatedAt` nor emits an event.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the e-mail was created.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last update.' }),
  }),
})

/** The fields of inputs that describe an e-mail, besides its body. */
export const emailDetails = (t: InputBuilder) => ({
  subject: t.string({ description: 'Subject of the e-mail, one line. Maximum 900 characters.' }),
  preheader: t.string({
    description: `Text that inboxes show after the subject, one line. Maximum ${maxPreheader} characters.`,
  }),
  fromName: t.string({
    description: "Name of the sender, one line. Maximum 255 characters. For a new e-mail it defaults to the account's.",
  }),
  fromEmail: t.string({
    description: "E-mail address of the sender. For a new e-mail it defaults to the account's.",
  }),
  replyTo: t.string({ description: 'E-mail address for answers. Empty for that of the sender.' }),
  language: t.string({ description: 'Language tag (BCP 47) such as `en` or `pt-BR`. Empty for none.' }),
  utm: t.field({
    type: EmailUtmInput,
    description:
      'UTM parameters that http and https links get, in HTML and text, except those to `Brand.utmExcludedDomains`.',
  }),
})

/** The field of inputs that describe marketing e-mail. */
export const emailTopic = (t: InputBuilder) => ({
  topicId: t.id({ description: `${idText('the topic that the e-mail is about')} Empty for none.` }),
})

/** The fields of inputs that set the body of an e-mail. */
export const emailBody = (t: InputBuilder) => ({
  content: t.field({
    type: 'JSON',
    description: `Document of blocks as described by \`messageSchema\`, as an object or as JSON text, instead of \`html\` and \`text\`, which are made of it. Maximum ${maxContentBytes / 1024} KiB and ${maxBlocks} blocks.`,
  }),
  templateId: t.id({
    description: `${idText('a template (`emailTemplates`)')} Instead of \`content\`, which is then its document.`,
  }),
  shippedTemplate: t.field({
    type: ShippedTemplateKeyType,
    description: 'A template of the product (`shippedTemplates`), instead of `content`, which is then its document.',
  }),
  html: t.string({
    description: `The HTML body. It replaces \`content\`. Empty together with a \`text\` for a message of plain text alone. ${htmlLimits}`,
  }),
  text: t.string({ description: 'The plain-text body. If it was never set, it is generated from the HTML body.' }),
})

/** Shows what a brand changes. */
const sample = {
  version: 1,
  sections: [
    {
      type: 'section',
      columns: [
        {
          blocks: [
            { type: 'logo' },
            { type: 'heading', level: 1, content: [{ type: 'text', text: 'A sample message' }] },
            {
              type: 'text',
              content: {
                type: 'doc',
                content: [{ type: 'paragraph', content: [{ type: 'text', text: 'Text, and a button with a link.' }] }],
              },
            },
            { type: 'button', text: 'A button', href: 'https://example.com/' },
            { type: 'social' },
            { type: 'footer' },
          ],
        },
      ],
    },
  ],
}

builder.objectField(BrandType, 'sample', (t) =>
  t.string({
    description: 'HTML of a sample message in the style of the brand. Display it in a sandboxed frame.',
    complexity: 100,
    resolve: async (_brand, _args, ctx) => (await compile(ctx, sample)).html,
  }),
)

builder.queryFields((t) => ({
  messageSchema: t.field({
    type: 'JSON',
    description:
      'Returns the JSON Schema (draft 2020-12) of the content of messages, the `content` of `campaignContentSet` and `sequenceStageContentSet`.',
    complexity: 10,
    resolve: allowed('mail:read', () => messageSchema),
  }),
}))

nodeSource(EmailType, 'mail:read', emails.byId)
// Campaigns, sequence stages, forms and funnels return their e-mail, so their scopes are enough to read it.
readableWith('Email', 'mail:read', 'campaigns:read', 'sequences:read', 'forms:read', 'funnels:read')
