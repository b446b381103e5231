import { CustomFieldObject } from '../contacts/custom-field.schema.ts'
import { customFields } from '../contacts/index.ts'
import { builder } from '../graphql/builder.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { allowed } from '../graphql/query.ts'
import { listCost } from '../graphql/sizes.ts'
import { type Outcome, outcomeList, type Question, questionList } from './index.ts'
import { mostOptions } from './question-rules.ts'
import type { AnswerPoints } from './scoring.ts'

export const QuestionTypeEnum = builder.enumType('QuestionType', {
  description: 'How a question is answered.',
  values: {
    YES_NO: { description: 'With `yes` or `no`.' },
    SINGLE_CHOICE: { description: 'With one of its options.' },
    MULTIPLE_CHOICE: { description: 'With any number of its options.' },
    DROPDOWN: { description: 'With one of its options, shown as a menu.' },
    SHORT_TEXT: { description: 'With 255 characters at most.' },
    LONG_TEXT: { description: 'With 10,000 characters at most.' },
    EMAIL: { description: 'With an e-mail address.' },
    PHONE: { description: 'With a phone number.' },
    NUMBER: { description: 'With a decimal number of 15 digits at most.' },
    DATE: { description: 'With a day that exists, as `YYYY-MM-DD`.' },
    RATING: { description: 'With a whole number from 1 to 5.' },
    OPINION_SCALE: { description: 'With a whole number from 0 to 10.' },
    URL: { description: 'With an address that starts with `http://` or `https://`.' },
    CONSENT: { description: 'With `true` or `false`: `true` agrees to marketing e-mail in the words of its label.' },
    STATEMENT: { description: 'Not at all: it is only read.' },
    HIDDEN: { description: 'By the page instead of the visitor, with 1,000 characters at most.' },
  },
})

export const ContactFieldEnum = builder.enumType('ContactField', {
  description: 'The fields of a contact that an answer can fill, where the submission is linked to one.',
  values: {
    EMAIL: { description: 'Its address: an answer links the submission to the contact that has it.' },
    FIRST_NAME: { description: 'Its first name.' },
    LAST_NAME: { description: 'Its last name.' },
    PHONE: { description: 'Its phone number.' },
    COMPANY_NAME: { description: 'The name of its company.' },
    CITY: { description: 'Its city.' },
    COUNTRY: { description: 'Its country.' },
  },
})

export const BucketEnum = builder.enumType('Bucket', {
  description: "Where a score stands, by the form's thresholds.",
  values: {
    HOT: { description: 'At the upper threshold or above.' },
    WARM: { description: 'At the lower threshold or above, and below the upper one.' },
    COLD: { description: 'Below both.' },
  },
})

const AnswerPointsType = builder.objectRef<AnswerPoints>('AnswerPoints').implement({
  description: 'What an answer is worth.',
  fields: (t) => ({
    answer: t.exposeString('answer', { description: 'One of the possible answers of the question.' }),
    points: t.expose('points', { type: 'Decimal', description: 'What it adds to the score of a submission.' }),
  }),
})

export const QuestionObject = builder.objectRef<Question>('Question').implement({
  description: 'A question of a form, as it is asked now.',
  interfaces: [Node],
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Its words.' }),
    type: t.expose('type', { type: QuestionTypeEnum, description: 'How it is answered.' }),
    position: t.exposeInt('position', { description: 'Its place in the form, counted from 1.' }),
    required: t.exposeBoolean('required', { description: 'Whether a submission needs it to be complete.' }),
    options: t.stringList({
      nullable: true,
      description: `What there is to choose from, in the order in which it is shown: ${mostOptions} at most. Null where the type has no options.`,
      resolve: ({ options }) => options,
    }),
    points: t.field({
      type: [AnswerPointsType],
      complexity: listCost('points'),
      description: 'What its answers are worth; one that is not among them is worth nothing.',
      resolve: ({ points }) => points,
    }),
    contactField: t.expose('contactField', {
      type: ContactFieldEnum,
      nullable: true,
      description: 'The field of the contact that an answer fills; null for none.',
    }),
    customField: t.field({
      type: CustomFieldObject,
      nullable: true,
      description: needing('contacts:read', "The contact's custom field that an answer fills; null for none."),
      resolve: allowed('contacts:read', ({ customFieldId }, _args, ctx) =>
        customFieldId === null ? null : ctx.load(customFields.byId, customFieldId),
      ),
    }),
    version: t.exposeInt('version', {
      description: 'How often what it asks has changed since its form was published first, counted from 1.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was added.' }),
    removedAt: t.expose('removedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was taken out of the form, which keeps the answers to it; null while it is asked.',
    }),
  }),
})

nodeSource('Question', 'forms:read', questionList.byId)

export const OutcomeType = builder.objectRef<Outcome>('Outcome').implement({
  description: 'What a submission can end with: the first of its form that has the bucket of the submission.',
  interfaces: [Node],
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its name for machines: unique in the form.' }),
    title: t.exposeString('title', { description: 'Its title for people.' }),
    text: t.exposeString('text', { description: 'What is said below the title; may be empty.' }),
    bucket: t.expose('bucket', { type: BucketEnum, description: 'The submissions it is for.' }),
    position: t.exposeInt('position', { description: 'Its place in the form, counted from 1.' }),
  }),
})

nodeSource('Outcome', 'forms:read', outcomeList.byId)
