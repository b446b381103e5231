import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { createClient as createSseClient } from 'graphql-sse'
import { createClient } from 'graphql-ws'
import { describe, expect, it } from 'vitest'
import { iterate, type SubscriptionError, subscribe } from '../../src/client/index.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'

const query = `subscription ($after: String) {
  events(after: $after, types: [CONTACT_CREATED]) { __typename cursor name ... on ContactEvent { contact { email } } } }`

interface Created {
  events: { cursor: string; name: string; contact: { email: string } | null }
}

type Variables = { after: string }

/** What a test asks of a client: to follow until it is told to stop, and to be gone then. */
type Follow = (world: World, after: string, got: (data: Created | null | undefined) => void) => () => unknown

const socketOf = (world: World) =>
  createClient({
    url: `${world.server.url.replace('http', 'ws')}/graphql`,
    connectionParams: { authorization: `Bearer ${world.mainKey}` },
    retryAttempts: 0,
  })

const fails = (error: unknown) => {
  throw error
}

const clients: Record<string, Follow> = {
  'graphql-ws': (world, after, got) => {
    const client = socketOf(world)
    const sink = { next: ({ data }: { data?: Created | null }) => got(data), error: fails, complete: () => undefined }
    client.subscribe<Created>({ query, variables: { after } }, sink)
    return () => client.dispose()
  },

  'graphql-sse': (world, after, got) => {
    const client = createSseClient({
      url: `${world.server.url}/graphql`,
      headers: { authorization: `Bearer ${world.mainKey}` },
      retryAttempts: 0,
    })
    const sink = { next: ({ data }: { data?: Created | null }) => got(data), error: fails, complete: () => undefined }
    client.subscribe<Created>({ query, variables: { after } }, sink)
    return () => client.dispose()
  },

  'Apollo Client': (world, after, got) => {
    const socket = socketOf(world)
    const client = new ApolloClient({ link: new GraphQLWsLink(socket), cache: new InMemoryCache() })
    const following = client
      .subscribe<Created, Variables>({ query: gql(query), variables: { after } })
      .subscribe({ next: ({ data }) => got(data), error: fails })
    return () => {
      following.unsubscribe()
      client.stop()
      return socket.dispose()
    }
  },

  urql: (world, after, got) => {
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
      .subscribe(({ data, error }) => (error ? fails(error) : got(data)))
    return () => {
      following.unsubscribe()
      return socket.dispose()
    }
  },

  ...Object.fromEntries(
    (['ws', 'sse'] as const).map((transport) => [
      `our own, over ${transport}`,
      (({ server, mainKey }, after, got) => {
        const events = subscribe<Created['events']>({
          url: `${server.url}/graphql`,
          key: mainKey,
          query,
          after,
          transport,
          onEvent: ({ event }) => got({ events: event }),
        })
        return events.close
      }) satisfies Follow,
    ]),
  ),
}

/** How many subscriptions the server holds open. */
async function openStreams({ server }: World): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return [...text.matchAll(/^campanile_streams\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0)
}

describe.each(Object.entries(clients))('a subscriber by %s', (_name, follow) => {
  it('hears of what a mutation does, and leaves nothing open', async () => {
    const world = await newWorld()
    const { eventCursor } = await world.run('{ eventCursor }')
    const got: (Created | null | undefined)[] = []
    const stop = follow(world, eventCursor, (data) => got.push(data))
    await until(async () => (await openStreams(world)) === 1)
    await world.contact({ email: 'ada@example.com' })
    await until(() => got.length === 1)
    await world.contact({ email: 'grace@example.com' })
    await until(() => got.length === 2)
    expect(got).toMatchObject([
      { events: { name: 'contact.created', contact: { email: 'ada@example.com' } } },
      { events: { name: 'contact.created', contact: { email: 'grace@example.com' } } },
    ])
    await stop()
    await until(async () => (await openStreams(world)) === 0)
  })
})

describe.each(['ws', 'sse'] as const)('the published client over %s', (transport) => {
  const optionsFor = (world: World) => ({ url: `${world.server.url}/graphql`, key: world.mainKey, query, transport })

  it('begins now, and goes on later where it left off', async () => {
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

  it('does not notice that the server goes and comes again, but for a pause', async () => {
    const world = await newWorld()
    const resumes: string[] = []
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const cut = new AbortController()
    const events = iterate<Created['events']>({
      ...optionsFor(world),
      after,
      backOff: () => 0,
      onResume: ({ cause }) => resumes.push(cause.code),
      ...cutting(transport, cut.signal),
    })
    await world.contact({ email: '1@example.com' })
    expect((await events.next()).value?.event.contact?.email).toBe('1@example.com')
    cut.abort()
    await until(() => resumes.length > 0)
    await world.contact({ email: '2@example.com' })
    expect((await events.next()).value?.event.contact?.email).toBe('2@example.com')
    expect(resumes).toEqual(['CONNECTION_LOST'])
    events.close()
  })

  it.each([
    ['a key that is none', async () => ({ key: 'cmp_none' }), 'UNAUTHORIZED'],
    [
      'a key without the scope',
      async (world: World) => ({ key: await world.key({ scopes: ['forms:read'] }) }),
      'FORBIDDEN',
    ],
    ['a cursor that is none', async () => ({ after: 'nonsense' }), 'VALIDATION_ERROR'],
    ['a document that is wrong', async () => ({ query: query.replace('cursor', 'nothing') }), 'BAD_REQUEST'],
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
    await until(async () => (await openStreams(world)) === 0)
  })
})

async function cursorBeforeEvent(world: World): Promise<string> {
  const { eventCursor } = await world.run('{ eventCursor }')
  await world.contact()
  return eventCursor
}

/** A way to the server whose first connection a signal cuts. */
function cutting(transport: 'ws' | 'sse', signal: AbortSignal) {
  if (transport === 'sse') {
    let isFirst = true
    const cuttable: typeof fetch = async (input, init) => {
      const wasFirst = isFirst
      isFirst = false
      const signals = [init?.signal, wasFirst ? signal : undefined].filter((one) => one instanceof AbortSignal)
      return fetch(input, { ...init, signal: AbortSignal.any(signals) })
    }
    return { fetch: cuttable }
  }
  let isFirst = true
  class Cuttable extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol)
      if (isFirst) signal.addEventListener('abort', () => this.close(4999))
      isFirst = false
    }
  }
  return { webSocket: Cuttable }
}
