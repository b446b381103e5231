import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import getRawBody from 'raw-body'
import type * as z from 'zod'
import { type Details, invalid, malformed, Refusal } from './errors.ts'
import { ownCode } from './input.ts'
import { messageOf } from './messages.ts'

const bodyLimit = 1024 * 1024

const inflaters = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const

/**
 * Reads a JSON object from the request. No body at all counts as `{}`.
 *
 * Throws VALIDATION_ERROR: 400 for another type, charset or encoding, for bad JSON, and for JSON that is no object; 413
 * above 1 MiB, counted after decompression.
 */
export async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const bytes = await bytesOf(request)
  if (bytes.length === 0) return {}
  mustBeJson(request.headers['content-type'])
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw malformed('The body is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('The body must be a JSON object.')
  }
  return value as Record<string, unknown>
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const stream = inflated(request)
  try {
    return await getRawBody(stream, { limit: bodyLimit })
  } catch (error) {
    // The rest is read and thrown away: a client that is still sending would otherwise see a reset, and not our answer.
    request.unpipe()
    request.resume()
    if (Object(error).type === 'entity.too.large') throw malformed('The body is larger than 1 MiB.', 413)
    throw malformed('The body cannot be read.')
  } finally {
    if (stream !== request) stream.destroy()
  }
}

function inflated(request: IncomingMessage): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase()
  if (encoding === 'identity' || encoding === '') return request
  if (!Object.hasOwn(inflaters, encoding)) throw malformed(`The content encoding ${encoding} is not supported.`)
  const inflater = inflaters[encoding as keyof typeof inflaters]()
  request.once('error', (error) => inflater.destroy(error))
  return request.pipe(inflater)
}

function mustBeJson(contentType = ''): void {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json') throw malformed('The content type must be application/json.')
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.split('=').map((part) => part.trim())
    if (name === 'charset' && !['utf-8', 'utf8'].includes(value.replace(/^"(.*)"$/, '$1'))) {
      throw malformed('The charset must be utf-8.')
    }
  }
}

/** A parameter that takes one value and was sent more than once, or as an array or object: no schema accepts it. */
class SeveralValues {}

const several = new SeveralValues()

/**
 * Reads the parameters of a query string by name, as `schema` knows them. A list is `name[]`, repeated; some clients number
 * its elements (`name[0]`, `name[1]`), which is the same list. What is sent in another form than its parameter takes
 * (`page=1&page=2`, `status[]=draft`, `tag_ids[x]=1`) is kept as a value that the schema refuses.
 */
export function readQuery(schema: z.ZodObject, query: URLSearchParams): Record<string, unknown> {
  const read = new Map<string, unknown>()
  for (const [given, value] of query) {
    const name = given.replace(/\[.*$/s, '')
    const brackets = given.slice(name.length)
    const list = `${name}[]`
    if (Object.hasOwn(schema.shape, list)) {
      const before = read.get(list) ?? []
      const isElement = /^\[\d*\]$/.test(brackets) && Array.isArray(before)
      read.set(list, isElement ? [...before, value] : several)
    } else {
      read.set(name, brackets === '' && !read.has(name) ? value : several)
    }
  }
  return Object.fromEntries(read)
}

/** A parameter's name without the brackets that make it a list. */
function bareName(name: string): string {
  return name.replace(/\[\]$/, '')
}

/**
 * Gives the input as `schema` reads it. Fields it does not know are ignored; null is a value like others, and of the
 * wrong type wherever a string, number or boolean is asked for.
 *
 * Throws VALIDATION_ERROR 422 with what is wrong with each field; or, where all that is wrong are fields with a code of
 * their own (INVALID_PERIOD, a malformed `tag_ids`), that code with 400.
 */
export function parsed<Schema extends z.ZodObject>(schema: Schema, given: Record<string, unknown>): z.output<Schema> {
  const result = schema.safeParse(given, { error: messageOf })
  if (result.success) return result.data
  const details: Details = {}
  let own: Refusal | undefined
  for (const issue of result.error.issues) {
    const field = String(issue.path[0])
    const code = ownCode.get(schema.shape[field] as z.ZodType)
    if (code) {
      own ??= new Refusal(400, code.code, code.message)
      continue
    }
    const name = bareName(field)
    const message = messageFor(field, given[field], issue)
    details[name] = [...new Set([...(details[name] ?? []), message])]
  }
  throw own && Object.keys(details).length === 0 ? own : invalid(details)
}

function messageFor(field: string, value: unknown, { code, message }: z.core.$ZodIssue): string {
  if (value === undefined && code !== 'custom') return 'is required'
  if (!(value instanceof SeveralValues)) return message
  return field.endsWith('[]')
    ? `must be an array of integers, sent as ${field}`
    : 'must be sent once, as a single value'
}

/** The key under which a write is done at most once. Throws VALIDATION_ERROR 422 where it cannot be one. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalid({ idempotency_key: ['must be 1 to 255 visible ASCII characters'] })
}
