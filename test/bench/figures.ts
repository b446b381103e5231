// node test/bench/figures.ts [--messages=1000000] [--rows=50000] [--every [--only=Funnel]]
//
// With `--every`, measures whole requests for each figure of the graph, at a tenth of 10,000,000 messages and 1,000,000 contacts.
//
// Compares series of figures with hand-written sums over the same roll-ups. The account has ten messages for each contact. The
// roll-ups are counted from the rows. Then measures the figures of single objects with `--rows` rows each.
import { deepStrictEqual } from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { sources } from '../../src/figures/source-rows.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'
import { countRows } from '../support/count-rows.ts'
import { everyFigure, fillEvery } from './figures/every.ts'
import { fillObjects, type ObjectCase, objectCases } from './figures/objects.ts'
import { median } from './report.ts'

const numberOf = (name: string, ifAbsent: number) =>
  Number(process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? ifAbsent)
const messages = numberOf('messages', 1_000_000)
const only = process.argv.find((each) => each.startsWith('--only='))?.slice('--only='.length) ?? ''
const isEvery = process.argv.includes('--every')
const rowsOfObject = numberOf('rows', isEvery ? 200_000 : 50_000)
const campaigns = 100
const rounds = 9
/** Maximum median of a series, in milliseconds. */
const most = 100
const log = newLog('error')

const range = { from: '2025-11-01', to: '2026-10-31' }
const cases: readonly (readonly [figure: string, interval: string, object: string])[] = [
  ['SENDS', 'DAY', ''],
  ['SENDS', 'MONTH', ''],
  ['UNIQUE_OPENS', 'DAY', ''],
  ['NEW_CONTACTS', 'WEEK', ''],
  ['REVENUE', 'DAY', ''],
  ['MRR', 'MONTH', ''],
  ['UNIQUE_OPENS', 'DAY', 'Campaign:90'],
]

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

/** Inserts contacts, messages, orders and subscriptions over two years, and the roll-ups of none of them. */
async function fill(accountId: number): Promise<void> {
  await client.query('SET session_replication_role = replica')
  const at = (n: string) => `timestamptz '2024-11-01Z' + (${n}) * interval '730 days'`
  const statements = [
    `INSERT INTO contact (account_id, email, created_at, updated_at)
     SELECT $1, 'c' || i || '@example.com', ${at('i / $2::float')}, now() FROM generate_series(1, $2::int / 10) i`,
    // Each campaign is sent within three hours, and opened within days.
    `INSERT INTO mail_recipient (account_id, contact_id, campaign_id, state, created_at, sent_at, opened_at, clicked_at)
     SELECT $1, 1 + i % ($2::int / 10), 1 + (i - 1) * ${campaigns}::bigint / $2::int, 'SENT', s.at, s.at, CASE WHEN i % 3 = 0 THEN s.at + random() ^ 4 * interval '10 days' END,
       CASE WHEN i % 20 = 0 THEN s.at + random() ^ 4 * interval '10 days' END
     FROM generate_series(1, $2::int) i
     CROSS JOIN LATERAL (SELECT ${at(`(i - 1) * ${campaigns}::bigint / $2::int / ${campaigns}.0`)} + random() * interval '3 hours' AS at) s`,
    `INSERT INTO "order" (account_id, id_order, customer_id, type, status, amount, currency, created_at, updated_at)
     SELECT $1, i::text, 1, '', 'COMPLETED', 10, 'EUR', ${at('i * 20 / $2::float')}, now() FROM generate_series(1, $2::int / 20) i`,
    `INSERT INTO billing_subscription (account_id, id_subscription, customer_id, status, name, amount, currency, payment_source,
       rate_months, created_at, updated_at)
     SELECT $1, i::text, 1, 'ACTIVE', '', 9, 'EUR', '', 1, ${at('i * 100 / $2::float')}, now() FROM generate_series(1, $2::int / 100) i`,
  ]
  const { rows } = await client.query(
    'INSERT INTO email (account_id, created_at, updated_at) VALUES ($1, now(), now()) RETURNING id',
    [accountId],
  )
  await client.query(
    `INSERT INTO campaign (account_id, id, name, email_id, created_at) VALUES ($1, 90, 'Measured', $2, now())`,
    [accountId, rows[0].id],
  )
  for (const statement of statements) await client.query(statement, [accountId, messages])
  await client.query('RESET session_replication_role')
}

