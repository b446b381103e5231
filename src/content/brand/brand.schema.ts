import { builder } from '../../graphql/schema/builder.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { type Font, fonts, type Network, networks } from '../blocks/message-content.ts'
import * as brands from './brand.ts'

const BrandFont = builder.enumType('BrandFont', {
  description: 'A font that mail programs have, with those that stand in for it.',
  values: Object.fromEntries(
    Object.entries(fonts).map(([name, family]) => [name, { description: `\`${family}\`.` }]),
  ) as Record<Font, { description: string }>,
})

const SocialNetwork = builder.enumType('SocialNetwork', {
  description: 'A network to which messages link.',
  values: Object.fromEntries(
    Object.entries(networks).map(([name, label]) => [name, { description: `Shown as \`${label}\`.` }]),
  ) as Record<Network, { description: string }>,
})

const BrandLink = builder.objectRef<brands.Brand['links'][number]>('BrandLink').implement({
  description: 'A link of an account to a network.',
  fields: (t) => ({
    network: t.expose('network', {
      type: SocialNetwork,
      description: 'The network, whose name is the text of the link.',
    }),
    href: t.exposeString('href', { description: 'URL of the account in the network.' }),
  }),
})

const BrandLinkInput = builder.inputType('BrandLinkInput', {
  description: 'A link of an account to a network.',
  fields: (t) => ({
    network: t.field({ type: SocialNetwork, required: true, description: 'The network.' }),
    href: t.string({ required: true, description: 'An http or https URL.' }),
  }),
})

const colors = {
  backgroundColor: 'Colour around the content of messages, such as `#f4f5f7`.',
  contentColor: 'Colour behind the content.',
  textColor: 'Colour of text. It has a contrast of at least 4.5 to `contentColor`.',
  accentColor: 'Colour of buttons and links.',
} as const

export const BrandType = builder.objectRef<brands.Brand>('Brand').implement({
  description:
    'How messages of an account look, and what they say about it. A change reaches all messages of blocks whose sending has not begun.',
  fields: (t) => ({
    logoUrl: t.exposeString('logoUrl', { description: 'URL of the logo. Empty if there is none.' }),
    logoAlt: t.exposeString('logoAlt', { description: 'Alternative text of the logo.' }),
    backgroundColor: t.exposeString('backgroundColor', { description: colors.backgroundColor }),
    contentColor: t.exposeString('contentColor', { description: colors.contentColor }),
    textColor: t.exposeString('textColor', { description: colors.textColor }),
    accentColor: t.exposeString('accentColor', { description: colors.accentColor }),
    font: t.expose('font', { type: BrandFont, description: 'Font of messages.' }),
    address: t.exposeString('address', {
      description: 'Postal address in the footer of messages, with line breaks. May be empty.',
    }),
    links: t.expose('links', { type: [BrandLink], description: 'Links to networks, at most 20.' }),
    utmExcludedDomains: t.exposeStringList('utmExcludedDomains', {
      description: 'Domains whose links in messages get no UTM parameters, with their subdomains. At most 100.',
    }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change. Until the first one, the time at which the account was created.',
    }),
  }),
})

readableWith('Brand', 'mail:read')

builder.queryFields((t) => ({
  brand: t.field({
    type: BrandType,
    description: 'Returns how messages of the account look.',
    resolve: (_root, _args, ctx) => brands.load(ctx),
  }),
}))

mutation('brandUpdate', {
  needs: 'mail:write',
  description:
    'Updates the brand; absent fields stay as they are. A job makes messages of blocks again: those of drafts, of scheduled campaigns and of all stages of sequences.',
  input: (t) => ({
    logoUrl: t.string({ description: 'URL of the logo, http or https. Empty for none.' }),
    logoAlt: t.string({ description: 'Alternative text of the logo. Maximum 255 characters.' }),
    backgroundColor: t.string({ description: colors.backgroundColor }),
    contentColor: t.string({ description: colors.contentColor }),
    textColor: t.string({ description: colors.textColor }),
    accentColor: t.string({ description: colors.accentColor }),
    font: t.field({ type: BrandFont, description: 'Font of messages.' }),
    address: t.string({ description: 'Postal address in the footer of messages. Maximum 500 characters.' }),
    links: t.field({ type: [BrandLinkInput], description: 'Links to networks, which replace all others. Maximum 20.' }),
    utmExcludedDomains: t.stringList({
      description:
        'Domains such as `example.com` whose links in messages get no UTM parameters, with their subdomains. They replace all others. Maximum 100.',
    }),
  }),
  run: brands.update,
  lock: brands.lock,
  payload: (t) => ({
    brand: t.expose('brand', { type: BrandType, description: 'The brand after the change.' }),
  }),
})
