import type { ContactValueSource } from '../../../prisma/generated/client/client.ts'
import { AccountType } from '../../account/accounts/account.schema.ts'
import { ownAccount } from '../../account/index.ts'
import { liveList } from '../../events/live/live-list.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idText, requiredId } from '../../graphql/schema/descriptions.ts'
import { relevanceDescription } from '../../graphql/schema/filter.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import { fromId, loadedById } from '../../graphql/schema/row-fields.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { ConsentConnection } from '../consents/consent.schema.ts'
import * as consents from '../consents/consents.ts'
import { CustomFieldObject } from '../custom-fields/custom-field.schema.ts'
import type { CustomFieldValue } from '../custom-fields/custom-field-values.ts'
import * as customFieldValues from '../custom-fields/custom-field-values.ts'
import * as customFields from '../custom-fields/custom-fields.ts'
import { ContactFilter } from '../filters/contact-filter.schema.ts'
import { detailTexts, mapSortedTexts, type regionalFields, type TextName, textFields } from '../record/fields.ts'
import * as contactTags from '../tags/contact-tags.ts'
import { maxTagsPerContact } from '../tags/contact-tags.ts'
import { TagType } from '../tags/tag.schema.ts'
import { frequencyOf } from '../topics/frequency.ts'
import * as memberships from '../topics/memberships.ts'
import { ContactTopicType, MessageFrequencyType } from '../topics/topic.schema.ts'
import type { ContactFacetField } from './contact-facets.ts'
import * as contactList from './contact-list.ts'
import { liveContacts } from './live-contacts.ts'

/** Enum values for the texts of a contact. */
export const textEnumValues = Object.fromEntries(
  Object.entries(textFields).map(([name, { description, maxLength }]) => [
    name,
    { description: `${description}. Maximum ${maxLength.toLocaleString('en')} characters.` },
  ]),
) as Record<TextName, { description: string }>

/** Enum values for the time zone and the language of a contact. */
export const regionalEnumValues = {
  TIME_ZONE: { description: 'Time zone: an IANA name, such as Europe/Paris.' },
  LOCALE: { description: 'Language and region: a BCP 47 tag, such as fr or pt-BR.' },
} satisfies Record<keyof typeof regionalFields, object>

const ValueSource = builder.enumType('ContactValueSource', {
  description: 'How a value of a contact is known. A value never replaces one that is known better.',
  values: {
    GIVEN: { description: 'A client or an import set it.' },
    OBSERVED: { description: 'The browser of the contact reported it on a public page.' },
    DERIVED: { description: 'It follows from the country of the contact, so it is a guess.' },
  } satisfies Record<ContactValueSource, object>,
})

const CustomFieldValueObject = builder.objectRef<CustomFieldValue>('CustomFieldValue').implement({
  description: "A contact's value for a custom field.",
  fields: (t) => ({
    label: t.string({ description: 'Label of the custom field.', resolve: ({ customField }) => customField.name }),
    value: t.exposeString('value', { description: 'The value as text.' }),
    customField: t.expose('customField', { type: CustomFieldObject, description: 'The custom field.' }),
  }),
})

readableWith('CustomFieldValue', 'contacts:read')

export const ContactType = builder.prismaObject('Contact', {
  description: 'A person in the audience of the account.',
  interfaces: [Node],
  fields: (t) => ({
    email: t.exposeString('email', {
      description:
        'E-mail address as it was sent. Unique in the account in all its spellings: upper and lower case, composed and decomposed characters, and the domain in Unicode or in ASCII.',
    }),
    ...Object.fromEntries(
      detailTexts.map(({ key }) => [key, t.exposeString(key, { description: 'Empty if unknown.' })]),
    ),
    timeZone: t.string({
      nullable: true,
      description: 'IANA time zone, such as Europe/Paris. Null if unknown.',
      select: { timeZone: true },
      resolve: ({ timeZone }) => timeZone || null,
    }),
    timeZoneSource: t.expose('timeZoneSource', {
      type: ValueSource,
      nullable: true,
      description: 'How the time zone is known. Null if it is unknown.',
    }),
    locale: t.string({
      nullable: true,
      description: 'Language, and region if known: a BCP 47 tag, such as fr or pt-BR. Null if unknown.',
      select: { locale: true },
      resolve: ({ locale }) => locale || null,
    }),
    localeSource: t.expose('localeSource', {
      type: ValueSource,
      nullable: true,
      description: 'How `locale` is known. Null if it is unknown.',
    }),
    emailMarketing: t.exposeBoolean('emailMarketing', {
      description: 'True if the contact consents to marketing e-mail.',
    }),
    gdpr: t.exposeBoolean('gdpr', {
      description: 'True if the contact consents to the processing of personal data.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time at which the contact was created.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change to a field of the contact. Tags and custom fields do not count.',
    }),
    lastActiveAt: t.exposeTime('lastActiveAt', {
      nullable: true,
      description:
        'Time at which the contact last opened or clicked a message, visited a page, answered a form or ordered, accurate to the hour. Null if it never did.',
    }),
    tags: t.field({
      type: [TagType],
      description: `Tags of the contact, ordered by name. At most ${maxTagsPerContact.toLocaleString('en')}.`,
      complexity: listCost('tags'),
      ...loadedById(contactTags.ofContact),
    }),
    topics: t.field({
      type: [ContactTopicType],
      description:
        'All topics of the account as they concern the contact, oldest first. One that is archived only if the contact joined or left it.',
      complexity: listCost('topics'),
      ...loadedById(memberships.ofContact),
    }),
    messageFrequency: t.field({
      type: MessageFrequencyType,
      description: 'How often the contact wants marketing e-mail. ANY if it chose nothing.',
      ...fromId(async (id: number, ctx) => (await ctx.load(frequencyOf, id)) ?? 'ANY'),
    }),
    customFields: t.field({
      type: [CustomFieldValueObject],
      description: 'Custom field values of the contact, in the order in which the fields were created.',
      complexity: listCost('customFields'),
      ...loadedById(customFieldValues.ofContact),
    }),
    consents: t.connection(ConsentConnection, {
      description: 'Consents that the contact gave or withdrew. Newest first by default.',
      resolve: ({ id }, args, ctx) => consents.listOfContact(ctx, id, args),
    }),
    account: t.field({
      type: AccountType,
      nullable: true,
      description: 'Account that the contact belongs to.',
      resolve: (_contact, _args, ctx) => ownAccount(ctx),
    }),
  }),
})

