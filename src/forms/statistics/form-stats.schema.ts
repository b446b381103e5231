import { listCost } from '../../graphql/cost/sizes.ts'
import { builder } from '../../graphql/schema/builder.ts'
import { periodArgs } from '../../graphql/schema/period.ts'
import { readableWith } from '../../graphql/schema/scopes.ts'
import { stats } from '../../mail/index.ts'
import { FormType } from '../form/form.schema.ts'
import { QuestionObject } from '../form/question.schema.ts'
import { maxQuestions } from '../form/question-rules.ts'
import type { AnswerCount, NumberSummary } from './answer-stats.ts'
import { maxFormerAnswers } from './answer-stats.ts'
import * as formStats from './form-stats.ts'

const AnswerCountType = builder.objectRef<AnswerCount>('AnswerCount').implement({
  description: 'How often an answer was given.',
  fields: (t) => ({
    answer: t.exposeString('answer', { description: 'The answer, as in `Answer.values`.' }),
    count: t.exposeInt('count', { description: 'Number of submissions with the answer.' }),
    share: t.exposeFloat('share', {
      description:
        '`count` divided by the number of submissions that answered the question, from 0 to 1. The shares of a multiple choice can add up to more than 1. 0 without answers.',
    }),
  }),
})

const NumberSummaryType = builder.objectRef<NumberSummary>('NumberSummary').implement({
  description: 'Summary of the numbers that answer a question.',
  fields: (t) => ({
    min: t.expose('min', { type: 'Decimal', description: 'Smallest number.' }),
    average: t.expose('average', { type: 'Decimal', description: 'Arithmetic mean, rounded to 4 decimals.' }),
    max: t.expose('max', { type: 'Decimal', description: 'Largest number.' }),
  }),
})

const QuestionStatsType = builder.objectRef<formStats.QuestionStats>('QuestionStats').implement({
  description: 'Statistics of a question in the submissions of a period.',
  fields: (t) => ({
    question: t.expose('question', { type: QuestionObject, description: 'The question, in its current version.' }),
    answered: t.exposeInt('answered', {
      description: 'Number of submissions with an answer to the question, in any of its versions.',
    }),
    reached: t.exposeInt('reached', {
      description:
        'Number of submissions with an answer to this question or a later one. Views of single questions are not recorded.',
    }),
    lastAnswered: t.exposeInt('lastAnswered', {
      description:
        'Drop-off: number of submissions that are not completed and whose last answer, in the order of the form, is to this question.',
    }),
    choices: t.field({
      type: [AnswerCountType],
      description: `How often each possible answer was given, in the order of the options; then former options, most frequent first, at most ${maxFormerAnswers}. Empty for free text, numbers and dates.`,
      complexity: listCost('answerCounts'),
      resolve: (question) => question.choices(),
    }),
    numbers: t.field({
      type: NumberSummaryType,
      nullable: true,
      description:
        'Summary of the answers to NUMBER, RATING and OPINION_SCALE. Null for other types and without answers.',
      resolve: (question) => question.numbers(),
    }),
  }),
})

readableWith('QuestionStats', 'forms:read')

export const FormStatsType = builder.objectRef<formStats.FormStats>('FormStats').implement({
  description:
    'Statistics of the submissions of a form that were started in a period. Submissions of deleted contacts count.',
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Start of the period, inclusive. Null for all time.',
      resolve: ({ span }) => span.from ?? null,
    }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'End of the period, exclusive. Null for all time.',
      resolve: ({ span }) => span.until ?? null,
    }),
    starts: t.exposeInt('starts', {
      description: 'Number of submissions that were started in the period. The first answers start a submission.',
    }),
    completions: t.exposeInt('completions', {
      description: 'Number of these submissions that are completed, in the period or later.',
    }),
    completionRate: t.float({
      description: '`completions` divided by `starts`, from 0 to 1. 0 without submissions.',
      resolve: ({ completions, starts }) => stats.ratio(completions, starts),
    }),
    questions: t.field({
      type: [QuestionStatsType],
      description: `Statistics per question, in the order of the form, without removed questions. Maximum ${maxQuestions}.`,
      complexity: { ...listCost('questions'), weight: 4 },
      resolve: (form) => form.questions(),
    }),
  }),
})

readableWith('FormStats', 'forms:read')

builder.objectField(FormType, 'stats', (t) =>
  t.field({
    type: FormStatsType,
    description:
      'Statistics of the submissions that were started in a period. Throws INVALID_PERIOD if `range` is missing or invalid.',
    args: periodArgs(t.arg),
    complexity: 100,
    resolve: ({ id }, args, ctx) => formStats.load(ctx, id, args),
  }),
)
