import * as z from 'zod'
import { one, page, route } from '../envelope/route.ts'
import { RestError } from '../errors/errors.ts'
import { SubmissionListDocument, SubmissionReadDocument } from '../generated/documents.ts'
import { emailText, enumFilter, queryDateTime, queryId, text, withJsonSchema } from '../input/input.ts'
import { pageArguments, paging } from '../input/paging.ts'
import { periodFilter, queryWithPeriod } from '../input/period.ts'
import { toGraphEnum } from '../values/enums.ts'
import { bucket } from './form.ts'
import { submission, submissionRow, submissionStatus, toSubmission, toSubmissionRow } from './submission.ts'

const group = 'Forms'

/** A number in a query string. It stays text, so that GraphQL compares its decimals exactly. */
const queryNumber = withJsonSchema(
  { type: 'number' },
  z.string({ error: 'must be a number' }).regex(/^-?\d{1,20}(\.\d{1,20})?$/, 'must be a number'),
)

/** A boolean in a query string. */
const queryFlag = withJsonSchema(
  { type: 'boolean', default: false },
  z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .transform((word) => word === 'true' || word === '1')
    .default(false),
)

/** One of `values`, or else VALIDATION_ERROR. */
function oneOf<const Value extends string>(values: readonly Value[]) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` })
}

interface AnswerQuery {
  question_id?: string | undefined
  answer?: string | undefined
  answer_contains?: string | undefined
}

/** Returns the condition on the answer to a question. **Throws** MISSING_QUESTION_ID for an answer without its question. */
function answersFilter({ question_id: questionId, answer, answer_contains }: AnswerQuery) {
  if (questionId !== undefined) return [{ questionId, eq: answer, contains: answer_contains, exists: true }]
  if (answer === undefined && answer_contains === undefined) return undefined
  throw new RestError(400, 'MISSING_QUESTION_ID', 'A filter on answers needs the question it is about.')
}

const listSubmissions = route('GET /v1/form-submissions', SubmissionListDocument, {
  id: 'FORM-SUBMISSIONS',
  scopes: ['forms:read', 'contacts:read'],
  group,
  summary: 'List form submissions, newest first',
  description:
    '`answer` and `answer_contains` require `question_id`. To find submissions that are completed days after they were started, filter by `updated_after` instead of `period`.',
  errors: ['INVALID_STATUS', 'INVALID_BUCKET', 'MISSING_QUESTION_ID', 'INVALID_PERIOD', 'VALIDATION_ERROR'],
  fieldNames: { eq: 'answer', contains: 'answer_contains' },
  query: queryWithPeriod({
    form_id: queryId.optional(),
    status: enumFilter('INVALID_STATUS', 'status', submissionStatus),
    bucket: enumFilter('INVALID_BUCKET', 'bucket', bucket),
    score_min: queryNumber.optional(),
    contact_id: queryId.optional(),
    email: emailText.optional(),
    updated_after: queryDateTime.optional(),
    question_id: queryId.optional(),
    answer: text.optional(),
    answer_contains: text.optional(),
    include_attribution: queryFlag,
    sort: oneOf(['created_at', 'score']).default('created_at'),
    order: oneOf(['asc', 'desc']).default('desc'),
    ...paging,
  }),
  variables: ({ query }) => ({
    ...pageArguments(query),
    filter: {
      createdAt: periodFilter(query),
      updatedAt: { gte: query.updated_after },
      status: query.status && [toGraphEnum(query.status)],
      bucket: query.bucket && [toGraphEnum(query.bucket)],
      score: { gte: query.score_min },
      forms: { any: query.form_id === undefined ? undefined : [query.form_id] },
      contacts: { any: query.contact_id === undefined ? undefined : [query.contact_id] },
      email: query.email === undefined ? undefined : { eq: query.email },
      answers: answersFilter(query),
    },
    orderBy: { field: toGraphEnum(query.sort), direction: toGraphEnum(query.order) },
    includeAttribution: query.include_attribution,
  }),
  reply: page(submissionRow, ({ submissions }) => submissions, toSubmissionRow),
})

const readSubmission = route('GET /v1/form-submission', SubmissionReadDocument, {
  id: 'FORM-SUBMISSION',
  scopes: ['forms:read', 'contacts:read'],
  group,
  summary: 'Get a form submission with its answers',
  description:
    'An `answer` is an array of strings for `multiple_choice`, a number for `number`, `rating` and `opinion_scale`, a boolean for `consent` and `terms`, and a string for every other question type.',
  errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
  resource: 'form submission',
  query: z.object({ id: queryId }),
  variables: ({ query }) => ({ id: query.id }),
  reply: one(submission, ({ submission: found }) => toSubmission(found)),
})

/** Form submissions, from the specification's table “Forms”. */
export const submissionRoutes = [listSubmissions, readSubmission]
