import { Client, fetchExchange, mapExchange, subscriptionExchange } from 'urql'
import { readErrors } from '../../client/errors.ts'
import { newCache } from './cache.ts'
import { forwardSubscription } from './live.ts'

/**
 * Returns the client of the graph. Requests carry the session's cookie; the header proves that a script of this page sends them.
 */
export function newClient(onSignedOut: () => void): Client {
  return new Client({
    url: '/graphql',
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    fetchOptions: { headers: { 'x-campanile-console': '1' } },
    exchanges: [
      mapExchange({
        onError(error) {
          if (readErrors(error).some(({ code }) => code === 'UNAUTHORIZED')) onSignedOut()
        },
      }),
      newCache(),
      fetchExchange,
      subscriptionExchange({ forwardSubscription: forwardSubscription as never }),
    ],
  })
}
