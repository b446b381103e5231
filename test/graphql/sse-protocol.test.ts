import { createClient } from 'graphql-sse'
import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

/** Sends a document with the client of graphql-sse, without retries. Returns its results, or the error. */
async function resultsOf(world: World, query: string): Promise<unknown[]> {
  const client = createClient({
    url: `${world.server.url}/graphql`,
    headers: { authorization: `Bearer ${world.mainKey}` },
    retryAttempts: 0,
  })
  const results: unknown[] = []
  for await (const result of client.iterate({ query })) results.push(result)
  client.dispose()
  return results
}

/** Sends a document as an SSE client does. */
const post = ({ server, mainKey }: World, body: object, accept = 'text/event-stream') =>
  fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mainKey}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  })

describe('a document that is not executed, as server-sent events', () => {
  it.each([
    ['a syntax error', 'subscription {', 'BAD_REQUEST'],
    ['an unknown field', 'subscription { nothing }', 'BAD_REQUEST'],
    ['two operations and no name', 'query A { __typename } query B { __typename }', 'BAD_REQUEST'],
    ['too many levels', `{ ${'account { contacts { nodes { '.repeat(6)}id${' } } }'.repeat(6)} }`, 'QUERY_TOO_COMPLEX'],
  ])('returns its errors in `next` to the client of graphql-sse: %s', async (_name, query, code) => {
    const world = await newWorld()
    expect(await resultsOf(world, query)).toEqual([
      { errors: expect.arrayContaining([expect.objectContaining({ extensions: { code } })]) },
    ])
  })

  it('ends with `complete`, in the media type of events and with status 200', async () => {
    const world = await newWorld()
    const response = await post(world, { query: '{ nothing }' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(await response.text()).toMatch(/^:\n\nevent: next\ndata: \{"errors":\[.+\]\}\n\nevent: complete\ndata:\n\n$/)
  })

  it('keeps the status of a request that is not authenticated', async () => {
    const world = await newWorld()
    const response = await post({ ...world, mainKey: 'cmp_wrong' }, { query: '{ nothing }' })
    expect([response.status, (await response.json()).errors[0].extensions.code]).toEqual([401, 'UNAUTHORIZED'])
  })
})

describe('the media type of a response', () => {
  it.each([
    ['application/graphql-response+json, application/json, text/event-stream', 'application/graphql-response+json'],
    ['application/json, text/event-stream;q=0.9', 'application/json'],
    ['text/event-stream, application/json;q=0.5', 'text/event-stream'],
    ['application/json;q=0.5, text/event-stream', 'text/event-stream'],
    ['*/*', 'application/json'],
  ])('is the one that the client prefers for a query: %s', async (accept, expected) => {
    const world = await newWorld()
    const response = await post(world, { query: '{ viewer { email } }' }, accept)
    expect(response.headers.get('content-type')).toBe(`${expected}; charset=utf-8`)
    expect(await response.text()).toContain('ada@example.com')
  })

  it('is that of events for a subscription, also if the client prefers JSON', async () => {
    const world = await newWorld()
    const response = await post(
      world,
      { query: 'subscription { events { cursor } }' },
      'application/json, text/event-stream;q=0.5',
    )
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    await response.body?.cancel()
  })
})

describe('a page of another origin', () => {
  it('can read the rate limit and the time of the next attempt', async () => {
    const world = await newWorld()
    const exposed =
      'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Database-Position, X-Schema-Version, ETag'
    for (const accept of ['application/json', 'text/event-stream']) {
      const response = await post(world, { query: '{ viewer { email } }' }, accept)
      expect(response.headers.get('access-control-expose-headers'), accept).toBe(exposed)
      expect(response.headers.get('x-ratelimit-limit')).toBe('1000000')
      await response.text()
    }
    const refused = await post({ ...world, mainKey: 'cmp_wrong' }, { query: '{ viewer { email } }' })
    expect(refused.headers.get('access-control-expose-headers')).toBe(exposed)
  })
})
