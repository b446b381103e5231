// node test/bench/servers.ts [--seconds 2]    measures requests for each second of processor time with 1, 2 and 4 API processes
// on one database,
//                                             and with as many processes of the hand-written servers
//
// The same 16 connections are divided among the processes, which start anew in each round. The time of the processes and of their
// connections in PostgreSQL counts.
import { parseArgs } from 'node:util'
import pg from 'pg'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '2' } } })
process.env['BENCH_CONTACTS'] ??= '20000'
const { fillDatabase } = await import('./database.ts')
const { cpuOfConnections, startLoader, startServer } = await import('./processes.ts')
const { questions } = await import('./questions.ts')
const { median } = await import('./report.ts')
const { prepareWrites } = await import('./writes/requests.ts')

const counts = [1, 2, 4]
const rounds = 2
const connections = 16
const milliseconds = Number(values.seconds) * 1_000
/** Time in which each process compiles the code of a request, in milliseconds. */
const warmingMs = 1_000
/** Requests for each second of processor time, relative to one process. */
const least = 0.9

/** Processor time of a request in milliseconds, by name of the request. */
type Times = Record<string, number>

const filled = await fillDatabase()
const load = startLoader()
const client = new pg.Client(filled.url)
try {
  await client.connect()
  const writes = await prepareWrites(filled)
  const reads = questions(filled.key)
  const changes = writes.map(({ name, ours: request }) => ({ name: `write: ${name}`, request }))
  const ours = await measureAll([{ file: 'campanile.ts', requests: [...reads, ...changes] }])
  const theirs = await measureAll([
    { file: 'baseline/server.ts', requests: reads },
    {
      file: 'baseline/writes.ts',
      requests: writes.map(({ name, theirs }) => ({ name: `write: ${name}`, request: theirs })),
    },
  ])
  const names = [...reads, ...changes].map(({ name }) => name)
  console.table([...names.map((name) => rowOf(name, [name], ours, theirs)), rowOf('one of each', names, ours, theirs)])
  console.log(
    `Processor time of a request, how much of the work of one process a second of it does, and the same of hand-written servers. Aim: ${least}.`,
  )
  if (counts.some((count) => ratioOf(ours, names, count) < least)) process.exitCode = 1
} finally {
  load.stop()
  await client.end()
  await filled.drop()
}

/** A request with its name in the report. */
interface Named {
  readonly name: string
  readonly request: string
}

/** A server, and the requests that it answers. */
interface Asked {
  readonly file: string
  readonly requests: readonly Named[]
}

/** Measures servers with each number of processes in turn. */
async function measureAll(servers: readonly Asked[]): Promise<Map<number, Times>> {
  const measured = counts.map((count) => ({ count, rounds: [] as Times[] }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { count, rounds } of measured) {
      const times: Times = {}
      for (const server of servers) Object.assign(times, await measure(server, count))
      rounds.push(times)
    }
  }
  return new Map(
    measured.map(({ count, rounds }) => {
      const names = Object.keys(rounds[0] ?? {})
      return [count, Object.fromEntries(names.map((name) => [name, median(rounds.map((times) => times[name] ?? 0))]))]
    }),
  )
}

function sumOf(all: Map<number, Times>, names: readonly string[], count: number): number {
  return names.reduce((sum, name) => sum + (all.get(count)?.[name] ?? 0), 0)
}

/** Returns how much of the work of one process a second of several does. */
function ratioOf(all: Map<number, Times>, names: readonly string[], count: number): number {
  return sumOf(all, names, 1) / sumOf(all, names, count)
}

function rowOf(request: string, names: readonly string[], ours: Map<number, Times>, theirs: Map<number, Times>) {
  const cells = counts.map((count) => {
    const [own, other] = [ratioOf(ours, names, count), ratioOf(theirs, names, count)].map((ratio) => ratio.toFixed(2))
    return [
      `${count} ${count === 1 ? 'process' : 'processes'}, ms`,
      `${sumOf(ours, names, count).toFixed(2)} (${own}, hand-written ${other})`,
    ]
  })
  return { request, ...Object.fromEntries(cells) }
}

/** Loads a number of new processes with each request in turn. */
async function measure({ file, requests }: Asked, count: number): Promise<Times> {
  const args = [filled.url, filled.key, String(filled.accountId)]
  const servers = await Promise.all(Array.from({ length: count }, () => startServer(file, args)))
  try {
    const ports = servers.map(({ port }) => port)
    const cpu = async () => {
      const all = await Promise.all([cpuOfConnections(client), ...servers.map((server) => server.cpuMilliseconds())])
      return all.reduce((total, each) => total + each, 0)
    }
    const times: Times = {}
    for (const { request } of requests)
      await load.apply({ ports, request, connections, milliseconds: warmingMs * count })
    // Autovacuum would do this within a minute.
    await client.query('VACUUM ANALYZE')
    for (const { name, request } of requests) {
      const before = await cpu()
      const { times: durations } = await load.apply({ ports, request, connections, milliseconds })
      times[name] = ((await cpu()) - before) / durations.length
    }
    return times
  } finally {
    for (const server of servers) server.stop()
  }
}
