// node test/bench/audience.ts             measures an audience's count and its recipient snapshot against hand-written SQL
//                             --explain   also writes how PostgreSQL carries out the hand-written statements
import { deepStrictEqual } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { type App, startApp } from '../../src/app.ts'
import { campaignJobs } from '../../src/campaigns/index.ts'
import { readConfig } from '../../src/config.ts'
import type { System } from '../../src/db/context.ts'
import { startEmbedded } from '../../src/db/embedded/embedded.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/telemetry/log.ts'
import { newCommandSystem } from '../../src/server/processes/command-system.ts'

const size = 1_000_000
const counts = { rounds: 9, most: 1.3 }
const snapshots = { rounds: 3, most: 1.5 }

const folder = new URL('audience/', import.meta.url)
const log = newLog('error')
const server = await openServer()
try {
  process.exitCode = (await measure(server.url)) ? 0 : 1
} finally {
  await server.close()
}

/** Starts an embedded PostgreSQL in a temporary folder, or creates a database on that of BENCH_DATABASE_URL. */
async function openServer(): Promise<{ url: string; close(): Promise<void> }> {
  const input = process.env['BENCH_DATABASE_URL']
  if (input) {
    const name = `campanile_bench_${randomBytes(4).toString('hex')}`
    await on(input, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`))
    const url = Object.assign(new URL(input), { pathname: `/${name}` }).href
    const close = async () => {
      await on(input, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    }
    return { url, close }
  }
  const home = await mkdtemp(join(tmpdir(), 'campanile-bench-'))
  // The rows are temporary. Without fsync the benchmark compares work and not the speed of the disk.
  const hasty = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_wal_size: '8GB' }
  const embedded = await startEmbedded(home, log, { ...hasty, shared_buffers: '1GB' })
  const close = async () => {
    await embedded.stop()
    await rm(home, { recursive: true, force: true })
  }
  return { url: embedded.url, close }
}

async function on<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

interface Place {
  client: pg.Client
  system: System
  accountId: number
  tagId: number
  halfId: number
  sequenceId: number
  campaignId: number
  /** Sends a request to the measured server and returns `data`. */
  call(method: string, path: string, body?: object): Promise<Record<string, unknown>>
}

async function measure(url: string): Promise<boolean> {
  const env = {
    PORT: '0',
    SECRET: 'a secret of the bench',
    SENDERS: 'any',
    LOG_LEVEL: 'error',
    ROLES: 'api',
    DATABASE_URL: url,
  }
  const app = await startApp(readConfig({ ...env, RATE_LIMIT_PER_MINUTE: '1000000' }), log)
  try {
    return await on(url, async (client) => {
      const place = await fill(app, client)
      const rows = [
        await compareCounts(place, 'including', 'incl_not_opened_email_ids'),
        await compareCounts(place, 'excluding', 'excl_not_opened_email_ids'),
        await compareSnapshots(place),
      ]
      console.table(rows)
      if (process.argv.includes('--explain')) await explain(place)
      return rows.every(({ verdict }) => verdict === 'met')
    })
  } finally {
    await app.close()
  }
}

async function fill(app: App, client: pg.Client): Promise<Place> {
  const system = newCommandSystem({ db: app.database.db, log, clock: systemClock })
  const account = await accounts.create(system, { name: 'Measured', email: 'measured@example.com' })
  await accounts.create(system, { name: 'Other', email: 'other@example.com' })
  const { key } = await apiKeys.create(system, { accountId: account.id })
  // The rows are valid, and checking each would take minutes. This setting requires a superuser.
  await client.query('SET session_replication_role = replica').catch(() => undefined)
  await client.query(`SET bench.size = ${size}`)
  await client.query(await statement('fill'))
  await client.query('RESET session_replication_role')
  await client.query('VACUUM ANALYZE')
  const { rows } = await client.query(
    `SELECT min(t.id) AS "tagId", max(t.id) AS "halfId", (SELECT min(id) FROM sequence s WHERE s.account_id = $1) AS "sequenceId",
       (SELECT id FROM campaign k WHERE k.account_id = $1) AS "campaignId"
     FROM tag t WHERE t.account_id = $1`,
    [account.id],
  )
  const call: Place['call'] = async (method, path, body) => {
    const response = await fetch(new URL(path, app.address.url), {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as { data?: Record<string, unknown> }
    if (!answer.data) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  return { client, system, accountId: account.id, ...rows[0], call }
}

/** Measures the count over REST, from the socket to the response, against the SQL statement alone. */
async function compareCounts(place: Place, kind: 'including' | 'excluding', filter: string) {
  const { client, accountId, tagId, sequenceId, campaignId } = place
  const text = await statement(`count-${kind}`)
  const query = `incl_tag_ids[]=${tagId}&excl_sequence_ids[]=${sequenceId}&${filter}[]=${campaignId}`
  const ours = async () => {
    const { total, opt_in } = await place.call('GET', `/v1/audience-count?${query}`)
    return { total, opt_in }
  }
  const theirs = async () => (await client.query(text, [accountId, tagId, sequenceId, campaignId])).rows[0]
  const found = await theirs()
  deepStrictEqual(await ours(), found, 'the two count differently')
  const times = await inTurns(counts.rounds, ours, theirs)
  return rowOf(`audience-count, not-opened ${kind}: ${found.total.toLocaleString('en')}`, times, counts.most)
}

/**
 * Measures `campaign-send` over REST, with the job that adds the other parts of the snapshot, against one INSERT … SELECT of the
 * same rows into the same table.
 */
async function compareSnapshots(place: Place) {
  const { client, accountId, halfId } = place
  const text = await statement('snapshot')
  const rowsOf = async (campaignId: number) =>
    (
      await client.query(
        `SELECT count(*)::int AS rows, sum(contact_id) AS contacts, count(DISTINCT contact_id)::int AS different,
           bool_and(state = 'QUEUED' AND sent_at IS NULL) AS queued
         FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2`,
        [accountId, campaignId],
      )
    ).rows[0]
  const isInSnapshot = async (campaignId: number) =>
    (await client.query('SELECT FROM campaign WHERE id = $1 AND snapshot_end IS NOT NULL', [campaignId])).rowCount === 1
  const cleared = async () => {
    await client.query(`DELETE FROM mail_recipient WHERE state = 'QUEUED'`)
    await client.query('TRUNCATE monthly_recipient')
    await client.query('VACUUM mail_recipient')
  }
  await client.query(
    `CREATE TEMP TABLE snapshot AS SELECT c.id AS contact_id FROM contact c JOIN contact_tag t ON t.account_id = c.account_id
       AND t.contact_id = c.id WHERE c.account_id = $1 AND t.tag_id = $2 AND c.email_marketing ORDER BY c.id`,
    [accountId, halfId],
  )
  const drafts: number[] = []
  for (let created = 0; created <= snapshots.rounds; created += 1) drafts.push(await newDraft(place))
  const snapshot: number[] = []
  const ours = async () => {
    const campaign_id = drafts.pop() as number
    const { status } = await place.call('POST', '/v1/campaign-send', { campaign_id, incl_tag_ids: [halfId] })
    deepStrictEqual(status, 'sending')
    while (await isInSnapshot(campaign_id))
      await campaignJobs['campaigns:recipients'](place.system, { accountId, campaignId: campaign_id })
    snapshot.push(campaign_id)
  }
  const bareId = 2_000_000_000
  const theirs = async () => client.query(text, [accountId, bareId])
  await ours()
  await theirs()
  const found = await rowsOf(bareId)
  deepStrictEqual(await rowsOf(snapshot[0] as number), found, 'the two store different recipients')
  await cleared()
  const times = await inTurns(snapshots.rounds, ours, theirs, cleared)
  return rowOf(`snapshot: ${found.rows.toLocaleString('en')} recipients`, times, snapshots.most)
}

async function newDraft({ call }: Place): Promise<number> {
  const body = { name: 'bench', subject: 'Hello', from_email: 'ada@example.com' }
  const { id } = (await call('POST', '/v1/campaign', body)) as { id: number }
  await call('PUT', '/v1/campaign-content', { campaign_id: id, html: '<p>Hello</p>' })
  return id
}

interface Times {
  ours: number[]
  theirs: number[]
}

/** Runs both in turns, so that other load on the machine affects both equally. */
async function inTurns(
  rounds: number,
  ours: () => Promise<unknown>,
  theirs: () => Promise<unknown>,
  after: () => Promise<unknown> = async () => undefined,
): Promise<Times> {
  const times: Times = { ours: [], theirs: [] }
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? (['ours', 'theirs'] as const) : (['theirs', 'ours'] as const)) {
      const started = performance.now()
      await (side === 'ours' ? ours : theirs)()
      times[side].push(performance.now() - started)
      await after()
    }
  }
  return times
}

function rowOf(what: string, { ours, theirs }: Times, most: number) {
  const ratio = median(ours) / median(theirs)
  return {
    what,
    'ours ms': Math.round(median(ours)),
    'baseline ms': Math.round(median(theirs)),
    ratio: Number(ratio.toFixed(2)),
    aim: `≤ ${most}`,
    verdict: ratio <= most ? 'met' : 'MISSED',
  }
}

async function explain({ client, accountId, tagId, sequenceId, campaignId }: Place): Promise<void> {
  for (const [name, values] of [
    ['count-including', [accountId, tagId, sequenceId, campaignId]],
    ['count-excluding', [accountId, tagId, sequenceId, campaignId]],
    ['snapshot', [accountId, 2_000_000_000]],
  ] as const) {
    const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS) ${await statement(name)}`, [...values])
    const lines = rows.map((row) => row['QUERY PLAN'])
    await writeFile(new URL(`${name}.explain.txt`, folder), `${lines.join('\n')}\n`)
    console.log(`${name}: ${lines.at(-1)}`)
  }
}

async function statement(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, folder), 'utf8')
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
