// node test/bench/subscribers.ts          measures subscribers over WebSocket against a bare broadcast of the same payloads
//                          --short   one round with fewer subscribers, for a look
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import WebSocket, { WebSocketServer } from 'ws'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { type App, startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { newCtx } from '../../src/db/context.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { emitAll } from '../../src/events/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { median } from './report.ts'

const isShort = process.argv.includes('--short')
const size = isShort
  ? { subscribers: 200, seconds: 3, perSecond: 50, burst: 300, rounds: 1 }
  : { subscribers: 1_000, seconds: 20, perSecond: 50, burst: 500, rounds: 3 }

/** Maximum delay of the 99th percentile, and minimum throughput relative to a plain broadcast. */
const aims = { p99: 250, ratio: 0.4 }

/** Five different documents, so that five executions serve all subscribers. */
const documents = [
  '{ cursor type name occurredAt }',
  '{ cursor type ... on ContactEvent { contactId contactDatabaseId } }',
  '{ cursor name ... on ContactEvent { contact { email firstName lastName } } }',
  '{ cursor occurredAt ... on ContactEvent { contact { id tags { name } } } }',
  '{ cursor type ... on ContactEvent { contact { email customFields { label value } createdAt updatedAt } } }',
].map((selection) => `subscription ($after: String) { events(after: $after) ${selection} }`)

/** Number of changed contacts, so that all are different. */
let created = 0

if (process.send) await subscribe()
else process.exitCode = (await measure()) ? 0 : 1

/** What the subscribers' process reports. */
interface Tally {
  messages: number
  /** 99th percentile of the milliseconds from the event to the message, of the messages that contain their time. */
  p99: number
  /** Examples of messages. */
  sample: string[]
}

async function measure(): Promise<boolean> {
  const home = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
  const log = newLog('error')
  const embedded = await startEmbedded(home, log, { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' })
  const env = { PORT: '0', SECRET: 'a secret of the bench', SENDERS: 'any', ROLES: 'api', DATABASE_URL: embedded.url }
  const config = readConfig({ ...env, RATE_LIMIT_PER_MINUTE: '100000000' })
  const app = await startApp(config, log)
  // One process writes the time and another reads it, so the time between processes is included.
  const other = await startApp(config, log)
  try {
    const rounds: Awaited<ReturnType<typeof round>>[] = []
    for (let at = 0; at < size.rounds; at += 1) rounds.push(await round(app, other))
    return report(rounds)
  } finally {
    await other.close()
    await app.close()
    await embedded.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function round(app: App, other: App) {
  const log = newLog('error')
  const system = newCommandSystem({ db: app.database.db, log, clock: systemClock })
  const { id: accountId } = await accounts.create(system, { name: 'Measured', email: 'measured@example.com' })
  const { key } = await apiKeys.create(system, { accountId })
  const contactId = await newContact(app, key)
  const crossing = await crossProcesses(app, other, key)

  const watchers = await startSubscribers(`${app.address.url.replace('http', 'ws')}/graphql`, key)
  // At a constant rate: measures the delay and whether all messages arrive.
  const events = size.seconds * size.perSecond
  const started = performance.now()
  for (let at = 0; at < events; at += 1) {
    const wait = started + (at * 1000) / size.perSecond - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    await touch(app, key, contactId)
  }
  const steady = await watchers.upTo(events * size.subscribers)
  const memory = process.memoryUsage().rss

  // At full speed: all events are emitted at once.
  const ctx = newCtx(system, { accountId })
  const before = performance.now()
  await inTransaction(ctx, (tx) => emitAll(tx, 'contact.updated', Array(size.burst - 1).fill({ contactId })))
  await touch(app, key, contactId)
  const { sample } = await watchers.upTo((events + size.burst) * size.subscribers)
  const ours = (size.burst * size.subscribers) / ((performance.now() - before) / 1000)
  watchers.stop()
  return { steady, wanted: events * size.subscribers, memory, ours, theirs: await broadcast(sample), crossing }
}

/** Sends the same payloads with `ws` only, to as many sockets in another process. */
async function broadcast(sample: string[]): Promise<number> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const watchers = await startSubscribers(`ws://127.0.0.1:${port}/`, undefined)
  const before = performance.now()
  let at = 0
  for (let event = 0; event < size.burst; event += 1) {
    for (const socket of server.clients) socket.send(sample[at++ % sample.length] as string)
    await new Promise(setImmediate)
  }
  await watchers.upTo(size.burst * size.subscribers)
  const perSecond = (size.burst * size.subscribers) / ((performance.now() - before) / 1000)
  watchers.stop()
  server.close()
  return perSecond
}

/** Measures the milliseconds from a mutation in one process to a subscriber of the other. */
async function crossProcesses(app: App, other: App, key: string): Promise<number[]> {
  const socket = await opened(`${other.address.url.replace('http', 'ws')}/graphql`, key)
  let hear: () => void = () => undefined
  socket.on('message', (text) => {
    if (String(text).includes('"next"')) hear()
  })
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: 'subscription { events { cursor } }' } }))
  const times: number[] = []
  for (let at = 0; at < 21; at += 1) {
    const heard = new Promise<void>((resolve) => {
      hear = resolve
    })
    const before = performance.now()
    await newContact(app, key)
    await heard
    times.push(performance.now() - before)
  }
  socket.close()
  // The first one includes the time of subscribing.
  return times.slice(1)
}

