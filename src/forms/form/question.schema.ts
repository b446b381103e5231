import { CustomFieldObject } from '../../contacts/custom-fields/custom-field.schema.ts'
import { textEnumValues } from '../../contacts/people/contact.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import type { Outcome } from './outcome-list.ts'
import * as outcomeList from './outcome-list.ts'
import type { Question } from './question-list.ts'
import * as questionList from './question-list.ts'
import { maxOptions } from './question-rules.ts'
import type { AnswerPoints } from './scoring.ts'

export const QuestionTypeEnum = builder.enumType('QuestionType', {
  description: 'Type of a question, which decides what answers it accepts.',
  values: {
    YES_NO: { description: '`yes` or `no`.' },
    SINGLE_CHOICE: { description: 'One of the options.' },
    MULTIPLE_CHOICE: { description: 'Any number of the options.' },
    DROPDOWN: { description: 'One of the options, shown as a menu.' },
    SHORT_TEXT: { description: 'Text of at most 255 characters.' },
    LONG_TEXT: { description: 'Text of at most 10,000 characters.' },
    EMAIL: { description: 'An e-mail address.' },
    PHONE: { description: 'A phone number.' },
    NUMBER: { description: 'A decimal number of at most 15 digits. Its decimal sign may be a comma or a point.' },
    DATE: { description: 'An existing date, as `YYYY-MM-DD`.' },
    RATING: { description: 'An integer from 1 to 5.' },
    OPINION_SCALE: { description: 'An integer from 0 to 10.' },
    URL: { description: 'The address of a page. One without a scheme gets `https://`.' },
    CONSENT: {
      description: '`true` or `false`. `true` grants consent to marketing e-mail, with the label as its wording.',
    },
    TERMS: {
      description:
        '`true` or `false`. The form is completed only with `true`, which accepts the label, such as terms of use. It grants no consent. `required` is always true.',
    },
    STATEMENT: { description: 'Text without an answer.' },
    HIDDEN: {
      description: 'Text of at most 1,000 characters that the page fills in. Visitors do not see the question.',
    },
  },
})

export const ContactFieldEnum = builder.enumType('ContactField', {
  description: 'Field of the linked contact that an answer can be written to.',
  values: {
    ...textEnumValues,
    EMAIL: { description: 'E-mail address. An answer links the submission to the contact with this address.' },
  },
})

export const BucketEnum = builder.enumType('Bucket', {
  description: 'Classification of a score by the thresholds of the form.',
  values: {
    HOT: { description: 'The score is at least `hotFrom`.' },
    WARM: { description: 'The score is at least `warmFrom` and below `hotFrom`.' },
    COLD: { description: 'The score is below `warmFrom`.' },
  },
})

const AnswerPointsType = builder.objectRef<AnswerPoints>('AnswerPoints').implement({
  description: 'Points that one answer adds to the score.',
  fields: (t) => ({
    answer: t.exposeString('answer', { description: 'One of the possible answers of the question.' }),
    points: t.expose('points', {
      type: 'Decimal',
      description: 'Points added to the score of a submission. Can be negative.',
    }),
  }),
})

export const QuestionObject = builder.objectRef<Question>('Question').implement({
  description: 'Current version of a question of a form.',
  interfaces: [Node],
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Text of the question.' }),
    type: t.expose('type', { type: QuestionTypeEnum, description: 'Type of the answer.' }),
    position: t.exposeInt('position', { description: 'Position in the form, starting at 1.' }),
    required: t.exposeBoolean('required', { description: 'Whether a submission needs an answer to be completed.' }),
    options: t.stringList({
      nullable: true,
      description: `Options in display order. Maximum ${maxOptions}. Null if the type has no options.`,
      resolve: ({ options }) => options,
    }),
    points: t.field({
      type: [AnswerPointsType],
      complexity: listCost('points'),
      description: 'Points of the answers. Answers that the list does not contain add nothing.',
      resolve: ({ points }) => points,
    }),
    contactField: t.expose('contactField', {
      type: ContactFieldEnum,
      nullable: true,
      description: 'Contact field that the answer is written to; null for none.',
    }),
    customField: t.node('customFieldId', {
      type: CustomFieldObject,
      description: 'Custom field of the contact that the answer is written to; null for none.',
    }),
    version: t.exposeInt('version', {
      description: 'Version number. Starts at 1, and increases with each change after the form was first published.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of its content.' }),
    removedAt: t.exposeTime('removedAt', {
      nullable: true,
      description: 'Time of removal from the form, which keeps the answers; null if the question was not removed.',
    }),
  }),
})

nodeSource(QuestionObject, 'forms:read', questionList.byId)

export const OutcomeType = builder.objectRef<Outcome>('Outcome').implement({
  description: 'A result of a form. A completed submission gets the first outcome of the form that has its bucket.',
  interfaces: [Node],
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Identifier of the outcome, unique in the form.' }),
    title: t.exposeString('title', { description: 'Title that the visitor sees.' }),
    text: t.exposeString('text', { description: 'Text below the title. Can be empty.' }),
    bucket: t.expose('bucket', {
      type: BucketEnum,
      description: 'Bucket of the submissions that end with this outcome.',
    }),
    position: t.exposeInt('position', { description: 'Position in the form, starting at 1.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the outcome.' }),
  }),
})

nodeSource(OutcomeType, 'forms:read', outcomeList.byId)
