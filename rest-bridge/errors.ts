/** The codes a `/v1` client may meet. All but BAD_REQUEST stand in the specification. */
export type RestCode =
  | 'UNAUTHORIZED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONTACT_EXISTS'
  | 'TAG_EXISTS'
  | 'WEBHOOK_EXISTS'
  | 'PATH_TAKEN'
  | 'CAMPAIGN_SCHEDULED'
  | 'INVALID_STATUS'
  | 'INVALID_BUCKET'
  | 'MISSING_QUESTION_ID'
  | 'INVALID_PERIOD'
  | 'INVALID_DATE'
  | 'NO_SUBDOMAIN'
  | 'STAGE_NOT_EMAIL'
  | 'SEQUENCE_HAS_NO_STAGES'
  | 'VALIDATION_ERROR'
  | 'IDEMPOTENCY_CONFLICT'
  | 'BAD_REQUEST'
  | 'SERVER_ERROR'

/** Field name to messages, as `error.details` shows them. */
export type Details = Record<string, string[]>

interface Answer {
  status: number
  code: RestCode
  /** Said instead of the graph's own message, where that would speak of things a REST client does not know. */
  message?: string
}

/** After how many seconds a client tries again that is told nothing else. */
const usualRetrySeconds = 2

const ownFault = { status: 500, code: 'SERVER_ERROR', message: 'Something went wrong on our side.' } as const

/** What the graph calls a failure, and what a REST client is told: the one table between the two. */
export const answers: Readonly<Record<string, Answer>> = {
  UNAUTHORIZED: { status: 401, code: 'UNAUTHORIZED' },
  FORBIDDEN: { status: 403, code: 'FORBIDDEN' },
  QUOTA_EXCEEDED: { status: 403, code: 'FORBIDDEN' },
  NOT_FOUND: { status: 404, code: 'NOT_FOUND' },
  CONTACT_EXISTS: { status: 409, code: 'CONTACT_EXISTS' },
  TAG_EXISTS: { status: 409, code: 'TAG_EXISTS' },
  WEBHOOK_EXISTS: { status: 409, code: 'WEBHOOK_EXISTS' },
  PATH_TAKEN: { status: 409, code: 'PATH_TAKEN' },
  CAMPAIGN_SCHEDULED: { status: 409, code: 'CAMPAIGN_SCHEDULED' },
  IDEMPOTENCY_CONFLICT: { status: 409, code: 'IDEMPOTENCY_CONFLICT' },
  INVALID_STATUS: { status: 400, code: 'INVALID_STATUS' },
  INVALID_BUCKET: { status: 400, code: 'INVALID_BUCKET' },
  MISSING_QUESTION_ID: { status: 400, code: 'MISSING_QUESTION_ID' },
  INVALID_PERIOD: { status: 400, code: 'INVALID_PERIOD' },
  INVALID_DATE: { status: 400, code: 'INVALID_DATE' },
  NO_SUBDOMAIN: { status: 400, code: 'NO_SUBDOMAIN' },
  STAGE_NOT_EMAIL: { status: 422, code: 'STAGE_NOT_EMAIL' },
  SEQUENCE_HAS_NO_STAGES: { status: 422, code: 'SEQUENCE_HAS_NO_STAGES' },
  VALIDATION_ERROR: { status: 422, code: 'VALIDATION_ERROR' },
  BAD_REQUEST: { status: 400, code: 'VALIDATION_ERROR', message: 'The request cannot be processed as it was sent.' },
  CURSOR_EXPIRED: { status: 400, code: 'VALIDATION_ERROR' },
  QUERY_TOO_COMPLEX: ownFault,
  // With `Retry-After`, which `unavailable` gives it.
  UNAVAILABLE: { status: 503, code: 'SERVER_ERROR' },
  // The graph has masked it already, and its message carries the id under which the cause is logged.
  SERVER_ERROR: { status: 500, code: 'SERVER_ERROR' },
}

/** A request that ends in an error answer. The only thing a route, or what reads its input, ever throws on purpose. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly status: number
  readonly code: RestCode
  readonly details: Details | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: RestCode,
    message: string,
    more: { details?: Details; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = more.details
    this.headers = more.headers ?? {}
  }
}

/** Gives the refusal of a request whose form is wrong as a whole: VALIDATION_ERROR without details. */
export function malformed(message: string, status = 400): Refusal {
  return new Refusal(status, 'VALIDATION_ERROR', message)
}

/**
 * Gives the refusal of single fields: VALIDATION_ERROR 422 with what is wrong with each. The message says it too, for the
 * unversioned API shows nothing else.
 */
export function invalid(details: Details): Refusal {
  return new Refusal(422, 'VALIDATION_ERROR', `The given data was invalid: ${sentencesOf(details)}.`, { details })
}

function sentencesOf(details: Details): string {
  return Object.entries(details)
    .map(([field, messages]) => `${field} ${messages.join(', ')}`)
    .join('; ')
}

/** Gives the refusal of what does not exist, or not in the caller's account. */
export function notFound(what = 'resource'): Refusal {
  return new Refusal(404, 'NOT_FOUND', `There is no such ${what}.`)
}

/** Gives the neutral answer to a fault of our own: nothing of its cause leaves the house. */
export function serverError(): Refusal {
  return new Refusal(ownFault.status, ownFault.code, ownFault.message)
}

/** Gives the answer of a service that cannot serve the request now, and when to come again. */
export function unavailable(message: string, retryAfterSeconds = usualRetrySeconds): Refusal {
  return new Refusal(503, 'SERVER_ERROR', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })
}

interface GraphError {
  message: string
  extensions?:
    | {
        code?: string | undefined
        details?: Record<string, readonly string[]> | undefined
        retryAfterSeconds?: number | undefined
      }
    | undefined
}

/**
 * Gives the refusal that a failure of the graph becomes. A code that is not in the table is our fault (500).
 *
 * `names` renames fields that the route's document calls otherwise than REST does: `id` of a tag is its `tag_id`.
 */
export function refusalOf(error: GraphError, names: Readonly<Record<string, string>> = {}): Refusal {
  const { code, retryAfterSeconds } = error.extensions ?? {}
  if (code === 'UNAVAILABLE') return unavailable(error.message, retryAfterSeconds)
  const answer: Answer = answers[code ?? ''] ?? ownFault
  const told = answer.status === 422 ? error.extensions?.details : undefined
  if (!told) return new Refusal(answer.status, answer.code, answer.message ?? error.message)
  // The graph's own message would name its fields, which a REST client does not know.
  const details = restDetails(told, names)
  return new Refusal(answer.status, answer.code, invalid(details).message, { details })
}

/** Turns the graph's field paths into the parameters of REST: `input.contact.id` is `contact_id`, `tagId` is `tag_id`. */
function restDetails(details: Record<string, readonly string[]>, names: Readonly<Record<string, string>>): Details {
  const rest: Details = {}
  for (const [path, messages] of Object.entries(details)) {
    const parts = path.split('.').filter((part) => !/^\d+$/.test(part))
    const [parent, last] = [parts.at(-2), parts.at(-1) ?? path]
    const word = last === 'id' && parent !== undefined && parent !== 'input' ? `${parent}_id` : snakeCase(last)
    const name = names[word] ?? word
    rest[name] = [...(rest[name] ?? []), ...messages]
  }
  return rest
}

function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
