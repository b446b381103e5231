// node test/bench/screens.ts [--size=100000]   measures the screens of a back office: each one query on the demonstration data
// and many contacts
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kind, parse, print } from 'graphql'
import pg from 'pg'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { loadDemo } from '../../src/demo/demo.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { countRows } from '../support/count-rows.ts'

const size = Number(process.argv.find((each) => each.startsWith('--size='))?.slice('--size='.length) ?? 100_000)
const rounds = 40
/** Maximum estimate of a screen, in points, and the maximum median of its duration in milliseconds. */
const most = { points: 10_000, milliseconds: 50 }
const log = newLog('error')

interface Reply {
  data: Record<string, { nodes?: { id: string }[] }> | null
  errors?: unknown
  extensions: { cost: { requested: number; actual: number } }
}

const home = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
const hasty = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
const embedded = await startEmbedded(home, log, { ...hasty, shared_buffers: '512MB' })
try {
  process.exitCode = (await measure()) ? 0 : 1
} finally {
  await embedded.stop()
  await rm(home, { recursive: true, force: true })
}

async function measure(): Promise<boolean> {
  let key = ''
  const config = readConfig({
    PORT: '0',
    SECRET: 'a secret of the bench',
    SENDERS: 'any',
    ROLES: 'api',
    DATABASE_URL: embedded.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
    COST_LIMIT_PER_MINUTE: '100000000',
  })
  const app = await startApp(config, log, {
    fill: async (system) => {
      key = (await loadDemo(system, home)).key
    },
  })
  try {
    await fill()
    const system = newCommandSystem({ db: app.database.db, log, clock: systemClock })
    await countRows({ accountId: 1, server: { system } }, ['mail_recipient'])
    await compactFigures(system)
    const ask = async (query: string, variables: object = {}): Promise<Reply> => {
      const response = await fetch(new URL('/graphql', app.address.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      })
      const reply = (await response.json()) as Reply
      if (reply.errors) throw new Error(JSON.stringify(reply.errors).slice(0, 500))
      return reply
    }
    const variables = await variablesOf(ask)
    const text = await readFile(new URL('screens/screens.graphql', import.meta.url), 'utf8')
    const rows: Awaited<ReturnType<typeof time>>[] = []
    for (const operation of parse(text).definitions) {
      if (operation.kind !== Kind.OPERATION_DEFINITION) continue
      const name = operation.name?.value ?? ''
      rows.push(await time(name, () => ask(print(operation), variables[name])))
    }
    console.table(rows)
    return rows.every(({ verdict }) => verdict === 'met')
  } finally {
    await app.close()
  }
}

async function fill(): Promise<void> {
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(`SET bench.size = ${size}`)
    await client.query(await readFile(new URL('filters/fill.sql', import.meta.url), 'utf8'))
    await client.query('RESET session_replication_role')
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
}

/** Returns the variables of each screen: the objects of the demonstration with the most data. */
async function variablesOf(ask: (query: string) => Promise<Reply>): Promise<Record<string, object>> {
  const { data } = await ask(`{
    contacts(first: 1, orderBy: { field: CREATED_AT, direction: DESC }, filter: { campaignsOpened: { any: [1] } }) { nodes { id } }
    segments(first: 1) { nodes { id } }
    campaigns(first: 1, filter: { status: [SENT] }) { nodes { id } }
    sequences(first: 1) { nodes { id } }
    forms(first: 1, filter: { status: [PUBLISHED] }) { nodes { id } }
    funnels(first: 1) { nodes { id } }
    tags(first: 2) { nodes { id } }
  }`)
  const id = (list: string) => ({ id: data?.[list]?.nodes?.[0]?.id })
  const tags = data?.['tags']?.nodes?.map((tag) => tag.id)
  return {
    Contacts: { filter: { tags: { any: tags }, country: { eq: 'France' } } },
    Contact: id('contacts'),
    Segment: id('segments'),
    Campaign: { ...id('campaigns'), contactId: id('contacts').id },
    Sequence: id('sequences'),
    Form: id('forms'),
    Funnel: id('funnels'),
  }
}

async function time(screen: string, work: () => Promise<Reply>) {
  const times: number[] = []
  let reply = await work()
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    reply = await work()
    times.push(performance.now() - started)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const at = (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN
  const { requested, actual } = reply.extensions.cost
  return {
    screen,
    'estimated points': requested,
    'actual points': actual,
    'p50 ms': Number(at(0.5).toFixed(1)),
    'p95 ms': Number(at(0.95).toFixed(1)),
    kB: Math.round(JSON.stringify(reply.data).length / 1024),
    verdict: requested < most.points && at(0.5) < most.milliseconds ? 'met' : 'MISSED',
  }
}
