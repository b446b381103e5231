import { createSourceEventStream, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { newCtx, type System } from '../../db/context.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import { cursorOf, expired, type Source, type StampedEvent } from '../../kernel/feed.ts'
import { holderOf } from '../../kernel/scopes.ts'
import type { Metrics } from '../../kernel/telemetry/metrics.ts'
import type { Limiter } from '../../kernel/work/rate-limiter.ts'
import { limits } from '../documents/limits.ts'
import type { PreparedOperation } from '../documents/prepared-operation.ts'
import { errorResult } from '../execution/admission.ts'
import { budgetExhausted, checkOperation, newRequestBudget, ofPlan } from '../execution/budget.ts'
import type { Request } from '../execution/request.ts'
import { toClientError } from '../schema/errors.ts'
import { BudgetExhausted, newEventResults, sharingKey } from './event-results.ts'
import { newStreamCounts, streamLimits } from './stream-limits.ts'

/**
 * Why a stream ended: the client unsubscribed (`left`), its source ended (`completed`), the client reads too slowly, the
 * account's cost points are used up (`spent`), the key was disabled or the session ended (`revoked`), the stream token expired
 * (`lapsed`), the events to resume after were deleted, or the server stops. Metrics use these words.
 */
export type EndReason = 'left' | 'completed' | 'slow' | 'spent' | 'revoked' | 'lapsed' | 'expired' | 'stopping'

/** The result of a subscription for one event, as JSON text, and the cursor after which to resume. */
interface StreamMessage {
  readonly text: string
  readonly cursor: string
}

/** The results of a subscription, one for each event. */
export interface Stream extends AsyncIterableIterator<StreamMessage> {
  return(): Promise<IteratorResult<StreamMessage>>
  /** Ends the stream from the server's side. */
  end(reason: EndReason): void
  /** Called once when the stream has ended, unless the client unsubscribed. */
  onEnd: ((reason: EndReason) => void) | undefined
  /** Seconds until the account has new cost points, if the stream ended because they are used up. */
  resetSeconds: number | undefined
}

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

/**
 * Creates the subscriptions of a process. Subscribers of one account with the same document, variables and scopes share
 * each execution; the cursor to resume after may differ.
 */
export function newStreams(options: {
  schema: GraphQLSchema
  system: System
  cost: Limiter
  metrics: Metrics
}): Streams {
  const { schema, system, cost, metrics } = options
  const open = new Map<Stream, StreamOwner>()
  const counts = newStreamCounts()
  const results = newEventResults({ schema, system, cost })

  const start = async (
    operation: PreparedOperation,
    request: Request,
    transport: string,
    uncount: () => void,
  ): Promise<Stream | ExecutionResult> => {
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
    if (!(Symbol.asyncIterator in source)) return maskErrors(source)
    const key = sharingKey(operation, admitted)
    const countEnd = metrics.stream(transport)
    const stream = newStream(
      source as Source,
      (event) => results.textOf(event, { operation, request, estimate: checked.estimate }, key),
      (reason) => {
        open.delete(stream)
        uncount()
        countEnd(reason)
      },
    )
    open.set(stream, { accountId, holder: holderOf(admitted) })
    return stream
  }

  const maskErrors = ({ errors = [] }: ExecutionResult): ExecutionResult => ({
    errors: errors.slice(0, limits.errors).map((error) => toClientError(error, system.log)),
  })

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

/** Returns the error for a stream whose events were deleted before it had read them. */
export function cursorExpired(): GraphQLError {
  return new GraphQLError(expired().message, { extensions: { code: 'CURSOR_EXPIRED' satisfies ErrorCode } })
}

function newStream(
  source: Source,
  execute: (event: StampedEvent) => Promise<string>,
  onFinish: (reason: EndReason) => void,
) {
  let isEnded = false
  const finish = (reason: EndReason) => {
    if (isEnded) return
    isEnded = true
    onFinish(reason)
    source.return()
    if (reason !== 'left') stream.onEnd?.(reason)
  }
  const stream: Stream = {
    onEnd: undefined,
    resetSeconds: undefined,
    [Symbol.asyncIterator]: () => stream,
    next: async () => {
      const { done, value: event } = await source.next()
      if (done) finish('completed')
      if (done || isEnded) return { done: true, value: undefined }
      let text: string
      try {
        text = await execute(event)
      } catch (error) {
        if (!(error instanceof BudgetExhausted)) throw error
        stream.resetSeconds = error.resetSeconds
        finish('spent')
        return { done: true, value: undefined }
      }
      if (isEnded) return { done: true, value: undefined }
      return { done: false, value: { text, cursor: cursorOf(event.position) } }
    },
    return: () => {
      finish('left')
      return Promise.resolve({ done: true, value: undefined })
    },
    end: finish,
  }
  source.onBreak = finish
  return stream
}
