import type { Plugin } from '@envelop/core'
import type { ExecutionArgs, GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Limiters } from '../../kernel/work/rate-limiter.ts'
import { toClientError } from '../schema/errors.ts'
import { newOperationGuard, newRequestBudget } from './budget.ts'
import { newCompiler } from './compiled-queries.ts'
import { isPlainResult, type Request } from './request.ts'

export type Yoga = ReturnType<typeof newYoga>

interface YogaOptions {
  readonly schema: GraphQLSchema
  readonly system: System
  readonly limiters: Limiters
  readonly log: Log
}

/** Creates the context in which an operation of a request is executed. */
export function newRequestCtx(system: System, request: Request): Request & Ctx {
  const { admitted, address, idempotencyKey, isFixedDocument, db = system.db } = request
  const ctx = newCtx(
    db === system.db ? system : { ...system, db },
    { ...admitted, address },
    { idempotencyKey, isFixedDocument, rows: newRequestBudget() },
  )
  return Object.assign(ctx, { admitted, isOwnDocument: request.isOwnDocument, reportsCosts: request.reportsCosts })
}

/**
 * Creates the Yoga server with the plugin that applies to every transport. Callers authenticate requests before they execute
 * them.
 */
export function newYoga(options: YogaOptions) {
  return createYoga<Request, Ctx>({
    schema: options.schema,
    plugins: [guardedExecution(options)] as never,
    // `documents.ts` parses and caches documents.
    parserAndValidationCache: false,
    // The plugin masks errors.
    maskedErrors: false,
    logging: false,
    landingPage: false,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    // All origins are allowed: the key is in a header that browsers do not send by themselves, and cookies are not used.
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    batching: false,
    multipart: false,
  })
}

/**
 * Executes an operation within its limits and cost, compiled if it is frequent. Masks its errors, and adds the remaining
 * requests of the minute to `extensions.rateLimit`. One plugin, because the hooks of each take longer than a small query.
 */
function guardedExecution({ schema, limiters, log }: YogaOptions): Plugin {
  const guard = newOperationGuard({ schema, cost: limiters.cost, log })
  const compiled = newCompiler(schema)
  return {
    onExecute: async ({ args, setExecuteFn, setResultAndStopExecution }) => {
      const executionArgs = args as ExecutionArgs
      const request = executionArgs.contextValue as Request & Ctx
      const admitted = await guard(executionArgs, request)
      if ('errors' in admitted) {
        setResultAndStopExecution(admitted)
        return undefined
      }
      const { operation, values, settle } = admitted
      const run = compiled(executionArgs.document, operation)
      if (run) setExecuteFn(() => run(executionArgs, values))
      return {
        onExecuteDone: ({ result, setResult }) => {
          if (!isPlainResult(result)) return
          const settled = settle(result)
          const { limit, remaining, resetSeconds } = request.admitted.requests
          setResult({
            ...settled,
            ...(settled.errors && { errors: settled.errors.map((error) => toClientError(error, log)) }),
            extensions: { ...settled.extensions, rateLimit: { limit, remaining, resetSeconds } },
          })
        },
      }
    },
  }
}
