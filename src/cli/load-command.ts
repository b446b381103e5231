import { setTimeout as pause } from 'node:timers/promises'
import { httpUrl, newCommand, type OutputOptions, positiveNumber, withOutputOptions } from './options.ts'
import { print } from './run.ts'

interface LoadOptions extends OutputOptions {
  readonly url: string
  readonly key: string
  readonly seconds: number
  readonly connections: number
  /** Requests per second. By default as many as the server answers. */
  readonly rate?: number
  readonly write?: boolean
  /** Seconds after which a request without a response has failed. */
  readonly timeout: number
}

/** What a client does, with its share among all requests. */
interface Operation {
  readonly name: string
  readonly share: number
  run(client: LoadClient): Promise<string>
}

/** Durations in milliseconds of the requests of an operation, by outcome: `ok`, an HTTP status, or a code of the graph. */
type Durations = Map<string, number[]>

/** Sends requests with the key of an account. Each returns its outcome. */
interface LoadClient {
  query(
    query: string,
    variables?: object,
  ): Promise<{ outcome: string; data: Record<string, { contact: { id: string } }> }>
  get(path: string): Promise<string>
}

const contactPage = `{ contacts(first: 50) { nodes { id email firstName lastName
  tags { name } customFields { value customField { name } } } } }`
const campaignPage = '{ campaigns(first: 20) { nodes { id name status stats { sent opened clicked } } } }'
const timeline = '{ contacts(first: 1) { nodes { timeline(first: 20) { nodes { id type } } } } }'
const creation = 'mutation ($email: String!) { contactCreate(input: { email: $email }) { contact { id } } }'
const deletion = 'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }'

const reads: readonly Operation[] = [
  { name: 'contacts with tags and fields', share: 5, run: async (client) => (await client.query(contactPage)).outcome },
  { name: 'campaigns with figures', share: 2, run: async (client) => (await client.query(campaignPage)).outcome },
  { name: 'timeline of a contact', share: 1, run: async (client) => (await client.query(timeline)).outcome },
  { name: 'REST list of contacts', share: 2, run: (client) => client.get('/v1/contacts') },
]

const writes: readonly Operation[] = [
  {
    name: 'contact created and deleted',
    share: 2,
    run: async (client) => {
      // A domain that never exists (RFC 2606).
      const { outcome, data } = await client.query(creation, { email: `load-${crypto.randomUUID()}@example.invalid` })
      return outcome === 'ok'
        ? (await client.query(deletion, { id: data['contactCreate']?.contact.id })).outcome
        : outcome
    },
  },
]

/** `cli load`: measures a server with the requests of a front end, over HTTP like any other client. */
export const loadCommand = withOutputOptions(
  newCommand('load').description('send a mix of requests to a server, and print their number and duration'),
)
  .requiredOption('--url <url>', 'URL of the server', httpUrl)
  .requiredOption('--key <key>', 'API key with full access to an account for tests')
  .option('--seconds <n>', 'duration', positiveNumber, 30)
  .option('--connections <n>', 'requests at a time', positiveNumber, 16)
  .option('--rate <n>', 'requests a second; defaults to as many as the server answers', positiveNumber)
  .option('--timeout <n>', 'seconds after which a request without a response has failed', positiveNumber, 30)
  .option('--write', 'create and delete contacts too')
  .action(async (options: LoadOptions) => print(options, await applyLoad(options)))

async function applyLoad(options: LoadOptions) {
  const { seconds, connections, rate, write = false } = options
  const operations = [...reads, ...(write ? writes : [])]
  const turns = operations.flatMap((operation) => Array.from({ length: operation.share }, () => operation))
  const durations = new Map<Operation, Durations>(operations.map((operation) => [operation, new Map()]))
  const client = newClient(options)
  const startedAt = performance.now()
  const end = startedAt + seconds * 1_000
  let sent = 0
  const send = async () => {
    for (;;) {
      const turn = sent
      sent += 1
      // With a rate, a request has a time at which it is due, so that a slow server does not reduce the load.
      const dueAt = rate === undefined ? performance.now() : startedAt + (turn * 1_000) / rate
      if (dueAt >= end) return
      await pause(Math.max(dueAt - performance.now(), 0))
      const operation = turns[(turn * 7) % turns.length] as Operation
      const outcome = await operation.run(client).catch((error: Error) => failureOf(error))
      const times = durations.get(operation)
      const others = times?.get(outcome)
      if (others) others.push(performance.now() - dueAt)
      else times?.set(outcome, [performance.now() - dueAt])
    }
  }
  await Promise.all(Array.from({ length: connections }, send))
  const took = (performance.now() - startedAt) / 1_000
  return {
    operations: operations.map((each) => ({
      operation: each.name,
      ...summaryOf(durations.get(each) ?? new Map(), took),
    })),
  }
}

function newClient({ url, key, timeout }: LoadOptions): LoadClient {
  const authorization = `Bearer ${key}`
  const newSignal = () => AbortSignal.timeout(timeout * 1_000)
  return {
    query: async (query, variables = {}) => {
      const response = await fetch(new URL('/graphql', url), {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
        signal: newSignal(),
      })
      const body = await response.json().catch(() => ({}))
      const code = body.errors?.[0]?.extensions?.code
      return { outcome: response.ok ? (code ?? 'ok') : (code ?? String(response.status)), data: body.data ?? {} }
    },
    get: async (path) => {
      const response = await fetch(new URL(path, url), { headers: { authorization }, signal: newSignal() })
      await response.arrayBuffer()
      return response.ok ? 'ok' : String(response.status)
    },
  }
}

/** Returns the reason why there was no response, such as ECONNREFUSED or TimeoutError. */
function failureOf({ cause, name }: Error): string {
  return (cause as { code?: string } | undefined)?.code ?? name
}

/** Durations are those of the successful requests, from the time at which they were due. */
function summaryOf(durations: Durations, seconds: number) {
  const times = (durations.get('ok') ?? []).toSorted((a, b) => a - b)
  const at = (share: number) => {
    const time = times[Math.min(Math.floor(times.length * share), times.length - 1)]
    return time === undefined ? null : Math.round(time * 10) / 10
  }
  return {
    per_second: Math.round((times.length / seconds) * 10) / 10,
    p50_ms: at(0.5),
    p95_ms: at(0.95),
    p99_ms: at(0.99),
    outcomes: Object.fromEntries([...durations].map(([outcome, each]) => [outcome, each.length])),
  }
}
