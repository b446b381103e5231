import { AccountType } from '../account/account.schema.ts'
import { builder } from '../graphql/builder.ts'
import { connectionOf, listArgs, orderOf, pageCost } from '../graphql/connection.ts'
import { needing } from '../graphql/mutation.ts'
import { Node, nodeSource } from '../graphql/node.ts'
import { DateRangeInput, PeriodType } from '../graphql/period.ts'
import { allowed } from '../graphql/query.ts'
import { listCost } from '../graphql/sizes.ts'
import { idOf } from '../kernel/ids.ts'
import { type Form, formList, outcomeList, outcomes, questionList } from './index.ts'
import { OutcomeType, QuestionObject } from './question.schema.ts'
import { mostQuestions } from './question-rules.ts'

export const FormTypeEnum = builder.enumType('FormType', {
  description: 'What a form is for.',
  values: {
    OPTIN: { description: 'Gathers addresses: made with the step of a funnel, or by itself.' },
    QUIZ: { description: 'Scores its answers and ends with an outcome.' },
    SURVEY: { description: 'Asks what people think.' },
    CHECKOUT: { description: 'Asks what an order needs to know.' },
  },
})

const FormStatusEnum = builder.enumType('FormStatus', {
  description: 'Whether a form takes submissions.',
  values: {
    DRAFT: { description: 'Is being written: nobody can reach it.' },
    PUBLISHED: { description: 'Takes submissions.' },
    ARCHIVED: { description: 'Takes none any more, and keeps those it has.' },
  },
})

export const FormType = builder.objectRef<Form>('Form').implement({
  description: 'Questions for visitors, whose answers are scored.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is called among those who made it.' }),
    type: t.expose('type', { type: FormTypeEnum, description: 'What it is for.' }),
    status: t.expose('status', { type: FormStatusEnum, description: 'Whether it takes submissions.' }),
    warmFrom: t.expose('warmFrom', { type: 'Decimal', description: 'The score from which on a submission is warm.' }),
    hotFrom: t.expose('hotFrom', { type: 'Decimal', description: 'The score from which on a submission is hot.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it, one of its questions or one of its outcomes last changed.',
    }),
    publishedAt: t.expose('publishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was published first; null where it never was.',
    }),
    questions: t.field({
      type: [QuestionObject],
      description: `What it asks, in order: ${mostQuestions} at most.`,
      complexity: listCost('questions'),
      resolve: ({ id }, _args, ctx) => ctx.load(questionList.ofForm, id),
    }),
    outcomes: t.field({
      type: [OutcomeType],
      description: `What its submissions can end with, in order: ${outcomes.mostOutcomes} at most.`,
      complexity: listCost('outcomes'),
      resolve: ({ id }, _args, ctx) => ctx.load(outcomeList.ofForm, id),
    }),
    submissionsCount: t.int({
      description: 'How many submissions it has, those in progress among them.',
      resolve: ({ id }, _args, ctx) => ctx.load(formList.submissionsCountOf, id),
    }),
  }),
})

nodeSource('Form', 'forms:read', formList.byId)

const FormConnection = connectionOf('Form', FormType, 'forms')

export const FormFilter = builder.inputType('FormFilter', {
  description: 'Which forms a list is about; all conditions must hold.',
  fields: (t) => ({
    status: t.field({ type: FormStatusEnum, description: 'Those with this status.' }),
    type: t.field({ type: FormTypeEnum, description: 'Those of this type.' }),
    period: t.field({ type: PeriodType, description: "When they were made, in days of the account's zone." }),
    range: t.field({ type: DateRangeInput, description: 'The days of the period BETWEEN.' }),
    search: t.string({ description: 'Those whose name contains this text, in whatever case.' }),
  }),
})

const FormOrder = orderOf(
  'Form',
  'forms',
  { CREATED_AT: 'When they were made.', NAME: 'Their name.' },
  { field: 'CREATED_AT', direction: 'DESC' },
)

builder.queryFields((t) => ({
  form: t.field({
    type: FormType,
    nullable: true,
    description: needing('forms:read', 'A form, or null where the account has none of this id.'),
    args: { id: t.arg.id({ required: true, description: 'The form, by global id or integer.' }) },
    resolve: allowed('forms:read', (_root, { id }, ctx) => ctx.load(formList.byId, idOf('Form', id))),
  }),
  forms: t.field({
    type: FormConnection,
    description: needing('forms:read', 'The forms of the account, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, FormFilter, FormOrder),
    complexity: pageCost,
    resolve: allowed('forms:read', (_root, args, ctx) => formList.list(ctx, args)),
  }),
}))

builder.objectField(QuestionObject, 'form', (t) =>
  t.field({
    type: FormType,
    nullable: true,
    description: 'The form it belongs to; null where that was deleted in this very moment.',
    resolve: ({ formId }, _args, ctx) => ctx.load(formList.byId, formId),
  }),
)

builder.objectField(OutcomeType, 'form', (t) =>
  t.field({
    type: FormType,
    nullable: true,
    description: 'The form it belongs to; null where that was deleted in this very moment.',
    resolve: ({ formId }, _args, ctx) => ctx.load(formList.byId, formId),
  }),
)

builder.prismaObjectField(AccountType, 'forms', (t) =>
  t.field({
    type: FormConnection,
    nullable: true,
    description: needing('forms:read', 'Its forms, the newest first unless ordered otherwise.'),
    args: listArgs(t.arg, FormFilter, FormOrder),
    complexity: pageCost,
    resolve: allowed('forms:read', (_account, args, ctx) => formList.list(ctx, args)),
  }),
)
