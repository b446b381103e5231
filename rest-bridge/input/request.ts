import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import getRawBody from 'raw-body'
import type * as z from 'zod'
import { type Details, invalidFields, malformedRequest, RestError } from '../errors/errors.ts'
import { messageOf } from '../errors/messages.ts'
import { fieldErrorCodes } from './input.ts'

const maxBodyBytes = 1024 * 1024

const decompressors = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/**
 * Reads a JSON object from the body. An empty body is read as `{}`.
 *
 * **Throws** VALIDATION_ERROR: 400 for an unsupported content type, charset or content encoding, for invalid JSON, and for
 * JSON that is not an object; 413 for a body above 1 MiB after decompression.
 */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return {}
  requireJson(request.headers['content-type'])
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw malformedRequest('The body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformedRequest('The body must be a JSON object.')
  }
  return value as Record<string, unknown>
}

async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const stream = decompress(request)
  try {
    return await getRawBody(stream, { limit: maxBodyBytes })
  } catch (error) {
    // Drains the rest: otherwise a client that is still sending would get a connection reset instead of the response.
    request.unpipe()
    request.resume()
    if (Object(error).type === 'entity.too.large') throw malformedRequest('The body is larger than 1 MiB.', 413)
    throw malformedRequest('The body cannot be read.')
  } finally {
    if (stream !== request) stream.destroy()
  }
}

function decompress(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return request
  if (!Object.hasOwn(decompressors, encoding))
    throw malformedRequest(`The content encoding ${encoding} is not supported.`)
  const decompressor = decompressors[encoding as keyof typeof decompressors]()
  request.once('error', (error) => decompressor.destroy(error))
  return request.pipe(decompressor)
}

function requireJson(contentType = ''): void {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json') throw malformedRequest('The content type must be application/json.')
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=').map((part) => part.trim())
    if (name === 'charset' && !['utf-8', 'utf8'].includes(value.replace(/^"(.*)"$/, '$1'))) {
      throw malformedRequest('The charset must be utf-8.')
    }
  }
}

/** The value of a parameter that was sent several times, or as an array or object. No schema accepts it. */
class MultipleValues {}

const multipleValues = new MultipleValues()

/**
 * Reads the parameters of a query string. A list is `name[]`, repeated; numbered elements (`name[0]`, `name[1]`) are accepted
 * too. A parameter in an unsupported form (`page=1&page=2`, `status[]=draft`, `tag_ids[x]=1`) gets a value that the schema
 * rejects.
 */
export function readQuery(schema: z.ZodObject, query: URLSearchParams): Record<string, unknown> {
  const input = new Map<string, unknown>()
  for (const [key, value] of query) {
    const name = key.replace(/\[.*$/s, '')
    const brackets = key.slice(name.length)
    const list = `${name}[]`
    if (Object.hasOwn(schema.shape, list)) {
      const elements = input.get(list) ?? []
      const isElement = /^\[\d*\]$/.test(brackets) && Array.isArray(elements)
      if (isElement) elements.push(value)
      input.set(list, isElement ? elements : multipleValues)
    } else {
      input.set(name, brackets === '' && !input.has(name) ? value : multipleValues)
    }
  }
  return Object.fromEntries(input)
}

/**
 * Parses the input. Unknown fields are ignored. Null is a value like any other, so it has the wrong type for a string, number
 * or boolean.
 *
 * **Throws** VALIDATION_ERROR 422 with the messages of each field. If all invalid fields have an error code of their own
 * (INVALID_PERIOD, a malformed `tag_ids`), throws the first of those codes with 400.
 */
export function parseInput<Schema extends z.ZodObject>(
  schema: Schema,
  input: Record<string, unknown>,
): z.output<Schema> {
  const result = schema.safeParse(input, { error: messageOf })
  if (result.success) return result.data
  const details: Details = {}
  let fieldError: RestError | undefined
  for (const issue of result.error.issues) {
    const field = String(issue.path[0])
    const own = fieldErrorCodes.get(schema.shape[field] as z.ZodType)
    if (own) {
      fieldError ??= new RestError(400, own.code, own.message)
      continue
    }
    const name = field.replace(/\[\]$/, '')
    const message = issueMessage(field, input[field], issue)
    details[name] = [...new Set([...(details[name] ?? []), message])]
  }
  throw fieldError && Object.keys(details).length === 0 ? fieldError : invalidFields(details)
}

function issueMessage(field: string, value: unknown, { code, message }: z.core.$ZodIssue): string {
  if (value === undefined && code !== 'custom') return 'is required'
  if (!(value instanceof MultipleValues)) return message
  return field.endsWith('[]')
    ? `must be an array of integers, sent as ${field}`
    : 'must be sent once, as a single value'
}

/** Reads the header `Idempotency-Key`. **Throws** VALIDATION_ERROR 422 for an invalid key. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalidFields({ idempotency_key: ['must be 1 to 255 visible ASCII characters'] })
}
