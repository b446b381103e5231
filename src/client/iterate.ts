import { backOff } from './back-off.ts'
import type { Connect, Key, Result } from './connection.ts'
import { type Fault, faultsToError, SubscriptionError } from './errors.ts'
import { overWebSocket } from './socket.ts'
import { overSse } from './sse.ts'

/** One event, handed over once. */
export interface Delivery<Event> {
  /** What the document selects of the subscription's root field. */
  readonly event: Event
  /** Where to resume: store it with what the event made you do. */
  readonly cursor: string
  /** What could not be read of the event, such as a field that the key has no scope for; empty as a rule. */
  readonly errors: readonly Fault[]
}

/** A connection that was lost, and when the next one is tried. */
export interface Resume {
  /** After which event it goes on. */
  readonly after: string | undefined
  readonly cause: SubscriptionError
  /** 1 for the first attempt since an event or a long quiet connection. */
  readonly attempt: number
  readonly waitMs: number
}

export interface FollowOptions {
  /** The address of `/graphql`, as `http(s)` or `ws(s)`; in a browser its path will do. */
  url: string | URL
  /** The API key; a function is asked before each connection. */
  key: Key
  /** A subscription that declares `$after: String`, gives it to its root field and selects `cursor` there. */
  query: string
  variables?: Readonly<Record<string, unknown>>
  /** `ws` where absent. Over `sse` it is plain HTTP. */
  transport?: 'ws' | 'sse'
  /** The cursor of the last event that was dealt with; where absent, what happens from now on is delivered. */
  after?: string | undefined
  /** Told each time that a connection is lost and tried again. */
  onResume?: (resume: Resume) => void
  /** How many events may wait for a slow reader before the connection is closed until it has read them. 1,000 where absent. */
  bufferSize?: number
  /** For runtimes without a WebSocket of their own, such as Node 20: the constructor of the package `ws`. */
  webSocket?: unknown
  /** Another rule of how long to wait before an attempt, in milliseconds; half a second to half a minute where absent. */
  backOff?: (cause: SubscriptionError, attempt: number) => number
  /** Another `fetch` for `sse`. */
  fetch?: typeof fetch
}

/** Events in order, each once, over as many connections as that takes. */
export interface Following<Event> extends AsyncIterableIterator<Delivery<Event>, undefined, undefined> {
  /**
   * Where the subscription begins, as soon as the server told it: what happens from then on is delivered. What happened in
   * the second before may come too.
   */
  readonly started: Promise<string>
  /** The same, as far as it is known by now. */
  start(): string | undefined
  /** The cursor of the last event that was handed over, or where the subscription began. */
  cursor(): string | undefined
  /** Ends the subscription; events that wait are dropped. */
  close(): void
  return(): Promise<IteratorReturnResult<undefined>>
}

/** How many cursors are remembered to recognise a repeat by. */
const remembered = 2_000

/** A connection that stood this long was a good one: the next failure is a first failure. */
const steadyMs = 10_000

/**
 * Follows a subscription: `for await (const { event, cursor } of iterate({ … }))`. The loop ends when it is left or closed.
 *
 * A connection that is lost is opened again, after a wait that grows and is never the same twice, and goes on after the
 * last event that arrived: nothing is missed and nothing comes twice. A loop that is slower than the events holds up to
 * `bufferSize` of them; then the connection is closed until they are read.
 *
 * The loop throws a `SubscriptionError` when trying again would not help: UNAUTHORIZED, FORBIDDEN, CURSOR_EXPIRED,
 * CURSOR_MISSING (no `cursor` in the root field), or the server's code for a document that is wrong. It throws
 * NOT_RESUMABLE at once where the document does not use `$after`, and NO_WEBSOCKET where the runtime has none.
 */
