import type { Plugin } from '@envelop/core'
import { complexityFromQuery } from '@pothos/plugin-complexity'
import { type DocumentNode, type ExecutionArgs, GraphQLError, type GraphQLSchema } from 'graphql'
import type { ErrorCode } from '../kernel/errors.ts'
import type { Limiter } from '../kernel/limiter.ts'
import { isPlainResult, type Request } from './request.ts'

/**
 * The most that a document with these variables can cost: a point for each field, times as many rows as its lists can
 * have. Throws where the variables do not fit the document.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  ctx: object,
): number {
  return complexityFromQuery(document as never, { schema, ctx, variables }).complexity
}

/** How much of a minute's allowance a document takes while it runs, at most: so many can run at once. */
const depositShare = 60

/**
 * Refuses a document that can cost more than a minute's allowance. Any other one takes a deposit while it runs, and is
 * charged what it really cost when it is done: lists are bounded high and mostly short. Reports all in `extensions.cost`.
 * What the bridge asks on behalf of a REST request is not counted: its documents are fixed, and known to be cheap.
 */
export function costLimit(allowance: Limiter): Plugin<Request> {
  return {
    onExecute: async ({ args, setResultAndStopExecution }) => {
      const request = args.contextValue as unknown as Request
      if (request.isOwnDocument) return undefined
      const requested = boundOf(args as ExecutionArgs)
      // Variables that do not fit: executing says so, and does nothing else.
      if (requested === undefined) return undefined
      const { accountId } = request.admitted
      if (requested > allowance.limit) {
        const message = `The document can cost ${requested} points; ${allowance.limit} a minute are allowed. Ask for smaller pages or fewer lists.`
        setResultAndStopExecution(refusal(message, { code: 'QUERY_TOO_COMPLEX' }))
        return undefined
      }
      const deposit = Math.min(requested, Math.ceil(allowance.limit / depositShare))
      const tally = await allowance.take(accountId, deposit)
      if (tally.isExceeded) {
        allowance.giveBack(accountId, deposit)
        const message = `The cost points of this minute are used up. Try again in ${tally.resetSeconds} seconds.`
        setResultAndStopExecution(refusal(message, { code: 'RATE_LIMITED', retryAfterSeconds: tally.resetSeconds }))
        return undefined
      }
      return {
        onExecuteDone: ({ result, setResult }) => {
          if (!isPlainResult(result)) return
          const actual = Math.min(sizeOf(result.data), requested)
          allowance.giveBack(accountId, deposit - actual)
          const remaining = Math.min(Math.max(tally.remaining + deposit - actual, 0), tally.limit)
          const cost = { requested, actual, remaining, limit: tally.limit }
          setResult({ ...result, extensions: { ...result.extensions, cost } })
        },
      }
    },
  }
}

/** The same bound, or nothing where the variables do not fit. */
export function boundOf({
  schema,
  document,
  variableValues,
  contextValue,
}: Pick<ExecutionArgs, 'schema' | 'document' | 'variableValues' | 'contextValue'>): number | undefined {
  try {
    return costOf(schema, document, variableValues ?? {}, contextValue as object)
  } catch {
    return undefined
  }
}

function refusal(message: string, extensions: { code: ErrorCode; retryAfterSeconds?: number }) {
  return { errors: [new GraphQLError(message, { extensions })] }
}

/** How many fields an answer has, in all of its objects. */
export function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let size = 0
  if (Array.isArray(value)) {
    for (const item of value) size += sizeOf(item)
    return size
  }
  for (const key in value) size += 1 + sizeOf((value as Record<string, unknown>)[key])
  return size
}
