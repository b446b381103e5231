import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import openApi from '../../rest-bridge/openapi.json' with { type: 'json' }
import { createRouteObjects, type RouteObjects } from '../rest/samples.ts'
import { newWorld, type Servers, type World } from '../rest/support.ts'

// A client that knows only the published document: it sends documented input and invalid input, and every response must
// match the document.

interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  pattern?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}
interface Operation {
  operationId: string
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema }> }>
}

const seed = 20_261_121

const operations = Object.entries(openApi.paths as unknown as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema({ ...openApi, $id: 'openapi' })

/** Returns the documented schema of a response with this status, or undefined. */
function answerOf({ responses }: Operation, status: number) {
  const response = responses[status]
  if (response?.$ref === undefined) return response
  const name = response.$ref.split('/').at(-1) as string
  return (openApi.components.responses as unknown as Operation['responses'])[name]
}

const validators = new Map<Schema | undefined, ValidateFunction>()

/** Returns the validator of a schema of the document, which is compiled once. */
function validatorOf(schema: Schema | undefined): ValidateFunction {
  const known = validators.get(schema)
  if (known) return known
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')))
  validators.set(schema, validate)
  return validate
}

/** Generates values that a schema allows. */
function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf))
  const { minimum = -2_147_483_648, maximum = 2_147_483_647, minLength = 0, maxLength = 60 } = schema
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: minimum, max: maximum })
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}), { maxLength: Math.min(schema.maxItems ?? 3, 3) })
    case 'object':
      return objectsOf(schema.properties ?? {}, schema.required ?? [])
    case 'string': {
      if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern))
      if (schema.format === 'email') return fc.emailAddress()
      if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
      return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(Math.max(minLength, 60), maxLength) })
    }
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

function objectsOf(properties: Record<string, Schema>, required: readonly string[]) {
  const shape = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valuesOf(each)]))
  return fc.record(shape, { requiredKeys: [...required] })
}

const junk = fc.oneof(
  fc.constantFrom('', ' ', '0', '-1', '1e9', 'null', '=1+1', "'; DROP TABLE contact; --", '\u0000', '\ud800', '🎈'),
  fc.constantFrom(null, -1, 1.5, 2 ** 53, [], {}, [null], { $gt: '' }, true),
  fc.jsonValue({ maxDepth: 2 }),
)

type Input = Record<string, unknown>

/** Generates requests of an operation: mostly valid, sometimes with one invalid value. */
function inputsOf(
  shape: { properties: Record<string, Schema>; required: string[] },
  own: RouteObjects,
): fc.Arbitrary<Input> {
  const ids = Object.entries(own).filter(([name]) => name in shape.properties)
  const good = fc
    .tuple(objectsOf(shape.properties, shape.required), fc.subarray(ids))
    .map(([input, known]) => ({ ...input, ...Object.fromEntries(known) }) as Input)
  const names = fc.constantFrom(...Object.keys(shape.properties), 'nonsense')
  const bad = fc.tuple(good, names, junk).map(([input, name, value]) => ({ ...input, [name]: value }))
  return fc.oneof({ weight: 3, arbitrary: good }, { weight: 2, arbitrary: bad })
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Defines a test of each operation of the document, which sends this number of requests. */
export function fuzzOperations(servers: Servers, perOperation: number): void {
  describe('the REST API by its OpenAPI document', () => {
    let world: World
    let own: RouteObjects
    beforeAll(async () => {
      world = await newWorld(servers, 'in-process')
      own = await createRouteObjects(world)
    })

    it.each(operations.map((each) => ({ id: each.operation.operationId, ...each })))(
      '$id returns documented responses',
      async ({ path, method, operation }) => {
        const body = operation.requestBody?.content['application/json']?.schema
        const parameters = (operation.parameters ?? []).filter((each) => each.in === 'query')
        const shape = body
          ? { properties: body.properties ?? {}, required: body.required ?? [] }
          : {
              properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
              required: parameters.flatMap(({ name, required }) => (required ? [name] : [])),
            }
        await fc.assert(
          fc.asyncProperty(inputsOf(shape, own), async (input) => {
            const query = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, asText(value)]))
            const response = await world.call(method.toUpperCase(), path, body ? { body: input } : { query })
            expect(response.status, JSON.stringify(response.body)).toBeLessThan(500)
            const output = answerOf(operation, response.status)
            expect(output, `a ${response.status}, of which the document says nothing`).toBeDefined()
            const schema = output?.content?.['application/json']?.schema
            const validate = validatorOf(schema)
            expect(validate(response.body) ? [] : validate.errors, JSON.stringify(response.body)).toEqual([])
          }),
          { numRuns: perOperation, seed },
        )
      },
    )
  })
}
