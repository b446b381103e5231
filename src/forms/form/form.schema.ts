import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { accountList, connectionOf } from '../../graphql/schema/connection.ts'
import { filterKind, filterOf, relevanceDescription } from '../../graphql/schema/filter.ts'
import { Node, nodeSource } from '../../graphql/schema/node.ts'
import type { Form } from './form-list.ts'
import * as formList from './form-list.ts'
import * as outcomeList from './outcome-list.ts'
import * as outcomes from './outcomes.ts'
import { OutcomeType, QuestionObject } from './question.schema.ts'
import * as questionList from './question-list.ts'
import { maxQuestions } from './question-rules.ts'

export const FormTypeEnum = builder.enumType('FormType', {
  description: 'Purpose of a form.',
  values: {
    OPTIN: { description: 'Collects e-mail addresses. Created with a step of a funnel, or on its own.' },
    QUIZ: { description: 'Scores the answers and ends with an outcome.' },
    SURVEY: { description: 'Collects opinions.' },
    CHECKOUT: { description: 'Collects the details of an order.' },
  },
})

const FormStatusEnum = builder.enumType('FormStatus', {
  description: 'Publication status of a form.',
  values: {
    DRAFT: { description: 'Not published yet. Visitors cannot open it.' },
    PUBLISHED: { description: 'Visitors can open it, and it accepts submissions.' },
    ARCHIVED: { description: 'Accepts no new submissions and keeps the existing ones.' },
  },
})

export const FormType = builder.objectRef<Form>('Form').implement({
  description: 'A form: questions for visitors, whose answers are scored.',
  interfaces: [Node],
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Internal name. The page of the form shows it as the heading.' }),
    type: t.expose('type', { type: FormTypeEnum, description: 'Purpose of the form.' }),
    status: t.expose('status', {
      type: FormStatusEnum,
      description: 'Publication status. Only published forms accept submissions.',
    }),
    language: t.exposeString('language', {
      description:
        'Language tag (BCP 47) of its questions, for example `fr`. Its page has the texts of the server in that language, if it is one of English, French, German, Spanish, Italian, Portuguese, Dutch and Polish. Empty if the page follows the browser of the visitor.',
    }),
    warmFrom: t.expose('warmFrom', { type: 'Decimal', description: 'Lowest score of a warm submission.' }),
    hotFrom: t.expose('hotFrom', { type: 'Decimal', description: 'Lowest score of a hot submission.' }),
    createdAt: t.exposeTime('createdAt', { description: 'Time of creation.' }),
    updatedAt: t.exposeTime('updatedAt', {
      description: 'Time of the last change of the form, one of its questions or one of its outcomes.',
    }),
    publishedAt: t.exposeTime('publishedAt', {
      nullable: true,
      description: 'Time of the first publication; null if the form was never published.',
    }),
    archivedAt: t.exposeTime('archivedAt', {
      nullable: true,
      description: 'Time at which the form was archived; null unless the status is `ARCHIVED`.',
    }),
    questions: t.field({
      type: [QuestionObject],
      description: `Questions in display order, without removed ones. Maximum ${maxQuestions}.`,
      complexity: listCost('questions'),
      resolve: ({ id }, _args, ctx) => ctx.load(questionList.ofForm, id),
    }),
    outcomes: t.field({
      type: [OutcomeType],
      description: `Outcomes in order of precedence. Maximum ${outcomes.maxOutcomes}.`,
      complexity: listCost('outcomes'),
      resolve: ({ id }, _args, ctx) => ctx.load(outcomeList.ofForm, id),
    }),
    submissionsCount: t.int({
      description: 'Number of submissions, including those in progress.',
      resolve: ({ id }, _args, ctx) => ctx.load(formList.submissionCounts, id),
    }),
  }),
})

nodeSource(FormType, 'forms:read', formList.byId)

filterKind('enum FormType', [FormTypeEnum])
filterKind('enum FormStatus', [FormStatusEnum])

export const FormFilter = filterOf('FormFilterInput', 'forms', formList.formFilter, {
  id: 'The form itself.',
  name: 'Name.',
  type: 'One of these types.',
  status: 'One of these statuses.',
  createdAt: 'Time of creation.',
  updatedAt: 'Time of the last change of the form, one of its questions or one of its outcomes.',
  publishedAt: 'Time of the first publication. A form that was never published does not match.',
  archivedAt: 'Time at which the form was archived. It exists while the status is `ARCHIVED`.',
  search: 'Words in any order, in the name.',
})

const FormConnection = connectionOf(FormType, {
  noun: 'forms',
  filter: FormFilter,
  orders: {
    CREATED_AT: 'Time of creation.',
    UPDATED_AT: 'Time of the last change of the form, one of its questions or one of its outcomes.',
    NAME: 'Name, in the order of a dictionary.',
    STATUS: 'Status, alphabetically.',
    RELEVANCE: relevanceDescription,
  },
})

builder.queryFields((t) => ({
  form: t.nodeById({ type: FormType, description: 'Returns a form, or null if the account has no form with this ID.' }),
}))

builder.objectField(QuestionObject, 'form', (t) =>
  t.node('formId', {
    type: FormType,
    description: 'Form that it belongs to; null if the form was deleted during the request.',
  }),
)

builder.objectField(OutcomeType, 'form', (t) =>
  t.node('formId', {
    type: FormType,
    description: 'Form that it belongs to; null if the form was deleted during the request.',
  }),
)

accountList('forms', FormConnection, formList.list)
