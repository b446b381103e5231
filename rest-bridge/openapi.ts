import * as z from 'zod'
import type { Route } from './envelope/route.ts'
import { errorTable, type RestCode } from './errors/errors.ts'
import { fieldErrorCodes, jsonSchemas } from './input/input.ts'
import { meta } from './input/paging.ts'
import { v1Routes } from './routes.ts'

type Schema = Record<string, unknown>

/** The error codes of every endpoint. */
const commonErrors: readonly RestCode[] = ['UNAUTHORIZED', 'FORBIDDEN', 'SERVER_ERROR']

const writeErrors: readonly RestCode[] = ['VALIDATION_ERROR', 'IDEMPOTENCY_CONFLICT']

/** Descriptions of the groups; a group without one is described by its name. */
const groups: Readonly<Record<string, string>> = {
  'Account and key check': 'The account of the API key, its limits and the usage of its quotas.',
  Campaigns: 'Broadcast e-mails: content, schedule, audience, sending and statistics.',
  Contacts: 'Contacts with their marketing consent, tags, custom field values and sequences.',
  Tags: 'Labels for contacts.',
  'Custom fields': 'Contact fields that the account defines, and their values.',
  Forms: 'Forms and their submissions, read-only.',
}

const statusDescriptions: Readonly<Record<number, string>> = {
  200: 'Success',
  201: 'Created',
  400: 'The request is malformed',
  401: 'The key is missing, invalid or disabled',
  403: 'The key lacks a scope, or a quota is exceeded',
  404: 'The resource does not exist in this account',
  409: 'Conflict with an existing resource',
  413: 'The body is larger than 1 MiB',
  422: 'The input is invalid; see `error.details`',
  500: 'Unexpected server error; retry after a short delay',
}

/**
 * Returns the OpenAPI 3.1 document of `/v1`, built from the route tables. Its schemas are those with which the bridge parses
 * input and the contract tests check responses.
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
        'Marketing automation and sales. Every response except 429 has the envelope `{success, data}` or `{success, error}`.',
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
          description: 'An API key of the account. The scopes of an operation are those that the key needs.',
        },
      },
      headers: rateHeaders,
      schemas: { Meta: schemaOf(meta, 'output') },
      responses,
    },
  }
}

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' } })

const rateHeaders = {
  'X-RateLimit-Limit': integerHeader(
    'Maximum number of requests of the account per minute, for all its keys together.',
  ),
  'X-RateLimit-Remaining': integerHeader('Number of requests left in the current minute.'),
  'X-RateLimit-Reset': integerHeader('Seconds until the limit is reset.'),
  'Retry-After': integerHeader('Seconds to wait before the next request.'),
}

const rateLimitHeaderNames = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const refs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

const tooManyRequests = {
  description: 'The request limit of this minute is exceeded',
  headers: refs([...rateLimitHeaderNames, 'Retry-After']),
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

/** Adds the error responses of the route to `shared`, where routes with the same errors refer to the same entry. */
function operationOf(route: Route, shared: Record<string, Schema>): Schema {
  const isRead = route.method === 'GET'
  return {
    operationId: route.id,
    tags: [route.group],
    summary: route.summary,
    ...(route.description && { description: route.description }),
    security: [{ key: typeof route.scopes === 'function' ? [] : route.scopes }],
    ...(isRead ? parametersOf(route) : { ...bodyOf(route), parameters: [idempotency] }),
    responses: responsesOf(route, shared),
  }
}

const idempotency = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to repeat for 24 hours: repeated requests with the same key return the first response and change nothing.',
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
  const fields = Object.keys((schema as ObjectSchema).properties ?? {})
  const isPair = fields.includes('email') && fields.includes('contact_id')
  const either = { anyOf: [{ required: ['email'] }, { required: ['contact_id'] }] }
  // An empty body is read as an empty object.
  const required = !route.body.safeParse({}).success
  return { requestBody: { required, content: json(isPair ? { ...schema, ...either } : schema) } }
}

function responsesOf(route: Route, shared: Record<string, Schema>): Schema {
  const byStatus = new Map<number, Set<RestCode>>()
  const add = (status: number, code: RestCode) => {
    byStatus.set(status, (byStatus.get(status) ?? new Set<RestCode>()).add(code))
  }
  const isRead = route.method === 'GET'
  for (const code of [...commonErrors, ...(isRead ? [] : writeErrors), ...route.errors]) add(statusOf(code), code)
  for (const field of Object.values((isRead ? route.query : route.body).shape)) {
    const own = fieldErrorCodes.get(field as z.ZodType)
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
      description: statusDescriptions[route.status],
      headers: refs(rateLimitHeaderNames),
      content: json(successOf(route)),
    },
    ...Object.fromEntries(errors.map(([status, codes]) => [status, sharedFailure(status, [...codes].sort())])),
    429: { $ref: '#/components/responses/TooManyRequests' },
  }
}

function statusOf(code: RestCode): number {
  return Object.values(errorTable).find((row) => row.code === code)?.status ?? 500
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
    description: statusDescriptions[status],
    content: json({
      type: 'object',
      required: ['success', 'error'],
      properties: { success: { type: 'boolean', const: false }, error },
      additionalProperties: false,
    }),
  }
}

/** Converts a Zod schema to JSON schema. Schemas in `jsonSchemas` are replaced by their entry. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Schema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // The bounds of safe integers and the pattern of a date add nothing to the type.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) {
        delete jsonSchema.minimum
        delete jsonSchema.maximum
      }
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern
      const override = jsonSchemas.get(zodSchema as unknown as z.ZodType)
      if (!override) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      Object.assign(jsonSchema, override.schema)
    },
  })
  return json
}
