import { AccountType } from '../account/account.schema.ts'
import { ContactType } from '../contacts/contact.schema.ts'
import { contactList } from '../contacts/index.ts'
import { AttributionInput, AttributionPairType, pairsOf } from '../graphql/attribution.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { readableWith } from '../graphql/scopes.ts'
import { listCost } from '../graphql/sizes.ts'
import { attributionKeys } from '../kernel/attribution.ts'
import { idOf } from '../kernel/ids.ts'
import { FormType } from './form.schema.ts'
import { type Answer, answers, formList, questionList, type Submission, submissionList } from './index.ts'
import { BucketEnum, ContactFieldEnum, QuestionObject, QuestionTypeEnum } from './question.schema.ts'
import { type TypedName, typedFields } from './typed.ts'

const SubmissionStatusEnum = builder.enumType('SubmissionStatus', {
  description: 'How far a submission has come.',
  values: {
    IN_PROGRESS: { description: 'The visitor has not come to the end; it may still, days later.' },
    COMPLETED: { description: 'The visitor has come to the end; it does not change any more.' },
  },
})

const AnswerType = builder.objectRef<Answer>('Answer').implement({
  description: 'What a visitor has answered, with the words and the type that the question had then.',
  fields: (t) => ({
    id: t.id({ description: 'Opaque; unique among answers.', resolve: ({ id }) => String(id) }),
    label: t.exposeString('label', { description: 'The words that were answered.' }),
    type: t.expose('type', { type: QuestionTypeEnum, description: 'How they were to be answered.' }),
    values: t.exposeStringList('values', {
      description:
        'What was answered, as text: one value, or several for a multiple choice. Empty if the contact was deleted and the answer was personal.',
    }),
    score: t.expose('score', { type: 'Decimal', description: 'What it adds to the score of the submission.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the question was first answered.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the answer last changed.' }),
    questionDatabaseId: t.exposeInt('questionId', { description: 'The integer of the question.' }),
    question: t.field({
      type: QuestionObject,
      nullable: true,
      description: 'The question as it is now; null where it was deleted in this very moment.',
      resolve: ({ questionId }, _args, ctx) => ctx.load(questionList.byId, questionId),
    }),
  }),
})

readableWith('Answer', 'forms:read')

const Qualification = builder.objectRef<Submission>('Qualification').implement({
  description: 'What a submission amounts to.',
  fields: (t) => ({
    bucket: t.expose('bucket', { type: BucketEnum, description: 'Where its score stands.' }),
    outcomeKey: t.exposeString('outcomeKey', {
      nullable: true,
      description: 'The key of the outcome it ended with; null while in progress, and where the form has none for it.',
    }),
    title: t.exposeString('outcomeTitle', { nullable: true, description: 'The title that this outcome had then.' }),
  }),
})

const TypedField = builder.objectRef<{ field: TypedName; value: string }>('TypedField').implement({
  description: 'A field of the contact, as the visitor typed it.',
  fields: (t) => ({
    field: t.expose('field', { type: ContactFieldEnum, description: 'The field of the contact.' }),
    value: t.exposeString('value', { description: 'The text that was typed.' }),
  }),
})

