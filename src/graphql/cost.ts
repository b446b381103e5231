import type { Plugin } from '@envelop/core'
import { complexityFromQuery } from '@pothos/plugin-complexity'
import { type DocumentNode, GraphQLError, type GraphQLSchema } from 'graphql'
import type { Limiter } from '../kernel/limiter.ts'
import { isPlainResult, type Request } from './request.ts'

/**
 * The most that a document with these variables can cost: a point for each field, times as many rows as its lists can
 * have. Never rejects by itself.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  ctx: object,
): number {
  return complexityFromQuery(document as never, { schema, ctx, variables }).complexity
}

/**
 * Takes what a document can cost at most from the account's allowance before it runs, and gives back what it did not
 * need: lists are bounded high and mostly short. Reports both in `extensions.cost`. What the bridge asks on behalf of a
 * REST request is not counted: its documents are fixed, and known to be cheap.
 */
export function costLimit(allowance: Limiter): Plugin<Request> {
  return {
    onExecute: async ({ args, setResultAndStopExecution }) => {
      const request = args.contextValue as unknown as Request
      if (request.isOwnDocument) return undefined
      const requested = costOf(args.schema, args.document, args.variableValues ?? {}, args.contextValue as object)
      const { accountId } = request.admitted
      const tally = await allowance.take(accountId, requested)
      if (tally.isExceeded) {
        const message =
          requested > tally.limit
            ? `The document can cost ${requested} points; ${tally.limit} a minute are allowed. Ask for smaller pages or fewer lists.`
            : `The document can cost ${requested} points; ${tally.remaining} are left. Try again in ${tally.resetSeconds} seconds.`
        const code = requested > tally.limit ? 'QUERY_TOO_COMPLEX' : 'RATE_LIMITED'
        const extensions = { code, ...(code === 'RATE_LIMITED' && { retryAfterSeconds: tally.resetSeconds }) }
        allowance.giveBack(accountId, requested)
        setResultAndStopExecution({ errors: [new GraphQLError(message, { extensions })] })
        return undefined
      }
      return {
        onExecuteDone: ({ result, setResult }) => {
          if (!isPlainResult(result)) return
          const actual = Math.min(sizeOf(result.data), requested)
          allowance.giveBack(accountId, requested - actual)
          const remaining = Math.min(tally.remaining + requested - actual, tally.limit)
          setResult({
            ...result,
            extensions: { ...result.extensions, cost: { requested, actual, remaining, limit: tally.limit } },
          })
        },
      }
    },
  }
}

/** How many fields an answer has, in all of its objects. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let size = 0
  if (Array.isArray(value)) {
    for (const item of value) size += sizeOf(item)
    return size
  }
  for (const key in value) size += 1 + sizeOf((value as Record<string, unknown>)[key])
  return size
}
