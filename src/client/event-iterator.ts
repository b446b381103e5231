import { isLiveList } from './document.ts'
import { connectionLost, type GraphQLFormattedError, SubscriptionError, toSubscriptionError } from './errors.ts'
import type { Connect, ExecutionResult } from './transports/connection.ts'

/** An event of a subscription. */
export interface SubscriptionEvent<Event> {
  /** The selection of the root field. */
  readonly event: Event
  /** Position of the event. Store it after the event is processed, and pass it as `after` to resume. */
  readonly cursor: string
  /** The whole result, for caches: the event under the name of the root field or its alias. */
  readonly data: Readonly<Record<string, unknown>>
  /** Errors of fields that could not be read, such as fields outside the key's scopes. Usually empty. */
  readonly errors: readonly GraphQLFormattedError[]
}

/** Describes a lost connection and the next attempt. */
export interface ResumeInfo {
  /** Cursor after which the subscription resumes. Undefined before the subscription has started. */
  readonly after: string | undefined
  readonly cause: SubscriptionError
  /** Number of the attempt. Starts at 1 again after an event, or after a connection of 10 seconds. */
  readonly attempt: number
  readonly waitMs: number
}

/** A subscription, and what its client provides. */
interface IteratorOptions {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly after?: string | undefined
  readonly onResume?: (resume: ResumeInfo) => void
  readonly bufferSize?: number
  readonly connect: Connect
  /** Returns the milliseconds to wait before an attempt. */
  readonly waitAfter: (cause: SubscriptionError, attempt: number) => number
  /** True if the next connection may have another key. */
  readonly isKeyRenewable: boolean
}

/** Yields the events of a subscription in order and exactly once, over as many connections as necessary. */
export interface SubscriptionIterator<Event>
  extends AsyncIterableIterator<SubscriptionEvent<Event>, undefined, undefined> {
  /**
   * Resolves to the cursor at which the subscription starts. All later events are delivered. Events of the second before
   * may be delivered too. A live list without `after` starts with its first element, the list.
   */
  readonly started: Promise<string>
  /** Returns the cursor after which the subscription starts, or undefined until it is known, and for a live list without one. */
  startCursor(): string | undefined
  /** Returns the cursor of the last delivered event, or the start cursor before the first event. */
  cursor(): string | undefined
  /** Ends the subscription and discards buffered events. */
  close(): void
  return(): Promise<IteratorReturnResult<undefined>>
}

/** Cursors that are stored to detect repeated events. */
const maxSeenCursors = 2_000

/** After a connection of this duration, the attempts are counted from 1 again. */
const stableConnectionMs = 10_000

/** Starts a subscription and returns its events. */
export function newEventIterator<Event>(options: IteratorOptions): SubscriptionIterator<Event> {
  return new EventIterator<Event>(options)
}

type Next<Event> = IteratorResult<SubscriptionEvent<Event>, undefined>

interface Reader<Event> {
  resolve(result: Next<Event>): void
  reject(error: unknown): void
}

class EventIterator<Event> implements SubscriptionIterator<Event> {
  readonly started: Promise<string>
  readonly #started = newDeferred<string>()
  readonly #options: IteratorOptions
  readonly #bufferSize: number
  readonly #buffer: SubscriptionEvent<Event>[] = []
  /** Calls of `next` that wait for an event. */
  readonly #readers: Reader<Event>[] = []
  readonly #seenCursors = new Set<string>()
  #startCursor: string | undefined
  #receivedCursor: string | undefined
  #deliveredCursor: string | undefined
  #disconnect: (() => void) | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #attempt = 0
  /** True if the key of the last connection was accepted, so that a function may return another one. */
  #isKeyAccepted = false
  /** True while the connection is closed because the buffer is full. */
  #isPaused = false
  #end: { error?: SubscriptionError } | undefined

  constructor(options: IteratorOptions) {
    this.#options = options
    this.#bufferSize = options.bufferSize ?? 1_000
    this.started = this.#started.promise
    if (options.after !== undefined) {
      this.#start(options.after)
      this.#remember(options.after)
    }
    this.#open()
  }

  readonly startCursor = () => this.#startCursor
  readonly cursor = () => this.#deliveredCursor

  readonly close = () => {
    this.#buffer.length = 0
    this.#finish()
  }

