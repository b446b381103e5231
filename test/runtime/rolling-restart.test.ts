// @module-tag rows
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { follow } from '../events/stream.ts'
import { Contacts } from '../events/writers.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { until } from './process.ts'

const create = 'mutation ($email: String!) { contactCreate(input: { email: $email }) { contact { databaseId } } }'

interface Response {
  status: number
  connection: string | undefined
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
  body: any
}

/** Creates a contact over connections that are kept alive. */
async function createOver(agent: Agent, world: World, server: Server, email: string): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  request(
    `${server.url}/graphql`,
    {
      agent,
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.mainKey}`,
        'content-type': 'application/json',
        'idempotency-key': email,
      },
    },
    async (response) => {
      try {
        const { statusCode: status = 0, headers } = response
        resolve({ status, connection: headers.connection, body: JSON.parse(await text(response)) })
      } catch (error) {
        reject(error)
      }
    },
  )
    .on('error', reject)
    .end(JSON.stringify({ query: create, variables: { email } }))
  return promise
}

function newAgent(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return agent
}

describe('a server that stops', () => {
  it('completes a request on a connection that is kept alive, and ends the connection with the response', async () => {
    const server = await newServer()
    const world = await newWorld({ server })
    const agent = newAgent()
    expect(await createOver(agent, world, server, 'a@example.com')).toMatchObject({ connection: 'keep-alive' })
    const blocker = new pg.Client({ connectionString: server.databaseUrl })
    await blocker.connect()
    onTestFinished(() => blocker.end())
    await blocker.query('BEGIN; LOCK TABLE contact IN ACCESS EXCLUSIVE MODE')
    const response = createOver(agent, world, server, 'b@example.com')
    await until(async () => {
      const { rows } = await blocker.query(
        "SELECT FROM pg_locks WHERE NOT granted AND relation = 'contact'::regclass AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
      )
      return rows.length > 0
    })
    const closed = server.app.close()
    await blocker.query('COMMIT')
    expect(await response).toMatchObject({ status: 200, connection: 'close', body: { data: expect.anything() } })
    await closed
  })

  it('under load loses no request of clients that repeat unanswered ones, and no event', async () => {
    const first = await newServer()
    const second = await newServer({ DATABASE_URL: first.databaseUrl })
    const world = await newWorld({ server: second })
    const { eventCursor: after } = await world.run('{ eventCursor }')
    const [beforeStop, duringAll] = await Promise.all(
      [first, second].map((server) => follow({ server, key: world.mainKey }, Contacts, { after })),
    )
    if (!beforeStop || !duringAll) throw new Error('No subscription.')
    let isStopped = false
    const answered: number[] = []
    const write = async (writer: number) => {
      const agent = newAgent()
      let server = first
      for (let round = 0, left = 5; left > 0; round += 1, left -= isStopped ? 1 : 0) {
        const email = `${writer}.${round}@example.com`
        const response = await createOver(agent, world, server, email).catch(() => {
          server = second
          return createOver(agent, world, server, email)
        })
        expect(response.body.errors).toBeUndefined()
        answered.push(response.body.data.contactCreate.contact.databaseId)
        if (response.connection === 'close') server = second
      }
    }
    const writing = Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
    await beforeStop.upTo(20)
    await first.app.close()
    isStopped = true
    await writing

    expect((await beforeStop.end).code).toBe(1012)
    const seen = beforeStop.got.map(({ data }) => data.events)
    const resumed = await follow({ server: second, key: world.mainKey }, Contacts, { after: seen.at(-1).cursor })
    const rest = await resumed.upTo(answered.length - seen.length)
    const ids = [...seen, ...rest.map(({ data }) => data.events)].map(({ contactDatabaseId }) => contactDatabaseId)
    expect(ids.toSorted((a, b) => a - b)).toEqual(answered.toSorted((a, b) => a - b))
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(answered.length)
    expect([...first.errors, ...second.errors]).toEqual([])
  })
})
