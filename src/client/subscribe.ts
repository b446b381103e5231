import type { SubscriptionError } from './errors.ts'
import { type Delivery, type FollowOptions, iterate } from './iterate.ts'

export interface SubscribeOptions<Event> extends FollowOptions {
  /** Called for one event after the other: the next waits until the promise of this one resolves. */
  onEvent: (delivery: Delivery<Event>) => unknown
  /** Told once, when the subscription ends by a final error or by what `onEvent` threw. */
  onError?: (error: SubscriptionError | unknown) => void
}

/** A subscription that runs until it is closed. */
export interface Subscription {
  /** Where the subscription begins, as soon as the server told it: what happens from then on is delivered. */
  readonly started: Promise<string>
  /** Resolves when the subscription was closed; rejects with its error where nothing listens by `onError`. */
  readonly done: Promise<void>
  /** The cursor of the last event that `onEvent` is done with, or where the subscription began: resume there. */
  cursor(): string | undefined
  /** Ends the subscription. The event that is being dealt with is the last one. */
  close(): void
}

/**
 * Follows a subscription with a function: as `iterate`, which tells how it resumes and when it gives up.
 *
 * An event counts as dealt with when `onEvent` returns, or its promise resolves. One that throws ends the subscription
 * before its event: resume after `cursor()`, and it comes again.
 */
export function subscribe<Event = Readonly<Record<string, unknown>>>(options: SubscribeOptions<Event>): Subscription {
  const { onEvent, onError } = options
  const events = iterate<Event>(options)
  let dealtWith: string | undefined
  const run = async () => {
    for await (const delivery of events) {
      await onEvent(delivery)
      dealtWith = delivery.cursor
    }
  }
  return {
    started: events.started,
    done: onError ? run().catch(onError) : run(),
    cursor: () => dealtWith ?? events.start(),
    close: events.close,
  }
}
