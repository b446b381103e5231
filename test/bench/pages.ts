// node test/bench/pages.ts          measures a funnel's page against a file of the same size, served by Koa
//                    --short   one round, for a look
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accounts } from '../../src/account/index.ts'
import { openDatabase } from '../../src/db/client.ts'
import { newCtx } from '../../src/db/context.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { contents, funnels, steps } from '../../src/funnels/index.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { send } from './load.ts'
import { type Loader, type Server, startLoader, startServer } from './processes.ts'
import { median } from './report.ts'

const isShort = process.argv.includes('--short')
const size = isShort ? { rounds: 1, milliseconds: 2_000 } : { rounds: 5, milliseconds: 4_000 }
const connections = 16

/** Maximum time relative to the file. */
const most = 2

const home = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
const stops: (() => unknown)[] = [() => rm(home, { recursive: true, force: true })]
const stop = async () => {
  for (const each of stops.splice(0).reverse()) await each()
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop().finally(() => process.exit(1)))
try {
  process.exitCode = (await measureAll()) ? 0 : 1
} finally {
  await stop()
}

async function measureAll(): Promise<boolean> {
  const log = newLog('error')
  const embedded = await startEmbedded(home, log, { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' })
  stops.push(() => embedded.stop())
  const path = await publish(embedded.url)
  const load = startLoader()
  stops.push(() => load.stop())
  const ours = await startServer('campanile.ts', [embedded.url])
  stops.push(() => ours.stop())
  const html = await send(ours.port, requestOf(path))
  const file = join(home, 'page.html')
  await writeFile(file, html)
  const theirs = await startServer('static-file.ts', [file])
  stops.push(() => theirs.stop())

  console.log(`A page of ${Buffer.byteLength(html)} bytes against a file of the same size, ${connections} connections.`)
  const known = `Cookie: ${await cookieOf(ours.port, path)}\r\n`
  let isMet = true
  for (const [what, headers] of [
    ['seen again by a browser', known],
    ['seen for the first time', ''],
    ['with a name in the address', known, '?firstname=Ada&lastname=Lovelace&email=ada@example.com'],
  ].map(([name, more, query = '']) => [name, requestOf(path + query, more)] as const)) {
    isMet = (await compare(what as string, headers, { load, ours, theirs })) && isMet
  }
  return isMet
}

/** Loads both in turns, so that other load on the machine affects both equally. */
async function compare(
  what: string,
  request: string,
  { load, ours, theirs }: { load: Loader; ours: Server; theirs: Server },
): Promise<boolean> {
  const measure = async (server: Server, milliseconds: number) => {
    const before = await server.cpuMilliseconds()
    const { times } = await load.apply({ ports: [server.port], request, connections, milliseconds })
    return { times, cpu: ((await server.cpuMilliseconds()) - before) / times.length }
  }
  for (const server of [ours, theirs]) await measure(server, 1_000)
  const rounds: { ratio: number; cpu: number; p99: number; fileP99: number; p50: number; fileP50: number }[] = []
  for (let round = 0; round < size.rounds; round += 1) {
    const [page, file] = [await measure(ours, size.milliseconds), await measure(theirs, size.milliseconds)]
    const at = (times: number[], part: number) =>
      times.toSorted((one, other) => one - other)[Math.floor(times.length * part)] ?? Number.NaN
    const [p50, fileP50] = [at(page.times, 0.5), at(file.times, 0.5)]
    const [p99, fileP99] = [at(page.times, 0.99), at(file.times, 0.99)]
    rounds.push({ ratio: p50 / fileP50, cpu: page.cpu / file.cpu, p50, fileP50, p99, fileP99 })
  }
  const middle = (key: keyof (typeof rounds)[number]) => median(rounds.map((round) => round[key]))
  const isMet = middle('ratio') <= most
  const figures = `p50 ${middle('p50').toFixed(2)} ms, p99 ${middle('p99').toFixed(2)} ms; the file p50 ${middle('fileP50').toFixed(2)} ms, p99 ${middle('fileP99').toFixed(2)} ms`
  console.log(
    `${what}: ${middle('ratio').toFixed(2)} times the file's time (aim ≤ ${most}: ${isMet ? 'met' : 'MISSED'}), ${middle('cpu').toFixed(2)} times its processor time; ${figures}`,
  )
  return isMet
}

function requestOf(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0\r\n${headers}\r\n`
}

async function cookieOf(port: number, path: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

/** Publishes a typical page of about 20 kB with a form and merge fields. */
async function publish(url: string): Promise<string> {
  const log = newLog('error')
  await migrate(url, log)
  const database = openDatabase({ url, directUrl: url, poolSize: 2, log })
  try {
    const system = newCommandSystem({ db: database.db, log, clock: systemClock })
    const account = await accounts.create(system, { name: 'Bench', email: 'bench@example.com', subdomain: 'bench' })
    const ctx = newCtx(system, { accountId: account.id })
    const { funnel } = await funnels.create(ctx, { name: 'Bench' })
    const { step } = await steps.create(ctx, { funnelId: funnel.id, name: 'Welcome' })
    const text = 'Clay from the river bank, turned by hand and fired with wood for three days and nights. '
    const paragraphs = Array.from({ length: 14 }, (_, n) => ({
      type: 'text',
      text: `{{FIRST_NAME:You}} ${n}. ${text.repeat(10)}`,
    }))
    const elements = [
      { type: 'title', text: 'Hello {{FIRST_NAME:friend}}' },
      ...paragraphs,
      { type: 'form', buttonText: 'Join' },
    ]
    const column = { type: 'column', children: elements }
    const content = { version: 1, root: [{ type: 'section', children: [{ type: 'row', children: [column] }] }] }
    await contents.set(ctx, { id: step.id, content })
    return `/p/bench/${funnel.id}/${step.path}`
  } finally {
    await database.close()
  }
}
