import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newSocket } from '../support/socket.ts'
import { holdTimers } from '../support/timers.ts'
import { newWorld } from '../support/world.ts'

describe('a socket', () => {
  it('runs concurrent queries and mutations on one connection', async () => {
    const world = await newWorld()
    const socket = world.socket()
    const names = Array.from({ length: 10 }, (_, index) => `tag ${index}`)
    const created = await Promise.all(
      names.map((name) =>
        socket.ask('mutation ($name: String!) { tagCreate(input: { name: $name }) { tag { name } } }', { name }),
      ),
    )
    expect(created.map(({ data }) => data.tagCreate.tag.name)).toEqual(names)
    expect(await socket.ask('{ tags { totalCount } }')).toMatchObject({
      data: { tags: { totalCount: 10 } },
      extensions: { cost: {}, rateLimit: { remaining: expect.any(Number) } },
    })
    expect(socket.opened()).toBe(1)
  })

  it('sees in each operation all earlier changes', async () => {
    const world = await newWorld()
    const socket = world.socket()
    const { id } = await world.tag('before')
    const document = 'query ($id: ID!) { tag(id: $id) { name } }'
    expect(await socket.ask(document, { id })).toMatchObject({ data: { tag: { name: 'before' } } })
    await world.run('mutation ($id: ID!) { tagUpdate(input: { id: $id, name: "after" }) { tag { id } } }', { id })
    expect(await socket.ask(document, { id })).toMatchObject({ data: { tag: { name: 'after' } } })
  })

  it('accepts the key under both spellings of the header', async () => {
    const { server, mainKey } = await newWorld()
    const socket = newSocket(server, { Authorization: `bearer ${mainKey}` })
    expect(await socket.ask('{ __typename }')).toMatchObject({ data: { __typename: 'Query' } })
  })

  it.each([
    ['a syntax error', '{ viewer {', {}, 'BAD_REQUEST'],
    ['an unknown field', '{ nothing }', {}, 'BAD_REQUEST'],
    ['no operation to choose', 'query A { __typename } query B { __typename }', {}, 'BAD_REQUEST'],
    ['a variable that is wrong', 'query ($n: Int!) { tags(first: $n) { totalCount } }', { n: 'x' }, 'BAD_REQUEST'],
    [
      'a document that is too deep',
      `{ account { ${'contacts { nodes { account { '.repeat(6)}name${' } } }'.repeat(6)} } }`,
      {},
      'QUERY_TOO_COMPLEX',
    ],
    [
      'a document that is too costly',
      '{ tags(first: 100) { nodes { contacts(first: 100) { nodes { tags { id } } } } } }',
      {},
      'QUERY_TOO_COMPLEX',
    ],
    ['a failure', 'mutation { tagDelete(input: { id: 0 }) { deletedTagId } }', {}, 'NOT_FOUND'],
  ])('stays open with its operations after %s', async (_name, wrong, variables, code) => {
    const world = await newWorld()
    await world.contact({ email: 'ada@example.com' })
    const socket = world.socket()
    const [before, bad, after] = await Promise.all([
      socket.ask('{ contacts { nodes { email } } }'),
      socket.ask(wrong, variables),
      socket.ask('mutation { tagCreate(input: { name: "a" }) { tag { name } } }'),
    ])
    expect(before).toMatchObject({ data: { contacts: { nodes: [{ email: 'ada@example.com' }] } } })
    expect(bad?.errors).toMatchObject([{ extensions: { code } }])
    expect(after).toMatchObject({ data: { tagCreate: { tag: { name: 'a' } } } })
    expect(await socket.ask('{ __typename }')).toMatchObject({ data: { __typename: 'Query' } })
    expect(socket.opened()).toBe(1)
  })

  it('may receive an invalid document first, and HTTP still returns the right status for it', async () => {
    const world = await newWorld()
    const bad = '{ viewer { seenFirstOverASocket( } }'
    expect(await world.socket().ask(bad)).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
    const authorization = `Bearer ${world.mainKey}`
    for (const [accept, status] of [
      ['application/json', 200],
      ['application/graphql-response+json', 400],
    ] as const) {
      const post = await world.ask(bad, {}, { headers: { accept } })
      expect([post.status, post.body.errors[0].extensions]).toEqual([status, { code: 'BAD_REQUEST' }])
      const get = await fetch(`${world.server.url}/graphql?query=${encodeURIComponent(bad)}`, {
        headers: { accept, authorization },
      })
      expect((await get.json()).errors[0].extensions).toEqual({ code: 'BAD_REQUEST' })
      expect(get.status).toBe(status)
    }
  })

  it('opens on /graphql only', async () => {
    const world = await newWorld()
    const elsewhere = newSocket({ url: `${world.server.url}/elsewhere` }, world.mainKey)
    await expect(elsewhere.ask('{ __typename }')).rejects.toBeDefined()
  })

  it('is closed for a message of more than a megabyte', async () => {
    const world = await newWorld()
    const socket = world.socket()
    await socket.ask('{ __typename }', { padding: 'x'.repeat(1_000_000) })
    await expect(socket.ask('{ __typename }', { padding: 'x'.repeat(1_100_000) })).rejects.toMatchObject({ code: 1009 })
  })

  it('is closed as restarting when the server stops, without delaying the stop', async () => {
    const server = await newServer()
    const world = await newWorld({ server })
    const socket = world.socket()
    await socket.ask('{ __typename }')
    // The server would otherwise end it at a deadline.
    holdTimers(500)
    await server.app.close()
    expect(await socket.closed).toBe(1012)
  })
})
