import type { Context } from 'koa'
import getRawBody from 'raw-body'
import type { Fields } from './page-form-data.ts'

/** Maximum size of a request body in bytes. */
const maxBodyBytes = 64 * 1024

/** The request body is invalid. `status` is the HTTP status of the response; `message` completes a sentence about the body. */
export class BodyError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * Reads the fields of a POST request: a URL-encoded form, or a JSON object of strings and lists of strings.
 *
 * **Throws** `BodyError`: 415 for other content types, 413 for a body that is too large, 400 for an incomplete or invalid body.
 */
export async function readFormFields(http: Context): Promise<Fields> {
  const type = http.is('urlencoded', 'json')
  if (!type) throw new BodyError(415, 'must be application/x-www-form-urlencoded or application/json')
  const body = await getRawBody(http.req, {
    length: http.get('content-length') || null,
    limit: maxBodyBytes,
    encoding: 'utf8',
  }).catch((error: unknown) => {
    const isTooLong = (error as { status?: unknown }).status === 413
    throw isTooLong
      ? new BodyError(413, `must have at most ${maxBodyBytes} bytes`)
      : new BodyError(400, 'was not received completely')
  })
  return type === 'json' ? fieldsOfJson(body) : fieldsOfForm(body)
}

function fieldsOfForm(body: string): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(body)) {
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return fields
}

function fieldsOfJson(body: string): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of Object.entries(objectOf(body))) {
    const values = (Array.isArray(value) ? value : [value]).filter((each) => each !== null)
    if (!values.every((each) => ['string', 'number', 'boolean'].includes(typeof each))) {
      throw new BodyError(400, `must have a string or a list of strings in ${JSON.stringify(name)}`)
    }
    fields.set(name, values.map(String))
  }
  return fields
}

function objectOf(body: string): object {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  } catch {
    // Same error as for a JSON value that is not an object.
  }
  throw new BodyError(400, 'must be a JSON object')
}
