import type { Context } from 'koa'
import getRawBody from 'raw-body'
import type { Fields } from './page-form-data.ts'

/** More than any form of a page. */
const maxBodyBytes = 64 * 1024

/** A body that cannot be read: the status says why. */
export class BodyError extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/**
 * The fields of a post, as browsers send forms, or as JSON: an object of texts and lists of texts. Throws BodyError for other
 * types (415), what is too long (413), and what cannot be read (400).
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
      ? new BodyError(413, `must have ${maxBodyBytes} bytes at most`)
      : new BodyError(400, 'did not arrive whole')
  })
  return type === 'json' ? ofJson(body) : ofForm(body)
}

function ofForm(body: string): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(body)) {
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return fields
}

function ofJson(body: string): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of Object.entries(objectOf(body))) {
    const values = (Array.isArray(value) ? value : [value]).filter((each) => each !== null)
    if (!values.every((each) => ['string', 'number', 'boolean'].includes(typeof each))) {
      throw new BodyError(400, `must have text, or a list of texts, in ${JSON.stringify(name)}`)
    }
    fields.set(name, values.map(String))
  }
  return fields
}

function objectOf(body: string): object {
  try {
    const read: unknown = JSON.parse(body)
    if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read
  } catch {
    // Told below, like any other that is no object.
  }
  throw new BodyError(400, 'must be a JSON object')
}
