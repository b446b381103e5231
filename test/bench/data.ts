// node test/bench/data.ts [rows to import] [contacts to export]    measures import and export against COPY
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { openDatabase } from '../../src/db/client.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { migrate } from '../../src/db/migrations/migrate.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { timesOf, treeOf } from './times.ts'

/** Minimum throughput relative to COPY with the same file and the same table. */
const least = { import: 0.15, export: 0.3 }

/** Maximum growth of the server's memory, in MB. */
const mostGrowth = 200

const run = fileURLToPath(new URL('../../bin/run.js', import.meta.url))
const [toImport = 100_000, toExport = 1_000_000] = process.argv.slice(2).map(Number)
process.exitCode = (await measure()) ? 0 : 1

async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
  const log = newLog('error')
  const embedded = await startEmbedded(folder, log, { max_wal_size: '4GB', shared_buffers: '512MB' })
  const client = new pg.Client(embedded.url)
  let server: ChildProcess | undefined
  try {
    await migrate(embedded.url, log)
    await client.connect()
    const file = join(folder, 'people.csv')
    await write(file)
    const database = openDatabase({ url: embedded.url, directUrl: embedded.url, poolSize: 1, log })
    const system = newCommandSystem({ db: database.db, log, clock: systemClock })
    const { id: accountId } = await accounts.create(system, { name: 'bench', email: 'ada@example.com' })
    const { key } = await apiKeys.create(system, { accountId })
    await database.close()
    const { rows: backends } = await client.query('SELECT pg_backend_pid() AS pid')
    const postmaster = (await timesOf(backends[0].pid)).parent
    const copied = await copyIn(client, file, postmaster)

    const env = { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: embedded.url }
    server = fork(run, ['main'], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...env, SECRET: 'only for this measurement' },
      // Those of `npm start`.
      execArgv: ['--heap-growing-percent=40', '--max-semi-space-size=32'],
    })
    const url = await readyOf(server)
    const processes = { server: server.pid as number, postmaster }
    const imported = await importing(url, key, file, processes)
    const rows: Record<string, string | number>[] = [
      {
        what: `import of ${toImport} rows`,
        'rows/s': Math.round(toImport / imported.seconds),
        'of COPY into a bare table': (copied.bare.seconds / imported.seconds).toFixed(3),
        'of COPY into contact': (copied.real.seconds / imported.seconds).toFixed(3),
        aim: least.import,
        'by CPU': (copied.real.postgres / (imported.node + imported.postgres)).toFixed(3),
        'CPU ms': cpuOf(imported, copied.real),
        'memory MB': `${imported.before} → ${imported.peak}`,
      },
    ]
    await client.query(
      `INSERT INTO contact (account_id, email, first_name, last_name, phone, company_name, city, country, email_marketing, created_at, updated_at)
       SELECT $1, 'export' || i || '@example.com', 'Ada', 'Lovelace ' || i, '0123 ' || i, 'Engines', 'Paris', 'France', true, now(), now()
       FROM generate_series(1, $2::int) i`,
      [accountId, toExport - toImport],
    )
    await client.query('VACUUM ANALYZE contact')
    const copy = await timed({ postmaster }, () =>
      client.query(`COPY contact TO PROGRAM 'cat > /dev/null' (FORMAT csv)`),
    )
    const exported = await exporting(url, key, processes)
    rows.push({
      what: `export of ${toExport} contacts`,
      'rows/s': Math.round(toExport / exported.seconds),
      'of COPY … TO': (copy.seconds / exported.seconds).toFixed(3),
      aim: least.export,
      'by CPU': (copy.postgres / (exported.node + exported.postgres)).toFixed(3),
      'CPU ms': cpuOf(exported, copy),
      'memory MB': `${exported.before} → ${exported.peak}`,
    })
    console.table(rows)
    const grown = Math.max(imported.peak - imported.before, exported.peak - exported.before)
    return (
      copied.real.seconds / imported.seconds >= least.import &&
      copy.seconds / exported.seconds >= least.export &&
      grown <= mostGrowth
    )
  } finally {
    server?.kill('SIGTERM')
    await client.end()
    await embedded.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function write(file: string): Promise<void> {
  const stream = createWriteStream(file)
  stream.write('email,first_name,last_name,phone,company_name,city,country,email_marketing,gdpr\n')
  for (let n = 0; n < toImport; n += 1) {
    const line = `person.${n}@example.com,Ada${n % 100},Lovelace${n % 1000},01 23 ${n},"Engines, ${n % 50}",Paris,France,true,false\n`
    if (!stream.write(line)) await once(stream, 'drain')
  }
  stream.end()
  await finished(stream)
}

/**
 * Measures COPY for the same rows: into a table without indexes, and into one with all indexes and constraints of
 * contacts.
 */
async function copyIn(client: pg.Client, file: string, postmaster: number): Promise<{ bare: Timed; real: Timed }> {
  const text = await readFile(file, 'utf8')
  const columns = (text.slice(0, text.indexOf('\n')) as string).split(',')
  await client.query(`CREATE TABLE bare (${columns.map((name) => `${name} text`).join(', ')})`)
  const load = (table: string) =>
    copyFrom(client, `COPY ${table} (${columns.join(', ')}) FROM STDIN (FORMAT csv, HEADER)`, file)
  const bare = await timed({ postmaster }, () => load('bare'))
  await client.query(`
    CREATE TABLE real (LIKE contact INCLUDING ALL);
    ALTER TABLE real ALTER COLUMN account_id SET DEFAULT 1, ALTER COLUMN created_at SET DEFAULT now(), ALTER COLUMN updated_at SET DEFAULT now()`)
  const real = await timed({ postmaster }, () => load('real'))
  await client.query('DROP TABLE bare, real')
  return { bare, real }
}

/** Runs COPY … FROM STDIN over the connection of pg. */
function copyFrom(client: pg.Client, text: string, file: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // biome-ignore lint/suspicious/noExplicitAny: what pg hands a query that it does not know the kind of
    type Connection = any
    const query = {
      submit: (connection: Connection) => connection.query(text),
      handleCopyInResponse: async (connection: Connection) => {
        for await (const part of createReadStream(file, { highWaterMark: 256 * 1024 }))
          connection.sendCopyFromChunk(part)
        connection.endCopyFrom()
      },
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => resolve(),
      handleError: (error: Error) => reject(error),
    }
    client.query(query as never)
  })
}

