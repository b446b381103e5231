import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { MessageChannel, Worker } from 'node:worker_threads'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isAlive, type Running, start, temporaryFolder } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import type { Measure, Target } from './probe.ts'

/**
 * How long the server may delay other connections, in milliseconds. A server that is slow by itself may do so for longer: twice
 * as long as it does while it serves ordinary requests.
 */
const leastLimit = 250
const timesUsual = 2

/**
 * A hostile request is sent up to three times and the shortest delay counts. The probe already subtracts the time in
 * which other programs had the processor. The rest is noise (disk, garbage collection), which does not repeat three
 * times, whereas a blocking server is slow each time.
 */
const attempts = 3

/** Prevents that a request without a response blocks the test, in milliseconds. */
const patience = 120_000

/** The secret of the servers. */
export const secret = 'a secret that only tests know'

/** The relevant part of an HTTP response. */
export interface Reply {
  readonly status: number
  readonly body: string
}

/** The attacked server in a child process. */
export interface HostileServer {
  readonly url: string
  readonly port: number
  /** A key with full access. */
  readonly key: string
  /** The same account through another process on the same database, to create data. */
  readonly world: World
  /** Sends a request with the key, unless a header replaces it. */
  ask(path: string, options?: AskOptions): Promise<Reply>
  /** Opens a connection. Its errors are ignored, because the server may reset it. */
  open(): Promise<Socket>
  /**
   * Writes bytes on a new connection and returns what is received until its end or until `milliseconds` have passed.
   */
  raw(bytes: string | Buffer, milliseconds?: number): Promise<Reply | undefined>
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer | object
}

/** A kind of hostile request: its name, and the function that sends it and returns the response, if any. */
export interface HostileRequest {
  readonly name: string
  send(server: HostileServer): Promise<Reply | readonly (Reply | undefined)[] | undefined>
}

/**
 * Sends each hostile request of a list to a server process and asserts for each: no other connection waits longer than
 * the server may let it (`judge`), `/livez` responds throughout, and each response is below 500, or 503, without a stack trace.
 * `prepare` runs once before the first request: what it creates through `server.world` is available to all.
 */
export function describeHostile(
  area: string,
  requests: readonly HostileRequest[],
  options: { env?: Record<string, string>; prepare?: (server: HostileServer) => Promise<void> } = {},
): void {
  describe(`hostile ${area}`, () => {
    let server: StartedServer
    let world: World
    let probe: Probe
    beforeAll(async () => {
      world = await newWorld({ server: await newServer({ SECRET: secret }), subdomain: 'hostile' })
      server = await startHostile(world, options.env)
      await options.prepare?.(server)
      probe = await newProbe()
    })
    beforeEach(async () => {
      // A crash of the server fails only the test that caused it, not the following ones.
      if (!isAlive(server.running.pid)) server = await startHostile(world, options.env)
    })
    afterAll(async () => {
      await probe?.end()
      server?.running.signal('SIGTERM')
      expect(await server?.running.end).toMatchObject({ code: 0 })
    })
    it.each(requests)('$name', { timeout: 4 * patience }, async ({ send }) => {
      await judge(probe, server, send)
    })
  })
}

/**
 * Asserts that a server stays responsive while it receives hostile requests. A gap above the limit is compared with the longest
 * one of the same server during ordinary requests, which are sent at once, so that both are measured on the same machine in
 * the same mood. A fault is longer than its limit on a slow machine, too, because its work takes longer there.
 */
export async function judge(probe: Probe, server: StartedServer, send: HostileRequest['send']): Promise<void> {
  const gaps: number[] = []
  const gapOf = async (work: HostileRequest['send']) => {
    const { replies, measure } = await probe.during(server, () => work(server))
    for (const reply of replies) mustBeCalm(reply)
    expect(measure.failures, 'answers of /livez that failed').toBe(0)
    return measure.longestMilliseconds
  }
  let limit = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    gaps.push(await gapOf(send))
    // The shortest of both counts, because noise makes both longer.
    limit = Math.min(limit, await gapLimit(probe, server, gaps[attempt] as number))
    if (Math.min(...gaps) <= limit) break
  }
  const shown = `gaps in milliseconds: ${gaps.join(', ')}, limit: ${limit}`
  expect(Math.min(...gaps), shown).toBeLessThanOrEqual(limit)
}

/** Returns the limit for a gap, in milliseconds. It is only measured for a gap that a fast machine does not have. */
export async function gapLimit(probe: Probe, server: StartedServer, gap: number): Promise<number> {
  if (gap <= leastLimit) return leastLimit
  const { measure } = await probe.during(server, () => sendOrdinary(server))
  return Math.max(leastLimit, timesUsual * measure.longestMilliseconds)
}

