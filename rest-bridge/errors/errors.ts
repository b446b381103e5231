import { lackOf } from '../gateway/gateway.ts'

/** The error codes of `/v1`. All except BAD_REQUEST are in the specification. */
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

/** Messages by field name, as in `error.details`. */
export type Details = Record<string, string[]>

interface ErrorRow {
  status: number
  code: RestCode
  /** Replaces the GraphQL message if that would name things that REST does not have. */
  message?: string
}

/** The default of `Retry-After`, in seconds. */
const defaultRetrySeconds = 2

const internalError = { status: 500, code: 'SERVER_ERROR', message: 'Something went wrong on our side.' } as const

/** The REST status and code of each GraphQL error code. There is no other mapping between them. */
export const errorTable: Readonly<Record<string, ErrorRow>> = {
  UNAUTHORIZED: { status: 401, code: 'UNAUTHORIZED' },
  FORBIDDEN: { status: 403, code: 'FORBIDDEN' },
  QUOTA_EXCEEDED: { status: 403, code: 'FORBIDDEN' },
  NOT_FOUND: { status: 404, code: 'NOT_FOUND' },
  // The specification has no code for a wrong state: the object is not found among those that allow the operation.
  INVALID_STATE: { status: 404, code: 'NOT_FOUND' },
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
  QUERY_TOO_COMPLEX: internalError,
  // `unavailable` adds `Retry-After`.
  UNAVAILABLE: { status: 503, code: 'SERVER_ERROR' },
  // GraphQL has already masked the message, which contains the ID under which the cause is logged.
  SERVER_ERROR: { status: 500, code: 'SERVER_ERROR' },
}

/** An error response. Routes and input parsers throw no other error on purpose. */
export class RestError extends Error {
  override readonly name = 'RestError'
  readonly status: number
  readonly code: RestCode
  readonly details: Details | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: RestCode,
    message: string,
    options: { details?: Details; headers?: Record<string, string> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

/** Returns the error of a request that is malformed as a whole: VALIDATION_ERROR without details. */
export function malformedRequest(message: string, status = 400): RestError {
  return new RestError(status, 'VALIDATION_ERROR', message)
}

/**
 * Returns the error of single fields: VALIDATION_ERROR 422 with details. The message repeats the details, because the legacy
 * API returns only the message.
 */
export function invalidFields(details: Details): RestError {
  return new RestError(422, 'VALIDATION_ERROR', `The given data was invalid: ${formatDetails(details)}.`, { details })
}

function formatDetails(details: Details): string {
  return Object.entries(details)
    .map(([field, messages]) => `${field} ${messages.join(', ')}`)
    .join('; ')
}

/** Returns the error for a resource that does not exist, or not in the account of the key. */
export function notFound(resource = 'resource'): RestError {
  return new RestError(404, 'NOT_FOUND', `There is no such ${resource}.`)
}

/** Returns the response to an unexpected failure. It reveals nothing about the cause. */
export function serverError(): RestError {
  return new RestError(internalError.status, internalError.code, internalError.message)
}

/** Returns the error of a service that is temporarily unavailable: 503 with `Retry-After`. */
export function unavailable(message: string, retryAfterSeconds = defaultRetrySeconds): RestError {
  return new RestError(503, 'SERVER_ERROR', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })
}

/** An invalid value of a GraphQL request: the path of the value, and the field of the object that it identifies. */
interface Fault {
  path: string
  member?: string | undefined
  message: string
}

interface GraphError {
  message: string
  extensions?:
    | {
        code?: string | undefined
        fields?: readonly Fault[] | undefined
        scope?: string | undefined
        retryAfterSeconds?: number | undefined
      }
    | undefined
}

/**
 * Converts a GraphQL error. A code that is not in the table becomes SERVER_ERROR.
 *
 * `fieldNames` holds the REST names of fields that have another name in the route's document: `id` of a tag is `tag_id`.
 */
export function toRestError(error: GraphError, fieldNames: Readonly<Record<string, string>> = {}): RestError {
  const { code, scope, retryAfterSeconds } = error.extensions ?? {}
  if (code === 'UNAVAILABLE') return unavailable(error.message, retryAfterSeconds)
  if (scope !== undefined && scope !== 'FULL_ACCESS') return new RestError(403, 'FORBIDDEN', lackOf(toRestScope(scope)))
  const row: ErrorRow = errorTable[code ?? ''] ?? internalError
  // The specification has details for fields of VALIDATION_ERROR only.
  const faults = code === 'VALIDATION_ERROR' ? error.extensions?.fields : undefined
  if (!faults) return new RestError(row.status, row.code, row.message ?? error.message)
  // The GraphQL message names the fields of GraphQL, so it is replaced.
  const details = toRestDetails(faults, fieldNames)
  return new RestError(row.status, row.code, invalidFields(details).message, { details })
}

/** Arguments and input fields in which REST has no object: `id` of the first two is an ID of the route. */
const wrappers = ['input', 'ref', 'idAndEmail']

/** Renames GraphQL paths to REST parameters: `input.contact.id` becomes `contact_id`, `input.tagId` becomes `tag_id`. */
function toRestDetails(faults: readonly Fault[], fieldNames: Readonly<Record<string, string>>): Details {
  const rest: Details = {}
  for (const { path, member, message } of faults) {
    const parts = path.split('.').filter((part) => !/^\d+$/.test(part) && !wrappers.includes(part))
    const [parent, last = path] = [parts.at(-2), parts.at(-1)]
    const word = snakeCase(member ?? (last === 'id' && parent !== undefined ? `${parent}_id` : last))
    const name = fieldNames[word] ?? word
    rest[name] = [...(rest[name] ?? []), message]
  }
  return rest
}

/** Converts a value of the enum Scope: CONTACTS_READ becomes `contacts:read`. */
function toRestScope(scope: string): string {
  return scope.toLowerCase().replace('_', ':')
}

function snakeCase(word: string): string {
  return word.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
