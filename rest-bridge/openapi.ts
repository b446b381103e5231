import * as z from 'zod'
import { answers, type RestCode } from './errors.ts'
import { ownCode, shownAs } from './input.ts'
import { meta } from './paging.ts'
import type { Route } from './route.ts'
import { v1Routes } from './routes.ts'

type Schema = Record<string, unknown>

/** What any endpoint may answer, whatever it does. */
const anywhere: readonly RestCode[] = ['UNAUTHORIZED', 'FORBIDDEN', 'SERVER_ERROR']

const onWrites: readonly RestCode[] = ['VALIDATION_ERROR', 'IDEMPOTENCY_CONFLICT']

/** What the headings of the specification stand for. */
const groups: Readonly<Record<string, string>> = {
  'Account and key check': 'Whose key this is, and what the account may still use.',
  Campaigns: 'Messages to many: writing, scheduling and sending them, their audience, and what became of them.',
  Contacts: 'The people an account may write to, with their consent, tags and sequences.',
  Tags: 'Names that contacts carry.',
  'Custom fields': "What an account wants to know of its contacts beyond the usual, and the contacts' values.",
  Forms: 'Questions for visitors, and what they answered: read only.',
}

const meanings: Readonly<Record<number, string>> = {
  200: 'Success',
  201: 'Created',
  400: 'The request is malformed',
  401: 'The key is missing, invalid or disabled',
  403: 'The key has no access, or a quota is used up',
  404: 'Not found in this account',
  409: 'In conflict with what exists',
  413: 'The body is larger than 1 MiB',
  422: 'The input is invalid; see `error.details`',
  500: 'A fault on our side; retry after a short delay',
}

/**
 * Gives the OpenAPI 3.1 description of `/v1`, made of the route tables alone: inputs and answers are the schemas that
 * the bridge reads with and the contract tests compare with.
 */
export function openApi(routes: readonly Route[] = v1Routes) {
  const paths: Record<string, Record<string, unknown>> = {}
  const responses: Record<string, Schema> = { TooManyRequests: tooManyRequests }
  for (const route of routes) {
    paths[route.path] ??= {}
    Object.assign(paths[route.path] as object, { [route.method.toLowerCase()]: operationOf(route, responses) })
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Campanile REST API',
      version: '1',
      description:
        'Marketing automation and sales. Every answer but 429 has the envelope `{success, data}` or `{success, error}`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ key: [] }],
    tags: [...new Set(routes.map(({ group }) => group))].map((name) => ({ name, description: groups[name] ?? name })),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the account. What an operation lists with it are the scopes that the key needs.',
        },
      },
      headers: rateHeaders,
      schemas: { Meta: schemaOf(meta, 'output') },
      responses,
    },
  }
}

const count = (description: string) => ({ description, schema: { type: 'integer' } })

const rateHeaders = {
  'X-RateLimit-Limit': count('Requests the account may make in a minute, with all its keys together.'),
  'X-RateLimit-Remaining': count('Requests left.'),
  'X-RateLimit-Reset': count('Seconds until all of them are there again.'),
  'Retry-After': count('Seconds to wait.'),
}

const limitNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const refs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const tooManyRequests = {
  description: 'Too many requests in this minute',
  headers: refs([...limitNames, 'Retry-After']),
  content: json({
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
    additionalProperties: false,
  }),
}

function json(schema: Schema) {
  return { 'application/json': { schema } }
}

/** `shared` gathers the error answers: endpoints that fail alike refer to the same. */
function operationOf(route: Route, shared: Record<string, Schema>): Schema {
  const isRead = route.method === 'GET'
  return {
    operationId: route.id,
    tags: [route.group],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: [{ key: typeof route.needs === 'function' ? [] : route.needs }],
    ...(isRead ? parametersOf(route) : { ...bodyOf(route), parameters: [idempotency] }),
    responses: responsesOf(route, shared),
  }
}

