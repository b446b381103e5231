// node test/bench/scale.ts [--sizes=10000,100000,1000000] [--seconds=2]
// measures pages and filters of accounts of 10,000 to 1,000,000 contacts, and writes the numbers and plots of results/scale*.
//
// Each account has contacts with 5 tags, and a second account has a tenth as many with 50 tags. Requires a superuser.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { openDatabase } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { comparePages } from './compare.ts'
import { cases, fill, namesOf } from './filters/cases.ts'
import { plot, type Series } from './plot.ts'
import { type Loader, type Server, startLoader, startServer } from './processes.ts'
import { graph } from './questions.ts'
import { quantile } from './report.ts'

const { values } = parseArgs({
  options: { sizes: { type: 'string', default: '10000,100000,1000000' }, seconds: { type: 'string', default: '2' } },
})
const sizes = values.sizes.split(',').map(Number)
const milliseconds = Number(values.seconds) * 1_000
/** Each page and filter is loaded this often, in turns. */
const rounds = 3
const filterNames = Object.keys(cases).slice(0, 10)
const results = new URL('results/', import.meta.url)
const log = newLog('error')

const Page = `query ($first: Int) { contacts(first: $first) { nodes { databaseId email firstName lastName createdAt
  tags { databaseId name } } } }`
const Filtered = `query ($filter: ContactFilterInput) { contacts(first: 50, filter: $filter) { totalCount
  nodes { databaseId email firstName lastName createdAt } } }`

const colours = [
  '#1f77b4',
  '#d62728',
  '#2ca02c',
  '#9467bd',
  '#8c564b',
  '#e377c2',
  '#7f7f7f',
  '#bcbd22',
  '#17becf',
  '#ff7f0e',
]

/**
 * A measured request. `perSecond` and `cpu`, in milliseconds of the server, are those of 16 connections for pages, of one for
 * filters.
 */
interface Point {
  readonly contacts: number
  readonly what: string
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: number
}

/** An account of the database, and the number of its tags of each contact. */
interface Account {
  readonly id: number
  readonly key: string
}

const load = startLoader()
try {
  const points: Point[] = []
  const deep: Record<string, number> = {}
  for (const size of sizes) {
    const found = await measure(size)
    points.push(...found.points)
    deep[size] = found.deep
  }
  await write(points, deep)
} finally {
  load.stop()
}

/**
 * Measures accounts of one size. `deep` is the time of the first page, relative to that of the page behind nine tenths of the
 * list.
 */
async function measure(size: number): Promise<{ points: Point[]; deep: number }> {
  const home = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
  const hasty = { fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
  const embedded = await startEmbedded(home, log, { ...hasty, shared_buffers: '2GB' })
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  try {
    await migrate(embedded.url, log)
    const [many, few] = await openAccounts(embedded.url, client, size)
    const server = await startServer('campanile.ts', [embedded.url])
    const requests = new Map<string, { request: string; connections: number }>()
    for (const first of [10, 50, 100])
      requests.set(`${first} contacts × 5 tags`, { request: graph(Page, { first }, many.key), connections: 16 })
    requests.set('50 contacts × 50 tags', { request: graph(Page, { first: 50 }, few.key), connections: 16 })
    const ids = await namesOf(client, many.id)
    for (const name of filterNames) {
      const filter = cases[name]?.filter(ids)
      requests.set(name, { request: graph(Filtered, { filter }, many.key), connections: 1 })
    }
    const points: Point[] = []
    for (const [what, { request, connections }] of requests)
      points.push({ contacts: size, what, ...(await measureRequest(load, server, request, connections)) })
    const pages = await comparePages(many.key, load, server, size * 0.9)
    server.stop()
    return { points, deep: pages.first / pages.deep }
  } finally {
    await client.end()
    await embedded.stop()
    await rm(home, { recursive: true, force: true })
  }
}

async function measureRequest(loader: Loader, server: Server, request: string, connections: number) {
  const applied = { ports: [server.port], request, connections, milliseconds }
  await loader.apply({ ...applied, milliseconds: milliseconds / 2 })
  const before = await server.cpuMilliseconds()
  const [times, rates]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const outcome = await loader.apply(applied)
    times.push(...outcome.times)
    rates.push(outcome.perSecond)
  }
  const cpu = ((await server.cpuMilliseconds()) - before) / times.length
  const round = (value: number) => Number(value.toPrecision(3))
  return {
    perSecond: round(quantile(rates, 0.5)),
    p50: round(quantile(times, 0.5)),
    p99: round(quantile(times, 0.99)),
    cpu: round(cpu),
  }
}

/** Opens and fills an account of `size` contacts with 5 tags each, and one of a tenth with 50. */
async function openAccounts(url: string, client: pg.Client, size: number): Promise<[many: Account, few: Account]> {
  const database = openDatabase({ url, directUrl: url, poolSize: 1, log })
  try {
    const system = newCommandSystem({ db: database.db, log, clock: systemClock })
    const open = async (name: string) => {
      const { id } = await accounts.create(system, { name, email: `${name}@example.com` })
      return { id, key: (await apiKeys.create(system, { accountId: id, name: 'bench' })).key }
    }
    const many = await open('many')
    await fill(client, size)
    const few = await open('few')
    await client.query('SET session_replication_role = replica')
    await client.query(await readFile(new URL('scale.sql', import.meta.url), 'utf8'))
    await client.query('RESET session_replication_role')
    await client.query('VACUUM ANALYZE')
    return [many, few]
  } finally {
    await database.close()
  }
}

/** Writes the numbers, and plots of requests per second, of their time and of the time of filters. */
async function write(points: readonly Point[], deep: Readonly<Record<string, number>>): Promise<void> {
  console.table(points)
  console.table(deep)
  const isFilter = ({ what }: Point) => filterNames.includes(what)
  const pages = points.filter((point) => !isFilter(point))
  const lines = (of: readonly Point[], value: (point: Point) => number): Series[] =>
    [...Map.groupBy(of, ({ what }) => what)].map(([name, line], index) => ({
      name,
      colour: colours[index % colours.length] as string,
      points: line.map((point) => [point.contacts, value(point)] as const),
    }))
  const x = 'contacts of the account'
  const throughput = { title: 'Pages of contacts with their tags, 16 connections', x, y: 'requests per second' }
  const latency = { ...throughput, y: 'milliseconds, median (thin: 99 %)' }
  const filters = { title: 'First page and total of a filter', x, y: 'milliseconds, median' }
  const scales = { isLogarithmic: true }
  const p99 = lines(pages, (point) => point.p99).map((line) => ({ ...line, name: '', width: 0.5 }))
  const svgs = {
    throughput: plot(
      throughput,
      lines(pages, (point) => point.perSecond),
      scales,
    ),
    latency: plot(latency, [...lines(pages, (point) => point.p50), ...p99], scales),
    filters: plot(
      filters,
      lines(points.filter(isFilter), (point) => point.p50),
      scales,
    ),
  }
  for (const [name, svg] of Object.entries(svgs)) await writeFile(new URL(`scale-${name}.svg`, results), svg)
  const numbers = { points, firstPageToDeepPage: deep }
  await writeFile(new URL('scale.json', results), `${JSON.stringify(numbers, undefined, 2)}\n`)
}
