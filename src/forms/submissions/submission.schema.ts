import { AcceptedTermsType } from '../../contacts/consents/accepted-terms.schema.ts'
import { attributionKeys, type TextName, textFields } from '../../contacts/index.ts'
import { ContactRef, ContactType } from '../../contacts/people/contact.schema.ts'
import {
  AttributionInput,
  AttributionKeyEnum,
  AttributionPairType,
  pairsOf,
} from '../../contacts/record/attribution.schema.ts'
import { liveList } from '../../events/live/live-list.schema.ts'
import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { idText, requiredId, scopeText } from '../../graphql/schema/descriptions.ts'
import { filterKind, filterOf, NumberFilterInput, TextFilterInput } from '../../graphql/schema/filter.ts'
import { mutation } from '../../graphql/schema/mutation.ts'
import { largeNodeSource, Node, nodeSource } from '../../graphql/schema/node.ts'
import { type AnswerFilter, maxValues } from '../answers/answer-filter.ts'
import type { Answer } from '../answers/answers.ts'
import * as answers from '../answers/answers.ts'
import { FormType } from '../form/form.schema.ts'
import { BucketEnum, ContactFieldEnum, QuestionObject, QuestionTypeEnum } from '../form/question.schema.ts'
import { listTypedFields } from '../visitors/typed-fields.ts'
import { liveSubmissions } from './live-submissions.ts'
import type { SubmissionFacetField } from './submission-facets.ts'
import type { AttributionFilter } from './submission-filter.ts'
import type { Submission } from './submission-list.ts'
import * as submissionList from './submission-list.ts'
import * as submissions from './submissions.ts'

export const SubmissionStatusEnum = builder.enumType('SubmissionStatus', {
  description: 'Completion status of a submission.',
  values: {
    IN_PROGRESS: {
      description: 'The visitor has not completed the form. The submission can be continued at any time.',
    },
    COMPLETED: { description: 'The visitor completed the form. The answers can no longer change.' },
  },
})

const AnswerType = builder.objectRef<Answer>('Answer').implement({
  description: 'An answer, with the label and the type of the question version that it answered.',
  interfaces: [Node],
  fields: (t) => ({
    label: t.exposeString('label', { description: 'Label of the question when it was answered.' }),
    type: t.expose('type', { type: QuestionTypeEnum, description: 'Type of the question when it was answered.' }),
    values: t.exposeStringList('values', {
      description:
        'Values of the answer as text. More than one only for `MULTIPLE_CHOICE`. Empty if the contact was deleted and the answer was personal.',
    }),
    score: t.expose('score', {
      type: 'Decimal',
      description: 'Points that the answer adds to the score of the submission.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of the first answer to the question.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change of the answer.' }),
    questionDatabaseId: t.exposeInt('questionId', { description: 'Integer ID of the question.' }),
    question: t.node('questionId', {
      type: QuestionObject,
      description: 'Current version of the question; null if the question was deleted during the request.',
    }),
  }),
})

largeNodeSource(AnswerType, 'forms:read', answers.byId)

const Qualification = builder.objectRef<Submission>('Qualification').implement({
  description: 'Result of a submission.',
  fields: (t) => ({
    bucket: t.expose('bucket', { type: BucketEnum, description: 'Bucket of the score.' }),
    outcomeKey: t.exposeString('outcomeKey', {
      nullable: true,
      description:
        'Key of the outcome; null while the submission is in progress, or if the form has no outcome for the bucket.',
    }),
    title: t.exposeString('outcomeTitle', {
      nullable: true,
      description: 'Title of the outcome at the time of completion; null if there is no outcome.',
    }),
  }),
})

const TypedField = builder.objectRef<{ field: TextName; value: string }>('TypedField').implement({
  description: 'A contact field with the value that the visitor typed.',
  fields: (t) => ({
    field: t.expose('field', { type: ContactFieldEnum, description: 'Field of the contact.' }),
    value: t.exposeString('value', { description: 'Text that the visitor typed.' }),
  }),
})

