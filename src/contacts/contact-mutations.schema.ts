import { builder } from '../graphql/builder.ts'
import { asOfNow, type InputBuilder, mutation } from '../graphql/mutation.ts'
import { ConsentInput } from './consent.schema.ts'
import { ContactRef, ContactType } from './contact.schema.ts'
import type { ContactLinks } from './contacts.ts'
import { CustomFieldObject } from './custom-field.schema.ts'
import { contactFields, contactList, contacts, contactTags, customFields, tags } from './index.ts'
import { TagType } from './tag.schema.ts'

const FieldInput = builder.inputType('CustomFieldValueInput', {
  description: 'A value for a custom field.',
  fields: (t) => ({
    customFieldId: t.id({ required: true, description: 'The custom field, by global id or integer.' }),
    value: t.string({ required: true, description: 'The value, as text; it must suit the type of the field.' }),
  }),
})

const details = (t: InputBuilder) => ({
  firstName: t.string({ description: '255 characters at most.' }),
  lastName: t.string({ description: '255 characters at most.' }),
  phone: t.string({ description: '64 characters at most.' }),
  companyName: t.string({ description: '255 characters at most.' }),
  city: t.string({ description: '255 characters at most.' }),
  country: t.string({ description: '255 characters at most.' }),
  emailMarketing: t.boolean({
    description: 'Whether the contact agrees to marketing e-mail; withdrawing it leaves all sequences.',
  }),
  gdpr: t.boolean({ description: 'Whether the contact agrees to the processing of personal data.' }),
  consent: t.field({ type: ConsentInput, description: 'Where these consents come from.' }),
  tagIds: t.idList({ description: 'Tags to add; none is removed, and unknown ones are skipped.' }),
  sequenceIds: t.idList({
    description:
      'Sequences to enrol in; unknown ones, and those without stages, are skipped, and none is left. Needs the scope `sequences:write` unless empty.',
  }),
  customFields: t.field({ type: [FieldInput], description: 'Values to set.' }),
})

/** Enrolling writes in the room of sequences. */
const alsoNeeds = ({ sequenceIds }: ContactLinks) => [sequenceIds?.length ? ('sequences:write' as const) : null]

const ref = (t: InputBuilder) => t.field({ type: ContactRef, required: true, description: 'Which contact.' })

mutation('contactCreate', {
  needs: 'contacts:write',
  alsoNeeds,
  description: 'Adds a contact. Fails with CONTACT_EXISTS where the account has the address already, in whatever case.',
  input: (t) => ({
    email: t.string({ required: true, description: 'The e-mail address, kept as given.' }),
    ...details(t),
  }),
  run: contacts.create,
  payload: (t) => ({
    contact: t.field({
      type: ContactType,
      description: 'The new contact.',
      resolve: asOfNow(contactList.byId, (result) => result.contact),
    }),
  }),
})

mutation('contactUpsert', {
  needs: 'contacts:write',
  alsoNeeds,
  description: 'Adds a contact, or changes the one that has the address: only what is sent.',
  input: (t) => ({
    email: t.string({ required: true, description: 'The e-mail address that is looked up.' }),
    ...details(t),
  }),
  run: contacts.upsert,
  payload: (t) => ({
    contact: t.field({
      type: ContactType,
      description: 'The contact, new or changed.',
      resolve: asOfNow(contactList.byId, (result) => result.contact),
    }),
    created: t.exposeBoolean('created', { description: 'Whether it is new.' }),
  }),
})

mutation('contactUpdate', {
  needs: 'contacts:write',
  alsoNeeds,
  description:
    'Changes a contact: only what is sent. Fails with CONTACT_EXISTS for an address that another contact has.',
  input: (t) => ({ contact: ref(t), email: t.string({ description: 'Another e-mail address.' }), ...details(t) }),
  run: contacts.update,
  payload: (t) => ({
    contact: t.field({
      type: ContactType,
      description: 'The contact after the change.',
      resolve: asOfNow(contactList.byId, (result) => result.contact),
    }),
  }),
})

