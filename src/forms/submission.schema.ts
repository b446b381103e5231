import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { type TextName, textFields } from '../contacts/index.ts'
import { AttributionInput, AttributionPairType, pairsOf } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf } from '../graphql/connection.ts'
import { largeNodeSource, Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { listCost } from '../graphql/sizes.ts'
import { attributionKeys } from '../kernel/attribution.ts'
import { FormType } from './form.schema.ts'
import { type Answer, answers, type Submission, submissionList } from './index.ts'
import { BucketEnum, ContactFieldEnum, QuestionObject, QuestionTypeEnum } from './question.schema.ts'
import { listTypedFields } from './typed-fields.ts'

const SubmissionStatusEnum = builder.enumType('SubmissionStatus', {
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

export const SubmissionFilter = builder.inputType('SubmissionFilterInput', {
  description: 'Filters of a list of submissions. A submission must match all of them.',
  fields: (t) => ({
    formId: t.id({ description: 'Selects submissions of this form, by global ID or integer.' }),
    status: t.field({ type: SubmissionStatusEnum, description: 'Selects submissions with this status.' }),
    bucket: t.field({ type: BucketEnum, description: 'Selects submissions in this bucket.' }),
    scoreMin: t.field({ type: 'Decimal', description: 'Selects submissions with at least this score.' }),
    contactId: t.id({
      description: 'Selects submissions of this contact, by global ID or integer. Needs the scope `contacts:read`.',
    }),
    email: t.string({
      description:
        'Selects submissions of the contact with this e-mail address. Ignores case. Needs the scope `contacts:read`.',
    }),
    period: t.field({
      type: PeriodType,
      description: "Selects submissions first saved in this period, in days of the account's time zone.",
    }),
    range: t.field({ type: DateRangeInput, description: 'First and last day. Required if `period` is `BETWEEN`.' }),
    updatedAfter: t.field({
      type: 'DateTime',
      description:
        'Selects submissions that changed at or after this time. Finds submissions that were completed long after their first save.',
    }),
    questionId: t.id({ description: 'Selects submissions that answered this question, by global ID or integer.' }),
    answer: t.string({
      description:
        'Selects submissions that have exactly this value in their answer to `questionId`. Requires `questionId`.',
    }),
    answerContains: t.string({
      description:
        'Selects submissions whose answer to `questionId` contains this text. Ignores case. Requires `questionId`.',
    }),
    attribution: t.field({
      type: AttributionInput,
      description: 'Selects submissions that have this pair in `attribution`.',
    }),
  }),
})

const SubmissionConnection = connectionOf(SubmissionType, {
  noun: 'submissions',
  filter: SubmissionFilter,
  orders: { CREATED_AT: 'Time of the first save.', SCORE: 'Score.', UPDATED_AT: 'Time of the last change.' },
})

builder.queryFields((t) => ({
  submission: t.nodeById({
    type: SubmissionType,
    description: 'Returns a submission, or null if the account has no submission with this ID.',
  }),
  submissions: t.connection(SubmissionConnection, {
    description:
      'Returns the submissions of the account. Sorted by time of the first save, newest first, by default.\n\n**Throws** MISSING_QUESTION_ID for a filter on an answer without `questionId`.',
    resolve: (_root, args, ctx) => submissionList.list(ctx, args),
  }),
}))

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

builder.prismaObjectField(AccountType, 'submissions', (t) =>
  t.connection(SubmissionConnection, {
    description: 'Submissions of all forms of the account. Sorted by time of the first save, newest first, by default.',
    resolve: (_account, args, ctx) => submissionList.list(ctx, args),
  }),
)
