import * as z from 'zod'
import { SubmissionListDocument, SubmissionReadDocument } from '../generated/documents.ts'
import { emailText, queryId, queryMoment, refusing, shown, text } from '../input.ts'
import { pageArguments, paging } from '../paging.ts'
import { periodFilter, withPeriod } from '../period.ts'
import { one, page, route } from '../route.ts'
import { bucket } from './form.ts'
import {
  submission,
  submissionRow,
  submissionStatus,
  toGraphSubmissionStatus,
  toSubmission,
  toSubmissionRow,
} from './submission.ts'

const group = 'Forms'
const statusMessage = `status must be one of ${submissionStatus.options.join(', ')}.`
const bucketMessage = `bucket must be one of ${bucket.options.join(', ')}.`
const graphBuckets = { hot: 'HOT', warm: 'WARM', cold: 'COLD' } as const
const sorts = { created_at: 'CREATED_AT', score: 'SCORE' } as const
const orders = { asc: 'ASC', desc: 'DESC' } as const

/** A number in a query string, kept as it is written: its decimals are compared exactly. */
const queryNumber = shown(
  { type: 'number' },
  z.string({ error: 'must be a number' }).regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'must be a number'),
)

/** A boolean in a query string. */
const queryFlag = shown(
  { type: 'boolean', default: false },
  z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .transform((word) => word === 'true' || word === '1')
    .default(false),
)

/** One word of a table, as the table has it; anything else breaks a rule. */
function wordOf<Words extends Record<string, string>>(words: Words, preset: keyof Words & string) {
  const names = Object.keys(words) as [keyof Words & string, ...(keyof Words & string)[]]
  return z.enum(names, { error: `must be one of ${names.join(', ')}` }).default(preset as never)
}

const listSubmissions = route(SubmissionListDocument, {
  id: 'FORM-SUBMISSIONS',
  method: 'GET',
  path: '/v1/form-submissions',
  needs: ['forms:read', 'contacts:read'],
  group,
  summary: 'List form submissions, newest first',
  description:
    '`answer` and `answer_contains` need the `question_id` they are about. To follow submissions that are completed days later, filter by `updated_after`, not by `period`.',
  errors: ['INVALID_STATUS', 'INVALID_BUCKET', 'MISSING_QUESTION_ID', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  query: withPeriod({
    form_id: queryId.optional(),
    status: refusing('INVALID_STATUS', statusMessage, submissionStatus.optional()),
    bucket: refusing('INVALID_BUCKET', bucketMessage, bucket.optional()),
    score_min: queryNumber.optional(),
    contact_id: queryId.optional(),
    email: emailText.optional(),
    updated_after: queryMoment.optional(),
    question_id: queryId.optional(),
    answer: text.optional(),
    answer_contains: text.optional(),
    include_attribution: queryFlag,
    sort: wordOf(sorts, 'created_at'),
    order: wordOf(orders, 'desc'),
    ...paging,
  }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: {
      ...periodFilter(query),
      formId: query.form_id,
      status: query.status && toGraphSubmissionStatus(query.status),
      bucket: query.bucket && graphBuckets[query.bucket],
      scoreMin: query.score_min,
      contactId: query.contact_id,
      email: query.email,
      updatedAfter: query.updated_after,
      questionId: query.question_id,
      answer: query.answer,
      answerContains: query.answer_contains,
    },
    orderBy: { field: sorts[query.sort], direction: orders[query.order] },
    includeAttribution: query.include_attribution,
  }),
  reply: page(submissionRow, ({ submissions }) => submissions, toSubmissionRow),
})

const readSubmission = route(SubmissionReadDocument, {
  id: 'FORM-SUBMISSION',
  method: 'GET',
  path: '/v1/form-submission',
  needs: ['forms:read', 'contacts:read'],
  group,
  summary: 'Read a form submission with its answers',
  description:
    'An `answer` is a list of texts for `multiple_choice`, a number for `number`, `rating` and `opinion_scale`, true or false for `consent`, and a text for every other type.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  finds: 'form submission',
  query: z.object({ id: queryId }),
  variables: ({ query }) => ({ id: query.id }),
  reply: one(submission, ({ submission: found }) => found && toSubmission(found)),
})

/** What visitors answered, of the specification's table “Forms”. */
export const submissionRoutes = [listSubmissions, readSubmission]