mutation('contactDelete', {
  needs: 'contacts:write',
  description:
    'Deletes a contact. Statistics do not change: its messages, enrolments, submissions and visits stay without personal values, and show no contact. Waiting messages are skipped. A contact that orders or transactions need is kept and unsubscribed instead: check `deleted`.',
  input: (t) => ({ contact: ref(t) }),
  run: contacts.remove,
  payload: (t) => ({
    databaseId: t.exposeInt('databaseId', { description: 'The integer that the contact has, or had.' }),
    deleted: t.exposeBoolean('deleted', { description: 'Whether it is gone.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it was kept; null where it is gone.' }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: 'The contact that was kept; null where it is gone.',
      resolve: ({ contact }) => contact,
    }),
  }),
})

mutation('contactUnsubscribe', {
  needs: 'contacts:write',
  description: 'Takes a contact out of all e-mail marketing and all sequences. Safe to repeat.',
  input: (t) => ({
    contact: ref(t),
    consent: t.field({ type: ConsentInput, description: 'Where the withdrawal comes from.' }),
  }),
  run: contacts.unsubscribe,
  payload: (t) => ({
    contact: t.field({
      type: ContactType,
      description: 'The contact after the change.',
      resolve: asOfNow(contactList.byId, (result) => result.contact),
    }),
  }),
})

for (const [name, description, run] of [
  ['contactTagAdd', 'Gives a contact a tag. Safe to repeat.', contactTags.add],
  ['contactTagRemove', 'Takes a tag from a contact. Safe to repeat.', contactTags.remove],
] as const) {
  mutation(name, {
    needs: 'contacts:write',
    description,
    input: (t) => ({
      contact: ref(t),
      tagId: t.id({ required: true, description: 'The tag, by global id or integer.' }),
    }),
    run,
    payload: (t) => ({
      contact: t.field({
        type: ContactType,
        description: 'The contact.',
        resolve: asOfNow(contactList.byId, (result) => result.contact),
      }),
      tag: t.field({ type: TagType, description: 'The tag.', resolve: asOfNow(tags.byId, (result) => result.tag) }),
    }),
  })
}

mutation('contactBulkTag', {
  needs: 'contacts:write',
  description:
    'Asks for a tag on many contacts; it is given in the background. Contacts that do not exist are skipped.',
  input: (t) => ({
    tagId: t.id({ required: true, description: 'The tag, by global id or integer.' }),
    contactIds: t.idList({ required: true, description: 'The contacts, by global id or integer: 1 to 500.' }),
  }),
  run: contactTags.bulkAdd,
  payload: (t) => ({
    tag: t.field({ type: TagType, description: 'The tag.', resolve: asOfNow(tags.byId, (result) => result.tag) }),
    queued: t.exposeInt('queued', { description: 'How many contacts will have it.' }),
    skipped: t.exposeInt('skipped', { description: 'How many of the ids are no contact of the account.' }),
  }),
})

mutation('contactFieldSet', {
  needs: 'contacts:write',
  description: "Sets a contact's value for a custom field, or takes it away.",
  input: (t) => ({
    contact: ref(t),
    customFieldId: t.id({ required: true, description: 'The custom field, by global id or integer.' }),
    value: t.string({ description: 'The value, as text, 1,000 characters at most; null takes it away.' }),
  }),
  run: contactFields.set,
  payload: (t) => ({
    contact: t.field({
      type: ContactType,
      description: 'The contact.',
      resolve: asOfNow(contactList.byId, (result) => result.contact),
    }),
    customField: t.field({
      type: CustomFieldObject,
      description: 'The custom field.',
      resolve: asOfNow(customFields.byId, (result) => result.customField),
    }),
    value: t.exposeString('value', {
      nullable: true,
      description: 'The value that was set; null where it was taken away.',
    }),
  }),
})