  next(): Promise<Next<Event>> {
    const event = this.#buffer.shift()
    if (event) this.#deliveredCursor = event.cursor
    if (this.#isPaused && !this.#end && this.#buffer.length * 2 <= this.#bufferSize) this.#unpause()
    if (event) return Promise.resolve({ done: false, value: event })
    return new Promise((resolve, reject) => {
      if (this.#end) this.#endReader({ resolve, reject })
      else this.#readers.push({ resolve, reject })
    })
  }

  return(): Promise<IteratorReturnResult<undefined>> {
    this.close()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #open(): void {
    const { query, variables, connect } = this.#options
    const openedAt = Date.now()
    const listen = (onResult: (result: ExecutionResult) => void) => ({
      accept: () => {
        this.#isKeyAccepted = true
      },
      result: onResult,
      end: (error?: SubscriptionError) => {
        if (Date.now() - openedAt >= stableConnectionMs) this.#attempt = 0
        if (error || this.#receivedCursor === undefined)
          this.#resumeAfter(error ?? connectionLost('The server ended the stream.'))
        else this.#finish()
      },
    })
    // Without a cursor, a connection that is lost before its first event would lose events. So the client requests one first.
    // A live list loses none: it begins with the list again.
    this.#disconnect =
      this.#receivedCursor === undefined && !isLiveList(query)
        ? connect(
            { query: '{ eventCursor }', variables: {} },
            listen((result) => this.#receiveStart(result)),
          )
        : connect(
            { query, variables: { ...variables, after: this.#receivedCursor } },
            listen((result) => this.#receive(result)),
          )
  }

  #receiveStart({ data, errors = [] }: ExecutionResult) {
    const cursor = data?.['eventCursor']
    const disconnect = this.#disconnect
    if (typeof cursor !== 'string') {
      disconnect?.()
      return this.#resumeAfter(toSubscriptionError(errors))
    }
    this.#start(cursor)
    // The next operation starts before this one ends, so that they share a socket.
    this.#open()
    disconnect?.()
  }

  #start(cursor: string): void {
    this.#startCursor = cursor
    this.#receivedCursor = cursor
    this.#deliveredCursor = cursor
    this.#started.resolve(cursor)
  }

  #receive({ data, errors = [] }: ExecutionResult) {
    const event = Object.values(data ?? {})[0] as Event | null | undefined
    if (event === null || event === undefined) {
      this.#disconnect?.()
      return this.#resumeAfter(toSubscriptionError(errors))
    }
    const { cursor } = event as { cursor?: unknown }
    if (typeof cursor !== 'string') {
      return this.#finish(
        new SubscriptionError('CURSOR_MISSING', 'The root field of the document must select `cursor`.'),
      )
    }
    if (this.#seenCursors.has(cursor)) return
    this.#remember(cursor)
    this.#attempt = 0
    this.#receivedCursor = cursor
    this.#started.resolve(cursor)
    this.#deliver({ event, cursor, data: data ?? {}, errors })
  }

  #deliver(event: SubscriptionEvent<Event>): void {
    const reader = this.#readers.shift()
    if (reader) {
      this.#deliveredCursor = event.cursor
      reader.resolve({ done: false, value: event })
      return
    }
    this.#buffer.push(event)
    if (this.#buffer.length < this.#bufferSize) return
    this.#isPaused = true
    this.#disconnect?.()
  }

  #unpause(): void {
    this.#isPaused = false
    const cause = new SubscriptionError('BUFFER_FULL', 'The buffer was full because the reader was too slow.')
    this.#options.onResume?.({ after: this.#receivedCursor, cause, attempt: 1, waitMs: 0 })
    this.#open()
  }

  #remember(cursor: string): void {
    this.#seenCursors.add(cursor)
    if (this.#seenCursors.size <= maxSeenCursors) return
    const [oldest] = this.#seenCursors
    this.#seenCursors.delete(oldest as string)
  }

  #resumeAfter(cause: SubscriptionError) {
    if (this.#end || this.#isPaused) return
    const isRenewable = cause.code === 'UNAUTHORIZED' && this.#options.isKeyRenewable && this.#isKeyAccepted
    if (cause.isFinal && !isRenewable) return this.#finish(cause)
    this.#isKeyAccepted = false
    this.#attempt += 1
    const waitMs = this.#options.waitAfter(cause, this.#attempt)
    this.#retryTimer = setTimeout(() => this.#open(), waitMs)
    this.#options.onResume?.({ after: this.#receivedCursor, cause, attempt: this.#attempt, waitMs })
  }

  #finish(error?: SubscriptionError): void {
    if (this.#end) return
    this.#end = error ? { error } : {}
    clearTimeout(this.#retryTimer)
    this.#disconnect?.()
    this.#started.reject(error ?? new SubscriptionError('CLOSED', 'The subscription was closed before it started.'))
    for (const reader of this.#readers.splice(0)) this.#endReader(reader)
  }

  /** Ends a call of `next`. Only the first one receives the error. */
  #endReader(reader: Reader<Event>): void {
    const error = this.#end?.error
    this.#end = {}
    if (error) reader.reject(error)
    else reader.resolve({ done: true, value: undefined })
  }
}

function newDeferred<Value>() {
  const settle = {} as { resolve(value: Value): void; reject(error: unknown): void }
  const promise = new Promise<Value>((resolve, reject) => Object.assign(settle, { resolve, reject }))
  // The iterator throws the same error, so a promise without a handler must not cause an unhandled rejection.
  promise.catch(() => undefined)
  return { promise, ...settle }
}
