import { builder } from '../../graphql/schema/builder.ts'
import { idsText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { deletedNode, type InputBuilder, mutation } from '../../graphql/schema/mutation.ts'
import { ConsentInput } from '../consents/consent.schema.ts'
import { CustomFieldObject } from '../custom-fields/custom-field.schema.ts'
import * as customFieldValues from '../custom-fields/custom-field-values.ts'
import { lock as lockContact } from '../record/contact-lookup.ts'
import { type DetailTextKey, detailTexts } from '../record/fields.ts'
import * as contactTags from '../tags/contact-tags.ts'
import { TagType } from '../tags/tag.schema.ts'
import { setFrequency } from '../topics/frequency.ts'
import * as memberships from '../topics/memberships.ts'
import { MessageFrequencyType, TopicType } from '../topics/topic.schema.ts'
import { ContactRef, ContactType } from './contact.schema.ts'
import type { ContactLinks } from './contacts.ts'
import * as contacts from './contacts.ts'

const FieldInput = builder.inputType('CustomFieldValueInput', {
  description: 'A value for a custom field.',
  fields: (t) => ({
    customFieldId: t.id(requiredId('the custom field')),
    value: t.string({
      required: true,
      description: 'The value as text. Must be valid for the type of the field. Maximum 1,000 characters.',
    }),
  }),
})

const textInput = (t: InputBuilder, maxLength: number) => t.string({ description: `Maximum ${maxLength} characters.` })

const texts = (t: InputBuilder) =>
  Object.fromEntries(detailTexts.map(({ key, maxLength }) => [key, textInput(t, maxLength)])) as {
    [Key in DetailTextKey]: ReturnType<typeof textInput>
  }

/** The fields of a contact besides its address. */
export const details = (t: InputBuilder) => ({
  ...texts(t),
  timeZone: t.string({
    description:
      'IANA time zone, such as Europe/Paris. An empty text removes it; the one of the country is then used, if there is one.',
  }),
  locale: t.string({
    description:
      'BCP 47 tag, such as fr or pt-BR. An empty text removes it; the language of the country is then used, if it is known.',
  }),
  emailMarketing: t.boolean({
    description: 'Consent to marketing e-mail. If a change withdraws it, the contact leaves all sequences.',
  }),
  gdpr: t.boolean({ description: 'Consent to the processing of personal data.' }),
  consent: t.field({
    type: ConsentInput,
    description: 'Origin of the consents that this mutation gives or withdraws.',
  }),
  customFields: t.field({ type: [FieldInput], description: 'Custom field values to set.' }),
})

/** Of an existing contact, `contactTagAdd` and `sequenceEnrol` do the same. */
const links = (t: InputBuilder) => ({
  addTagIds: t.idList({
    description: `${idsText('the tags to add')} Existing tags are kept. Unknown IDs are skipped.`,
  }),
  addSequenceIds: t.idList({
    description: `${idsText('the sequences in which to enrol the contact')} Existing enrolments are kept. Unknown IDs and sequences without stages are skipped. ${scopeText('sequences:write', 'unless empty')}`,
  }),
})

/** Enrolling a contact writes to the sequences module. */
const alsoNeeds = ({ addSequenceIds }: ContactLinks) => [addSequenceIds?.length ? ('sequences:write' as const) : null]

const ref = (t: InputBuilder) =>
  t.field({ type: ContactRef, required: true, description: 'Id or e-mail address of the contact.' })

mutation('contactCreate', {
  needs: 'contacts:write',
  alsoNeeds,
  description:
    'Creates a contact. Throws CONTACT_EXISTS if a contact of the account has the e-mail address, and QUOTA_EXCEEDED if the plan allows no more contacts.',
  input: (t) => ({
    email: t.string({
      required: true,
      description: 'E-mail address. Unique in the account in all its spellings. Maximum 254 characters.',
    }),
    ...details(t),
    ...links(t),
  }),
  run: contacts.create,
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The created contact.' }),
  }),
})

mutation('contactUpsert', {
  needs: 'contacts:write',
  alsoNeeds,
  description:
    'Creates a contact, or updates the contact that has the e-mail address. Fields that are absent or null stay unchanged.',
  input: (t) => ({
    email: t.string({
      required: true,
      description: 'E-mail address that identifies the contact, in any of its spellings. Maximum 254 characters.',
    }),
    ...details(t),
    ...links(t),
  }),
  run: contacts.upsert,
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The created or updated contact.' }),
    created: t.exposeBoolean('created', { description: 'True if the contact was created, false if it was updated.' }),
  }),
})

