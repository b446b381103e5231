import type { Context } from 'koa'
import { readFields, readJson } from '../../kernel/values/storable-text.ts'
import { HttpProblem, type HttpRequest } from '../../kernel/web/http-route.ts'
import type { Fields } from './form-data.ts'

const unsupported = 'The body must be application/x-www-form-urlencoded or application/json.'

/** Returns the error of an invalid body: 400. `fault` continues a sentence about the body. */
function invalidBody(fault: string): HttpProblem {
  return new HttpProblem(400, 'The request is invalid', `The body ${fault}.`)
}

/**
 * Reads the fields of a POST request: a URL-encoded form, or a JSON object of strings and lists of strings.
 *
 * **Throws** `HttpProblem`: 415 for other content types, 400 for an invalid body. **Throws** VALIDATION_ERROR for text that
 * cannot be stored.
 */
export async function readFormFields(http: Context, readBody: HttpRequest['readBody']): Promise<Fields> {
  const type = http.is('urlencoded', 'json')
  if (!type) throw new HttpProblem(415, 'The request is invalid', unsupported)
  const body = await readBody()
  return type === 'json' ? fieldsOfJson(body) : fieldsOfForm(body)
}

function fieldsOfForm(body: Uint8Array): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of readFields(body)) {
    const values = fields.get(name)
    if (values) values.push(value)
    else fields.set(name, [value])
  }
  return fields
}

function fieldsOfJson(body: Uint8Array): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of Object.entries(objectOf(body))) {
    const values = (Array.isArray(value) ? value : [value]).filter((each) => each !== null)
    if (!values.every((each) => ['string', 'number', 'boolean'].includes(typeof each))) {
      throw invalidBody(`must have a string or a list of strings in ${JSON.stringify(name)}`)
    }
    fields.set(name, values.map(String))
  }
  return fields
}

function objectOf(body: Uint8Array): object {
  try {
    const parsed = readJson(body)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  } catch (error) {
    // Same error as for a JSON value that is not an object.
    if (!(error instanceof SyntaxError)) throw error
  }
  throw invalidBody('must be a JSON object')
}
