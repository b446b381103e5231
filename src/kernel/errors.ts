/**
 * Codes of expected errors, with their default messages: the codes of the REST specification, and those of the GraphQL
 * API only.
 */
export const errorCodes = {
  UNAUTHORIZED: 'The key is missing, invalid or disabled.',
  FORBIDDEN: 'The key has no access to what was asked for.',
  NOT_FOUND: 'There is no such thing in this account.',
  INVALID_STATE: 'The object exists, but its state does not allow this; the message names what the operation requires.',
  CONFLICT: 'The object was changed after `expectedUpdatedAt`; `updatedAt` is the time of its last change.',
  CONTACT_EXISTS: 'A contact with this e-mail address exists already.',
  TAG_EXISTS: 'A tag with this name exists already.',
  WEBHOOK_EXISTS: 'A webhook with this address exists already.',
  PATH_TAKEN: 'Another step of the funnel has this path.',
  CAMPAIGN_SCHEDULED: 'The campaign is scheduled; cancel the schedule first.',
  INVALID_STATUS: 'The status filter is none of the allowed values.',
  INVALID_BUCKET: 'The bucket is none of hot, warm and cold.',
  MISSING_QUESTION_ID: 'A filter on answers needs the question it is about.',
  INVALID_PERIOD: 'The period is none of the allowed values, or BETWEEN came without its range.',
  INVALID_DATE: 'The date cannot be read, does not exist or has passed.',
  NO_SUBDOMAIN: 'The account has no subdomain yet.',
  STAGE_NOT_EMAIL: 'The stage sends no e-mail.',
  SEQUENCE_HAS_NO_STAGES: 'The sequence has no stages yet.',
  VALIDATION_ERROR: 'The input breaks a rule; `details` names each field and what it takes.',
  SERVER_ERROR: 'Something unexpected happened on our side; the message carries an id to quote.',
  UNAVAILABLE:
    'The server is overloaded, or its database does not answer. Repeat the request after `retryAfterSeconds`, a mutation with the same idempotency key: it may have been applied.',
  BAD_REQUEST: 'The request cannot be read: its syntax, a field that does not exist, an unknown trusted document.',
  PERSISTED_QUERY_NOT_FOUND: 'The server does not know the document of this hash; send the document with its hash.',
  QUOTA_EXCEEDED: "The account's plan allows no more of this.",
  QUERY_TOO_COMPLEX: 'The document is too deep, too wide or too costly.',
  RATE_LIMITED: 'Too many requests in this minute.',
  IDEMPOTENCY_CONFLICT: 'A request with the same idempotency key is still running.',
  CURSOR_EXPIRED: 'The events after this cursor are no longer kept.',
} as const

export type ErrorCode = keyof typeof errorCodes

/** Messages by field name. Each message continues a sentence that begins with the field name. */
export type Details = Readonly<Record<string, readonly string[]>>

/** Codes of invalid fields, for programs. */
export const fieldCodes = {
  NOT_FOUND: 'The value identifies no object of the account.',
  INVALID_STATE: 'The value identifies an object whose state or type does not allow this.',
  REQUIRED: 'The field is absent, null or empty, but required.',
  INVALID_TYPE: 'The value has another type.',
  INVALID_ID: 'The value is not an ID of the type.',
  INVALID_VALUE: 'The value breaks a rule that no other code describes.',
  TOO_SHORT: 'The text has too few characters, or the list too few elements.',
  TOO_LONG: 'The text has too many characters, or the list too many elements.',
  TOO_SMALL: 'The number is too small.',
  TOO_BIG: 'The number is too big.',
  TAKEN: 'Another object has the value, which must be unique.',
  LIMIT_REACHED: 'The account or the parent object has the maximum number of such objects.',
  NOT_COMBINABLE: 'The field cannot be combined with another field that was sent.',
  OUTDATED: 'The object was changed since the time or version that was sent.',
} as const

export type FieldCode = keyof typeof fieldCodes

/** One reason why a value of the input is invalid. */
interface FieldFault {
  /** Path of the value, such as `lines.0.unitPrice`. An operation names its own input; the API adds the argument. */
  readonly path: string
  /** What is invalid if the request does not contain it: a field of the object that the value identifies. */
  readonly member?: string
  readonly code: FieldCode
  /** Continues a sentence that begins with the member, or else with the path. */
  readonly message: string
}

/** An expected error that the caller can act on. All other errors are unexpected and reported as SERVER_ERROR. */
export class Refusal extends Error {
  readonly code: ErrorCode
  /** The values that are invalid. Empty if the error is not about single values. */
  readonly fields: readonly FieldFault[]
  /** Further values for programs, which clients receive beside the code. */
  readonly values: Readonly<Record<string, string>>

  constructor(code: ErrorCode, message: string, fields: readonly FieldFault[] = [], values: Refusal['values'] = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.fields = fields
    this.values = values
  }

  /** The messages by member or path: for pages, which do not show the paths of the API. Undefined without `fields`. */
  get details(): Details | undefined {
    return this.fields.length === 0 ? undefined : messagesBy(this.fields, ({ member, path }) => member ?? path)
  }

