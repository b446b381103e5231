import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import getRawBody from 'raw-body'
import type * as z from 'zod'
import { type Details, invalid, malformed, Refusal } from './errors.ts'
import { ownCode } from './input.ts'

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

/**
 * The parameters of a query string by name; `name[]` is a list of its own, and keeps its brackets. Some clients number the
 * places of a list (`name[0]`, `name[1]`): that is the same list.
 */
export function readQuery(query: URLSearchParams): Record<string, string | string[]> {
  const read = new Map<string, string | string[]>()
  for (const [given, value] of query) {
    const name = given.replace(/\[\d*\]$/, '[]')
    const before = read.get(name)
    if (name.endsWith('[]')) read.set(name, [...(before ?? []), value])
    else if (before === undefined) read.set(name, value)
  }
  return Object.fromEntries(read)
}

/**
 * Throws VALIDATION_ERROR 422 where a parameter that `schema` knows is given twice, and which one counts is anyone's guess;
 * or where a list is given without its brackets, and would be ignored.
 */
export function mustBeGivenOnce(schema: z.ZodObject, query: URLSearchParams): void {
  const wrong = Object.keys(schema.shape).flatMap((name): [string, string[]][] => {
    const bare = bareName(name)
    if (bare === name) return query.getAll(name).length > 1 ? [[name, ['must be given once']]] : []
    return query.has(bare) ? [[bare, [`must be an array of integers, sent as ${name}`]]] : []
  })
  if (wrong.length > 0) throw invalid(Object.fromEntries(wrong))
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
  const result = schema.safeParse(given)
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
    const message = given[field] === undefined && issue.code !== 'custom' ? 'is required' : issue.message
    const name = bareName(field)
    details[name] = [...new Set([...(details[name] ?? []), message])]
  }
  throw own && Object.keys(details).length === 0 ? own : invalid(details)
}

/** The key under which a write is done at most once. Throws VALIDATION_ERROR 422 where it cannot be one. */
export function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const key = String(header)
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key
  throw invalid({ idempotency_key: ['must be 1 to 255 visible ASCII characters'] })
}
