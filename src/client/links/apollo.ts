import { ApolloLink, Observable } from '@apollo/client'
import { print } from '@apollo/client/utilities'
import type { Client } from '../client.ts'

/**
 * Returns a link of Apollo Client that sends subscriptions with the client and forwards all other operations. A subscription
 * starts after its variable `after`, if it is set. After a lost connection, it continues after its last event: each event is
 * delivered once and in order. It ends with a `SubscriptionError` in the same cases as `iterate`.
 */
export function createSubscriptionLink(client: Client): ApolloLink {
  return new ApolloLink((operation, forward) => {
    if (operation.operationType !== 'subscription') return forward(operation)
    return new Observable((observer) => {
      const { after, ...variables } = operation.variables
      const events = client.iterate({ query: print(operation.query), variables, after: after ?? undefined })
      const read = async () => {
        for await (const { data, errors } of events) observer.next({ data, ...(errors.length > 0 && { errors }) })
        observer.complete()
      }
      read().catch((error) => observer.error(error))
      return events.close
    })
  })
}
