import { type ExecutionArgs, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import type { Ctx } from '../../db/context.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Limiter, Tally } from '../../kernel/work/rate-limiter.ts'
import { newRowBudget, type RowBudget, tooManyBytes } from '../../kernel/work/row-budget.ts'
import type { CostFormula } from '../cost/cost-formula.ts'
import { limits } from '../documents/limits.ts'
import { type Operation, operationOf } from '../documents/operations.ts'
import { coerceVariables } from '../documents/variables.ts'
import type { Request } from './request.ts'
import { largestField, type ResultSize, sizeOfResult } from './result-size.ts'

/** The deposit of a running operation is at most the minute's limit divided by this number. */
const depositDivisor = 60

/** Limits of the REST bridge's documents. They are fixed and known to be cheap, but the lists in them may be long. */
const bridgeLimits = { rows: 50_000, fields: 1_000_000, bytes: 64_000_000 }

/** Number of the dearest fields that are reported. */
const reportedFields = 10

/** A result of more bytes than are free costs one point more for each of these numbers of bytes. */
const [freeBytes, bytesPerPoint] = [100_000, 1_000]

/** An operation that passed the checks, with its estimated cost in points. */
interface CheckedOperation {
  readonly operation: Operation
  /** The coerced variables. */
  readonly values: Readonly<Record<string, unknown>>
  readonly estimate: number
}

/**
 * Checks an operation before its execution: coerces its variables, then estimates its cost.
 *
 * Returns errors if the variables are invalid (BAD_REQUEST), if the estimate exceeds `maxPoints` (QUERY_TOO_COMPLEX), or if
 * the cost cannot be computed (QUERY_TOO_COMPLEX, and logged).
 */
export function checkOperation(
  { schema, document, operationName, variableValues }: Omit<ExecutionArgs, 'contextValue'>,
  maxPoints: number,
  log: Log,
): CheckedOperation | { readonly errors: readonly GraphQLError[] } {
  try {
    const operation = operationOf(schema, document, operationName)
    const coerced = coerceVariables(document, operation.variables, variableValues ?? {})
    if ('errors' in coerced) return coerced
    const estimate = maxPoints === Number.POSITIVE_INFINITY ? 0 : operation.cost.bound(coerced.values)
    if (estimate <= maxPoints) return { operation, values: coerced.values, estimate }
    const fields = operation.cost.dearest(coerced.values, reportedFields)
    return refusal(
      `The document can cost ${estimate} points. The maximum is ${maxPoints}. Request smaller pages or fewer lists.`,
      { code: 'QUERY_TOO_COMPLEX', cost: { requested: estimate, limit: maxPoints, fields } },
    )
  } catch (error) {
    log.error({ err: error }, 'the cost of a document could not be computed')
    return refusal('The cost of the document could not be computed, so it was not executed.', {
      code: 'QUERY_TOO_COMPLEX',
    })
  }
}

/** Creates the row budget of one execution of a client's document. */
export function newRequestBudget(): RowBudget {
  return newRowBudget(limits)
}

/** Returns the points that are deducted before an operation runs. */
export function depositOf(estimate: number, limit: number): number {
  return Math.min(estimate, Math.ceil(limit / depositDivisor))
}

/** Reduces a tally of COST_LIMIT_PER_MINUTE to the share that the account's plan allows. */
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

/** Returns the error for an account whose cost points are used up. */
export function budgetExhausted({ resetSeconds }: Pick<Tally, 'resetSeconds'>): { errors: GraphQLError[] } {
  const message = `The cost points of this minute are used up. Try again in ${resetSeconds} seconds.`
  return refusal(message, { code: 'RATE_LIMITED', retryAfterSeconds: resetSeconds })
}

/** An operation that may run. */
interface AdmittedOperation extends Pick<CheckedOperation, 'operation' | 'values'> {
  /** Charges the operation, and returns what the client receives of its result. */
  settle(result: ExecutionResult): ExecutionResult
}

/**
 * Creates what checks and charges each execution. Refuses invalid variables and documents that can cost too much. Deducts a
 * deposit while an operation runs, and charges its actual cost at the end. Reports both in `extensions.cost`, on request with the
 * dearest fields.
 *
 * Stops an execution that loads or returns more than `limits` allow. A query then has one error and no data. A mutation
 * keeps its data, because its changes were made. The REST bridge's documents are not charged: their requests are counted.
 */
export function newOperationGuard(options: { schema: GraphQLSchema; cost: Limiter; log: Log }) {
  const { schema, cost, log } = options
  return async (
    { document, operationName, variableValues }: ExecutionArgs,
    { isOwnDocument, reportsCosts, admitted, rows }: Request & Pick<Ctx, 'rows'>,
  ): Promise<AdmittedOperation | { readonly errors: readonly GraphQLError[] }> => {
    const share = admitted.costShare ?? 1
    const limit = Math.ceil(cost.limit * share)
    const maxPoints = isOwnDocument ? Number.POSITIVE_INFINITY : Math.min(limits.points, limit)
    const checked = checkOperation({ schema, document, operationName, variableValues }, maxPoints, log)
    if ('errors' in checked) return checked
    const { operation, values, estimate } = checked
    const isQuery = operation.definition.operation === 'query'
    if (isOwnDocument) {
      rows?.restart(bridgeLimits)
      return { operation, values, settle: (result) => limitResult(result, rows, isQuery) }
    }
    const deposit = depositOf(estimate, limit)
    const tally = ofPlan(await cost.take(admitted.accountId, deposit), share)
    if (tally.isExceeded) {
      cost.release(admitted.accountId, deposit)
      return budgetExhausted(tally)
    }
    const settle = (result: ExecutionResult) => {
      const size = sizeOfResult(result.data)
      const actual = pointsOf(result.data, size, operation.cost, rows)
      cost.release(admitted.accountId, deposit - actual)
      const remaining = Math.min(Math.max(tally.remaining + deposit - actual, 0), tally.limit)
      const figures = {
        ...{ requested: estimate, actual, remaining, limit: tally.limit },
        ...(reportsCosts && { fields: operation.cost.dearest(values, reportedFields) }),
      }
      const limited = limitResult(result, rows, isQuery, size)
      return { ...limited, extensions: { ...limited.extensions, cost: figures } }
    }
    return { operation, values, settle }
  }
}

/**
 * Returns the points that a result costs: its objects, what fields cost that are more work than an object, and its bytes; or the
 * rows that a stopped execution loaded.
 */
export function pointsOf(
  data: unknown,
  { objects, bytes }: ResultSize,
  { extra }: CostFormula,
  rows: Ctx['rows'],
): number {
  const ofBytes = Math.ceil(Math.max(Math.min(bytes, limits.bytes) - freeBytes, 0) / bytesPerPoint)
  // A stopped execution has no data, but its rows were loaded.
  return Math.max(objects + Math.ceil(extra(data)) + ofBytes, rows?.isExceeded() ? rows.loaded() : 0)
}

/**
 * Limits the size and the errors of a result. Removes the data of a query that was stopped because it loaded too much, and of
 * any operation whose result is too large: it is shared by its aliases until it is written, so this takes no more memory.
 */
export function limitResult(
  result: ExecutionResult,
  rows: Ctx['rows'],
  isQuery: boolean,
  { bytes }: ResultSize = sizeOfResult(result.data),
): ExecutionResult {
  const { data } = result
  if (data && rows && bytes > rows.maxBytes()) {
    const what = `returns more than ${rows.maxBytes()} bytes, most of them in \`${largestField(data)}\``
    const error = tooManyBytes(isQuery ? what : `${what}, although its changes were made`)
    return { ...result, data: null, errors: [new GraphQLError(error.message, { originalError: error })] }
  }
  return limitErrors(result, rows, isQuery)
}

/** Limits the errors of a result. Removes the data of a query that was stopped because it loaded too much. */
function limitErrors(result: ExecutionResult, rows: Ctx['rows'], isQuery: boolean): ExecutionResult {
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

function refusal(message: string, extensions: { code: ErrorCode; retryAfterSeconds?: number; cost?: object }) {
  return { errors: [new GraphQLError(message, { extensions })] }
}
