import { type Client, createClient } from 'graphql-ws'

/**
 * Milliseconds until the next attempt to connect: up to 20 seconds, with a random part so that clients do not return together.
 */
const retryDelay = (retries: number) => Math.min(1000 * 2 ** retries, 20_000) * (0.5 + Math.random() / 2)

let client: Client | undefined

/** Returns the socket of the tab. It opens with the first subscription, and is authenticated by the session's cookie. */
function socket(): Client {
  client ??= createClient({
    url: new URL('/graphql', location.href).href.replace(/^http/, 'ws'),
    lazyCloseTimeout: 5_000,
    keepAlive: 15_000,
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    retryWait: (retries) => new Promise((resolve) => setTimeout(resolve, retryDelay(retries))),
  })
  return client
}

interface Sink {
  next(result: never): void
  error(error: unknown): void
  complete(): void
}

/**
 * Sends a subscription over the socket of the tab. The variable `after` is set to the cursor of each event that arrives, so
 * that the subscription continues after it when the connection was lost: graphql-ws sends the same payload again.
 */
export function forwardSubscription({ query = '', variables }: SubscriptionBody) {
  const payload = { query, variables: { ...variables } as Record<string, unknown> }
  return {
    subscribe: (sink: Sink) => ({
      unsubscribe: socket().subscribe(payload, {
        next: (result) => {
          for (const { cursor } of Object.values(result.data ?? {}) as { cursor?: string }[]) {
            if (cursor) payload.variables['after'] = cursor
          }
          sink.next(result as never)
        },
        error: (error) => sink.error(error),
        complete: () => sink.complete(),
      }),
    }),
  }
}

interface SubscriptionBody {
  readonly query?: string
  readonly variables?: object | undefined
}
