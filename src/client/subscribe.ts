import {
  type ClientOptions,
  createClient,
  type EventHandlers,
  type Iterate,
  type Subscribe,
  type SubscriptionOptions,
} from './client.ts'

export type IterateOptions = ClientOptions & SubscriptionOptions

export type SubscribeOptions<Event> = IterateOptions & EventHandlers<Event>

/**
 * Subscribes to events: `for await (const { event, cursor } of iterate({ … }))`. The loop ends when you leave or close it.
 *
 * If a connection is lost, the client waits (see `backOff`), reconnects and resumes after the last received event. Each event
 * is delivered once, as long as the server keeps the events after the cursor. The loop ends if the server completes the
 * subscription. A slow loop buffers up to `bufferSize` events.
 *
 * The loop throws a `SubscriptionError` if a retry cannot succeed: UNAUTHORIZED (of a key that was not accepted before),
 * FORBIDDEN, CURSOR_EXPIRED, CURSOR_MISSING (the root field does not select `cursor`), or the server's code for an invalid
 * document. `iterate` itself throws NOT_RESUMABLE if the document does not use `$after`, NO_TEXT if it was parsed without its
 * text, and NO_WEBSOCKET if the runtime has no WebSocket.
 *
 * The types of the events and of `variables` are those of a typed document. For a text, pass them: `iterate<MyEvent>(…)`.
 */
export const iterate = ((options: IterateOptions) => createClient(options).iterate(options)) as Iterate<ClientOptions>

/**
 * Subscribes to events with a callback. Reconnects and fails in the same cases as `iterate`.
 *
 * An event is processed when `onEvent` returns or its promise resolves. If `onEvent` throws, the subscription ends. The
 * event is delivered again if you resume after `cursor()`.
 */
export const subscribe = ((options: SubscribeOptions<unknown>) =>
  createClient(options).subscribe(options)) as Subscribe<ClientOptions>
