// @module-tag rows
import { ApolloClient, ApolloLink, gql, InMemoryCache, Observable } from '@apollo/client'
import { CombinedGraphQLErrors } from '@apollo/client/errors'
import { type AnyVariables, fetchExchange, type OperationResult, Client as UrqlClient } from '@urql/core'
import { createClient as createSocketClient } from 'graphql-ws'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Client, createClient, type SubscriptionError } from '../../src/client/index.ts'
import { createSubscriptionLink } from '../../src/client/links/apollo.ts'
import { createSubscriptionExchange } from '../../src/client/links/urql.ts'
import { until } from '../runtime/process.ts'
import { newProxy, type TcpProxy } from '../support/proxy.ts'
import { newWorld, type World } from '../support/world.ts'
import { countStreams } from './count-streams.ts'
import { newFakeServer, optionsFor, query as positions } from './fake-server.ts'

// The root field has an alias: the links deliver the whole result.
const query = `subscription ($after: String) {
  created: events(after: $after, types: [CONTACT_CREATED]) { __typename cursor ... on ContactEvent { contact { email } } } }`

interface Created {
  created: { cursor: string; contact: { email: string } }
}

interface Sink {
  data(data: unknown): void
  errors?(errors: readonly { message: string }[] | undefined): void
  fail?(error: unknown): void
}

/** Subscribes with a client of GraphQL and the link of the package. Returns a function that ends the subscription. */
type Follow = (client: Client, query: string, variables: Record<string, unknown>, sink: Sink) => () => void

const links: Record<string, Follow> = {
  'Apollo Client': (client, query, variables, sink) => {
    const apollo = new ApolloClient({ link: createSubscriptionLink(client), cache: new InMemoryCache() })
    const following = apollo.subscribe({ query: gql(query), variables, errorPolicy: 'all' }).subscribe({
      next: ({ data, error }) => {
        if (error && !CombinedGraphQLErrors.is(error)) return sink.fail?.(error)
        sink.data(data)
        sink.errors?.(error?.errors)
      },
    })
    return () => {
      following.unsubscribe()
      apollo.stop()
    }
  },
  urql: (client, query, variables, sink) => {
    const url = 'http://127.0.0.1:1/graphql'
    const exchanges = [createSubscriptionExchange(client), fetchExchange]
    const urql = new UrqlClient({ url, preferGetMethod: false, exchanges })
    const onResult = ({ data, error }: OperationResult<unknown, AnyVariables>) => {
      if (error?.networkError) return sink.fail?.(error.networkError)
      sink.data(data)
      sink.errors?.(error?.graphQLErrors)
    }
    return urql.subscription(query, variables).subscribe(onResult).unsubscribe
  },
}

/** Creates contacts and returns their addresses. */
async function createContacts(world: World, count: number): Promise<string[]> {
  const emails: string[] = []
  for (let left = count; left > 0; left -= 1) emails.push((await world.contact()).email)
  return emails
}

async function newWorldBehindProxy(): Promise<{ world: World; proxy: TcpProxy; url: string; after: string }> {
  const world = await newWorld()
  const proxy = await newProxy({ host: '127.0.0.1', port: Number(new URL(world.server.url).port) })
  const { eventCursor: after } = await world.run('{ eventCursor }')
  return { world, proxy, url: `http://127.0.0.1:${proxy.port}/graphql`, after }
}

describe.each(
  Object.entries(links).flatMap(([name, follow]) =>
    (['ws', 'sse'] as const).map((transport) => ({ name, follow, transport })),
  ),
)('the link for $name over $transport', ({ follow, transport }) => {
  it('delivers 40 of 40 events once and in order while the connection is cut again and again', async () => {
    const { world, proxy, url, after } = await newWorldBehindProxy()
    let resumed = 0
    const backOff = () => {
      resumed += 1
      return 5
    }
    const client = createClient({ url, key: world.mainKey, transport, backOff })
    const received: string[] = []
    const stop = follow(
      client,
      query,
      { after },
      { data: (data) => received.push((data as Created).created.contact.email) },
    )
    const sent: string[] = []
    for (let cut = 1; cut <= 8; cut += 1) {
      sent.push(...(await createContacts(world, 3)))
      // Every second cut interrupts what is being delivered.
      if (cut % 2 === 0) await until(() => received.length === sent.length)
      await proxy.cut()
      sent.push(...(await createContacts(world, 2)))
      await proxy.heal()
      await until(() => proxy.connections() > 0)
    }
    await until(() => received.includes(sent.at(-1) ?? ''))
    expect(received).toEqual(sent)
    expect([sent.length, resumed >= 8]).toEqual([40, true])
    stop()
    await until(() => proxy.connections() === 0)
  })

  it('starts with the next event if `after` is absent, and delivers the errors of an event with it alone', async () => {
    const fake = await newFakeServer()
    fake.announce(2)
    const { query: _query, ...options } = optionsFor(fake, { transport })
    const received: unknown[] = []
    const stop = follow(
      createClient(options),
      positions,
      {},
      {
        data: (data) => received.push((data as { events: { position: number } }).events.position),
        errors: (errors) => received.push(errors?.map(({ message }) => message)),
      },
    )
    await fake.until(() => fake.lines.size === 1)
    fake.announce()
    const partial = { data: { events: { cursor: 'c4', position: 4 } }, errors: [{ message: 'No.', path: ['events'] }] }
    for (const line of fake.lines) line.next(partial)
    for (const line of fake.lines) line.next({ data: { events: { cursor: 'c5', position: 5 } } })
    await until(() => received.length === 6)
    expect(received).toEqual([3, undefined, 4, ['No.'], 5, undefined])
    expect(fake.subscribed.map(({ variables }) => variables)).toEqual([{ after: 'c2' }])
    stop()
    await fake.until(() => fake.connections() === 0)
  })

  it('reports an error after which the subscription cannot go on', async () => {
    const fake = await newFakeServer()
    const { query: _query, ...options } = optionsFor(fake, { transport })
    const client = createClient(options)
    const codes: string[] = []
    const fail = (error: unknown) => void codes.push((error as SubscriptionError).code)
    const data = () => expect.unreachable()
    follow(client, 'subscription { events { cursor } }', {}, { data, fail })
    await until(() => codes.length === 1)
    fake.rejections.push({ status: 401, code: 4401 })
    follow(client, positions, { after: 'c0' }, { data, fail })
    await until(() => codes.length === 2)
    expect(codes).toEqual(['NOT_RESUMABLE', 'UNAUTHORIZED'])
  })
})