async function measure(): Promise<boolean> {
  const env = { PORT: '0', SECRET: 'a secret of the bench', SENDERS: 'any', LOG_LEVEL: 'error', ROLES: 'api' }
  const config = readConfig({
    ...env,
    DATABASE_URL: embedded.url,
    RATE_LIMIT_PER_MINUTE: '1000000',
    COST_LIMIT_PER_MINUTE: '100000000',
  })
  const app = await startApp(config, log)
  try {
    await client.connect()
    const system = newCommandSystem({ db: app.database.db, log, clock: systemClock })
    const account = { name: 'Measured', email: 'measured@example.com', timezone: 'UTC' }
    const { id } = await accounts.create(system, account)
    const { key } = await apiKeys.create(system, { accountId: id })
    const count = () => countRows({ accountId: id, server: { system } }, [...sources, 'latest_message', 'step_visitor'])
    await fill(id)
    await client.query('VACUUM ANALYZE')
    console.log(
      `${messages} messages counted in ${await seconds(count)} s, compacted in ${await seconds(() => compactFigures(system))} s`,
    )
    await client.query('VACUUM ANALYZE')
    await tellSize()
    const run = async <Data>(query: string) => {
      const response = await fetch(`${app.address.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query }),
      })
      const { data, errors } = (await response.json()) as { data: Data; errors?: unknown }
      if (errors) throw new Error(JSON.stringify(errors))
      return data
    }
    if (isEvery) {
      await fillObjects(client, id, rowsOfObject)
      await fillEvery(client, id, rowsOfObject)
      await count()
      await compactFigures(system)
      await client.query('VACUUM ANALYZE')
      return await measureEvery(id, run)
    }
    const ask = async ([figure, interval, object]: (typeof cases)[number]) => {
      const field = `series(figure: ${figure}, interval: ${interval}, range: { from: "${range.from}", to: "${range.to}" }) { total points { start value previous } }`
      const query = object
        ? `{ owner: campaign(id: ${object.replace('Campaign:', '')}) { ${field} } }`
        : `{ owner: account { ${field} } }`
      return (await run<{ owner: { series: Answer } }>(query)).owner.series
    }
    const rows: Awaited<ReturnType<typeof compare>>[] = []
    for (const each of cases) rows.push(await compare(id, each, () => ask(each)))
    console.table(rows)
    await fillObjects(client, id, rowsOfObject)
    await count()
    await compactFigures(system)
    await client.query('VACUUM ANALYZE')
    const objects: Awaited<ReturnType<typeof measureObject>>[] = []
    for (const each of objectCases) objects.push(await measureObject(each, () => run(`{ ${each.query} }`)))
    console.log(`figures of objects with ${rowsOfObject} rows`)
    console.table(objects)
    return rows.every(({ verdict }) => verdict === 'met')
  } finally {
    await app.close()
  }
}

/** Prints the median of whole requests for each figure. Returns whether all are within the aim. */
async function measureEvery(accountId: number, run: (query: string) => Promise<unknown>): Promise<boolean> {
  const { rows: tables } = await client.query(
    `SELECT (SELECT count(*) FROM contact WHERE account_id = $1) AS contacts, (SELECT count(*) FROM mail_recipient WHERE account_id = $1) AS messages,
       (SELECT count(*) FROM "order" WHERE account_id = $1) AS orders, (SELECT count(*) FROM submission WHERE account_id = $1) AS submissions,
       (SELECT count(*) FROM visit WHERE account_id = $1) AS visits, (SELECT count(*) FROM enrolment WHERE account_id = $1) AS enrolments`,
    [accountId],
  )
  console.table(tables)
  const rows: { figure: string; ms: number; least: number }[] = []
  for (const [figure, query] of everyFigure.filter(([name]) => name.includes(only))) {
    await run(`{ ${query} }`)
    const times: number[] = []
    for (let round = 0; round < 2 * rounds; round += 1) times.push(await millisecondsOf(() => run(`{ ${query} }`)))
    rows.push({ figure, ms: Math.round(median(times)), least: Math.round(Math.min(...times)) })
  }
  console.log('| figure | median, ms | least, ms |\n|---|---|---|')
  for (const { figure, ms, least } of rows) console.log(`| ${figure} | ${ms}${ms > most ? ' MISSED' : ''} | ${least} |`)
  return rows.every(({ ms }) => ms <= most)
}

interface Answer {
  total: string
  points: { start: string; value: string }[]
}

/** Compares the series with a sum over the roll-ups that a person would write, whose result must be the same. */
async function compare(
  accountId: number,
  [figure, interval, object]: (typeof cases)[number],
  ask: () => Promise<Answer>,
) {
  const from = figure === 'MRR' ? '0001-01-01' : '2024-11-01'
  const baseline = async () =>
    (
      await client.query<{ start: Date; value: string }>(
        `SELECT date_trunc($4, at, 'UTC') AS start, sum(value) AS value FROM figure_total
         WHERE account_id = $1 AND figure = $2 AND object = $3 AND minutes = 60 AND at >= $5 AND at < '2026-11-01Z' GROUP BY 1 ORDER BY 1`,
        [accountId, figure, object, interval, from],
      )
    ).rows
  const series = await ask()
  const current = (await baseline()).filter(
    ({ start }) => figure === 'MRR' || start >= new Date(`${range.from}T00:00:00Z`),
  )
  if (interval === 'DAY')
    deepStrictEqual(
      Number(series.total),
      current.reduce((sum, { value }) => sum + Number(value), 0),
    )
  const times: { ours: number; theirs: number }[] = []
  for (let round = 0; round < rounds; round += 1)
    times.push({ ours: await millisecondsOf(ask), theirs: await millisecondsOf(baseline) })
  const [ours, theirs] = [median(times.map((each) => each.ours)), median(times.map((each) => each.theirs))]
  return {
    what: `${figure} by ${interval}${object && ` of ${object}`}`,
    'ours ms': ours.toFixed(1),
    'baseline ms': theirs.toFixed(1),
    ratio: (ours / theirs).toFixed(2),
    aim: `≤ ${most} ms`,
    verdict: ours <= most ? 'met' : 'MISSED',
  }
}

/** Measures a figure of an object. */
async function measureObject({ what }: ObjectCase, ask: () => Promise<unknown>) {
  await ask()
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) times.push(await millisecondsOf(ask))
  return { what, ms: median(times).toFixed(1) }
}

async function tellSize(): Promise<void> {
  const { rows } = await client.query(
    `SELECT count(*)::int AS rows, pg_total_relation_size('figure_total')::float AS bytes FROM figure_total`,
  )
  const perMillion = Math.round(rows[0].bytes / (messages / 1e6))
  console.log(`${rows[0].rows} rows of totals, ${perMillion} bytes per million messages`)
}

async function millisecondsOf(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

async function seconds(work: () => Promise<unknown>): Promise<string> {
  return ((await millisecondsOf(work)) / 1_000).toFixed(1)
}
