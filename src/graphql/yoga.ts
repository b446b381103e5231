import type { Plugin } from '@envelop/core'
import type { GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { type Ctx, newCtx, type System } from '../db/context.ts'
import type { Limiters } from '../kernel/limiter.ts'
import type { Log } from '../kernel/log.ts'
import { compiled } from './compiled.ts'
import { operationGuard, requestRows } from './cost.ts'
import { shown } from './errors.ts'
import { isPlainResult, type Request } from './request.ts'

export type Yoga = ReturnType<typeof newYoga>

/**
 * The graph, ready to be asked through any door: HTTP, WebSocket, or the bridge in this process. All that guards it
 * (limits, cost, masking) hangs on the hooks that run behind every door; who asks is settled before, by admission.
 */
export function newYoga(options: { schema: GraphQLSchema; system: System; limiters: Limiters; log: Log }) {
  const { schema, system, limiters, log } = options
  return createYoga<Request, Ctx>({
    schema,
    context: ({ admitted, idempotencyKey, isFixedWrite }) =>
      newCtx(system, admitted, { idempotencyKey, isFixedWrite, rows: requestRows() }),
    plugins: [operationGuard({ schema, cost: limiters.cost, log }), compiled(), requestTally()] as never,
    // Documents are read by `documents.ts`, which keeps them by their size.
    parserAndValidationCache: false,
    maskedErrors: { maskError: (error) => shown(error, log) },
    logging: false,
    landingPage: false,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    // Keys travel in a header that no browser sends by itself, so any page may ask; cookies play no part.
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    batching: false,
    multipart: false,
  })
}

/** Tells every answer how many requests are left. */
function requestTally(): Plugin<Request> {
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
