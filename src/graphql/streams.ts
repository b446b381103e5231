import { createSourceEventStream, type ExecutionResult, execute, GraphQLError, type GraphQLSchema } from 'graphql'
import { type Ctx, newCtx, type Scope, type System } from '../kernel/context.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { cursorOf, expired, type Source, type StampedEvent } from '../kernel/feed.ts'
import type { Limiter } from '../kernel/limiter.ts'
import type { Metrics } from '../kernel/metrics.ts'
import { boundOf, sizeOf } from './cost.ts'
import { bodyOf } from './door.ts'
import { shown } from './errors.ts'
import type { Ready } from './execute.ts'
import type { Request } from './request.ts'
import { resumeVariables } from './resume.ts'

/** Why a stream ended: its client went, or was too slow; its key is no longer good; its past is gone; we stop. */
export type Ending = 'left' | 'slow' | 'revoked' | 'expired' | 'stopping'

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
  const made = new WeakMap<StampedEvent, Made>()

  const tell = (event: StampedEvent, ready: Ready, request: Request, key: string): Promise<string> => {
    const known = made.get(event) ?? { contexts: new Map(), texts: new Map() }
    made.set(event, known)
    let text = known.texts.get(key)
    if (!text) {
      text = answer(event, ready, contextOf(known, system, request))
      known.texts.set(key, text)
    }
    return text
  }

  const answer = async (event: StampedEvent, ready: Ready, contextValue: Ctx): Promise<string> => {
    const { document, variables: variableValues, operationName } = ready
    const result = await execute({ schema, document, rootValue: event, contextValue, variableValues, operationName })
    cost.giveBack(contextValue.accountId, -sizeOf(result.data))
    return JSON.stringify(masked(result))
  }

  const masked = (result: ExecutionResult): ExecutionResult =>
    result.errors ? { ...result, errors: result.errors.map((error) => shown(error, system.log)) } : result

  return {
    subscribe: async (ready, request, door) => {
      const { document, variables: variableValues, operationName } = ready
      const { admitted, lastEventId } = request
      const contextValue = newCtx(system, admitted, { resumeAfter: lastEventId })
      const bound = boundOf({ schema, document, variableValues, contextValue })
      if (bound !== undefined && bound > cost.limit) {
        const message = `An event can cost ${bound} points; ${cost.limit} a minute are allowed. Ask for smaller pages or fewer lists.`
        return bodyOf(message, 'QUERY_TOO_COMPLEX')
      }
      const source = await createSourceEventStream({ schema, document, contextValue, variableValues, operationName })
      if (!(Symbol.asyncIterator in source)) return masked(source)
      const key = sharedBy(ready, admitted)
      const closed = metrics.stream(door)
      const stream = newStream(
        source as Source,
        (event) => tell(event, ready, request, key),
        (why) => {
          open.delete(stream)
          closed(why)
        },
      )
      open.set(stream, admitted)
      return stream
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

/** What was made of one event so far: contexts by scopes, answers by who shares them. */
interface Made {
  readonly contexts: Map<string, Ctx>
  readonly texts: Map<string, Promise<string>>
}

/** One fresh context for all that the same scopes may see of an event. */
function contextOf({ contexts }: Made, system: System, { admitted }: Request): Ctx {
  const { accountId, scopes } = admitted
  const key = scopesKey(scopes)
  let ctx = contexts.get(key)
  if (!ctx) {
    ctx = newCtx(system, { accountId, scopes })
    contexts.set(key, ctx)
  }
  return ctx
}

/** The same text for all who get the same answers. An event belongs to one account, so that need not be in it. */
function sharedBy({ text, document, operationName, variables }: Ready, { scopes }: Request['admitted']): string {
  const cursors = resumeVariables(document)
  const rest = Object.entries(variables).filter(([name]) => !cursors.has(name))
  return JSON.stringify([text, operationName, rest.sort(([a], [b]) => (a < b ? -1 : 1)), scopesKey(scopes)])
}

function scopesKey(scopes: readonly Scope[] | undefined): string {
  return scopes === undefined ? '*' : scopes.toSorted().join(' ')
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
    [Symbol.asyncIterator]: () => stream,
    next: async () => {
      const { done, value: event } = await source.next()
      if (done || isEnded) return { done: true, value: undefined }
      const text = await tell(event)
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
