import { createSourceEventStream, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql'
import { newCtx, type System } from '../db/context.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { cursorOf, expired, type Source, type StampedEvent } from '../kernel/feed.ts'
import type { Limiter } from '../kernel/limiter.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { budgetSpent, checkOperation, ofPlan, requestRows } from './cost.ts'
import { bodyOf } from './door.ts'
import { shown } from './errors.ts'
import { BudgetSpent, newEventAnswers, sharedBy } from './event-answers.ts'
import type { Ready } from './execute.ts'
import { limits } from './limits.ts'
import type { Request } from './request.ts'
import { newStreamCounts, streamLimits } from './stream-limits.ts'

/**
 * Why a stream ended: its client left, or was too slow; the account's cost points are used up; its key is disabled; its
 * past is no longer kept; the server stops.
 */
export type Ending = 'left' | 'slow' | 'spent' | 'revoked' | 'expired' | 'stopping'

/** What the client is told of one event: the answer as JSON text, and the cursor after which to resume. */
export interface Told {
  readonly text: string
  readonly cursor: string
}

/** The answers to a subscription, one for each event. */
export interface Stream extends AsyncIterableIterator<Told> {
  return(): Promise<IteratorResult<Told>>
  /** Ends it from our side. */
  end(why: Ending): void
  /** Called once when it has ended for another reason than that its client left. */
  onEnd: ((why: Ending) => void) | undefined
  /** If it ended because cost points are used up: the seconds until there are new ones. */
  resetSeconds: number | undefined
}

/** Whose stream it is. */
type Holder = Pick<Request['admitted'], 'accountId' | 'keyId'>

/** All subscriptions of this process. */
export interface Streams {
  /** Begins one for a document that is valid; the answer is a stream, or one result that says why not. */
  subscribe(ready: Ready, request: Request, door: string): Promise<Stream | ExecutionResult>
  /** Ends those whose key is no longer good: `live` answers the ids of those that are. */
  endRevoked(live: (holders: readonly Holder[]) => Promise<ReadonlySet<number>>): Promise<void>
  /** Ends all. */
  stop(): void
}

/**
 * Subscriptions, executed once for all who ask the same: subscribers of one account with the same document, variables and
 * scopes get the same text, made once for each event. Where only the cursor to resume after differs, they ask the same.
 * Everything that is made of one event reads through one set of loaders.
 */
export function newStreams(options: {
  schema: GraphQLSchema
  system: System
  cost: Limiter
  metrics: Metrics
}): Streams {
  const { schema, system, cost, metrics } = options
  const open = new Map<Stream, Holder>()
  const counts = newStreamCounts()
  const answers = newEventAnswers({ schema, system, cost })

  const begin = async (
    ready: Ready,
    request: Request,
    door: string,
    uncount: () => void,
  ): Promise<Stream | ExecutionResult> => {
    const { document, variables: variableValues, operationName } = ready
    const { admitted, lastEventId } = request
    const { costShare = 1, accountId } = admitted
    const mostPoints = Math.min(limits.points, Math.ceil(cost.limit * costShare))
    const checked = checkOperation({ schema, document, variableValues, operationName }, mostPoints, system.log)
    if ('errors' in checked) return checked
    const tally = ofPlan(await cost.take(accountId, 1), costShare)
    if (tally.isExceeded) return budgetSpent(tally)
    const contextValue = newCtx(system, admitted, { resumeAfter: lastEventId, rows: requestRows() })
    const source = await createSourceEventStream({ schema, document, contextValue, variableValues, operationName })
    if (!(Symbol.asyncIterator in source)) return masked(source)
    const key = sharedBy(ready, admitted)
    const closed = metrics.stream(door)
    const stream = newStream(
      source as Source,
      (event) => answers.textOf(event, { ready, request, estimate: checked.estimate }, key),
      (why) => {
        open.delete(stream)
        uncount()
        closed(why)
      },
    )
    open.set(stream, admitted)
    return stream
  }

  const masked = ({ errors = [] }: ExecutionResult): ExecutionResult => ({
    errors: errors.slice(0, limits.errors).map((error) => shown(error, system.log)),
  })

  return {
    subscribe: async (ready, request, door) => {
      if (ready.text.length + JSON.stringify(ready.variables).length > streamLimits.characters) {
        const message = `A subscription and its variables can have ${streamLimits.characters} characters at most.`
        return bodyOf(message, 'QUERY_TOO_COMPLEX')
      }
      const uncount = counts.enter(request, ready.text)
      if (typeof uncount === 'string') return bodyOf(uncount, 'RATE_LIMITED')
      let isStream = false
      try {
        const answer = await begin(ready, request, door, uncount)
        isStream = Symbol.asyncIterator in answer
        return answer
      } finally {
        if (!isStream) uncount()
      }
    },
    endRevoked: async (live) => {
      if (open.size === 0) return
      const holders = new Map([...open.values()].map((holder) => [holder.keyId, holder]))
      const good = await live([...holders.values()])
      for (const [stream, { keyId }] of open) {
        // One that was opened meanwhile is looked at the next time.
        if (holders.has(keyId) && !good.has(keyId)) stream.end('revoked')
      }
    },
    stop: () => {
      for (const stream of open.keys()) stream.end('stopping')
    },
  }
}

/** What a client hears whose cursor has become too old while it was read. */
export function cursorExpired(): GraphQLError {
  return new GraphQLError(expired().message, { extensions: { code: 'CURSOR_EXPIRED' satisfies ErrorCode } })
}

function newStream(source: Source, tell: (event: StampedEvent) => Promise<string>, leave: (why: Ending) => void) {
  let isEnded = false
  const finish = (why: Ending) => {
    if (isEnded) return
    isEnded = true
    leave(why)
    source.return()
    if (why !== 'left') stream.onEnd?.(why)
  }
  const stream: Stream = {
    onEnd: undefined,
    resetSeconds: undefined,
    [Symbol.asyncIterator]: () => stream,
    next: async () => {
      const { done, value: event } = await source.next()
      if (done || isEnded) return { done: true, value: undefined }
      let text: string
      try {
        text = await tell(event)
      } catch (error) {
        if (!(error instanceof BudgetSpent)) throw error
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
