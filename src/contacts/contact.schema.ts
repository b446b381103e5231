import { AccountType } from '../account/account.schema.ts'
import { ownAccount } from '../account/index.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { ConsentConnection, ConsentFilter, ConsentOrder } from './consent.schema.ts'
import type { FieldValue } from './contact-fields.ts'
import { mostTags } from './contact-tags.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { consents, contactFields, contactList, contactTags, customFields, tags } from './index.ts'
import { TagConnection, TagFilter, TagOrder, TagType } from './tag.schema.ts'

const CustomFieldValue = builder.objectRef<FieldValue>('CustomFieldValue').implement({
  description: "A contact's value for a custom field.",
  fields: (t) => ({
    label: t.exposeString('label', { description: 'What the custom field is called.' }),
    value: t.exposeString('value', { description: 'The value, as text.' }),
    customField: t.field({
      type: CustomFieldObject,
      nullable: true,
      description: 'The custom field; null where it was deleted in this very moment.',
      resolve: ({ customFieldId }, _args, ctx) => ctx.load(customFields.byId, customFieldId),
    }),
  }),
})

readableWith('CustomFieldValue', 'contacts:read')

export const ContactType = builder.prismaObject('Contact', {
  description: 'A person the account may write to.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    email: t.exposeString('email', { description: 'Unique in the account, whatever its case; kept as given.' }),
    firstName: t.exposeString('firstName', { description: 'Empty where unknown.' }),
    lastName: t.exposeString('lastName', { description: 'Empty where unknown.' }),
    phone: t.exposeString('phone', { description: 'Empty where unknown.' }),
    companyName: t.exposeString('companyName', { description: 'Empty where unknown.' }),
    city: t.exposeString('city', { description: 'Empty where unknown.' }),
    country: t.exposeString('country', { description: 'Empty where unknown.' }),
    emailMarketing: t.exposeBoolean('emailMarketing', {
      description: 'Whether the contact has agreed to marketing e-mail.',
    }),
    gdpr: t.exposeBoolean('gdpr', {
      description: 'Whether the contact has agreed to the processing of personal data.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the contact was added.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When one of its own fields last changed.' }),
    tags: t.field({
      type: [TagType],
      description: `The tags it has, by name: ${mostTags.toLocaleString('en')} at most.`,
      complexity: listCost('tags'),
      resolve: ({ id }, _args, ctx) => ctx.load(contactTags.ofContact, id),
    }),
    customFields: t.field({
      type: [CustomFieldValue],
      description: 'The custom fields it has a value for, in the order in which they were defined.',
      complexity: listCost('customFields'),
      resolve: ({ id }, _args, ctx) => ctx.load(contactFields.ofContact, id),
    }),
    consents: t.field({
      type: ConsentConnection,
      description: 'What it agreed to and withdrew, the latest first unless ordered otherwise.',
      args: listArgs(t.arg, ConsentFilter, ConsentOrder),
      complexity: pageCost,
      resolve: ({ id }, args, ctx) => consents.listOfContact(ctx, id, args),
    }),
    account: t.field({
      type: AccountType,
      nullable: true,
      description: needing('account:read', 'The account it belongs to.'),
      resolve: allowed('account:read', (_contact, _args, ctx) => ownAccount(ctx)),
    }),
  }),
})

nodeSource('Contact', 'contacts:read', contactList.byId)

export const ContactConnection = connectionOf('Contact', ContactType, 'contacts')

export const ContactRef = builder.inputType('ContactRef', {
  description: 'Names a contact by id, by e-mail address, or by both, which must then agree.',
  fields: (t) => ({
    id: t.id({ description: 'The contact, by global id or integer.' }),
    email: t.string({ description: 'Its e-mail address, in whatever case.' }),
  }),
})

export const ContactFilter = builder.inputType('ContactFilter', {
  description: 'Which contacts a list is about; all conditions must hold.',
  fields: (t) => ({
    period: t.field({ type: PeriodType, description: "When they were added, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    tagIds: t.idList({ description: 'Those that have any of these tags; an id that is gone matches nobody.' }),
    email: t.string({ description: 'The one with this e-mail address, in whatever case.' }),
    emailMarketing: t.boolean({ description: 'Those that have, or have not, agreed to marketing e-mail.' }),
    gdpr: t.boolean({ description: 'Those that have, or have not, agreed to the processing of personal data.' }),
    search: t.string({
      description: 'Those whose e-mail address, first or last name contains this text, in whatever case.',
    }),
  }),
})

export const ContactOrder = orderOf(
  'Contact',
  'contacts',
  { CREATED_AT: 'When they were added.', EMAIL: 'Their e-mail address, in whatever case.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  contact: t.field({
    type: ContactType,
    nullable: true,
    description: needing('contacts:read', 'A contact, or null where the account has none that the reference names.'),
    args: { ref: t.arg({ type: ContactRef, required: true, description: 'Which one.' }) },
    resolve: allowed('contacts:read', (_root, { ref }, ctx) => contactList.find(ctx, ref)),
  }),
  contacts: t.field({
    type: ContactConnection,
    description: needing('contacts:read', 'The contacts of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_root, args, ctx) => contactList.list(ctx, args)),
  }),
}))

builder.prismaObjectFields('Tag', (t) => ({
  contacts: t.field({
    type: ContactConnection,
    description: needing(
      'contacts:read',
      'The contacts that have this tag, the newest first unless ordered otherwise.',
    ),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', ({ id }, args, ctx) => contactList.listOfTag(ctx, id, args)),
  }),
}))

builder.prismaObjectFields('Account', (t) => ({
  contacts: t.field({
    type: ContactConnection,
    nullable: true,
    description: needing('contacts:read', 'Its contacts, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_account, args, ctx) => contactList.list(ctx, args)),
  }),
  tags: t.field({
    type: TagConnection,
    nullable: true,
    description: needing('contacts:read', 'Its tags, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, TagFilter, TagOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_account, args, ctx) => tags.list(ctx, args)),
  }),
  customFields: t.field({
    type: [CustomFieldObject],
    nullable: true,
    description: needing('contacts:read', 'Its custom fields, in the order in which they were defined.'),
    complexity: listCost('customFields'),
    resolve: allowed('contacts:read', (_account, _args, ctx) => customFields.list(ctx)),
  }),
}))
