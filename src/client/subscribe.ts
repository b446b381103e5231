import type { SubscriptionError } from './errors.ts'
import { type IterateOptions, iterate, type SubscriptionEvent } from './iterate.ts'

export interface SubscribeOptions<Event> extends IterateOptions {
  /** Called for each event. If it returns a promise, the next event waits until the promise resolves. */
  onEvent: (event: SubscriptionEvent<Event>) => unknown
  /** Called once if the subscription ends with a final error, or with an error that `onEvent` throws. */
  onError?: (error: SubscriptionError | unknown) => void
}

/** A running subscription. */
export interface Subscription {
  /** Resolves to the cursor at which the subscription starts. All later events are delivered. */
  readonly started: Promise<string>
  /** Resolves when the subscription is closed. Rejects with its error unless `onError` is set. */
  readonly done: Promise<void>
  /** Returns the cursor of the last processed event, or the start cursor. Pass it as `after` to resume. */
  cursor(): string | undefined
  /** Ends the subscription after the event that is being processed. */
  close(): void
}

/**
 * Subscribes to events with a callback. Reconnects and fails in the same cases as `iterate`.
 *
 * An event is processed when `onEvent` returns or its promise resolves. If `onEvent` throws, the subscription ends. The
 * event is delivered again if you resume after `cursor()`.
 */
export function subscribe<Event = Readonly<Record<string, unknown>>>(options: SubscribeOptions<Event>): Subscription {
  const { onEvent, onError } = options
  const events = iterate<Event>(options)
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
