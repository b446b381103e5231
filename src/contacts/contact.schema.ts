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
import { maxTagsPerContact } from './contact-tags.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import type { CustomFieldValue } from './custom-field-values.ts'
import { detailTexts, type TextName, textFields } from './fields.ts'
import { consents, contactList, contactTags, customFields, customFieldValues, tags } from './index.ts'
import { TagConnection, TagFilter, TagOrder, TagType } from './tag.schema.ts'

/** Enum values for the texts of a contact. */
export const textEnumValues = Object.fromEntries(
  Object.entries(textFields).map(([name, { description }]) => [name, { description: `${description}.` }]),
) as Record<TextName, { description: string }>

const CustomFieldValueObject = builder.objectRef<CustomFieldValue>('CustomFieldValue').implement({
  description: "A contact's value for a custom field.",
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Label of the custom field.' }),
    value: t.exposeString('value', { description: 'The value as text.' }),
    customField: t.field({
      type: CustomFieldObject,
      nullable: true,
      description: 'The custom field. Null if it was deleted while the request ran.',
      resolve: ({ customFieldId }, _args, ctx) => ctx.load(customFields.byId, customFieldId),
    }),
  }),
})

readableWith('CustomFieldValue', 'contacts:read')

export const ContactType = builder.prismaObject('Contact', {
  description: 'A person in the audience of the account.',
  interfaces: [Node],
  findUnique: ({ accountId, id }) => ({ accountId_id: { accountId, id } }),
  fields: (t) => ({
    email: t.exposeString('email', {
      description: 'E-mail address as it was sent. Unique in the account, case-insensitive.',
    }),
    ...Object.fromEntries(
      detailTexts.map(({ key }) => [key, t.exposeString(key, { description: 'Empty if unknown.' })]),
    ),
    emailMarketing: t.exposeBoolean('emailMarketing', {
      description: 'True if the contact consents to marketing e-mail.',
    }),
    gdpr: t.exposeBoolean('gdpr', {
      description: 'True if the contact consents to the processing of personal data.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time at which the contact was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'Time of the last change to a field of the contact. Tags and custom fields do not count.',
    }),
    tags: t.field({
      type: [TagType],
      description: `Tags of the contact, ordered by name. At most ${maxTagsPerContact.toLocaleString('en')}.`,
      complexity: listCost('tags'),
      resolve: ({ id }, _args, ctx) => ctx.load(contactTags.ofContact, id),
    }),
    customFields: t.field({
      type: [CustomFieldValueObject],
      description: 'Custom field values of the contact, in the order in which the fields were created.',
      complexity: listCost('customFields'),
      resolve: ({ id }, _args, ctx) => ctx.load(customFieldValues.ofContact, id),
    }),
    consents: t.field({
      type: ConsentConnection,
      description: 'Consents that the contact gave or withdrew. Newest first by default.',
      args: listArgs(t.arg, ConsentFilter, ConsentOrder),
      complexity: pageCost,
      resolve: ({ id }, args, ctx) => consents.listOfContact(ctx, id, args),
    }),
    account: t.field({
      type: AccountType,
      nullable: true,
      description: needing('account:read', 'Account that the contact belongs to.'),
      resolve: allowed('account:read', (_contact, _args, ctx) => ownAccount(ctx)),
    }),
  }),
})

nodeSource('Contact', 'contacts:read', contactList.byId)

export const ContactConnection = connectionOf('Contact', ContactType, 'contacts')

export const ContactRef = builder.inputType('ContactRef', {
  description: 'Identifies a contact by id, by e-mail address, or by both. If both are set, both must match.',
  fields: (t) => ({
    id: t.id({ description: 'Global id or integer id of the contact.' }),
    email: t.string({ description: 'E-mail address of the contact. Case-insensitive.' }),
  }),
})

export const ContactFilter = builder.inputType('ContactFilter', {
  description: 'Filter for contacts. A contact matches if it meets all conditions.',
  fields: (t) => ({
    period: t.field({
      type: PeriodType,
      description: "Matches contacts created in this period. Days begin and end in the account's time zone.",
    }),
    range: t.field({ type: DateRangeInput, description: 'First and last day of the period. Required with BETWEEN.' }),
    tagIds: t.idList({ description: 'Matches contacts that have any of these tags. Unknown ids match no contacts.' }),
    email: t.string({ description: 'Matches the contact with this e-mail address. Case-insensitive.' }),
    emailMarketing: t.boolean({ description: 'Matches contacts by their consent to marketing e-mail.' }),
    gdpr: t.boolean({ description: 'Matches contacts by their consent to the processing of personal data.' }),
    search: t.string({
      description:
        'Matches contacts whose e-mail address, first name or last name contains this text. Case-insensitive.',
    }),
  }),
})

export const ContactOrder = orderOf(
  'Contact',
  'contacts',
  { CREATED_AT: 'Time of creation.', EMAIL: 'E-mail address. Case-insensitive.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  contact: t.field({
    type: ContactType,
    nullable: true,
    description: needing('contacts:read', 'Returns a contact. Null if the account has no matching contact.'),
    args: { ref: t.arg({ type: ContactRef, required: true, description: 'Id or e-mail address of the contact.' }) },
    resolve: allowed('contacts:read', (_root, { ref }, ctx) => contactList.find(ctx, ref)),
  }),
  contacts: t.field({
    type: ContactConnection,
    description: needing('contacts:read', 'Returns the contacts of the account. Newest first by default.'),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_root, args, ctx) => contactList.list(ctx, args)),
  }),
}))

builder.prismaObjectFields('Tag', (t) => ({
  contacts: t.field({
    type: ContactConnection,
    description: needing('contacts:read', 'Contacts that have this tag. Newest first by default.'),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', ({ id }, args, ctx) => contactList.listOfTag(ctx, id, args)),
  }),
}))

builder.prismaObjectFields('Account', (t) => ({
  contacts: t.field({
    type: ContactConnection,
    nullable: true,
    description: needing('contacts:read', 'Contacts of the account. Newest first by default.'),
    args: listArgs(t.arg, ContactFilter, ContactOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_account, args, ctx) => contactList.list(ctx, args)),
  }),
  tags: t.field({
    type: TagConnection,
    nullable: true,
    description: needing('contacts:read', 'Tags of the account. Newest first by default.'),
    args: listArgs(t.arg, TagFilter, TagOrder),
    complexity: pageCost,
    resolve: allowed('contacts:read', (_account, args, ctx) => tags.list(ctx, args)),
  }),
  customFields: t.field({
    type: [CustomFieldObject],
    nullable: true,
    description: needing('contacts:read', 'Custom fields of the account, oldest first.'),
    complexity: listCost('customFields'),
    resolve: allowed('contacts:read', (_account, _args, ctx) => customFields.list(ctx)),
  }),
}))
