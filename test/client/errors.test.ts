import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, fetchExchange } from '@urql/core'
import { createClient } from 'graphql-ws'
import { describe, expect, it } from 'vitest'
import { iterate, readErrors } from '../../src/client/index.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const document = 'mutation { contactCreate(input: { email: "nobody" }) { contact { id } } }'
const expected = {
  code: 'VALIDATION_ERROR',
  message: 'Invalid input: email must be a valid e-mail address.',
  path: ['contactCreate'],
  details: { 'input.email': ['must be a valid e-mail address'] },
  fields: [{ path: 'input.email', code: 'INVALID_VALUE', message: 'must be a valid e-mail address' }],
  scope: undefined,
  retryAfterMs: undefined,
}

const caught = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )

const sources: Record<string, (world: World) => Promise<unknown>> = {
  'a result': async (world) => (await world.ask(document)).body,
  'the errors of a result': async (world) => (await world.ask(document)).body.errors,
  'the error of Apollo Client': async ({ server, mainKey }) => {
    const headers = { authorization: `Bearer ${mainKey}` }
    const link = new HttpLink({ uri: `${server.url}/graphql`, headers })
    const client = new ApolloClient({ link, cache: new InMemoryCache() })
    const error = await caught(client.mutate({ mutation: gql(document) }))
    client.stop()
    return error
  },
  'the error of urql': async ({ server, mainKey }) => {
    const client = new Client({
      url: `${server.url}/graphql`,
      preferGetMethod: false,
      exchanges: [fetchExchange],
      fetchOptions: { headers: { authorization: `Bearer ${mainKey}` } },
    })
    return (await client.mutation(document, {}).toPromise()).error
  },
  'the result of graphql-ws': async ({ server, mainKey }) => {
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      connectionParams: { authorization: `Bearer ${mainKey}` },
      retryAttempts: 0,
    })
    const { value } = await client.iterate({ query: document }).next()
    await client.dispose()
    return value
  },
}

describe('readErrors', () => {
  it.each(Object.entries(sources))('returns the code, the details and the path of %s', async (_name, fail) => {
    expect(readErrors(await fail(await newWorld()))).toEqual([expected])
  })

  it('returns the errors of a subscription that ended', async () => {
    const { server } = await newWorld()
    const query = 'subscription ($after: String) { events(after: $after) { cursor } }'
    const events = iterate({ url: `${server.url}/graphql`, key: 'cmp_wrong', query, transport: 'sse' })
    expect(readErrors(await caught(events.next()))).toMatchObject([{ code: 'UNAUTHORIZED', path: [], details: {} }])
  })

  it('returns the time to wait after too many requests', async () => {
    const world = await newWorld({ server: await newServer({ RATE_LIMIT_PER_MINUTE: '1' }) })
    await world.ask('{ viewer { email } }')
    const [error] = readErrors((await world.ask('{ viewer { email } }')).body)
    expect(error?.code).toBe('RATE_LIMITED')
    expect(error?.retryAfterMs).toBeGreaterThan(0)
    expect(error?.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  it.each([[{ data: {} }], [new Error('fetch failed')], [undefined], [null], ['text'], [[]]])(
    'returns no errors of %o',
    (source) => {
      expect(readErrors(source)).toEqual([])
    },
  )
})
