// node test/bench/filters.ts [--size=1000000]   compares the first page and the count of filters with hand-written SQL
import { deepStrictEqual } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { type Case, cases, fill, type Named, namesOf } from './filters/cases.ts'
import { median } from './report.ts'

const size = Number(process.argv.find((each) => each.startsWith('--size='))?.slice('--size='.length) ?? 1_000_000)
const rounds = 7
const most = 1.5
const log = newLog('error')

interface Row {
  readonly what: string
  readonly matches: number
  readonly 'ours ms': number
  readonly 'baseline ms': number
  readonly ratio: number
  readonly aim: string
  readonly verdict: 'met' | 'MISSED'
}

const home = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
const hasty = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
const embedded = await startEmbedded(home, log, { ...hasty, shared_buffers: '1GB' })
const client = new pg.Client({ connectionString: embedded.url, options: '-c jit=off' })
try {
  process.exitCode = (await measure()) ? 0 : 1
} finally {
  await client.end()
  await embedded.stop()
  await rm(home, { recursive: true, force: true })
}

async function measure(): Promise<boolean> {
  const env = { PORT: '0', SECRET: 'a secret of the bench', SENDERS: 'any', LOG_LEVEL: 'error', ROLES: 'api' }
  const app = await startApp(
    readConfig({
      ...env,
      DATABASE_URL: embedded.url,
      RATE_LIMIT_PER_MINUTE: '1000000',
      COST_LIMIT_PER_MINUTE: '100000000',
    }),
    log,
  )
  try {
    const system = newCommandSystem({ db: app.database.db, log, clock: systemClock })
    const { id } = await accounts.create(system, { name: 'Measured', email: 'measured@example.com' })
    const { key } = await apiKeys.create(system, { accountId: id })
    await client.connect()
    await fill(client, size)
    await client.query('VACUUM ANALYZE')
    const ids = await namesOf(client, id)
    const rows: Row[] = []
    for (const [name, each] of Object.entries(cases))
      rows.push(await compare(name, each, ids, id, key, app.address.url))
    console.table(rows)
    return rows.every(({ verdict }) => verdict === 'met')
  } finally {
    await app.close()
  }
}

/** The page and the count over GraphQL, from the socket to the answer, against the statements alone. */
async function compare(
  name: string,
  { filter, where, rank = 'c.created_at' }: Case,
  ids: Named,
  accountId: number,
  key: string,
  url: string,
): Promise<Row> {
  const from = `FROM contact c WHERE c.account_id = $1 AND ${where(ids)}`
  const ask = async (selection: string) => {
    const response = await fetch(new URL('/graphql', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        query: `query ($filter: ContactFilterInput) { contacts(first: 50, filter: $filter) { ${selection} } }`,
        variables: { filter: filter(ids) },
      }),
    })
    const { data, errors } = (await response.json()) as {
      data?: { contacts: Record<string, unknown> }
      errors?: unknown
    }
    if (!data || errors) throw new Error(`${name}: ${JSON.stringify(errors)}`)
    return data.contacts
  }
  const ours = async () => {
    const { nodes, totalCount } = await ask('totalCount nodes { databaseId email firstName lastName createdAt }')
    return { total: totalCount, ids: (nodes as { databaseId: number }[]).map((node) => node.databaseId) }
  }
  const theirs = async () => {
    const page = await client.query(`SELECT c.* ${from} ORDER BY ${rank} DESC, c.id DESC LIMIT 51`, [accountId])
    const count = await client.query(`SELECT count(*)::int AS n ${from}`, [accountId])
    return { total: count.rows[0].n, ids: page.rows.slice(0, 50).map((row) => row.id) }
  }
  deepStrictEqual(await ours(), await theirs(), `${name}: the two differ`)
  const times = { ours: [] as number[], theirs: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)) {
      const started = performance.now()
      await (side === 'ours' ? ours : theirs)()
      times[side].push(performance.now() - started)
    }
  }
  const [our, their] = [median(times.ours), median(times.theirs)]
  const ratio = our / their
  return {
    what: name,
    matches: (await theirs()).total,
    'ours ms': Number(our.toFixed(1)),
    'baseline ms': Number(their.toFixed(1)),
    ratio: Number(ratio.toFixed(2)),
    // A request takes some milliseconds whatever it asks for.
    aim: `≤ ${most}, or 10 ms more`,
    verdict: ratio <= most || our - their <= 10 ? ('met' as const) : ('MISSED' as const),
  }
}