export function iterate<Event = Readonly<Record<string, unknown>>>(options: FollowOptions): Following<Event> {
  const { query, bufferSize = 1_000 } = options
  mustTakeCursor(query)
  const connect: Connect = options.transport === 'sse' ? overSse(options) : overWebSocket(options)
  const waiting: Delivery<Event>[] = []
  const readers: { resolve(result: IteratorResult<Delivery<Event>, undefined>): void; reject(error: unknown): void }[] =
    []
  const seen = new Set(options.after === undefined ? [] : [options.after])
  let start = options.after
  let received = start
  let handedOver = start
  let disconnect: (() => void) | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isPaused = false
  let attempt = 0
  let end: { error?: SubscriptionError } | undefined
  const started = deferred<string>()
  if (start !== undefined) started.resolve(start)

  function open() {
    const openedAt = Date.now()
    const listen = (take: (result: Result) => void) => ({
      result: take,
      end: (error: SubscriptionError) => {
        if (Date.now() - openedAt >= steadyMs) attempt = 0
        resumeAfter(error)
      },
    })
    disconnect =
      received === undefined
        ? connect({ query: '{ eventCursor }', variables: {} }, listen(begin))
        : connect({ query, variables: { ...options.variables, after: received } }, listen(take))
  }

  /** Without a cursor a connection that is lost before its first event would lose events: so one is asked for first. */
  function begin({ data, errors = [] }: Result) {
    const cursor = data?.['eventCursor']
    disconnect?.()
    if (typeof cursor !== 'string') return resumeAfter(faultsToError(errors))
    start = cursor
    received = cursor
    handedOver = cursor
    remember(cursor)
    started.resolve(cursor)
    open()
  }

  function take({ data, errors = [] }: Result) {
    const event = Object.values(data ?? {})[0] as Event | null | undefined
    if (event === null || event === undefined) {
      disconnect?.()
      return resumeAfter(faultsToError(errors))
    }
    const { cursor } = event as { cursor?: unknown }
    if (typeof cursor !== 'string') {
      return finish(new SubscriptionError('CURSOR_MISSING', 'The root field of the document must select `cursor`.'))
    }
    if (seen.has(cursor)) return
    remember(cursor)
    attempt = 0
    received = cursor
    const delivery = { event, cursor, errors }
    const reader = readers.shift()
    if (reader) {
      handedOver = cursor
      reader.resolve({ done: false, value: delivery })
      return
    }
    waiting.push(delivery)
    if (waiting.length >= bufferSize) {
      isPaused = true
      disconnect?.()
    }
  }

  function remember(cursor: string) {
    seen.add(cursor)
    if (seen.size <= remembered) return
    for (const oldest of seen) {
      seen.delete(oldest)
      break
    }
  }

  function resumeAfter(cause: SubscriptionError) {
    if (end || isPaused) return
    if (cause.isFinal) return finish(cause)
    attempt += 1
    const waitMs = (options.backOff ?? backOff)(cause, attempt)
    timer = setTimeout(open, waitMs)
    options.onResume?.({ after: received, cause, attempt, waitMs })
  }

  function finish(error?: SubscriptionError) {
    if (end) return
    end = error ? { error } : {}
    clearTimeout(timer)
    disconnect?.()
    started.reject(error ?? new SubscriptionError('CLOSED', 'The subscription was closed before it began.'))
    for (const reader of readers.splice(0)) settle(reader)
  }

  /** The end of the loop; an error is thrown once, to one reader. */
  function settle(reader: (typeof readers)[number]) {
    const error = end?.error
    end = {}
    if (error) reader.reject(error)
    else reader.resolve({ done: true, value: undefined })
  }

  function next(): Promise<IteratorResult<Delivery<Event>, undefined>> {
    const delivery = waiting.shift()
    if (delivery) handedOver = delivery.cursor
    if (isPaused && !end && waiting.length * 2 <= bufferSize) {
      isPaused = false
      options.onResume?.({
        after: received,
        cause: new SubscriptionError('BUFFER_FULL', 'The reader was slow.'),
        attempt: 1,
        waitMs: 0,
      })
      open()
    }
    if (delivery) return Promise.resolve({ done: false, value: delivery })
    return new Promise((resolve, reject) => {
      if (end) settle({ resolve, reject })
      else readers.push({ resolve, reject })
    })
  }

  function close() {
    waiting.length = 0
    finish()
  }

  open()
  return {
    started: started.promise,
    start: () => start,
    cursor: () => handedOver,
    close,
    next,
    return: () => {
      close()
      return Promise.resolve({ done: true, value: undefined })
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** A document that does not take the cursor would begin anew with each connection, and lose what happened in between. */
function mustTakeCursor(query: string) {
  if (/\$after\s*:\s*String\b/.test(query) && /\bafter\s*:\s*\$after\b/.test(query)) return
  throw new SubscriptionError(
    'NOT_RESUMABLE',
    'The document must declare `$after: String` and give it to its root field, as in `subscription ($after: String) { events(after: $after) { cursor } }`.',
  )
}

function deferred<Value>() {
  const settle = {} as { resolve(value: Value): void; reject(error: unknown): void }
  const promise = new Promise<Value>((resolve, reject) => Object.assign(settle, { resolve, reject }))
  // Whoever does not wait for it hears of the failure elsewhere.
  promise.catch(() => undefined)
  return { promise, ...settle }
}
