import {
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLSchema,
  getOperationAST,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { Context } from 'koa'
import { LRUCache } from 'lru-cache'
import type { Log } from '../../kernel/telemetry/log.ts'
import { networkOf } from '../../kernel/values/address.ts'
import type { Limiter, Tally } from '../../kernel/work/rate-limiter.ts'
import type { ConcurrencyLimiter } from '../../kernel/work/request-slots.ts'
import { limits } from '../documents/limits.ts'
import type { PreparedOperation } from '../documents/prepared-operation.ts'
import type { Executor } from '../execute.ts'
import { checkOperation } from '../execution/budget.ts'
import { readRequestParams } from './request-params.ts'

/** Maximum size of a document, in characters. Introspection queries of tools have about 2,000. */
const maxCharacters = 16_384

/** Maximum size of a request, in bytes. */
const maxBytes = 2 * maxCharacters

/** Size of the cache of responses, in characters. A response with the complete schema has about a million. */
const cacheCharacters = 16_000_000

/** An address has used up its introspection queries of this minute. */
class IntrospectionLimitError extends Error {
  override readonly name = 'IntrospectionLimitError'
  readonly tally: Tally

  constructor(tally: Tally) {
    super(`The limit without a key is ${tally.limit} requests per minute. Try again in ${tally.resetSeconds} seconds.`)
    this.tally = tally
  }
}

/**
 * Returns the response to an introspection query without a key, as JSON. Returns undefined for any other request, which needs a
 * key.
 *
 * **Throws** `IntrospectionLimitError`, which is sent as RATE_LIMITED.
 */
export type PublicIntrospection = (ctx: Context) => Promise<string | undefined>

/**
 * Serves introspection without a key, so that GraphiQL and code generators can read the schema. The schema is public and the same
 * for all clients, so each response is computed once. Queries are counted by address. Nothing but the schema is read.
 */
export function newPublicIntrospection(options: {
  schema: GraphQLSchema
  executor: Executor
  limiter: ConcurrencyLimiter
  /** Limit for each address. */
  perAddress: Limiter
  log: Log
}): PublicIntrospection {
  const { schema, executor, limiter, perAddress, log } = options
  const cache = new LRUCache<string, string>({ maxSize: cacheCharacters, sizeCalculation: (text) => text.length })
  const run = ({ document, operationName, variables: variableValues }: PreparedOperation): ExecutionResult => {
    const checked = checkOperation({ schema, document, operationName, variableValues }, limits.points, log)
    if ('errors' in checked) return checked
    return execute({ schema, document, operationName, variableValues }) as ExecutionResult
  }
  return async (ctx) => {
    const address = networkOf(ctx.ip)
    const read = await readRequestParams(ctx, maxBytes)
    if ('refusal' in read) return undefined
    const { query } = read.params
    if (typeof query !== 'string' || query.length > maxCharacters || !/__(schema|type)\b/.test(query)) return undefined
    const tally = await perAddress.take(`introspection ${address}`, 1)
    if (tally.isExceeded) throw new IntrospectionLimitError(tally)
    const operation = executor.prepare({ ...read.params, extensions: undefined })
    if ('refusal' in operation || !isIntrospection(schema, operation)) return undefined
    const key = JSON.stringify([operation.text, operation.operationName, operation.variables])
    const cached = cache.get(key)
    if (cached !== undefined) return cached
    const print = async () => {
      const text = JSON.stringify(run(operation))
      cache.set(key, text)
      return text
    }
    return limiter.run(address, print, ctx.res)
  }
}

/** Whether an operation reads the schema, and nothing else. */
function isIntrospection(schema: GraphQLSchema, { document, operationName }: PreparedOperation): boolean {
  const operation = getOperationAST(document, operationName)
  const alone = operation?.operation === 'query' && separateOperations(document)[operation.name?.value ?? '']
  if (!alone) return false
  const types = new TypeInfo(schema)
  let readsData = false
  const Field = ({ name }: FieldNode) => {
    const isOfSchema = name.value.startsWith('__') || types.getParentType()?.name.startsWith('__')
    if (!isOfSchema) readsData = true
  }
  visit(alone, visitWithTypeInfo(types, { Field }))
  return !readsData
}
