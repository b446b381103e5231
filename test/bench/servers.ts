// node test/bench/servers.ts [--seconds 2]    measures requests for each second of processor time with 1, 2 and 4 API processes on one database
//
// The same 16 connections are divided among the processes, which start anew in each round. The time of the processes and of their connections in
// PostgreSQL counts.
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
const rounds = 3
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
  const requests = [
    ...questions(filled.key),
    ...writes.map(({ name, ours: request }) => ({ name: `write: ${name}`, request })),
  ]
  const measured = new Map<number, Times[]>(counts.map((count) => [count, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const count of counts) measured.get(count)?.push(await measure(count, requests))
  }
  const of = (count: number, name: string) => median((measured.get(count) ?? []).map((times) => times[name] ?? 0))
  const names = requests.map(({ name }) => name)
  const sum = (count: number) => names.reduce((total, name) => total + of(count, name), 0)
  console.table([...names.map((name) => rowOf(name, (count) => of(count, name))), rowOf('one of each', sum)])
  console.log(
    `Processor time of a request, and how much of the work of one process a second of it does. Aim: ${least}.`,
  )
  if (counts.some((count) => sum(1) / sum(count) < least)) process.exitCode = 1
} finally {
  load.stop()
  await client.end()
  await filled.drop()
}

function rowOf(name: string, timeOf: (count: number) => number) {
  const cells = counts.map((count) => [
    `${count} ${count === 1 ? 'process' : 'processes'}, ms`,
    `${timeOf(count).toFixed(2)} (${(timeOf(1) / timeOf(count)).toFixed(2)})`,
  ])
  return { request: name, ...Object.fromEntries(cells) }
}

/** Loads a number of new processes with each request in turn. */
async function measure(count: number, requests: readonly { name: string; request: string }[]): Promise<Times> {
  const args = [filled.url, filled.key, String(filled.accountId)]
  const servers = await Promise.all(Array.from({ length: count }, () => startServer('campanile.ts', args)))
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