export const SubmissionType = builder.objectRef<Submission>('Submission').implement({
  description: "One visitor's way through a form.",
  interfaces: [Node],
  fields: (t) => ({
    status: t.expose('status', { type: SubmissionStatusEnum, description: 'How far it has come.' }),
    score: t.expose('score', { type: 'Decimal', description: 'The sum of what its answers are worth.' }),
    bucket: t.expose('bucket', { type: BucketEnum, description: 'Where its score stands.' }),
    outcomeKey: t.exposeString('outcomeKey', {
      nullable: true,
      description: 'The key of the outcome it ended with; null while in progress, and where the form has none for it.',
    }),
    qualification: t.field({
      type: Qualification,
      description: 'What it amounts to.',
      complexity: 0,
      resolve: (submission) => submission,
    }),
    clientSubmissionId: t.exposeString('clientSubmissionId', {
      nullable: true,
      description: 'The name that the visitor’s page gave it; null where it gave none.',
    }),
    aiSummary: t.exposeString('aiSummary', {
      nullable: true,
      description: 'Its summary; null until one is made, and if the contact was deleted.',
    }),
    typed: t.field({
      type: [TypedField],
      complexity: listCost('typed'),
      description:
        'What the visitor typed into fields of the contact that the page asked for without a question: seven at most. What the contact already had is not changed by it, unless the visitor has proven the address.',
      resolve: ({ typed }) => typedFields(typed),
    }),
    attribution: t.field({
      type: [AttributionPairType],
      complexity: listCost('attribution'),
      description: `Where the visitor came from last before it was completed: ${attributionKeys.length} things at most.`,
      resolve: ({ attribution }) => pairsOf(attribution),
    }),
    firstAttribution: t.field({
      type: [AttributionPairType],
      complexity: listCost('attribution'),
      description: 'Where the visitor came from at first, maybe long before.',
      resolve: ({ firstAttribution }) => pairsOf(firstAttribution),
    }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When the visitor began.' }),
    completedAt: t.expose('completedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the visitor came to the end; null while in progress.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was first saved.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
    formDatabaseId: t.exposeInt('formId', { description: 'The integer of the form.' }),
    form: t.field({
      type: FormType,
      nullable: true,
      description: 'The form it is of; null where that was deleted in this very moment.',
      resolve: ({ formId }, _args, ctx) => ctx.load(formList.byId, formId),
    }),
    contact: t.field({
      type: ContactType,
      nullable: true,
      description: needing('contacts:read', 'Whom it is from; null if that is not known, or the contact was deleted.'),
      resolve: allowed('contacts:read', ({ contactId }, _args, ctx) =>
        contactId === null ? null : ctx.load(contactList.byId, contactId),
      ),
    }),
    answers: t.field({
      type: [AnswerType],
      description: 'What was answered, in the order of the questions.',
      complexity: listCost('answers'),
      resolve: ({ id }, _args, ctx) => ctx.load(answers.ofSubmission, id),
    }),
  }),
})

nodeSource('Submission', 'forms:read', submissionList.byId)

export const SubmissionConnection = connectionOf('Submission', SubmissionType, 'submissions')

export const SubmissionFilter = builder.inputType('SubmissionFilter', {
  description: 'Which submissions a list is about; all conditions must hold.',
  fields: (t) => ({
    formId: t.id({ description: 'Those of this form, by global id or integer.' }),
    status: t.field({ type: SubmissionStatusEnum, description: 'Those that have come this far.' }),
    bucket: t.field({ type: BucketEnum, description: 'Those whose score stands here.' }),
    scoreMin: t.field({ type: 'Decimal', description: 'Those with this score or a higher one.' }),
    contactId: t.id({ description: 'Those of this contact, by global id or integer.' }),
    email: t.string({ description: 'Those of the contact with this e-mail address, in whatever case.' }),
    period: t.field({ type: PeriodType, description: "When they were first saved, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    updatedAfter: t.field({
      type: 'DateTime',
      description: 'Those that changed at this moment or later: what finds submissions that are completed days later.',
    }),
    questionId: t.id({ description: 'Those that answered this question, by global id or integer.' }),
    answer: t.string({
      description: 'Those whose answer to `questionId` is exactly this, or has it among several. Takes `questionId`.',
    }),
    answerContains: t.string({
      description: 'Those whose answer to `questionId` contains this text, in whatever case. Takes `questionId`.',
    }),
    attribution: t.field({ type: AttributionInput, description: 'Those whose visitor came from there.' }),
  }),
})

export const SubmissionOrder = orderOf(
  'Submission',
  'submissions',
  { CREATED_AT: 'When they were first saved.', SCORE: 'Their score.', UPDATED_AT: 'When they last changed.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  submission: t.field({
    type: SubmissionType,
    nullable: true,
    description: needing('forms:read', 'A submission, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The submission, by global id or integer.' }) },
    resolve: allowed('forms:read', (_root, { id }, ctx) => ctx.load(submissionList.byId, idOf('Submission', id))),
  }),
  submissions: t.field({
    type: SubmissionConnection,
    description: needing(
      'forms:read',
      'The submissions of the account, the newest first unless ordered otherwise. Fails with MISSING_QUESTION_ID for an answer without its question.',
    ),
    args: listArgs(t.arg, SubmissionFilter, SubmissionOrder),
    complexity: pageCost,
    resolve: allowed('forms:read', (_root, args, ctx) => submissionList.list(ctx, args)),
  }),
}))

builder.objectField(FormType, 'submissions', (t) =>
  t.field({
    type: SubmissionConnection,
    description: 'Its submissions, the newest first unless ordered otherwise.',
    args: listArgs(t.arg, SubmissionFilter, SubmissionOrder),
    complexity: pageCost,
    resolve: ({ id }, args, ctx) => submissionList.listOfForm(ctx, id, args),
  }),
)

builder.prismaObjectField(ContactType, 'submissions', (t) =>
  t.field({
    type: SubmissionConnection,
    nullable: true,
    description: needing('forms:read', 'The submissions it is known to have made, the newest first.'),
    args: listArgs(t.arg, SubmissionFilter, SubmissionOrder),
    complexity: pageCost,
    resolve: allowed('forms:read', ({ id }, args, ctx) => submissionList.listOfContact(ctx, id, args)),
  }),
)

builder.prismaObjectField(AccountType, 'submissions', (t) =>
  t.field({
    type: SubmissionConnection,
    nullable: true,
    description: needing('forms:read', 'The submissions of its forms, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, SubmissionFilter, SubmissionOrder),
    complexity: pageCost,
    resolve: allowed('forms:read', (_account, args, ctx) => submissionList.list(ctx, args)),
  }),
)
