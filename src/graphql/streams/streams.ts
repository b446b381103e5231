import { createSourceEventStream, type ExecutionResult, type GraphQLSchema } from 'graphql'
import { newCtx, type System } from '../../db/context.ts'
import type { Source } from '../../kernel/feed.ts'
import { holderOf } from '../../kernel/scopes.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import type { Limiter } from '../../kernel/work/rate-limiter.ts'
import { limits } from '../documents/limits.ts'
import type { PreparedOperation } from '../documents/prepared-operation.ts'
import { errorResult } from '../execution/admission.ts'
import { budgetExhausted, checkOperation, newRequestBudget, ofPlan } from '../execution/budget.ts'
import type { Request } from '../execution/request.ts'
import { toClientError } from '../schema/errors.ts'
import { newEventResults, sharingKey } from './event-results.ts'
import { newStream, type Stream, type Subscription } from './stream.ts'
import { newStreamCounts, streamLimits } from './stream-limits.ts'

/** The account of a stream, and its key or session (`holderOf`). */
interface StreamOwner {
  readonly accountId: number
  readonly holder: string
}

/** All subscriptions of this process. */
export interface Streams {
  /** Starts a subscription. Returns its stream, or a result with errors. */
  subscribe(operation: PreparedOperation, request: Request, transport: string): Promise<Stream | ExecutionResult>
  /** Ends the streams of disabled keys and ended sessions. `findActive` returns the holders that are still active. */
  endRevoked(findActive: (owners: readonly StreamOwner[]) => Promise<ReadonlySet<string>>): Promise<void>
  /** Ends all streams. */
  stop(): void
}

interface StreamsOptions {
  readonly schema: GraphQLSchema
  readonly system: System
  readonly cost: Limiter
  readonly metrics: Metrics
}

/**
 * Creates the subscriptions of a process. Subscribers of one account with the same document, variables and scopes share
 * each execution; the cursor to resume after may differ.
 */
export function newStreams(options: StreamsOptions): Streams {
  const open = new Map<Stream, StreamOwner>()
  const counts = newStreamCounts()
  const subscribe = newSubscribe(options)

  const start = async (
    operation: PreparedOperation,
    request: Request,
    transport: string,
    uncount: () => void,
  ): Promise<Stream | ExecutionResult> => {
    const subscription = await subscribe(operation, request)
    if (!('source' in subscription)) return subscription
    const countEnd = options.metrics.stream(transport)
    const { token } = request.admitted
    const expiry = token && setTimeout(() => stream.end('lapsed'), token.expiresInMs)
    const stream = newStream(subscription, (reason) => {
      clearTimeout(expiry)
      open.delete(stream)
      uncount()
      countEnd(reason)
    })
    open.set(stream, { accountId: request.admitted.accountId, holder: holderOf(request.admitted) })
    return stream
  }

  return {
    subscribe: async (operation, request, transport) => {
      if (operation.text.length + JSON.stringify(operation.variables).length > streamLimits.characters) {
        const message = `A subscription and its variables can have ${streamLimits.characters} characters at most.`
        return errorResult(message, 'QUERY_TOO_COMPLEX')
      }
      const uncount = counts.add(request, operation.text)
      if (typeof uncount === 'string') return errorResult(uncount, 'RATE_LIMITED')
      let isStream = false
      try {
        const result = await start(operation, request, transport, uncount)
        isStream = Symbol.asyncIterator in result
        return result
      } finally {
        if (!isStream) uncount()
      }
    },
    endRevoked: async (findActive) => {
      if (open.size === 0) return
      const owners = new Map([...open.values()].map((owner) => [owner.holder, owner]))
      const active = await findActive([...owners.values()])
      for (const [stream, { holder }] of open) {
        // A stream that was opened meanwhile is checked the next time.
        if (owners.has(holder) && !active.has(holder)) stream.end('revoked')
      }
    },
    stop: () => {
      for (const stream of open.keys()) stream.end('stopping')
    },
  }
}

/** Creates what opens the source of a subscription, or returns a result with errors. */
function newSubscribe({ schema, system, cost }: StreamsOptions) {
  const results = newEventResults({ schema, system, cost })
  return async (operation: PreparedOperation, request: Request): Promise<Subscription | ExecutionResult> => {
    const { document, variables: variableValues, operationName } = operation
    const { admitted, lastEventId } = request
    const { costShare = 1, accountId } = admitted
    const maxPoints = Math.min(limits.points, Math.ceil(cost.limit * costShare))
    const checked = checkOperation({ schema, document, variableValues, operationName }, maxPoints, system.log)
    if ('errors' in checked) return checked
    const tally = ofPlan(await cost.take(accountId, 1), costShare)
    if (tally.isExceeded) return budgetExhausted(tally)
    const contextValue = newCtx(system, admitted, { resumeAfter: lastEventId, rows: newRequestBudget() })
    const source = await createSourceEventStream({ schema, document, contextValue, variableValues, operationName })
    if (!(Symbol.asyncIterator in source)) {
      return { errors: (source.errors ?? []).slice(0, limits.errors).map((error) => toClientError(error, system.log)) }
    }
    const key = sharingKey(operation, admitted)
    const subscribed = { operation, request, estimate: checked.estimate }
    return { source: source as Source, textOf: (event) => results.textOf(event, subscribed, key) }
  }
}
