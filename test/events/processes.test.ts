// @module-tag rows
import pg from 'pg'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { announcedChannel, stampedChannel } from '../../src/events/index.ts'
import { start } from '../runtime/process.ts'
import { newDatabase } from '../support/database.ts'
import { endAll } from '../support/ends.ts'
import { newServer, type Server } from '../support/server.ts'
import { countTicks, holdTimers } from '../support/timers.ts'
import { newWorld, type World } from '../support/world.ts'
import { follow } from './stream.ts'
import { Contacts, faultsOf, noFaults, writeFor } from './writers.ts'

// Unlike PostgreSQL, Redis is not embedded. This test runs only if a Redis server is configured.
const redis = process.env['TEST_REDIS_URL']

const secret = 'a secret that only tests know'

// The servers of all tests together would need most connections of a PostgreSQL server. They end after what a test ends itself.
beforeEach(() => onTestFinished(endAll, 240_000))

/** Starts a server in a child process, which can be killed. */
async function child(databaseUrl: string, env: Record<string, string> = {}) {
  const running = start('main', [], {
    PORT: '0',
    ROLES: 'api',
    SECRET: secret,
    RATE_LIMIT_PER_MINUTE: '1000000',
    DATABASE_URL: databaseUrl,
    ...env,
  })
  const url = (await running.line(/^ready /)).replace('ready ', '')
  return { ...running, url }
}

async function created(world: World, server?: Server): Promise<number> {
  const { contactCreate } = await world.run(
    `mutation { contactCreate(input: { email: "${crypto.randomUUID()}@example.com" }) { contact { databaseId } } }`,
    {},
    server && { server },
  )
  return contactCreate.contact.databaseId
}

describe('two processes', () => {
  it.each([
    ['hints of PostgreSQL', {}],
    ...(redis ? [['hints of Redis', { REDIS_URL: redis }] as [string, Record<string, string>]] : []),
    ['a Redis that cannot be reached', { REDIS_URL: 'redis://127.0.0.1:1' }],
  ])('send events of one process to subscribers of the other without polling, with %s', async (_name, env) => {
    const one = await newServer(env)
    const two = await newServer({ ...env, DATABASE_URL: one.databaseUrl })
    const world = await newWorld({ server: one })
    // Each loop of a process polls at most once more, when the pause that it has begun ends. There are more rounds than loops.
    holdTimers(500)
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const followings = await Promise.all(
      [one, two].map((server) => follow({ server, key: world.mainKey }, Contacts, { after })),
    )
    for (let round = 1; round <= 10; round += 1) {
      await created(world, round % 2 === 0 ? one : two)
      await Promise.all(followings.map((each) => each.upTo(round)))
    }
  })

  it('are notified of positions by the leader, which needs no notification of its own events', async () => {
    const server = await newServer()
    const world = await newWorld({ server })
    const client = new pg.Client({ connectionString: server.databaseUrl })
    onTestFinished(() => client.end())
    await client.connect()
    const heard: string[] = []
    const { promise: first, resolve: onFirst } = Promise.withResolvers<void>()
    const { promise: second, resolve: onSecond } = Promise.withResolvers<void>()
    client.on('notification', ({ channel }) => {
      heard.push(channel)
      if (channel === stampedChannel) (heard.includes('second') ? onSecond : onFirst)()
    })
    await client.query(`LISTEN ${announcedChannel}; LISTEN ${stampedChannel}`)
    await created(world)
    await first
    heard.push('second')
    await created(world)
    await second
    expect(heard.slice(heard.indexOf('second') + 1)).toEqual([stampedChannel])
  })

  it('replace a killed sequencer soon', async () => {
    const databaseUrl = await newDatabase()
    const leader = await child(databaseUrl)
    const server = await newServer({ DATABASE_URL: databaseUrl })
    const world = await newWorld({ server })
    const following = await follow({ server, key: world.mainKey }, Contacts, {
      after: (await world.run('{ eventCursor }')).eventCursor,
    })
    await created(world)
    await following.upTo(1)
    leader.signal('SIGKILL')
    await leader.end
    const { ticks } = await countTicks(100, async () => {
      await created(world)
      await following.upTo(2)
    })
    expect(ticks).toBeLessThan(100)
  })

  it('replace a leader that hangs, soon', async () => {
    const databaseUrl = await newDatabase()
    const leader = await child(databaseUrl)
    const server = await newServer({ DATABASE_URL: databaseUrl })
    const world = await newWorld({ server })
    const following = await follow({ server, key: world.mainKey }, Contacts, {
      after: (await world.run('{ eventCursor }')).eventCursor,
    })
    await created(world)
    await following.upTo(1)
    leader.signal('SIGSTOP')
    onTestFinished(() => leader.signal('SIGCONT'))
    const { ticks } = await countTicks(100, async () => {
      await created(world)
      await following.upTo(2)
    })
    expect(ticks).toBeLessThan(100)
  })
})

describe('a server that is killed under load', () => {
  it('loses no event: each subscriber that resumes receives all events once', async () => {
    const server = await newServer({ DATABASE_POOL_SIZE: '30' })
    const world = await newWorld({ server })
    let { eventCursor: after } = await world.run('{ eventCursor }')
    const delivered: { type: string; contactDatabaseId: number; cursor: string }[] = []
    const first = await child(server.databaseUrl)
    const writing = writeFor(world, 2_000)
    const one = await follow({ server: first, key: world.mainKey }, Contacts, { after })
    await one.upTo(50)
    first.signal('SIGKILL')
    await one.end
    delivered.push(...one.got.map(({ data }) => data.events))
    after = delivered.at(-1)?.cursor
    const second = await child(server.databaseUrl)
    const two = await follow({ server: second, key: world.mainKey }, Contacts, { after })
    const written = await writing
    await two.upTo(2 * written.committed.length - delivered.length)
    delivered.push(...two.got.map(({ data }) => data.events))
    expect(faultsOf(written, delivered)).toEqual(noFaults)
  })
})
