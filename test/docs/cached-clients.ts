import { ApolloClient, ApolloLink, gql, HttpLink } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { OperationTypeNode } from 'graphql'
import { onTestFinished } from 'vitest'
import { newClient } from '../events/stream.ts'
import type { World } from '../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: the code is that of the page
export type Code = Record<string, any>

export type Data = Record<string, unknown>

/** A client with a cache that follows the events of its account. */
export interface CachedClient {
  /** Reads a document: from the cache, as far as it has the data, or from the network. */
  read(isCached: boolean, query?: string, variables?: Data): Promise<Data>
  change(mutation: string): Promise<Data>
  /** Subscribes to changes after a cursor. */
  follow(after: string): void
  /** Follows the contacts that match a filter, after a cursor or from the list on. */
  followList(query: string, filter: Data, after?: unknown): void
  /** Number of queries that were sent. */
  queries(): number
  /** Returns the results of a query of which the cache has a part, until the whole one. */
  readParts(query: string): Promise<Data[]>
}

export interface Page {
  readonly Lists: string
  readonly Changes: string
  load(file: string): Promise<Code>
  onEvent(type: string): void
}

/** Counts the queries that a client sends, and adds the key. */
function countingFetch(world: World) {
  let queries = 0
  const send: typeof fetch = (url, init) => {
    if (String(init?.body).includes('"query":"query ')) queries += 1
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${world.mainKey}` }
    return fetch(url, { ...init, headers })
  }
  return { send, queries: () => queries }
}

export const clients: Record<string, (world: World, page: Page) => Promise<CachedClient>> = {
  urql: async (world, { Lists, Changes, load, onEvent }) => {
    const { send, queries } = countingFetch(world)
    const socket = newClient(world.server, world.mainKey)
    onTestFinished(() => void socket.dispose())
    const { graphcache } = await load('src/urql-cache.ts')
    const client = new Client({
      url: `${world.server.url}/graphql`,
      preferGetMethod: false,
      fetch: send,
      exchanges: [
        graphcache,
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: socket.subscribe({ query, variables: variables as Data }, sink as never),
            }),
          }),
        }),
      ],
    })
    return {
      queries,
      read: async (isCached, query = Lists, variables = {}) => {
        const requestPolicy = isCached ? 'cache-first' : 'network-only'
        const { data, error } = await client.query(query, variables, { requestPolicy }).toPromise()
        if (error) throw error
        return data
      },
      readParts: (query) =>
        new Promise((resolve) => {
          const parts: Data[] = []
          client.query(query, {}).subscribe(({ data, stale }) => {
            parts.push(data)
            if (!stale) resolve(parts)
          })
        }),
      change: async (mutation) => {
        const { data, error } = await client.mutation(mutation, {}).toPromise()
        if (error) throw error
        return data
      },
      followList: (query, filter, after) => {
        const { unsubscribe } = client
          .subscription(query, { filter, after })
          .subscribe(({ data }) => onEvent(data?.contactsChanged.kind))
        onTestFinished(unsubscribe)
      },
      follow: (after) => {
        const { unsubscribe } = client
          .subscription(Changes, { after })
          .subscribe(({ data }) => onEvent(data?.events.type))
        onTestFinished(unsubscribe)
      },
    }
  },
  'Apollo Client': async (world, { Lists, Changes, load, onEvent }) => {
    const { send, queries } = countingFetch(world)
    const socket = newClient(world.server, world.mainKey)
    const { applyChanges, newCache } = await load('src/apollo-cache.ts')
    const { applyListChange } = await load('src/apollo-live-list.ts')
    const client = new ApolloClient({
      cache: newCache(),
      link: ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        new GraphQLWsLink(socket),
        new HttpLink({ uri: `${world.server.url}/graphql`, fetch: send }),
      ),
    })
    onTestFinished(() => {
      client.stop()
      void socket.dispose()
    })
    return {
      queries,
      read: async (isCached, query = Lists, variables = {}) => {
        const fetchPolicy = isCached ? 'cache-first' : 'network-only'
        return (await client.query({ query: gql(query), variables, fetchPolicy })).data as Data
      },
      readParts: (query) =>
        new Promise((resolve) => {
          const parts: Data[] = []
          client.watchQuery({ query: gql(query), returnPartialData: true }).subscribe(({ data, dataState }) => {
            if (data) parts.push(data as Data)
            if (dataState === 'complete') resolve(parts)
          })
        }),
      change: async (mutation) => {
        const { data } = await client.mutate({
          mutation: gql(mutation),
          update: (cache, result) => {
            for (const [field, payload] of Object.entries(result.data as Data)) applyChanges(cache, payload, field)
          },
        })
        return data as Data
      },
      followList: (query, filter, after) => {
        const subscription = client
          .subscribe({ query: gql(query), variables: { filter, after } })
          .subscribe(({ data, error }) => {
            if (error) throw error
            const { contactsChanged } = data as { contactsChanged: Data }
            applyListChange(client.cache, contactsChanged, filter)
            onEvent(String(contactsChanged['kind']))
          })
        onTestFinished(() => subscription.unsubscribe())
      },
      follow: (after) => {
        const subscription = client.subscribe({ query: gql(Changes), variables: { after } }).subscribe(({ data }) => {
          const { events } = data as { events: Data }
          applyChanges(client.cache, events)
          onEvent(String(events['type']))
        })
        onTestFinished(() => subscription.unsubscribe())
      },
    }
  },
}
