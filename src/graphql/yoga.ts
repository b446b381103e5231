import type { Plugin } from '@envelop/core'
import type { GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import type { Limiters } from '../kernel/limiter.ts'
import type { Log } from '../kernel/log.ts'
import { compiledQueries } from './compiled-queries.ts'
import { newRequestBudget, operationGuard } from './cost.ts'
import { toClientError } from './errors.ts'
import { isPlainResult, type Request } from './request.ts'

export type Yoga = ReturnType<typeof newYoga>

/**
 * Creates the Yoga server with the plugins that apply to every transport: limits, cost and error masking. Callers
 * authenticate requests before they execute them.
 */
export function newYoga(options: { schema: GraphQLSchema; system: System; limiters: Limiters; log: Log }) {
  const { schema, system, limiters, log } = options
  return createYoga<Request, Ctx>({
    schema,
    context: ({ admitted, address, idempotencyKey, isFixedDocument }) =>
      newCtx(system, { ...admitted, address }, { idempotencyKey, isFixedDocument, rows: newRequestBudget() }),
    plugins: [operationGuard({ schema, cost: limiters.cost, log }), compiledQueries(), reportRateLimit()] as never,
    // `documents.ts` parses and caches documents.
    parserAndValidationCache: false,
    maskedErrors: { maskError: (error) => toClientError(error, log) },
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

/** Adds the remaining requests of the minute to `extensions.rateLimit` of every result. */
function reportRateLimit(): Plugin<Request> {
  return {
    onExecute: ({ args }) => ({
      onExecuteDone: ({ result, setResult }) => {
        if (!isPlainResult(result)) return
        const { limit, remaining, resetSeconds } = (args.contextValue as unknown as Request).admitted.requests
        setResult({ ...result, extensions: { ...result.extensions, rateLimit: { limit, remaining, resetSeconds } } })
      },
    }),
  }
}