async function newContact(app: App, key: string): Promise<number> {
  created += 1
  const email = `${created}@example.com`
  const document = `mutation { contactCreate(input: { email: "${email}", firstName: "Ada" }) { contact { databaseId } } }`
  const { contactCreate } = await asked<{ contactCreate: { contact: { databaseId: number } } }>(app, key, document)
  return contactCreate.contact.databaseId
}

/** Changes a contact, which emits an event. */
async function touch(app: App, key: string, id: number): Promise<void> {
  created += 1
  const document = `mutation { contactUpdate(input: { contact: { id: ${id} }, city: "${created}" }) { contact { id } } }`
  await asked(app, key, document)
}

async function asked<Data>(app: App, key: string, query: string): Promise<Data> {
  const response = await fetch(`${app.address.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })
  const { data } = (await response.json()) as { data: Data }
  return data
}

function report(rounds: Awaited<ReturnType<typeof round>>[]): boolean {
  const p99s = rounds.map(({ steady }) => steady.p99)
  const ratios = rounds.map(({ ours, theirs }) => ours / theirs)
  const isComplete = rounds.every(({ steady, wanted }) => steady.messages === wanted)
  const [p99, ratio] = [median(p99s), median(ratios)]
  const crossing = rounds.flatMap((one) => one.crossing)
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED')
  console.table([
    {
      what: `${size.subscribers} subscribers, ${size.perSecond} events/s: all delivered`,
      value: String(isComplete),
      aim: 'true',
      verdict: verdict(isComplete),
    },
    {
      what: 'p99 from announcement to message, ms',
      value: p99.toFixed(0),
      aim: `< ${aims.p99}`,
      verdict: verdict(p99 < aims.p99),
    },
    {
      what: 'messages/s to a bare broadcast',
      value: ratio.toFixed(2),
      aim: `≥ ${aims.ratio}`,
      verdict: verdict(ratio >= aims.ratio),
    },
    { what: 'messages/s, ours', value: median(rounds.map(({ ours }) => ours)).toFixed(0) },
    { what: 'messages/s, bare ws', value: median(rounds.map(({ theirs }) => theirs)).toFixed(0) },
    { what: 'memory of the server, MB', value: (median(rounds.map(({ memory }) => memory)) / 2 ** 20).toFixed(0) },
    {
      what: 'from one process to the other, p50 / p99 ms',
      value: `${quantile(crossing, 0.5).toFixed(0)} / ${quantile(crossing, 0.99).toFixed(0)}`,
    },
  ])
  return isComplete && p99 < aims.p99 && ratio >= aims.ratio
}

function quantile(values: number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN
}

/** Starts the subscribers in a child process, so that they do not use the server's processor time. */
async function startSubscribers(url: string, key: string | undefined) {
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), url, key ?? ''])
  let [tally] = (await once(child, 'message')) as [Tally]
  const waiting = new Set<() => void>()
  child.on('message', (reported: Tally) => {
    tally = reported
    for (const look of waiting) look()
  })
  return {
    upTo: (messages: number) =>
      new Promise<Tally>((resolve) => {
        const look = () => {
          if (tally.messages < messages) return
          waiting.delete(look)
          resolve(tally)
        }
        waiting.add(look)
        look()
      }),
    stop: () => child.kill(),
  }
}

/** The main program of the subscribers' process. */
async function subscribe(): Promise<void> {
  const [url = '', key = ''] = process.argv.slice(-2)
  const sample: string[] = []
  /** Number of messages with a delay of this many milliseconds. */
  const late: number[] = Array(10_001).fill(0)
  let messages = 0
  const hear = (text: string) => {
    if (!text.includes('"type":"next"')) return
    messages += 1
    if (sample.length < 25) sample.push(text)
    const at = /"occurredAt":"([^"]+)"/.exec(text)?.[1]
    const place = at === undefined ? undefined : Math.min(Math.max(Date.now() - Date.parse(at), 0), 10_000)
    if (place !== undefined) late[place] = (late[place] ?? 0) + 1
  }
  const tally = (): Tally => {
    let left = late.reduce((sum, count) => sum + count, 0) / 100
    let p99 = late.length
    while (left > 0 && p99 > 0) {
      p99 -= 1
      left -= late[p99] ?? 0
    }
    return { messages, p99, sample }
  }
  for (let at = 0; at < size.subscribers; at += 1) {
    const socket = key ? await opened(url, key) : await plainlyOpened(url)
    socket.on('message', (text) => hear(String(text)))
    const query = documents[at % documents.length]
    if (key) socket.send(JSON.stringify({ id: crypto.randomUUID(), type: 'subscribe', payload: { query } }))
  }
  // The subscription that was sent last is active when the operation after it has a response.
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  process.send?.(tally())
  let told = 0
  setInterval(() => {
    if (messages === told) return
    told = messages
    process.send?.(tally())
  }, 50)
}

async function plainlyOpened(url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { perMessageDeflate: false })
  await once(socket, 'open')
  return socket
}

async function opened(url: string, key: string): Promise<WebSocket> {
  const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }))
  await once(socket, 'message')
  return socket
}
