import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf } from '../../graphql/schema/filter.ts'
import { deletedNode, mutation } from '../../graphql/schema/mutation.ts'
import { loadReadableNode, Node, nodeSource } from '../../graphql/schema/node.ts'
import { reads } from '../../graphql/schema/row-fields.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { may } from '../../kernel/scopes.ts'
import { globalId } from '../../kernel/values/ids.ts'
import type { MediaPlace } from '../ports.ts'
import * as media from './media.ts'
import * as mediaList from './media-list.ts'
import * as mediaUses from './media-uses.ts'
import * as uploads from './uploads.ts'

const nameText = 'Name of the file. Maximum 255 characters, without / and \\.'
const alternativeText = `Text for people who do not see the picture. Maximum ${media.maxAlternativeText.toLocaleString('en')} characters.`

const ContentType = builder.enumType('MediaContentType', {
  description: 'Type of a media file, found by its content.',
  values: {
    GIF: { description: '`image/gif`, which can be animated.' },
    JPEG: { description: '`image/jpeg`.' },
    PDF: { description: '`application/pdf`. It is served as a download.' },
    PNG: { description: '`image/png`.' },
    WEBP: { description: '`image/webp`, which can be animated.' },
  },
})

const MediaVariant = builder.objectRef<mediaList.Variant>('MediaVariant').implement({
  description: 'A smaller variant of a picture.',
  fields: (t) => ({
    width: t.exposeInt('width', { description: 'Width in pixels: 600 or 1,200.' }),
    height: t.exposeInt('height', { description: 'Height in pixels.' }),
    bytes: t.exposeInt('bytes', { description: 'Size in bytes.' }),
    url: t.string({
      description: 'Public URL of the variant. Its content never changes.',
      resolve: (variant, _args, ctx) => mediaList.urlOf(ctx, variant),
    }),
  }),
})

readableWith('MediaVariant', 'media:read')

const MediaUseKind = builder.enumType('MediaUseKind', {
  description: 'Kind of a place where a media file is used.',
  values: {
    CAMPAIGN: { value: 'Campaign', description: 'The body of the e-mail of a campaign.' },
    SEQUENCE_STAGE: { value: 'SequenceStage', description: 'The body of the e-mail of a stage.' },
    FORM: { value: 'Form', description: 'The body of the confirmation e-mail of a form.' },
    FUNNEL: { value: 'Funnel', description: 'The body of the confirmation e-mail of a funnel.' },
    FUNNEL_STEP: {
      value: 'FunnelStep',
      description: 'The page of a step: its published version or the newest one.',
    },
    REUSABLE_BLOCK: { value: 'ReusableBlock', description: 'The content of a reusable block.' },
    EMAIL_TEMPLATE: { value: 'EmailTemplate', description: 'The document of a template of the account.' },
    BRAND: { value: 'Brand', description: 'The logo of the brand.' },
  } satisfies Record<string, { value: MediaPlace['type']; description: string }>,
})

const MediaUse = builder.objectRef<MediaPlace>('MediaUse').implement({
  description: 'A place where a media file is used.',
  fields: (t) => ({
    kind: t.expose('type', { type: MediaUseKind, description: 'Kind of the place.' }),
    title: t.string({
      nullable: true,
      description:
        'Name of the campaign, the form, the funnel, the reusable block or the template, of the sequence and the stage, or of the funnel and the step. Null if the key may not read it.',
      resolve: ({ title, needs }, _args, ctx) => (may(ctx, needs) ? title : null),
    }),
    node: t.field({
      type: Node,
      nullable: true,
      description:
        'The campaign, stage, form, funnel, step, reusable block or template. Null for the brand, and if the key may not read it.',
      resolve: ({ type, id }, _args, ctx) => loadReadableNode(ctx, globalId(type, id)),
    }),
  }),
})

readableWith('MediaUse', 'media:read')