const idempotency = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'Makes the write safe to repeat for 24 hours: it is done once, and answered alike each time.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
}

function parametersOf(route: Route): Schema {
  const { properties = {}, required = [] } = schemaOf(route.query, 'input') as ObjectSchema
  const parameters = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
  return parameters.length > 0 ? { parameters } : {}
}

interface ObjectSchema {
  properties?: Record<string, Schema>
  required?: string[]
}

function bodyOf(route: Route): Schema {
  const schema = schemaOf(route.body, 'input')
  const named = Object.keys((schema as ObjectSchema).properties ?? {})
  const isPair = named.includes('email') && named.includes('contact_id')
  const either = { anyOf: [{ required: ['email'] }, { required: ['contact_id'] }] }
  // No body at all is read as an empty object.
  const required = !route.body.safeParse({}).success
  return { requestBody: { required, content: json(isPair ? { ...schema, ...either } : schema) } }
}

function responsesOf(route: Route, shared: Record<string, Schema>): Schema {
  const byStatus = new Map<number, Set<RestCode>>()
  const add = (status: number, code: RestCode) => {
    byStatus.set(status, (byStatus.get(status) ?? new Set<RestCode>()).add(code))
  }
  const isRead = route.method === 'GET'
  for (const code of [...anywhere, ...(isRead ? [] : onWrites), ...route.errors]) add(statusOf(code), code)
  for (const field of Object.values((isRead ? route.query : route.body).shape)) {
    const own = ownCode.get(field as z.ZodType)
    if (own) add(400, own.code)
  }
  if (!isRead) {
    add(400, 'VALIDATION_ERROR')
    add(413, 'VALIDATION_ERROR')
  }
  const sharedFailure = (status: number, codes: readonly RestCode[]) => {
    const name = [status, ...codes].join('.')
    shared[name] ??= failureOf(status, codes)
    return { $ref: `#/components/responses/${name}` }
  }
  const errors = [...byStatus].sort(([a], [b]) => a - b)
  return {
    [route.status]: {
      description: meanings[route.status],
      headers: refs(limitNames),
      content: json(successOf(route)),
    },
    ...Object.fromEntries(errors.map(([status, codes]) => [status, sharedFailure(status, [...codes].sort())])),
    429: { $ref: '#/components/responses/TooManyRequests' },
  }
}

function statusOf(code: RestCode): number {
  const row = Object.values(answers).find((answer) => answer.code === code)
  return row?.status ?? 500
}

function successOf(route: Route): Schema {
  const data = schemaOf(route.reply.schema, 'output')
  const isPage = route.reply.paginated
  return {
    type: 'object',
    required: ['success', 'data', ...(isPage ? ['meta'] : [])],
    properties: {
      success: { type: 'boolean', const: true },
      data,
      ...(isPage && { meta: { $ref: '#/components/schemas/Meta' } }),
    },
    additionalProperties: false,
  }
}

function failureOf(status: number, codes: readonly RestCode[]): Schema {
  const details = { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } }
  const isPlain = status !== 422 || codes.some((code) => code !== 'VALIDATION_ERROR')
  const error = {
    type: 'object',
    required: ['code', 'message', ...(isPlain ? [] : ['details'])],
    properties: {
      code: { type: 'string', enum: codes },
      message: { type: 'string' },
      ...(status === 422 && { details }),
    },
    additionalProperties: false,
  }
  return {
    description: meanings[status],
    content: json({
      type: 'object',
      required: ['success', 'error'],
      properties: { success: { type: 'boolean', const: false }, error },
      additionalProperties: false,
    }),
  }
}

/** Gives a Zod schema as JSON schema, with the fields that look otherwise on the wire as `shown` says. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // Zod's bounds of safe integers and its pattern of a date say nothing to a reader that the type does not.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.minimum
        delete jsonSchema.maximum
      }
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      const shown = shownAs.get(zodSchema as unknown as z.ZodType)
      if (!shown) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, shown.schema)
    },
  })
  return json
}