export const SubmissionType = builder.objectRef<Submission>('Submission').implement({
  description: "A visitor's answers to a form, in progress or completed.",
  interfaces: [Node],
  fields: (t) => ({
    status: t.expose('status', { type: SubmissionStatusEnum, description: 'Completion status.' }),
    score: t.expose('score', { type: 'Decimal', description: 'Sum of the points of the answers.' }),
    bucket: t.expose('bucket', { type: BucketEnum, description: 'Bucket of the score.' }),
    outcomeKey: t.exposeString('outcomeKey', {
      nullable: true,
      description:
        'Key of the outcome; null while the submission is in progress, or if the form has no outcome for the bucket.',
    }),
    qualification: t.field({
      type: Qualification,
      description: 'Bucket and outcome.',
      complexity: 0,
      resolve: (submission) => submission,
    }),
    clientSubmissionId: t.exposeString('clientSubmissionId', {
      nullable: true,
      description: 'Identifier that the client chose, unique in the form; null if it chose none.',
    }),
    aiSummary: t.exposeString('aiSummary', {
      nullable: true,

      description:
        'Summary of the answers, written by an AI model after completion; null until it exists, and if the contact was deleted. Summaries require a configured AI provider.',
    }),
    typedFields: t.field({
      type: [TypedField],
      complexity: listCost('typedFields'),
      description: `Values that the visitor typed into contact fields of a page that belong to no question. Maximum ${Object.keys(textFields).length}. They change existing values of the contact only if the visitor has confirmed the e-mail address.`,
      resolve: ({ typed }) => listTypedFields(typed),
    }),
    acceptedTerms: t.expose('acceptedTerms', {
      type: [AcceptedTermsType],
      complexity: listCost('acceptedTerms'),
      description:
        'Terms that the visitor accepted, with the proof: those of the page, and those of questions of the type `TERMS`. The terms of an order form are stored with the order.',
    }),
    attribution: t.field({
      type: [AttributionPairType],
      complexity: listCost('attribution'),
      description: `Last-touch attribution before completion. Maximum ${attributionKeys.length} pairs.`,
      resolve: ({ attribution }) => pairsOf(attribution),
    }),
    firstAttribution: t.field({
      type: [AttributionPairType],
      complexity: listCost('attribution'),
      description: 'First-touch attribution of the visitor. Can be older than the submission.',
      resolve: ({ firstAttribution }) => pairsOf(firstAttribution),
    }),
    startedAt: t.exposeTime('startedAt', { description: 'Time at which the visitor started.' }),
    completedAt: t.exposeTime('completedAt', {
      nullable: true,
      description: 'Time of completion; null while the submission is in progress.',
    }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of the first save.' }),
    updatedAt: t.exposeTime('updatedAt', { description: 'Time of the last change.' }),
    formDatabaseId: t.exposeInt('formId', { description: 'Integer ID of the form.' }),
    form: t.node('formId', {
      type: FormType,
      description: 'Form of the submission; null if the form was deleted during the request.',
    }),
    contact: t.node('contactId', {
      type: ContactType,
      description: 'Contact that the submission is linked to; null if the contact is unknown or was deleted.',
    }),
    answers: t.field({
      type: [AnswerType],
      description: 'Answers in the order of the questions.',
      complexity: listCost('answers'),
      resolve: ({ id }, _args, ctx) => ctx.load(answers.ofSubmission, id),
    }),
  }),
})

nodeSource(SubmissionType, 'forms:read', submissionList.byId)

filterKind('enum SubmissionStatus', [SubmissionStatusEnum])
filterKind('enum Bucket', [BucketEnum])
filterKind('answers', [
  builder.inputRef<AnswerFilter>('AnswerFilterInput').implement({
    description:
      'Condition on the answer to one question. All operators that are set must match. A submission without an answer matches only `exists: false`.',
    fields: (t) => ({
      questionId: t.id(requiredId('the question')),
      eq: t.string({ description: 'A value of the answer is exactly this one.' }),
      in: t.stringList({
        description: `A value of the answer is exactly one of these. An empty list matches nothing. Maximum ${maxValues} texts.`,
      }),
      contains: t.string({ description: 'A value of the answer contains this text of any length. Case-insensitive.' }),
      score: t.field({ type: NumberFilterInput, description: 'Points of the answer.' }),
      exists: t.boolean({ description: 'Whether the question was answered.' }),
    }),
  }),
])
filterKind('attribution', [
  builder.inputRef<AttributionFilter>('AttributionFilterInput').implement({
    description: 'Condition on an attribution parameter.',
    fields: (t) => ({
      key: t.field({ type: AttributionKeyEnum, required: true, description: 'Name of the parameter.' }),
      value: t.field({
        type: TextFilterInput,
        description: 'Value of the parameter. It exists if the visitor arrived with the parameter.',
      }),
    }),
  }),
])

export const SubmissionFilter = filterOf('SubmissionFilterInput', 'submissions', submissionList.submissionFilter, {
  id: 'The submission itself.',
  status: 'One of these statuses.',
  bucket: 'One of these buckets.',
  score: 'Sum of the points of the answers.',
  outcomeKey: 'Key of the outcome. It exists if the submission ended with an outcome.',
  startedAt: 'Time at which the visitor started.',
  completedAt: 'Time of completion. A submission in progress does not match.',
  createdAt: 'Time of the first save.',
  updatedAt: 'Time of the last change. Finds submissions that were completed long after their first save.',
  forms: 'The form of the submission.',
  contacts: 'The contact that the submission is linked to, even if the contact was deleted.',
  contact:
    'The contact of the submission matches this filter. Deleted contacts do not match. Its conditions and levels count towards the maximum.',
  email: 'E-mail address of the contact. It exists if the contact is known and was not deleted.',
  answers: 'Answers of the submission. All of these conditions must match. An empty list adds no condition.',
  attribution:
    'Last-touch attribution before completion. All of these conditions must match. An empty list adds no condition.',
  firstAttribution:
    'First-touch attribution of the visitor. All of these conditions must match. An empty list adds no condition.',
  search: 'Words in any order, in the e-mail address, first and last name, company and phone number of the contact.',
})

const SubmissionConnection = connectionOf(SubmissionType, {
  noun: 'submissions',
  facets: {
    fields: {
      STATUS: 'Values of `SubmissionStatus`.',
      BUCKET: 'Values of `Bucket`.',
      OUTCOME: 'Outcome. The value is its key, the label its title.',
      FORM: 'Form. The value is its ID, the label its name.',
      ANSWER: 'Answers to the question `questionId`.',
      UTM_SOURCE: '`utm_source` of the last-touch attribution.',
      UTM_CAMPAIGN: '`utm_campaign` of the last-touch attribution.',
    } satisfies Record<SubmissionFacetField, string>,
    object: {
      argument: 'questionId',
      description: `${idText('a question with a fixed set of answers')} Required for \`ANSWER\`, and not allowed for other fields.`,
    },
  },
  filter: SubmissionFilter,
  orders: {
    CREATED_AT: 'Time of the first save.',
    UPDATED_AT: 'Time of the last change.',
    COMPLETED_AT: 'Time of completion. Submissions in progress come before all others in ascending order.',
    SCORE: 'Sum of the points of the answers.',
    STATUS: 'Status. Submissions in progress come first in ascending order.',
  },
})

builder.queryField('submission', (t) =>
  t.nodeById({
    type: SubmissionType,
    description: 'Returns a submission, or null if the account has no submission with this ID.',
  }),
)

accountList('submissions', SubmissionConnection, submissionList.list)
liveList('submissions', SubmissionType, SubmissionConnection, {
  definition: liveSubmissions,
  list: submissionList.list,
})

builder.objectField(FormType, 'submissions', (t) =>
  t.connection(SubmissionConnection, {
    description: 'Submissions of the form. Sorted by time of the first save, newest first, by default.',
    resolve: ({ id }, args, ctx) => submissionList.listOfForm(ctx, id, args),
  }),
)

builder.prismaObjectField(ContactType, 'submissions', (t) =>
  t.connection(SubmissionConnection, {
    description:
      'Submissions that are linked to the contact. Sorted by time of the first save, newest first, by default.',
    resolve: ({ id }, args, ctx) => submissionList.listOfContact(ctx, id, args),
  }),
)

const AnswerInput = builder.inputType('AnswerInput', {
  description: 'Input of the answer to a question: `value` or `values`. Without a value, the answer is removed.',
  fields: (t) => ({
    questionId: t.id({
      required: true,
      description: `${idText('the question')} Must be a question of the form.`,
    }),
    value: t.string({
      description: 'Value as text, in the format of the question type. An empty text removes the answer.',
    }),
    values: t.stringList({
      description: 'Values as a list. More than one only for `MULTIPLE_CHOICE`. Not allowed together with `value`.',
    }),
  }),
})

mutation('submissionSave', {
  needs: 'forms:write',
  alsoNeeds: ({ contact }) => [contact ? 'contacts:write' : null],
  description:
    'Saves the answers of a visitor to a published form. One call can start a submission, continue it and complete it. New answers replace earlier answers to the same questions. A completed submission no longer changes: a repeat of its answers has no effect, and other answers return VALIDATION_ERROR.\n\nAn answer to a question with the contact field `EMAIL` links the submission to the contact with this address. If there is no such contact, one is created unless the contact quota is exhausted. The other answers fill the fields of the contact.\n\n**Emits** `form_submission.started`, `form_submission.updated` and `form_submission.completed`.',
  input: (t) => ({
    formId: t.id(requiredId('a published form')),
    id: t.id({
      description: `${idText('the submission to continue')} Not allowed together with \`clientSubmissionId\`.`,
    }),
    clientSubmissionId: t.string({
      description:
        'Identifier that the client chooses, unique in the form. The first save with an identifier starts a submission, and later saves continue it. Maximum 128 characters.',
    }),
    answers: t.field({ type: [AnswerInput], description: 'Answers to save. Maximum 500, one for each question.' }),
    contact: t.field({
      type: ContactRef,
      description: `Contact to link the submission to. Takes precedence over an e-mail answer. Answers fill the fields of the contact. ${scopeText('contacts:write')}`,
    }),
    attribution: t.field({
      type: [AttributionInput],
      description: 'Last-touch attribution, each key at most once. Replaces the stored attribution.',
    }),
    complete: t.boolean({
      description: 'Whether to complete the submission. All required questions must be answered. Defaults to false.',
    }),
  }),
  run: submissions.save,
  payload: (t) => ({
    submission: t.expose('submission', { type: SubmissionType, description: 'The submission after the mutation.' }),
  }),
})
