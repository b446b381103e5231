import type { Plugin } from '@envelop/core'
import type { GraphQLSchema } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { type Ctx, newCtx, type System } from '../kernel/context.ts'
import type { Limiters } from '../kernel/limiter.ts'
import type { Log } from '../kernel/log.ts'
import { compiled } from './compiled.ts'
import { costLimit } from './cost.ts'
import { shown } from './errors.ts'
import { documentLimits, tooManyTokens } from './limits.ts'
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
    context: (request) => newCtx(system, request.admitted, { idempotencyKey: request.idempotencyKey }),
    plugins: [...documentLimits(), namedErrors(log), compiled(), costLimit(limiters.cost), requestTally()] as never,
    maskedErrors: { maskError: (error) => shown(error, log) },
    logging: false,
    landingPage: false,
    graphqlEndpoint: '/graphql',
    graphiql: {
      title: 'Campanile',
      headers: JSON.stringify({ Authorization: 'Bearer <API key>' }, null, 2),
      shouldPersistHeaders: true,
      defaultQuery: '{\n  viewer {\n    accountName\n    email\n  }\n}\n',
    },
    // A whole editor: loaded when somebody wants to see it.
    renderGraphiQL: async (options) => (await import('@graphql-yoga/render-graphiql')).renderGraphiQL(options),
    // Keys travel in a header that no browser sends by itself, so any page may ask; cookies play no part.
    cors: { origin: '*', credentials: false, methods: ['GET', 'POST', 'OPTIONS'] },
    batching: false,
    multipart: false,
  })
}

/** Gives the errors of parsing and validation their codes, whichever door the document came through. */
function namedErrors(log: Log): Plugin {
  return {
    onParse:
      () =>
      ({ result, replaceParseResult }) => {
        if (!(result instanceof Error)) return
        const error = shown(result, log)
        if (tooManyTokens.test(error.message)) error.extensions['code'] = 'QUERY_TOO_COMPLEX'
        error.extensions['http'] = { status: 400 }
        replaceParseResult(error as never)
      },
    onValidate:
      () =>
      ({ valid, result, setResult }) => {
        if (!valid) setResult(result.map((error) => shown(error, log)))
      },
  }
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