/** Sends ordinary requests: a file, a contact, lists, and a page that does not exist. */
export async function sendOrdinary({ ask, world }: HostileServer): Promise<(Reply | undefined)[]> {
  const rows = Array.from({ length: 5_000 }, (_, at) => `nobody ${at},Ada,"Acme, Ltd",vip;new\n`)
  const graphql = (query: string, variables: object) => ask('/graphql', { method: 'POST', body: { query, variables } })
  const created = await graphql('mutation { contactImportCreate(input: {}) { uploadUrl } }', {})
  const url = JSON.parse(created.body).data?.contactImportCreate?.uploadUrl
  const file = { method: 'PUT', body: `email,first_name,company,tags\n${rows.join('')}` }
  const contact = { method: 'POST', body: { email: `ordinary-${world.accountId}@example.com` } }
  const list = '{ contacts(first: 100) { nodes { id email firstName tags { name } } } }'
  return [
    created,
    url && (await ask(new URL(url).pathname, file)),
    await graphql(list, {}),
    await ask('/v1/contact', contact),
    await ask('/v1/contacts'),
    await ask('/v1/tags'),
    await ask('/u/none'),
  ]
}

/** The attacked server and its process. */
export interface StartedServer extends HostileServer {
  readonly running: Running
}

/** Starts a server process on the database of a world. The world itself is reached through another process. */
export async function startHostile(
  world: World,
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
): Promise<StartedServer> {
  const settings = {
    PORT: '0',
    DATA_DIR: await temporaryFolder(),
    DATABASE_URL: world.server.databaseUrl,
    SECRET: secret,
    SENDERS: 'any',
    ROLES: 'api,worker',
    RATE_LIMIT_PER_MINUTE: '1000000',
    PUBLIC_RATE_PER_IP: '1000000',
    PUBLIC_RATE_PER_EMAIL: '1000000',
    PUBLIC_FLOOD_PER_IP: '1000000',
    PUBLIC_FLOOD_PER_FORM: '1000000',
    BOUNCES_GENERIC_KEY: 'a-key-that-only-tests-know',
    ...env,
  }
  const running = start('main', [], settings, undefined, nodeOptions)
  const url = (await running.line(/^ready /)).replace(/^ready /, '')
  const port = Number(new URL(url).port)
  const key = world.mainKey
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  return {
    ...{ url, port, key, world, running, open },
    ask: async (path, { method = 'GET', headers = {}, body } = {}) => {
      const isObject = typeof body === 'object' && !Buffer.isBuffer(body)
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(isObject && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: (isObject ? JSON.stringify(body) : body) as string }),
        redirect: 'manual',
        signal: AbortSignal.timeout(patience),
      })
      return { status: response.status, body: await response.text() }
    },
    raw: async (bytes, milliseconds = 2_000) => {
      const socket = await open()
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      // Does not reject: a reset is a valid response.
      const ended = new Promise((resolve) => socket.once('close', resolve))
      socket.write(bytes)
      const timer = setTimeout(() => socket.destroy(), milliseconds)
      await ended
      clearTimeout(timer)
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]
      return status === undefined ? undefined : { status: Number(status), body: text }
    },
  }
}

/** A connection to servers in a thread of its own. */
export interface Probe {
  /** Runs a function while the connection measures the server. */
  during(
    server: StartedServer,
    work: () => ReturnType<HostileRequest['send']>,
  ): Promise<{ replies: (Reply | undefined)[]; measure: Measure }>
  end(): Promise<unknown>
}

/** Starts a probe. Its thread takes longer to start than most hostile requests take, so all of a file share one. */
export async function newProbe(): Promise<Probe> {
  const { port1, port2 } = new MessageChannel()
  const worker = new Worker(new URL('./probe.ts', import.meta.url), {
    workerData: { port: port2 },
    transferList: [port2],
    execArgv: [],
  })
  await once(port1, 'message')
  return {
    during: async ({ url, running }, work) => {
      port1.postMessage({ url, pid: running.pid } satisfies Target)
      await once(port1, 'message')
      const measured = once(port1, 'message')
      const answer = await work().finally(() => {
        port1.postMessage(undefined)
        return measured
      })
      const [measure] = (await measured) as [Measure]
      return { replies: Array.isArray(answer) ? [...answer] : [answer as Reply | undefined], measure }
    },
    end: () => {
      port1.close()
      return worker.terminate()
    },
  }
}

/** Asserts that the response is not an internal error and reveals no internals. */
function mustBeCalm(reply: Reply | undefined): void {
  if (!reply) return
  const { status, body } = reply
  expect(status < 500 || status === 503, `${status}: ${body.slice(0, 500)}`).toBe(true)
  expect(body).not.toMatch(/^\s+at .+:\d+:\d+/m)
  expect(body).not.toMatch(/node_modules|\\n\s+at /)
}
