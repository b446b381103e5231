import type { Plugin } from '@envelop/core'
import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import type { Ctx } from '../db/context.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import type { Limiter, Tally } from '../kernel/limiter.ts'
import type { Log } from '../kernel/log.ts'
import { newRowBudget, type RowBudget } from '../kernel/row-budget.ts'
import { limits } from './limits.ts'
import { type Operation, operationOf } from './operations.ts'
import { isPlainResult, type Request } from './request.ts'
import { coerceVariables } from './variables.ts'

/** How much of a minute's allowance an operation takes while it runs, at most: so many can run at once. */
const depositShare = 60

/** What the bridge's documents may load and show: they are fixed and known to be cheap, but what they list is the tenant's. */
const ownCeilings = { rows: 50_000, fields: 1_000_000 }

/** An operation that may be executed: its variables fit, and it is cheap enough for one request. */
export interface Checked {
  readonly operation: Operation
  /** The points that it is estimated to cost. */
  readonly estimate: number
}

/**
 * Checks an operation before anything of it is executed: coerces its variables, then estimates its cost for them.
 *
 * The result holds errors instead if the variables do not fit (BAD_REQUEST), if the estimate is above `mostPoints`
 * (QUERY_TOO_COMPLEX), or if the cost cannot be told (QUERY_TOO_COMPLEX, and it is logged).
 */
export function checkOperation(
  { schema, document, operationName, variableValues }: Omit<ExecutionArgs, 'contextValue'>,
  mostPoints: number,
  log: Log,
): Checked | { readonly errors: readonly GraphQLError[] } {
  try {
    const operation = operationOf(schema, document, operationName)
    const coerced = coerceVariables(operation.variables, variableValues ?? {})
    if ('errors' in coerced) return coerced
    const estimate = mostPoints === Number.POSITIVE_INFINITY ? 0 : operation.cost.bound(coerced.values)
    if (estimate <= mostPoints) return { operation, estimate }
    return refusal(
      `The document can cost ${estimate} points; ${mostPoints} are the most. Ask for smaller pages or fewer lists.`,
      { code: 'QUERY_TOO_COMPLEX' },
    )
  } catch (error) {
    log.error({ err: error }, 'the cost of a document cannot be told')
    return refusal('The cost of the document cannot be told, so it is not executed.', { code: 'QUERY_TOO_COMPLEX' })
  }
}

/** A budget for what one execution of a client's document may load and show. */
export function requestRows(): RowBudget {
  return newRowBudget(limits)
}

/** What is taken from an account's allowance before an operation runs. */
export function depositOf(estimate: number, limit: number): number {
  return Math.min(estimate, Math.ceil(limit / depositShare))
}

/** An account's own budget: the allowance of its plan, which is a share of the whole. */
export function ofPlan(tally: Tally, share: number): Tally {
  const limit = Math.ceil(tally.limit * share)
  const spent = tally.limit - tally.remaining
  return {
    limit,
    remaining: Math.max(limit - spent, 0),
    resetSeconds: tally.resetSeconds,
    isExceeded: tally.isExceeded || spent > limit,
  }
}

/** What a client is told whose cost points are used up. */
export function budgetSpent({ resetSeconds }: Pick<Tally, 'resetSeconds'>): { errors: GraphQLError[] } {
  const message = `The cost points of this minute are used up. Try again in ${resetSeconds} seconds.`
  return refusal(message, { code: 'RATE_LIMITED', retryAfterSeconds: resetSeconds })
}

/**
 * Guards each execution, the first of all plugins. Refuses variables that do not fit and documents that can cost too
 * much, before anything else looks at them. Any other operation takes a deposit while it runs, and is charged what its
 * answer really cost when it is done. Reports all in `extensions.cost`.
 *
 * Stops an execution that loads or shows more than `limits` allow: a query then has one error and no data; a mutation keeps
 * what it has, for its changes are made. The bridge's own documents are not charged, for their requests are counted.
 */
export function operationGuard(options: { schema: GraphQLSchema; cost: Limiter; log: Log }): Plugin<Request> {
  const { schema, cost, log } = options
  return {
    onExecute: async ({ args, setResultAndStopExecution }) => {
      const { document, operationName, variableValues } = args as ExecutionArgs
      const { isOwnDocument, admitted, rows } = args.contextValue as unknown as Request & Ctx
      const share = admitted.costShare ?? 1
      const limit = Math.ceil(cost.limit * share)
      const mostPoints = isOwnDocument ? Number.POSITIVE_INFINITY : Math.min(limits.points, limit)
      const checked = checkOperation({ schema, document, operationName, variableValues }, mostPoints, log)
      if ('errors' in checked) {
        setResultAndStopExecution(checked)
        return undefined
      }
      const { operation, estimate } = checked
      const isQuery = operation.definition.operation === 'query'
      if (isOwnDocument) {
        rows?.restart(ownCeilings)
        return {
          onExecuteDone: ({ result, setResult }) => {
            if (isPlainResult(result)) setResult(bounded(result, rows, isQuery))
          },
        }
      }
      const deposit = depositOf(estimate, limit)
      const tally = ofPlan(await cost.take(admitted.accountId, deposit), share)
      if (tally.isExceeded) {
        cost.giveBack(admitted.accountId, deposit)
        setResultAndStopExecution(budgetSpent(tally))
        return undefined
      }
      return {
        onExecuteDone: ({ result, setResult }) => {
          if (!isPlainResult(result)) return
          // What was loaded in vain was loaded nevertheless.
          const actual = Math.max(sizeOf(result.data), rows?.isExceeded() ? rows.loaded() : 0)
          cost.giveBack(admitted.accountId, deposit - actual)
          const remaining = Math.min(Math.max(tally.remaining + deposit - actual, 0), tally.limit)
          const figures = { requested: estimate, actual, remaining, limit: tally.limit }
          const answer = bounded(result, rows, isQuery)
          setResult({ ...answer, extensions: { ...answer.extensions, cost: figures } })
        },
      }
    },
  }
}

/** The result as a client may get it: without data if a query was stopped, and with few errors however many there are. */
export function bounded(result: ExecutionResult, rows: Ctx['rows'], isQuery: boolean): ExecutionResult {
  const { errors } = result
  if (!errors) return result
  if (isQuery && rows?.isExceeded()) {
    const stop = errors.find(
      ({ originalError }) => (originalError as { code?: unknown } | undefined)?.code === tooComplex,
    )
    if (stop) return { ...result, data: null, errors: [stop] }
  }
  if (errors.length <= limits.executionErrors) return result
  return { ...result, errors: errors.slice(0, limits.executionErrors) }
}

const tooComplex: ErrorCode = 'QUERY_TOO_COMPLEX'

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
