import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import { LRUCache } from 'lru-cache'
import pLimit from 'p-limit'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import type { StampedEvent } from '../../kernel/feed.ts'
import type { Scope } from '../../kernel/scopes.ts'
import type { Log } from '../../kernel/telemetry/log.ts'
import type { Limiter } from '../../kernel/work/rate-limiter.ts'
import { limits } from '../documents/limits.ts'
import { operationOf } from '../documents/operations.ts'
import type { PreparedOperation } from '../documents/prepared-operation.ts'
import { depositOf, limitResult, newRequestBudget, ofPlan, pointsOf } from '../execution/budget.ts'
import type { Request } from '../execution/request.ts'
import { sizeOfResult } from '../execution/result-size.ts'
import { toClientError } from '../schema/errors.ts'
import { resumeVariables } from './resume.ts'

/** Number of executions that run at the same time in this process. */
const maxRunning = 8

/** Size of the result cache: bytes of all results, and number of events. */
const cacheLimits = { bytes: 64_000_000, events: 1_000 }

/** An open subscription, and the estimated cost of executing it for one event. */
interface EventSubscription {
  readonly operation: PreparedOperation
  readonly request: Request
  readonly estimate: number
}

/** The account's cost points are used up, so the subscription was not executed for an event. */
export class BudgetExhausted extends Error {
  readonly resetSeconds: number

  constructor(resetSeconds: number) {
    super('The cost points of this minute are used up.')
    this.resetSeconds = resetSeconds
  }
}

interface EventResultsOptions {
  readonly schema: GraphQLSchema
  readonly system: System
  readonly cost: Limiter
}

/** Executes subscriptions for events. */
interface EventResults {
  /** Returns the result as JSON text. Subscriptions with the same key share it. Rejects with BudgetExhausted. */
  textOf(event: StampedEvent, subscribed: EventSubscription, key: string): Promise<string>
}

/**
 * Executes each different subscription once for each event. A few executions run at a time, each starting in its own turn
 * of the event loop. Executions for one event with the same scopes run one after another and share their loaders. Each is
 * charged to the account's cost points.
 */
export function newEventResults(options: EventResultsOptions): EventResults {
  const limit = pLimit(maxRunning)
  const cache = newResultCache()
  return {
    textOf: (event, subscription, key) => {
      const results = cache.of(event)
      const cached = results.texts.get(key)
      if (cached) return cached
      const shared = sharedExecutionOf(results, options.system, subscription.request)
      const previous = shared.last
      const text = previous
        .catch(() => undefined)
        .then(() => limit(() => inNextTurn(() => executeFor(subscription, event, shared.ctx, options))))
      shared.last = text
      results.texts.set(key, text)
      // The cache of results keeps the context. Without this, it would keep the rows of its executions as well.
      const clearRows = () => {
        if (shared.last === text) shared.ctx.load.clear()
      }
      text.then(clearRows, clearRows)
      text.then(
        ({ length }) => cache.grow(event, results, 2 * length),
        // A failed execution can be repeated, for example with the cost points of the next minute.
        () => results.texts.delete(key),
      )
      return text
    },
  }
}

/** Executes a subscription for an event, and charges it to the account. Returns the result as JSON text. */
async function executeFor(
  { operation, request, estimate }: EventSubscription,
  event: StampedEvent,
  ctx: Ctx,
  { schema, system, cost }: EventResultsOptions,
): Promise<string> {
  const { accountId, costShare = 1 } = request.admitted
  const deposit = depositOf(estimate, Math.ceil(cost.limit * costShare))
  const tally = ofPlan(await cost.take(accountId, deposit), costShare)
  if (tally.isExceeded) {
    cost.release(accountId, deposit)
    throw new BudgetExhausted(tally.resetSeconds)
  }
  ctx.rows?.restart(limits)
  const { document, variables: variableValues, operationName } = operation
  const result = await execute({
    ...{ schema, document, variableValues, operationName },
    rootValue: event,
    contextValue: ctx,
  })
  const size = sizeOfResult(result.data)
  const { cost: formula } = operationOf(schema, document, operationName)
  cost.release(accountId, deposit - pointsOf(result.data, size, formula, ctx.rows))
  return JSON.stringify(maskErrors(limitResult(result, ctx.rows, true, size), system.log))
}

/** Starts work in its own turn of the event loop, so that a burst of events does not block other work. */
async function inNextTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  await nextTurn()
  return work()
}

function maskErrors(result: ExecutionResult, log: Log): ExecutionResult {
  return result.errors ? { ...result, errors: result.errors.map((error) => toClientError(error, log)) } : result
}

/** The results of one event so far. */
interface ResultsOfEvent {
  readonly executions: Map<string, SharedExecution>
  readonly texts: Map<string, Promise<string>>
  bytes: number
}

/** Executions of one event with the same scopes, which run one after another and share a context. */
interface SharedExecution {
  readonly ctx: Ctx
  last: Promise<unknown>
}

/** Creates the cache of the results of the latest events. */
function newResultCache() {
  const cache = new LRUCache<StampedEvent, ResultsOfEvent>({ max: cacheLimits.events, maxSize: cacheLimits.bytes })
  return {
    of: (event: StampedEvent): ResultsOfEvent => {
      const results = cache.get(event) ?? { executions: new Map(), texts: new Map(), bytes: 1 }
      if (!cache.has(event)) cache.set(event, results, { size: 1 })
      return results
    },
    /** Adds the bytes of a text to the size of the results of an event. */
    grow: (event: StampedEvent, results: ResultsOfEvent, bytes: number): void => {
      results.bytes += bytes
      // The size is capped: an entry that exceeds the cache would be dropped, and executed again by each subscriber.
      if (cache.has(event)) cache.set(event, results, { size: Math.min(results.bytes, cacheLimits.bytes / 8) })
    },
  }
}

function sharedExecutionOf({ executions }: ResultsOfEvent, system: System, { admitted }: Request): SharedExecution {
  const { accountId, scopes } = admitted
  const key = scopesKey(scopes)
  const shared = executions.get(key) ?? {
    ctx: newCtx(system, { accountId, scopes }, { rows: newRequestBudget() }),
    last: Promise.resolve(),
  }
  executions.set(key, shared)
  return shared
}

/** Returns a key that is equal for subscriptions with equal results. The account is not part of it: an event has only one. */
export function sharingKey(
  { text, document, operationName, variables }: PreparedOperation,
  { scopes }: Request['admitted'],
): string {
  const cursors = resumeVariables(document)
  const rest = Object.entries(variables).filter(([name]) => !cursors.has(name))
  return JSON.stringify([text, operationName, rest.sort(([a], [b]) => (a < b ? -1 : 1)), scopesKey(scopes)])
}

function scopesKey(scopes: readonly Scope[] | undefined): string {
  return scopes === undefined ? '*' : scopes.toSorted().join(' ')
}