  /** Returns the error with this prefix before the paths of `fields`, for example `input`. */
  within(prefix: string): Refusal {
    if (this.fields.length === 0) return this
    const fields = this.fields.map((fault) => ({ ...fault, path: fault.path ? `${prefix}.${fault.path}` : prefix }))
    return new Refusal(this.code, this.message, fields, this.values)
  }
}

/**
 * An expected error of an operation that may have had its effect outside of the database, such as a message that may have been
 * delivered. A repeat with the same idempotency key returns the error again, so that the effect does not happen twice.
 */
export class UncertainEffect extends Refusal {}

/** UNAUTHORIZED of an access token that was valid and has expired: a new one of the same key can succeed. */
export class ExpiredToken extends Refusal {
  constructor() {
    super('UNAUTHORIZED', 'The access token has expired.')
  }
}

/** Runs work on a part of the input, and adds the path of the part to the error that it throws. */
export async function atPath<Result>(prefix: string, work: () => Promise<Result> | Result): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Refusal ? error.within(prefix) : error
  }
}

/** Codes of errors about one value of the input: the code of the value, and what is wrong with it. */
export const valueFaults = {
  NOT_FOUND: ['NOT_FOUND', 'must identify an object of the account'],
  INVALID_STATE: ['INVALID_STATE', 'must identify an object whose state allows this'],
  CAMPAIGN_SCHEDULED: ['INVALID_STATE', 'must identify a campaign that is not scheduled'],
  STAGE_NOT_EMAIL: ['INVALID_STATE', 'must identify a stage that sends an e-mail'],
  SEQUENCE_HAS_NO_STAGES: ['INVALID_STATE', 'must identify a sequence with stages'],
  CONTACT_EXISTS: ['TAKEN', 'is the e-mail address of another contact'],
  TAG_EXISTS: ['TAKEN', 'is the name of another tag'],
  WEBHOOK_EXISTS: ['TAKEN', 'is the URL of another webhook'],
  PATH_TAKEN: ['TAKEN', 'is the path of another step of the funnel'],
  INVALID_PERIOD: ['INVALID_VALUE', 'must be a period with a start and an end that exist'],
  INVALID_DATE: ['INVALID_VALUE', 'must be a time that exists and has not passed'],
} as const satisfies Partial<Record<ErrorCode, readonly [FieldCode, string]>>

type ValueCode = keyof typeof valueFaults

/**
 * Creates an expected error, to be thrown. Programs read the code, people the message. An error about a value of the input is
 * created by `refuseValue`. NOT_FOUND without a value is for pages and for objects that the input does not name.
 */
export function refuse(
  code: Exclude<ErrorCode, Exclude<ValueCode, 'NOT_FOUND'>>,
  message: string = errorCodes[code],
): Refusal {
  return new Refusal(code, message)
}

/** Creates an expected error about one value of the input, to be thrown. `path` is the path of the value. */
export function refuseValue(path: string, code: ValueCode, message: string = errorCodes[code]): Refusal {
  const [fieldCode, fault] = valueFaults[code]
  return new Refusal(code, message, [{ path, code: fieldCode, message: fault }])
}

/**
 * UNAVAILABLE: the request cannot be served at the moment. It contains the number of seconds after which to repeat it.
 */
export class Unavailable extends Refusal {
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super('UNAVAILABLE', message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** The client disconnected while its request waited. The request is not executed, and nothing is sent. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  constructor() {
    super('The client disconnected while its request waited.')
  }
}

/**
 * Creates a VALIDATION_ERROR with details, to be thrown: `{ email: ['must be a valid e-mail address'] }`. The code applies
 * to all messages.
 */
export function invalid(details: Details, code: FieldCode = 'INVALID_VALUE'): Refusal {
  return invalidFields(
    Object.entries(details).flatMap(([path, messages]) => messages.map((message) => ({ path, code, message }))),
  )
}

/** Creates a VALIDATION_ERROR from the faults of fields, to be thrown. */
export function invalidFields(fields: readonly FieldFault[]): Refusal {
  const details = messagesBy(fields, ({ member, path }) => member ?? (path || 'input'))
  const sentences = Object.entries(details).map(([name, messages]) => `${name} ${messages.join(', ')}`)
  return new Refusal('VALIDATION_ERROR', `Invalid input: ${sentences.join('; ')}.`, fields)
}

/**
 * Creates a VALIDATION_ERROR for stored values of the object that an input identifies, to be thrown: of an e-mail without a
 * subject, `invalidStored('id', { subject: ['is not set yet'] })`.
 */
export function invalidStored(path: string, members: Details, code: FieldCode = 'INVALID_VALUE'): Refusal {
  return invalidFields(
    Object.entries(members).flatMap(([member, messages]) =>
      messages.map((message) => ({ path, member, code, message })),
    ),
  )
}

function messagesBy(fields: readonly FieldFault[], nameOf: (fault: FieldFault) => string): Details {
  const byName = Map.groupBy(fields, nameOf)
  return Object.fromEntries([...byName].map(([name, faults]) => [name, faults.map(({ message }) => message)]))
}
