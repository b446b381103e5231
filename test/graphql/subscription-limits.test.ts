import { describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emitAll } from '../../src/events/index.ts'
import { newStreamCounts, streamLimits } from '../../src/graphql/streams/stream-limits.ts'
import { type Following, follow, followEvents, followed, newClient } from '../events/stream.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const Events =
  'subscription ($after: String) { events(after: $after) { cursor ... on ContactFieldEvent { contactDatabaseId } } }'

/** Emits this number of events, without cost points. */
async function announce(world: World, count: number): Promise<void> {
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  const all = Array.from({ length: count }, (_, place) => ({ contactId: place + 1, customFieldId: 1, value: '' }))
  await inTransaction(ctx, (tx) => emitAll(tx, 'contact.field_updated', all))
}

const cursorIn = async (world: World) => (await world.run('{ eventCursor }')).eventCursor as string

const idsIn = (following: Following) => following.got.map(({ data }) => data.events.contactDatabaseId)

describe('subscriptions', () => {
  it('are limited to 100 per socket; one that ends makes room for another', async () => {
    const world = await newWorld()
    const after = await cursorIn(world)
    await announce(world, 1)
    const client = newClient(world.server, world.mainKey)
    onTestFinished(() => void client.dispose())
    const to = { server: world.server, key: world.mainKey, client }
    const followings = await Promise.all(
      Array.from({ length: streamLimits.perSocket }, () => followed(to, Events, { after })),
    )
    const refused = await followed(to, Events, { after })
    expect((await refused.upTo(1))[0]).toMatchObject({
      errors: [{ message: expect.stringContaining('100'), extensions: { code: 'RATE_LIMITED' } }],
    })
    expect(await world.socket().ask('{ viewer { email } }')).toHaveProperty('data.viewer')
    followings[0]?.stop()
    await until(async () => {
      const next = await follow(to, Events, { after })
      return Boolean((await next.upTo(1))[0].data)
    })
  })

  it('are limited to 100 different documents per account, with any number of subscribers each', async () => {
    const world = await newWorld()
    const after = await cursorIn(world)
    await announce(world, 1)
    const document = (index: number) => Events.replace('cursor', `cursor n${index}: type`)
    const clients = [0, 1].map(() => newClient(world.server, world.mainKey))
    onTestFinished(() => void Promise.all(clients.map((client) => client.dispose())))
    const begin = (index: number, client = clients[index % 2]) =>
      followed({ server: world.server, key: world.mainKey, ...(client && { client }) }, document(index), { after })
    await Promise.all(Array.from({ length: streamLimits.documentsPerAccount }, (_, index) => begin(index)))
    expect((await (await begin(100)).upTo(1))[0]).toMatchObject({
      errors: [{ message: expect.stringContaining('different documents'), extensions: { code: 'RATE_LIMITED' } }],
    })
    expect((await (await begin(7)).upTo(1))[0].data.events).toHaveProperty('n7')
    const other = await world.other()
    const theirs = await follow({ server: other.server, key: other.mainKey }, document(100), { after })
    await announce(other, 1)
    expect((await theirs.upTo(1))[0].data.events).toHaveProperty('n100')
  })

  it('are rejected if the document and variables are too long', async () => {
    const world = await newWorld()
    const long = `${Events} ${'#'.repeat(streamLimits.characters)}`
    const refused = await follow({ server: world.server, key: world.mainKey }, long)
    expect((await refused.upTo(1))[0]).toMatchObject({ errors: [{ extensions: { code: 'QUERY_TOO_COMPLEX' } }] })
  })

  it('are limited per key and per account', () => {
    const counts = newStreamCounts()
    const enter = (keyId: number) => counts.add({ admitted: { accountId: 1, keyId } as never }, 'document')
    const leave = Array.from({ length: streamLimits.perKey }, () => enter(1))
    expect(enter(1)).toContain('key')
    for (const keyId of [2, 3]) for (let open = 0; open < streamLimits.perKey; open += 1) enter(keyId)
    expect(enter(4)).toContain('account')
    for (const each of leave) (each as () => void)()
    expect(enter(1)).toBeTypeOf('function')
    expect(counts.add({ admitted: { accountId: 2, keyId: 9 } as never }, 'document')).toBeTypeOf('function')
  })

  it.each(['a socket', 'server-sent events'])(
    'end over %s when the cost points are used up, and resume without losing events',
    async (transport) => {
      const server = await newServer({ COST_LIMIT_PER_MINUTE: '50' })
      const elsewhere = await newServer({ DATABASE_URL: server.databaseUrl })
      const world = await newWorld({ server })
      const after = await cursorIn(world)
      const to = { server, key: world.mainKey }
      const following =
        transport === 'a socket'
          ? await follow(to, Events, { after })
          : await followEvents(to, Events, { variables: { after } })
      await announce(world, 60)
      const { code } = await following.end
      if (transport === 'a socket') expect(code).toBe(4411)
      else
        expect(following.got.pop()).toMatchObject({
          errors: [{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) } }],
        })
      expect(following.got.length).toBeGreaterThan(10)
      expect(following.got.length).toBeLessThan(60)
      const again = await follow({ server: elsewhere, key: world.mainKey }, Events, {
        after: following.got.at(-1).data.events.cursor,
      })
      await again.upTo(60 - following.got.length)
      expect([...idsIn(following), ...idsIn(again)]).toEqual(Array.from({ length: 60 }, (_, place) => place + 1))
      // Without cost points no subscription can be started either.
      const refused = await follow(to, Events, { after })
      expect((await refused.upTo(1))[0]).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED' } }] })
    },
  )
})

/** Number of operations over sockets that the server has executed. */
async function executedBy({ server }: World): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/campanile_request_seconds_count\{transport="websocket".*\} (\d+)/.exec(text)?.[1] ?? 0)
}

describe('a socket whose client does not read', () => {
  it('is closed with a code after which clients reconnect, and gets no more responses', async () => {
    const world = await newWorld({ server: await newServer() })
    const { id } = await world.tag('x'.repeat(255))
    const socket = new WebSocket(`${world.server.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    onTestFinished(() => socket.terminate())
    const closed = new Promise<number>((resolve) => socket.on('close', resolve))
    let answers = 0
    const acknowledged = new Promise<void>((resolve) => {
      socket.on('message', (text) => {
        const { type } = JSON.parse(String(text))
        if (type === 'connection_ack') resolve()
        if (type === 'next') answers += 1
      })
    })
    socket.on('open', () =>
      socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${world.mainKey}` } })),
    )
    await acknowledged
    socket.pause()
    const names = Array.from({ length: 30 }, (_, index) => `a${index}: name`).join(' ')
    const payload = {
      query: `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Tag { ${names} } } }`,
      variables: { ids: Array(20).fill(id) },
    }
    const asked = 200
    for (let index = 0; index < asked; index += 1)
      socket.send(JSON.stringify({ id: String(index), type: 'subscribe', payload }))
    let executed = -1
    await expect
      .poll(
        async () => {
          const before = executed
          executed = await executedBy(world)
          return executed > 0 && executed === before
        },
        { interval: 500 },
      )
      .toBe(true)
    socket.resume()
    expect(await closed).toBe(4410)
    expect(answers).toBeLessThan(asked)
  })
})
