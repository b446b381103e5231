import { backOff } from './back-off.ts'
import {
  type EventOf,
  type Print,
  type TypedDocument,
  textOf,
  type UntypedDocument,
  type VariablesOption,
} from './document.ts'
import type { SubscriptionError } from './errors.ts'
import {
  newEventIterator,
  type ResumeInfo,
  type SubscriptionEvent,
  type SubscriptionIterator,
} from './event-iterator.ts'
import type { ApiKey } from './transports/connection.ts'
import { sseTransport } from './transports/sse.ts'
import { webSocketTransport } from './transports/websocket.ts'

export interface ClientOptions {
  /** URL of `/graphql`, with the scheme `http(s)` or `ws(s)`. A path is sufficient in a browser. */
  url: string | URL
  /**
   * The API key, or in a browser an access token. A function is called before each connection, also after a token has expired.
   */
  key: ApiKey
  /** Transport: WebSocket or server-sent events over HTTP. Defaults to `ws`. */
  transport?: 'ws' | 'sse'
  /** WebSocket constructor for runtimes without one, such as Node 20: that of the package `ws`. */
  webSocket?: unknown
  /** Replaces the global `fetch` for `sse`. */
  fetch?: typeof fetch
  /** Returns the milliseconds to wait before an attempt. Defaults to an exponential wait of 0.5 to 30 seconds. */
  backOff?: (cause: SubscriptionError, attempt: number) => number
  /** `print` of the package `graphql`. Required for parsed documents without their text, such as those of gql.tada. */
  print?: Print
}

/** The options of a subscription besides its document. */
export interface ResumeOptions {
  /** Cursor of the last processed event. If absent, the subscription starts with the next event, or a live list with itself. */
  after?: string | undefined
  /** Called each time that a connection is lost and will be reopened. */
  onResume?: (resume: ResumeInfo) => void
  /** Maximum buffered events. If the buffer is full, the subscription is stopped until half of it is read. Defaults to 1,000. */
  bufferSize?: number
}

/** A subscription whose document has no types. */
export interface SubscriptionOptions extends ResumeOptions {
  /** A subscription that declares `$after: String`, passes it to its root field and selects `cursor` there. */
  query: UntypedDocument
  variables?: Readonly<Record<string, unknown>>
}

/** A subscription whose document has the types of its result and its variables. */
export type TypedSubscriptionOptions<Result, Variables> = ResumeOptions & {
  query: TypedDocument<Result, Variables>
} & VariablesOption<Variables>

export interface EventHandlers<Event> {
  /** Called for each event. If it returns a promise, the next event waits until the promise resolves. */
  onEvent: (event: SubscriptionEvent<Event>) => unknown
  /** Called once if the subscription ends with a final error, or with an error that `onEvent` throws. */
  onError?: (error: SubscriptionError | unknown) => void
}

/** A running subscription. */
export interface Subscription {
  /** Resolves to the cursor at which the subscription starts: of a live list without `after`, that of its first element. */
  readonly started: Promise<string>
  /** Resolves when the subscription is closed. Rejects with its error unless `onError` is set. */
  readonly done: Promise<void>
  /** Returns the cursor of the last processed event, or the start cursor. Pass it as `after` to resume. */
  cursor(): string | undefined
  /** Ends the subscription after the event that is being processed. */
  close(): void
}

type AnyEvent = Readonly<Record<string, unknown>>

/** Subscribes with a loop. `More` are the options besides those of the subscription. */
export interface Iterate<More = unknown> {
  <Event = AnyEvent>(options: More & SubscriptionOptions): SubscriptionIterator<Event>
  <Result, Variables>(
    options: More & TypedSubscriptionOptions<Result, Variables>,
  ): SubscriptionIterator<EventOf<Result>>
}

/** Subscribes with a callback. `More` are the options besides those of the subscription. */
export interface Subscribe<More = unknown> {
  <Event = AnyEvent>(options: More & SubscriptionOptions & EventHandlers<Event>): Subscription
  <Result, Variables>(
    options: More & TypedSubscriptionOptions<Result, Variables> & EventHandlers<EventOf<Result>>,
  ): Subscription
}

/** Subscribes to events. All subscriptions of a client share one WebSocket. */
export interface Client {
  /** As the function `iterate`. */
  readonly iterate: Iterate
  /** As the function `subscribe`. */
  readonly subscribe: Subscribe
}

/**
 * Creates a client. It connects with its first subscription and disconnects after its last one. Each subscription has its own
 * cursor and its own buffer: a slow one stops alone.
 *
 * **Throws** NO_WEBSOCKET if the runtime has no WebSocket and none is passed.
 */
export function createClient(options: ClientOptions): Client {
  const connect = options.transport === 'sse' ? sseTransport(options) : webSocketTransport(options)
  const waits = new WeakMap<SubscriptionError, number>()
  // The subscriptions of a lost socket have the same cause and return together, so that they open one socket.
  const waitAfter = (cause: SubscriptionError, attempt: number): number => {
    const waitMs = waits.get(cause) ?? (options.backOff ?? backOff)(cause, attempt)
    waits.set(cause, waitMs)
    return waitMs
  }
  const iterate = (settings: SubscriptionOptions) =>
    newEventIterator<AnyEvent>({
      ...settings,
      query: textOf(settings.query, options.print),
      connect,
      waitAfter,
      isKeyRenewable: typeof options.key === 'function',
    })
  return {
    iterate: iterate as Iterate,
    subscribe: ((settings: SubscriptionOptions & EventHandlers<AnyEvent>) =>
      handleEvents(iterate(settings), settings)) as Subscribe,
  }
}

/** Calls the handlers for the events of a subscription. */
function handleEvents<Event>(
  events: SubscriptionIterator<Event>,
  { onEvent, onError }: EventHandlers<Event>,
): Subscription {
  let processedCursor: string | undefined
  const run = async () => {
    for await (const event of events) {
      await onEvent(event)
      processedCursor = event.cursor
    }
  }
  return {
    started: events.started,
    done: onError ? run().catch(onError) : run(),
    cursor: () => processedCursor ?? events.startCursor(),
    close: events.close,
  }
}