/** The measured processes. */
interface Processes {
  readonly server?: number
  readonly postmaster: number
}

/** What work takes: seconds, and milliseconds of processor time. */
interface Timed {
  readonly seconds: number
  readonly node: number
  readonly postgres: number
}

interface Taken extends Timed {
  readonly before: number
  readonly peak: number
}

/** Returns the time from the first byte of the file to the last row, and the maximum memory of the server. */
async function importing(url: string, key: string, file: string, processes: Processes): Promise<Taken> {
  const made = await ask(url, key, 'mutation { contactImportCreate(input: {}) { uploadUrl contactImport { id } } }')
  const { uploadUrl, contactImport } = made.contactImportCreate
  return watched(processes, async () => {
    const body = createReadStream(file) as unknown as BodyInit
    const sent = await fetch(uploadUrl, { method: 'PUT', body, duplex: 'half' } as RequestInit)
    if (sent.status !== 200) throw new Error(await sent.text())
    for (;;) {
      const { contactImport: now } = await ask(
        url,
        key,
        `{ contactImport(id: "${contactImport.id}") { status created } }`,
      )
      if (now.status === 'COMPLETED' && now.created === toImport) return
      if (now.status !== 'RUNNING') throw new Error(JSON.stringify(now))
      await new Promise((next) => setTimeout(next, 100))
    }
  })
}

async function exporting(url: string, key: string, processes: Processes): Promise<Taken> {
  const { exportLink } = await ask(url, key, '{ exportLink(list: CONTACTS) { url } }')
  return watched(processes, async () => {
    let lines = 0
    for await (const part of (await fetch(exportLink.url)).body as unknown as AsyncIterable<Uint8Array>) {
      for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) lines += 1
    }
    if (lines !== toExport + 1) throw new Error(`${lines} lines came.`)
  })
}

async function watched(processes: Processes, work: () => Promise<void>): Promise<Taken> {
  const now = async () => {
    const status = await readFile(`/proc/${processes.server}/status`, 'utf8')
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024)
  }
  const before = await now()
  let peak = before
  const timer = setInterval(async () => {
    peak = Math.max(peak, await now())
  }, 100)
  try {
    return { ...(await timed(processes, work)), before, peak }
  } finally {
    clearInterval(timer)
  }
}

async function timed({ server, postmaster }: Processes, work: () => Promise<unknown>): Promise<Timed> {
  const usage = async () => ({
    node: server === undefined ? 0 : (await timesOf(server)).own,
    postgres: await treeOf(postmaster),
  })
  const [before, began] = [await usage(), performance.now()]
  await work()
  const seconds = (performance.now() - began) / 1000
  const after = await usage()
  return { seconds, node: after.node - before.node, postgres: after.postgres - before.postgres }
}

function cpuOf({ node, postgres }: Timed, copy: Timed): string {
  return `Node ${node}, PostgreSQL ${postgres}, COPY ${copy.postgres}`
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the document
async function ask(url: string, key: string, query: string): Promise<any> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query }),
  })
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown }
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

/** Returns the URL that a server prints when it is ready. */
function readyOf(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    server.stdout?.on('data', (part: Buffer) => {
      text += part
      const [, url] = /^ready (\S+)$/m.exec(text) ?? []
      if (url) resolve(url)
    })
    server.once('exit', () => reject(new Error('The server ended.')))
  })
}