describe('the links', () => {
  it('forward queries and mutations', async () => {
    const world = await newWorld()
    const fake = await newFakeServer()
    const { query: _query, ...options } = optionsFor(fake)
    const client = createClient(options)
    const forwarded: string[] = []
    const end = new ApolloLink(({ operationType }) => {
      forwarded.push(operationType)
      return new Observable((observer) => {
        observer.next({ data: { eventCursor: 'c' } })
        observer.complete()
      })
    })
    const apollo = new ApolloClient({ link: createSubscriptionLink(client).concat(end), cache: new InMemoryCache() })
    await apollo.query({ query: gql('{ eventCursor }') })
    await apollo.mutate({ mutation: gql('mutation { eventCursor }') })
    expect(forwarded).toEqual(['query', 'mutation'])

    const urql = new UrqlClient({
      url: `${world.server.url}/graphql`,
      preferGetMethod: false,
      fetchOptions: { headers: { authorization: `Bearer ${world.mainKey}` } },
      exchanges: [createSubscriptionExchange(client), fetchExchange],
    })
    expect((await urql.query('{ eventCursor }', {}).toPromise()).data.eventCursor).toMatch(/./)
    const tag = await urql.mutation('mutation { tagCreate(input: { name: "new" }) { tag { name } } }', {}).toPromise()
    expect(tag.data).toMatchObject({ tagCreate: { tag: { name: 'new' } } })
    expect(fake.connections()).toBe(0)
  })
})

describe('the retry of graphql-ws alone', () => {
  /** Subscribes with graphql-ws, which reconnects at once. */
  function follow(world: World, url: string, variables: Record<string, unknown>): string[] {
    const socket = createSocketClient({
      url: url.replace('http', 'ws'),
      connectionParams: { authorization: `Bearer ${world.mainKey}` },
      retryAttempts: Number.POSITIVE_INFINITY,
      shouldRetry: () => true,
      retryWait: async () => undefined,
    })
    const received: string[] = []
    const next = ({ data }: { data?: Created | null }) => void received.push(data?.created.contact.email ?? '')
    socket.subscribe<Created>({ query, variables }, { next, error: () => undefined, complete: () => undefined })
    onTestFinished(() => void socket.dispose())
    return received
  }

  it('repeats 20 of 40 events after one cut if the document starts after a cursor', async () => {
    const { world, proxy, url, after } = await newWorldBehindProxy()
    const received = follow(world, url, { after })
    const sent = await createContacts(world, 20)
    await until(() => received.length === 20)
    await proxy.cut()
    await proxy.heal()
    sent.push(...(await createContacts(world, 20)))
    await until(() => received.includes(sent.at(-1) ?? ''))
    expect(received).toEqual([...sent.slice(0, 20), ...sent])
  })

  it('misses the 10 of 40 events that occur during the cut if the document starts with the next event', async () => {
    const { world, proxy, url } = await newWorldBehindProxy()
    const received = follow(world, url, {})
    await until(async () => (await countStreams(world)) === 1)
    const before = await createContacts(world, 20)
    await until(() => received.length === 20)
    await proxy.cut()
    await until(async () => (await countStreams(world)) === 0)
    await createContacts(world, 10)
    await proxy.heal()
    await until(async () => (await countStreams(world)) === 1)
    const afterwards = await createContacts(world, 10)
    await until(() => received.includes(afterwards.at(-1) ?? ''))
    expect(received.filter((email) => !before.includes(email)).slice(-10)).toEqual(afterwards)
    expect(received.length).toBeLessThan(40)
  })
})
