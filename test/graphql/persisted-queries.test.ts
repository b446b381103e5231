import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const persisted = (hash: string) => ({ persistedQuery: { version: 1, sha256Hash: hash } })
const query = 'query Persisted { viewer { email } }'

const post = ({ server, mainKey }: World, body: object, accept = 'application/json') =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mainKey}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  })

/** Creates an Apollo client that sends hashes, and the requests that it makes. */
function apolloOf({ server, mainKey }: World, useGETForHashedQueries: boolean) {
  const requests: { method: string; hasQuery: boolean; status: number }[] = []
  const recorded: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const sent = `${decodeURIComponent(String(input))} ${init?.body ?? ''}`
    requests.push({ method: init?.method ?? '', hasQuery: sent.includes('viewer'), status: response.status })
    return response
  }
  const link = ApolloLink.from([
    new PersistedQueryLink({ sha256, useGETForHashedQueries }),
    new HttpLink({ uri: `${server.url}/graphql`, headers: { authorization: `Bearer ${mainKey}` }, fetch: recorded }),
  ])
  const client = new ApolloClient({ link, cache: new InMemoryCache() })
  const read = () => client.query({ query: gql(query), fetchPolicy: 'no-cache' })
  return { read, requests, stop: () => client.stop() }
}

describe('persisted queries of Apollo Client', () => {
  it.each([
    ['POST', false],
    ['GET', true],
  ])('are sent in full once, and by their hash afterwards, with %s', async (method, usesGet) => {
    const world = await newWorld()
    const apollo = apolloOf(world, usesGet)
    for (let time = 0; time < 2; time += 1) {
      expect((await apollo.read()).data).toMatchObject({ viewer: { email: 'ada@example.com' } })
    }
    expect(apollo.requests).toEqual([
      { method, hasQuery: false, status: 200 },
      { method: 'POST', hasQuery: true, status: 200 },
      { method, hasQuery: false, status: 200 },
    ])
    apollo.stop()
  })
})

describe('a hash of an unknown document', () => {
  it.each(['application/json', 'application/graphql-response+json'])(
    'returns PersistedQueryNotFound with status 200, which no cache may store: %s',
    async (accept) => {
      const world = await newWorld()
      const response = await post(world, { extensions: persisted(sha256('{ nothing }')) }, accept)
      expect([response.status, response.headers.get('cache-control')]).toEqual([
        200,
        'private, no-cache, must-revalidate',
      ])
      expect(await response.json()).toEqual({
        errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
      })
    },
  )

  it('returns PersistedQueryNotFound over WebSocket and as server-sent events', async () => {
    const world = await newWorld()
    const extensions = persisted(sha256('{ nothing }'))
    const expected = [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }]
    expect(await world.socket().ask('', {}, extensions)).toMatchObject({ errors: expected })
    expect(await (await post(world, { extensions }, 'text/event-stream')).text()).toContain(JSON.stringify(expected))
  })
})

describe('a document with its hash', () => {
  it('is known to its account only', async () => {
    const world = await newWorld()
    const other = await world.other()
    expect(await (await post(world, { query, extensions: persisted(sha256(query)) })).json()).toHaveProperty('data')
    expect(await (await post(world, { extensions: persisted(sha256(query)) })).json()).toHaveProperty('data')
    expect(await (await post(other, { extensions: persisted(sha256(query)) })).json()).toHaveProperty('errors')
  })

  it('is rejected if the hash is that of another document', async () => {
    const world = await newWorld()
    const response = await post(world, { query, extensions: persisted(sha256('{ nothing }')) })
    expect([response.status, await response.json()]).toEqual([
      400,
      { errors: [{ message: expect.stringContaining('SHA-256'), extensions: { code: 'BAD_REQUEST' } }] },
    ])
  })

  it('is not stored if it is invalid', async () => {
    const world = await newWorld()
    const extensions = persisted(sha256('{ nothing }'))
    await post(world, { query: '{ nothing }', extensions })
    expect((await (await post(world, { extensions })).json()).errors[0].message).toBe('PersistedQueryNotFound')
  })
})
