// @module-tag rows
import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import { describe, expect, it } from 'vitest'
import { iterate, type SubscriptionError, subscribe } from '../../src/client/index.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStreams } from './count-streams.ts'

const query = `subscription ($after: String) {
  events(after: $after, types: [CONTACT_CREATED]) { __typename cursor name ... on ContactEvent { contact { email } } } }`

interface Created {
  events: { cursor: string; name: string; contact: { email: string } | null }
}

type Variables = { after: string }

/** Subscribes with a client. Returns a function that ends the subscription and the client. */
type Follow = (world: World, after: string, onData: (data: Created | null | undefined) => void) => () => unknown

const socketOf = (world: World) =>
  createClient({
    url: `${world.server.url.replace('http', 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${world.mainKey}` },
    retryAttempts: 0,
  })

const rethrow = (error: unknown) => {
  throw error
}

const clients: Record<string, Follow> = {
  'graphql-ws': (world, after, onData) => {
    const client = socketOf(world)
    const sink = {
      next: ({ data }: { data?: Created | null }) => onData(data),
      error: rethrow,
      complete: () => undefined,
    }
    client.subscribe<Created>({ query, variables: { after } }, sink)
    return () => client.dispose()
  },

  'graphql-sse': (world, after, onData) => {
    const client = createSseClient({
      url: `${world.server.url}/graphql`,
      headers: { authorization: `Bearer ${world.mainKey}` },
      retryAttempts: 0,
    })
    const sink = {
      next: ({ data }: { data?: Created | null }) => onData(data),
      error: rethrow,
      complete: () => undefined,
    }
    client.subscribe<Created>({ query, variables: { after } }, sink)
    return () => client.dispose()
  },

  'Apollo Client': (world, after, onData) => {
    const socket = socketOf(world)
    const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() })
    const following = client
      .subscribe<Created, Variables>({ query: gql(query), variables: { after } })
      .subscribe({ next: ({ data }) => onData(data), error: rethrow })
    return () => {
      following.unsubscribe()
      client.stop()
      return socket.dispose()
    }
  },

  urql: (world, after, onData) => {
    const socket = socketOf(world)
    const forwardSubscription = ({ query = '', variables }: { query?: string; variables?: object }) => ({
      subscribe: (sink: Parameters<typeof socket.subscribe>[1]) => ({
        unsubscribe: socket.subscribe({ query, variables: { ...variables } }, sink),
      }),
    })
    const client = new Client({
      url: `${world.server.url}/graphql`,
      preferGetMethod: false,
      exchanges: [fetchExchange, subscriptionExchange({ forwardSubscription: forwardSubscription as never })],
    })
    const following = client
      .subscription<Created, Variables>(query, { after })
      .subscribe(({ data, error }) => (error ? rethrow(error) : onData(data)))
    return () => {
      following.unsubscribe()
      return socket.dispose()
    }
  },

  ...Object.fromEntries(
    (['ws', 'sse'] as const).map((transport) => [
      `campanile/client over ${transport}`,
      (({ server, mainKey }, after, onData) => {
        const events = subscribe<Created['events']>({
          url: `${server.url}/graphql`,
          key: mainKey,
          query,
          after,
          transport,
          onEvent: ({ event }) => onData({ events: event }),
        })
        return events.close
      }) satisfies Follow,
    ]),
  ),
}

describe.each(Object.entries(clients))('a subscription with %s', (_name, follow) => {
  it('receives the events of mutations and closes its connection', async () => {
    const world = await newWorld()
    const { eventCursor } = await world.run('{ eventCursor }')
    const received: (Created | null | undefined)[] = []
    const stop = follow(world, eventCursor, (data) => received.push(data))
    await until(async () => (await countStreams(world)) === 1)
    await world.contact({ email: 'ada@example.com' })
    await until(() => received.length === 1)
    await world.contact({ email: 'grace@example.com' })
    await until(() => received.length === 2)
    expect(received).toMatchObject([
      { events: { name: 'contact.created', contact: { email: 'ada@example.com' } } },
      { events: { name: 'contact.created', contact: { email: 'grace@example.com' } } },
    ])
    await stop()
    await until(async () => (await countStreams(world)) === 0)
  })
})