export const MediaType = builder.prismaObject('Media', {
  description: 'A picture or a PDF file of the media library.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the file.' }),
    alternativeText: t.exposeString('alternativeText', {
      description: 'Text for people who do not see the picture. May be empty.',
    }),
    contentType: t.expose('contentType', { type: ContentType, description: 'Type of the content.' }),
    bytes: t.exposeInt('bytes', { description: 'Size in bytes, without variants.' }),
    width: t.exposeInt('width', {
      nullable: true,
      description: 'Width in pixels. Null for a PDF, and if the server cannot decode pictures.',
    }),
    height: t.exposeInt('height', {
      nullable: true,
      description: 'Height in pixels, of one frame of an animation. Null if `width` is.',
    }),
    isAnimated: t.exposeBoolean('isAnimated', { description: 'Whether the picture has more than one frame.' }),
    hash: t.exposeString('hash', {
      description: 'SHA-256 of the stored bytes, in hexadecimal. Unique in the account.',
    }),
    url: t.string({
      description: 'Public URL of the file. Its content never changes. It stays valid if the file is renamed.',
      extensions: reads('name', 'contentType', 'hash'),
      resolve: (file, _args, ctx) => mediaList.urlOf(ctx, file),
    }),
    variants: t.field({
      type: [MediaVariant],
      description:
        'Variants of a picture that are 600 and 1,200 pixels wide, if it is wider and they take fewer bytes. The smallest one comes first.',
      complexity: listCost('variants'),
      extensions: reads('id'),
      resolve: ({ id }, _args, ctx) => ctx.load(mediaList.variantsOf, id),
    }),
    usedIn: t.field({
      type: [MediaUse],
      description: `Places where the file or a variant of it is used, in the order in which they began to use it. The first ${mediaUses.maxPlaces} places.`,
      complexity: listCost('mediaUses'),
      extensions: reads('id'),
      resolve: ({ id }, _args, ctx) => ctx.load(mediaUses.placesOf, id),
    }),
    usesCount: t.int({
      description: 'Number of places where the file or a variant of it is used.',
      extensions: reads('id'),
      resolve: async ({ id }, _args, ctx) => (await ctx.load(mediaUses.countOf, id)) ?? 0,
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the file was stored.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change of the name or the alternative text.',
    }),
  }),
})

nodeSource(MediaType, 'media:read', mediaList.byId)

filterKind('enum MediaContentType', [ContentType])

export const MediaFilter = filterOf('MediaFilterInput', 'media files', mediaList.mediaFilter, {
  id: 'The media file itself.',
  name: 'Name of the file.',
  contentType: 'One of these types.',
  bytes: 'Size in bytes, without variants.',
  createdAt: 'Time at which the file was stored.',
  search: 'Words in any order, in the name.',
})

const MediaConnection = connectionOf(MediaType, {
  noun: 'media files',
  filter: MediaFilter,
  orders: {
    CREATED_AT: 'Time at which the file was stored.',
    NAME: 'Name of the file, in the order of a dictionary.',
    BYTES: 'Size in bytes.',
  },
})

builder.queryField('mediaItem', (t) =>
  t.nodeById({
    type: MediaType,
    description: 'Returns the media file with this id. Null if the account has no such file.',
  }),
)

accountList('media', MediaConnection, mediaList.list)

mutation('mediaCreate', {
  needs: 'media:write',
  description: `Creates a link to upload a file to the media library. Upload the file with PUT to \`uploadUrl\`: a PNG, JPEG, GIF, WebP or PDF file of at most 10 MB, a picture with at most 40 megapixels. The response contains the integer \`id\` and the \`hash\` of the media file, which exists from then on.\n\nPictures are stored without metadata, in the orientation in which they are shown. If the account has a file of the same content, its \`id\` is returned.\n\nThrows QUOTA_EXCEEDED if the account has ${uploads.maxOpenUploads} unfinished uploads, or ${uploads.maxMedia.toLocaleString('en')} media files.`,
  input: (t) => ({
    name: t.string({ required: true, description: nameText }),
    alternativeText: t.string({ description: alternativeText }),
    contentType: t.field({
      type: ContentType,
      description: 'Type that the file must have. If absent, it can have any accepted type.',
    }),
  }),
  run: uploads.create,
  payload: (t) => ({
    uploadUrl: t.exposeString('uploadUrl', {
      description: 'URL to which to upload the file with PUT, once. An upload that was interrupted can be repeated.',
    }),
    expiresAt: t.exposeTime('expiresAt', { description: 'Time until which the URL is valid: 15 minutes.' }),
  }),
})

mutation('mediaUpdate', {
  needs: 'media:write',
  description: 'Updates the name or the alternative text of a media file. Fields that are not sent stay unchanged.',
  input: (t) => ({
    id: t.id(requiredId('the media file')),
    name: t.string({ description: nameText }),
    alternativeText: t.string({ description: alternativeText }),
  }),
  run: media.update,
  lock: (tx, { id }) => mediaList.lock(tx, id),
  payload: (t) => ({
    media: t.expose('media', { type: MediaType, description: 'The updated media file.' }),
  }),
})

mutation('mediaDelete', {
  needs: 'media:write',
  description:
    'Deletes a media file with its variants. Their URLs return 404 from then on, except from caches. Throws INVALID_STATE if the file is used (`Media.usedIn`), unless `replaceWithId` is set; the message names the places.',
  input: (t) => ({
    id: t.id(requiredId('the media file')),
    replaceWithId: t.id({
      description: `${idText('the media file that replaces the deleted one in all places')} It is a picture if the deleted one is. Needs the scopes to write the places. Maximum ${mediaUses.maxPlaces} places with 50 MB of text.`,
    }),
  }),
  run: media.remove,
  payload: (t) => deletedNode(t, MediaType),
})
