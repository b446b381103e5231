import { type Exchange, subscriptionExchange } from '@urql/core'
import type { Client } from '../client.ts'

/**
 * Returns an exchange of urql that sends subscriptions with the client and forwards all other operations. A subscription starts
 * after its variable `after`, if it is set. After a lost connection, it continues after its last event: each event is delivered
 * once and in order. It ends with a `SubscriptionError` as its network error in the same cases as `iterate`.
 */
export function createSubscriptionExchange(client: Client): Exchange {
  return subscriptionExchange({
    forwardSubscription: ({ query = '', variables }) => ({
      subscribe: (sink) => {
        let close: (() => void) | undefined
        const read = async () => {
          const { after, ...others } = (variables ?? {}) as { after?: string | null }
          const events = client.iterate({ query, variables: others, after: after ?? undefined })
          close = events.close
          let hadErrors = false
          for await (const { data, errors } of events) {
            // urql keeps the errors of an earlier event until it receives others.
            hadErrors ||= errors.length > 0
            sink.next({ data, ...(hadErrors && { errors: [...errors] }) })
          }
          sink.complete()
        }
        read().catch((error) => sink.error(error))
        return { unsubscribe: () => close?.() }
      },
    }),
  })
}