describe.each(['ws', 'sse'] as const)('the published client over %s', (transport) => {
  const optionsFor = (world: World) => ({ url: `${world.server.url}/graphql`, key: world.mainKey, query, transport })

  it('starts now and resumes later after its cursor', async () => {
    const world = await newWorld()
    await world.contact({ email: 'before@example.com' })
    const options = optionsFor(world)
    const first = iterate<Created['events']>(options)
    await first.started
    await world.contact({ email: 'ada@example.com' })
    let event = (await first.next()).value?.event
    if (event?.contact?.email === 'before@example.com') event = (await first.next()).value?.event
    expect(event?.contact?.email).toBe('ada@example.com')
    first.close()

    await world.contact({ email: 'grace@example.com' })
    const second = iterate<Created['events']>({ ...options, after: first.cursor() })
    expect((await second.next()).value?.event.contact).toEqual({ email: 'grace@example.com' })
    second.close()
  })

  it('resumes after a lost connection', async () => {
    const world = await newWorld()
    const resumes: string[] = []
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const abort = new AbortController()
    const events = iterate<Created['events']>({
      ...optionsFor(world),
      after,
      backOff: () => 0,
      onResume: ({ cause }) => resumes.push(cause.code),
      ...abortFirstConnection(transport, abort.signal),
    })
    await world.contact({ email: '1@example.com' })
    expect((await events.next()).value?.event.contact?.email).toBe('1@example.com')
    abort.abort()
    await until(() => resumes.length > 0)
    await world.contact({ email: '2@example.com' })
    expect((await events.next()).value?.event.contact?.email).toBe('2@example.com')
    expect(resumes).toEqual(['CONNECTION_LOST'])
    events.close()
  })

  it.each([
    ['an unknown key', async () => ({ key: 'cmp_none' }), 'UNAUTHORIZED'],
    [
      'a key without the scope',
      async (world: World) => ({ key: await world.key({ scopes: ['forms:read'] }) }),
      'FORBIDDEN',
    ],
    ['an invalid cursor', async () => ({ after: 'nonsense' }), 'VALIDATION_ERROR'],
    ['an invalid document', async () => ({ query: query.replace('cursor', 'nothing') }), 'BAD_REQUEST'],
    [
      'a document without the cursor',
      async (world: World) => ({ query: query.replace('cursor', ''), after: await cursorBeforeEvent(world) }),
      'CURSOR_MISSING',
    ],
  ])('ends with %s', async (_name, more, code) => {
    const world = await newWorld()
    const events = iterate({ ...optionsFor(world), ...(await more(world)) })
    const error: SubscriptionError = await events.next().then(
      () => expect.unreachable(),
      (error) => error,
    )
    expect([error.code, error.isFinal]).toEqual([code, true])
    await until(async () => (await countStreams(world)) === 0)
  })
})

async function cursorBeforeEvent(world: World): Promise<string> {
  const { eventCursor } = await world.run('{ eventCursor }')
  await world.contact()
  return eventCursor
}

/** Returns options for a transport whose first connection fails when the signal aborts. */
function abortFirstConnection(transport: 'ws' | 'sse', signal: AbortSignal) {
  if (transport === 'sse') {
    let isFirst = true
    const abortable: typeof fetch = async (input, init) => {
      const wasFirst = isFirst
      isFirst = false
      const signals = [init?.signal, wasFirst ? signal : undefined].filter((one) => one instanceof AbortSignal)
      return fetch(input, { ...init, signal: AbortSignal.any(signals) })
    }
    return { fetch: abortable }
  }
  let isFirst = true
  class AbortableWebSocket extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol)
      if (isFirst) signal.addEventListener('abort', () => this.close(4999))
      isFirst = false
    }
  }
  return { webSocket: AbortableWebSocket }
}