nodeSource(ContactType, 'contacts:read', contactList.byId)

const ContactIdAndEmail = builder.inputType('ContactIdAndEmailInput', {
  description: 'Identifies the contact that has both this ID and this e-mail address.',
  fields: (t) => ({
    id: t.id(requiredId('the contact')),
    email: t.string({ required: true, description: 'E-mail address of the contact, in any of its spellings.' }),
  }),
})

export const ContactRef = builder.inputType('ContactRefInput', {
  description: 'Identifies a contact. Exactly one field must be set.',
  isOneOf: true,
  fields: (t) => ({
    id: t.id({ description: idText('the contact') }),
    email: t.string({ description: 'E-mail address of the contact, in any of its spellings.' }),
    idAndEmail: t.field({
      type: ContactIdAndEmail,
      description: 'ID and e-mail address. No contact is found if they belong to different contacts.',
    }),
  }),
})

export const ContactConnection = connectionOf(ContactType, {
  noun: 'contacts',
  facets: {
    fields: {
      COUNTRY: 'Countries, as they are written.',
      CITY: 'Cities, as they are written.',
      COMPANY_NAME: 'Names of companies, as they are written.',
      EMAIL_MARKETING: 'Consent to marketing e-mail: `true` or `false`.',
      GDPR: 'Consent to the processing of personal data: `true` or `false`.',
      TAG: 'Tags. The value is the ID of the tag, the label its name.',
      CUSTOM_FIELD: 'Values of the custom field `customFieldId`.',
    } satisfies Record<ContactFacetField, string>,
    object: {
      argument: 'customFieldId',
      description: `${idText('a custom field of the type SELECT or BOOLEAN')} Required for \`CUSTOM_FIELD\`, and not allowed for other fields.`,
    },
  },
  filter: ContactFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    UPDATED_AT: 'Time of the last change to a field of the contact.',
    LAST_ACTIVE_AT: 'Time of the last activity, or of creation if there was none.',
    ...mapSortedTexts(
      ({ description }) =>
        `${description}, in the order of a dictionary. Contacts without one come first in ascending order.`,
    ),
    EMAIL: 'E-mail address. Case-insensitive.',
    RELEVANCE: relevanceDescription,
  },
})

builder.queryFields((t) => ({
  contact: t.field({
    type: ContactType,
    nullable: true,
    description: 'Returns a contact. Null if the account has no matching contact.',
    args: { ref: t.arg({ type: ContactRef, required: true, description: 'Id or e-mail address of the contact.' }) },
    resolve: (_root, { ref }, ctx) => contactList.find(ctx, ref, 'ref'),
  }),
}))

accountList('contacts', ContactConnection, contactList.list)
liveList('contacts', ContactType, ContactConnection, { definition: liveContacts, list: contactList.list })

builder.prismaObjectFields('Tag', (t) => ({
  contacts: t.connection(ContactConnection, {
    description: 'Contacts that have this tag. Newest first by default.',
    resolve: ({ id }, args, ctx) => contactList.listOfTag(ctx, id, args),
  }),
}))

builder.prismaObjectFields('Account', (t) => ({
  customFields: t.field({
    type: [CustomFieldObject],
    nullable: true,
    description: 'Custom fields of the account, oldest first.',
    complexity: listCost('customFields'),
    resolve: (_account, _args, ctx) => customFields.list(ctx),
  }),
}))
