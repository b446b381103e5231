import { GraphQLError } from 'graphql'
import type { ErrorCode } from '../../kernel/errors.ts'
import { cursorOf, expired, type Source, type StampedEvent } from '../../kernel/feed.ts'
import { BudgetExhausted } from './event-results.ts'

/**
 * Why a stream ended: the client unsubscribed (`left`), its source ended (`completed`), the client reads too slowly, the
 * account's cost points are used up (`spent`), the key was disabled or the session ended (`revoked`), the access token expired
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

/** The events of a subscription, and its result for one of them as JSON text. */
export interface Subscription {
  readonly source: Source
  readonly textOf: (event: StampedEvent) => Promise<string>
}

/** Returns the error for a stream whose events were deleted before it had read them. */
export function cursorExpired(): GraphQLError {
  return new GraphQLError(expired().message, { extensions: { code: 'CURSOR_EXPIRED' satisfies ErrorCode } })
}

/** Creates the stream of a source. Calls `onFinish` once, when it has ended. */
export function newStream({ source, textOf }: Subscription, onFinish: (reason: EndReason) => void): Stream {
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
        text = await textOf(event)
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