mutation('contactUpdate', {
  needs: 'contacts:write',
  description:
    'Updates a contact. Fields that are absent or null stay unchanged. `contactTagAdd` and `sequenceEnrol` add tags and enrolments. Throws CONTACT_EXISTS if another contact has the new e-mail address.',
  input: (t) => ({
    contact: ref(t),
    email: t.string({ description: 'New e-mail address. Maximum 254 characters.' }),
    ...details(t),
  }),
  run: contacts.update,
  lock: (tx, { contact }) => lockContact(tx, contact),
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The updated contact.' }),
  }),
})

mutation('contactDelete', {
  needs: 'contacts:write',
  description:
    'Deletes a contact. Statistics do not change: its messages, enrolments, submissions and visits stay without personal values, and show no contact. Queued messages are skipped. A contact that orders or transactions refer to is kept and unsubscribed instead. Check `deleted` for the outcome.',
  input: (t) => ({ contact: ref(t) }),
  run: contacts.remove,
  payload: (t) => ({
    ...deletedNode(t, ContactType, ({ deleted }) => deleted),
    deleted: t.exposeBoolean('deleted', {
      description: 'True if the contact was deleted, false if it was kept and unsubscribed.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Reason why the contact was kept. Null if it was deleted.',
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: 'The contact that was kept. Null if it was deleted.',
      resolve: ({ contact }) => contact,
    }),
  }),
})

mutation('contactUnsubscribe', {
  needs: 'contacts:write',
  description: 'Withdraws the consent to marketing e-mail and removes the contact from all sequences. Idempotent.',
  input: (t) => ({
    contact: ref(t),
    consent: t.field({ type: ConsentInput, description: 'Origin of the withdrawal.' }),
  }),
  run: contacts.unsubscribe,
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The updated contact.' }),
  }),
})

for (const [name, description, run] of [
  ['contactTagAdd', 'Adds a tag to a contact. Idempotent.', contactTags.add],
  ['contactTagRemove', 'Removes a tag from a contact. Idempotent.', contactTags.remove],
] as const) {
  mutation(name, {
    needs: 'contacts:write',
    description,
    input: (t) => ({
      contact: ref(t),
      tagId: t.id(requiredId('the tag')),
    }),
    run,
    payload: (t) => ({
      contact: t.expose('contact', { type: ContactType, description: 'The contact.' }),
      tag: t.expose('tag', { type: TagType, description: 'The tag.' }),
    }),
  })
}

for (const [name, description, run] of [
  [
    'contactTopicJoin',
    'Lets a contact join a topic. Its messages are sent only while the contact consents to marketing e-mail. Idempotent.',
    memberships.join,
  ],
  ['contactTopicLeave', 'Lets a contact leave a topic, and nothing else. Idempotent.', memberships.leave],
] as const) {
  mutation(name, {
    needs: 'contacts:write',
    description,
    input: (t) => ({
      contact: ref(t),
      topicId: t.id(requiredId('the topic')),
      consent: t.field({ type: ConsentInput, description: 'Origin of the decision.' }),
    }),
    run,
    payload: (t) => ({
      contact: t.expose('contact', { type: ContactType, description: 'The contact.' }),
      topic: t.expose('topic', { type: TopicType, description: 'The topic.' }),
    }),
  })
}

mutation('contactFrequencySet', {
  needs: 'contacts:write',
  description: 'Sets how often a contact wants marketing e-mail, as its preference page does. Idempotent.',
  input: (t) => ({
    contact: ref(t),
    frequency: t.field({ type: MessageFrequencyType, required: true, description: 'How often.' }),
  }),
  run: setFrequency,
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The contact.' }),
  }),
})

mutation('contactBulkTag', {
  needs: 'contacts:write',
  description: 'Adds a tag to up to 500 contacts in the background. Unknown contact ids are skipped.',
  input: (t) => ({
    tagId: t.id(requiredId('the tag')),
    contactIds: t.idList({ required: true, description: idsText('the contacts: 1 to 500') }),
  }),
  run: contactTags.bulkAdd,
  payload: (t) => ({
    tag: t.expose('tag', { type: TagType, description: 'The tag.' }),
    queued: t.exposeInt('queued', { description: 'Number of contacts to which the tag will be added.' }),
    skipped: t.exposeInt('skipped', { description: 'Number of ids that are not contacts of the account.' }),
  }),
})

mutation('contactFieldSet', {
  needs: 'contacts:write',
  description: "Sets or removes a contact's value for a custom field.",
  input: (t) => ({
    contact: ref(t),
    customFieldId: t.id(requiredId('the custom field')),
    value: t.string({ description: 'The value as text. Maximum 1,000 characters. Null or absent removes the value.' }),
  }),
  run: customFieldValues.set,
  payload: (t) => ({
    contact: t.expose('contact', { type: ContactType, description: 'The contact.' }),
    customField: t.expose('customField', { type: CustomFieldObject, description: 'The custom field.' }),
    value: t.exposeString('value', {
      nullable: true,
      description: 'The value that was set. Null if the value was removed.',
    }),
  }),
})
