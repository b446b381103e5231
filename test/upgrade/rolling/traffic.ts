import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { createClient } from 'graphql-ws'
import { quantile } from '../../bench/report.ts'
import type { Version } from './processes.ts'

const writers = 8

/** Requests of a writer on one connection. Then a connection to the next process is opened, as behind a proxy. */
const requestsPerConnection = 25

/** What was answered: each must be in the database, and each must have been announced once. */
export interface Written {
  readonly created: string[]
  readonly tagged: string[]
  readonly ordered: string[]
  /** The addresses in the events that the subscriber received. */
  readonly announced: string[]
}

interface Answer {
  readonly status: number
  readonly isLast: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the shape is that of any response
  readonly body: any
}

/** Outcomes of an operation in a phase. */
interface Tally {
  answered: number
  repeated: number
  failed: Map<string, number>
  times: number[]
}

const operations = {
  create: 'mutation ($email: String!) { contactCreate(input: { email: $email }) { contact { databaseId } } }',
  tag: 'mutation ($email: String!, $tag: ID!) { contactTagAdd(input: { contact: { email: $email }, tagId: $tag }) { tag { name } } }',
  order: `mutation ($email: String!) { orderRecord(input: { idOrder: $email, amount: "12.00",
    customer: { email: $email, firstName: "Ada", lastName: "Lovelace" } }) { order { databaseId } } }`,
  list: '{ contacts(first: 20) { totalCount nodes { email tags { name } } } }',
  events: `subscription ($after: String) { events(after: $after, types: [CONTACT_CREATED]) {
    cursor ... on ContactEvent { contact { email } } } }`,
}

/** Sends a mix of requests, and follows the events, until it is stopped. A request without an answer is repeated elsewhere. */
export async function startTraffic({ key, targets }: { key: string; targets: Version[] }) {
  let [current, phase, isStopped, turn] = [targets, 'old version', false, 0]
  const tallies = new Map<string, Tally>()
  const written: Written = { created: [], tagged: [], ordered: [], announced: [] }
  const next = () => current[turn++ % current.length] as Version

  const tallyOf = (operation: string, version: Version): Tally => {
    const name = `${phase}, ${version.name}: ${operation}`
    const tally: Tally = tallies.get(name) ?? { answered: 0, repeated: 0, failed: new Map(), times: [] }
    tallies.set(name, tally)
    return tally
  }
  const [first] = targets as [Version]
  const tagAnswer = await send(
    new Agent(),
    first,
    key,
    'tag',
    'mutation { tagCreate(input: { name: "rolling" }) { tag { databaseId } } }',
    {},
  )
  const tag = String(tagAnswer.body.data.tagCreate.tag.databaseId)
  const { body } = await send(new Agent(), first, key, 'cursor', '{ eventCursor }', {})
  const start = String(body.data.eventCursor)

  const write = async (writer: number) => {
    let agent = newAgent()
    let version = next()
    let sent = 0
    const move = () => {
      agent.destroy()
      agent = newAgent()
      version = next()
      sent = 0
    }
    const ask = async (operation: keyof typeof operations | 'rest', variables: Record<string, string>, id: string) => {
      for (let attempt = 0; attempt < 20; attempt += 1) {
        if (sent >= requestsPerConnection) move()
        sent += 1
        const tally = tallyOf(operation, version)
        const began = performance.now()
        const query = operation === 'rest' ? undefined : operations[operation]
        const answer = await send(agent, version, key, `${operation}.${id}`, query, variables).catch(() => undefined)
        if (answer === undefined) {
          tally.repeated += 1
          move()
          continue
        }
        tally.times.push(performance.now() - began)
        if (answer.isLast) move()
        const failure = failureOf(answer)
        if (failure === undefined) tally.answered += 1
        else tally.failed.set(failure, (tally.failed.get(failure) ?? 0) + 1)
        return failure === undefined
      }
      tallyOf(operation, version).failed.set('no answer', 1)
      return false
    }
    for (let round = 0; !isStopped; round += 1) {
      const email = `rolling.${writer}.${round}@example.com`
      if (await ask('create', { email }, email)) written.created.push(email)
      if (await ask('tag', { email, tag }, email)) written.tagged.push(email)
      if (round % 4 === 0 && (await ask('order', { email }, email))) written.ordered.push(email)
      await ask('list', {}, email)
      await ask('rest', {}, email)
    }
    agent.destroy()
  }
  const follow = async () => {
    for (let after = start; !isStopped || written.announced.length < written.created.length; ) {
      const client = createClient({
        url: `${next().url.replace('http', 'ws')}/graphql`,
        connectionParams: { authorization: `Bearer ${key}` },
        retryAttempts: 0,
      })
      await new Promise<void>((resolve) => {
        const give = isStopped ? setTimeout(resolve, 10_000) : undefined
        const end = () => {
          clearTimeout(give)
          resolve()
        }
        client.subscribe(
          { query: operations.events, variables: { after } },
          {
            // biome-ignore lint/suspicious/noExplicitAny: the shape is that of the subscription
            next: ({ data }: any) => {
              after = data.events.cursor
              written.announced.push(data.events.contact.email)
              if (isStopped && written.announced.length >= written.created.length) end()
            },
            error: end,
            complete: end,
          },
        )
        ending = end
      })
      await client.dispose()
      if (isStopped) break
    }
  }
  let ending: () => void = () => undefined
  const writing = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const following = follow()
  return {
    phase: (name: string) => {
      phase = name
    },
    send: (to: Version[]) => {
      current = to
    },
    stop: async (): Promise<Written> => {
      isStopped = true
      await writing
      const deadline = Date.now() + 10_000
      while (written.announced.length < written.created.length && Date.now() < deadline) {
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      ending()
      await following
      return written
    },
    failures: () =>
      [...tallies.values()].flatMap(({ failed }) => [...failed.values()]).reduce((sum, each) => sum + each, 0),
    report: () =>
      [...tallies].map(([name, { answered, repeated, failed, times }]) => ({
        requests: name,
        answered,
        repeated,
        'p99 ms': Math.round(quantile(times, 0.99)),
        'max ms': Math.round(quantile(times, 1)),
        failed: [...failed].map(([reason, count]) => `${count} × ${reason}`).join(', '),
      })),
  }
}

function newAgent(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

function failureOf({ status, body }: Answer): string | undefined {
  const error = body.errors?.[0]
  if (error) return `${status} ${error.extensions?.code} ${error.message}`
  return status >= 400 ? `${status} ${JSON.stringify(body).slice(0, 100)}` : undefined
}

/** Sends a GraphQL request, or one of the REST API without `query`. Rejects if the process does not answer. */
async function send(
  agent: Agent,
  { url }: Version,
  key: string,
  idempotencyKey: string,
  query: string | undefined,
  variables: Record<string, string>,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const isWrite = query?.startsWith('mutation')
  const sending = request(
    `${url}${query === undefined ? '/v1/contacts?per_page=20' : '/graphql'}`,
    {
      agent,
      method: query === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...(isWrite && { 'idempotency-key': idempotencyKey }) },
    },
    async (response) => {
      try {
        const { statusCode: status = 0, headers: got } = response
        resolve({ status, isLast: got.connection === 'close', body: JSON.parse(await text(response)) })
      } catch (error) {
        reject(error)
      }
    },
  ).on('error', reject)
  sending.end(query === undefined ? undefined : JSON.stringify({ query, variables }))
  return promise
}
