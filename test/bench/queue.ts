// node test/bench/queue.ts [--recipients 200000] [--accounts 100] [--campaigns 2] [--held] [--name queue]
// measures what a claim of 50 messages costs while the queue of all accounts grows and drains, and how long 100 messages of a
// small account take beside large ones. `--held` keeps a snapshot open while the queue drains, as a backup does. `--only dead`
// counts dead rows while messages are sent.
import { mkdir, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { accounts } from '../../src/account/index.ts'
import { campaigns, sending } from '../../src/campaigns/index.ts'
import { openDatabase } from '../../src/db/client.ts'
import { newCtx, type System } from '../../src/db/context.ts'
import { type ClaimPositions, newClaimPositions } from '../../src/mail/delivery/queue/claim-positions.ts'
import { claimMessages, listDueSources, type QueueSource } from '../../src/mail/delivery/queue/claims.ts'
import { openWorld, type Sink, type World } from './mail/world.ts'
import { plot } from './plot.ts'
import { median } from './report.ts'

const { values } = parseArgs({
  options: {
    recipients: { type: 'string', default: '200000' },
    accounts: { type: 'string', default: '100' },
    campaigns: { type: 'string', default: '2' },
    held: { type: 'boolean', default: false },
    only: { type: 'string', default: 'claims fairness' },
    minutes: { type: 'string', default: '3' },
    name: { type: 'string', default: 'queue' },
  },
})
const [recipients, accountCount, perAccount] = [values.recipients, values.accounts, values.campaigns].map(Number) as [
  number,
  number,
  number,
]

/** Steps in which the queue grows, and drains. */
const steps = 5
const drainSteps = 20
const claimsPerStep = 40
const claimSize = 50

/** Cost of a claim, with this number of messages in the queue. */
interface Cost {
  readonly queued: number
  readonly blocks: number
  readonly milliseconds: number
  /** Duration of the whole transaction, and of the list of the sources. */
  readonly transaction: number
  readonly list: number
}

const world = await openWorld({ shared_buffers: '512MB', max_wal_size: '4GB', fsync: 'off', autovacuum_naptime: '15s' })
try {
  const sources = await createSources(world)
  if (values.only.includes('claims')) {
    const worker = await openClaims(world)
    const grown: Cost[] = []
    for (let step = 1; step <= steps; step += 1) {
      await fillQueue(sources, recipients / sources.length / steps, step)
      grown.push(await measure(worker, (recipients * step) / steps))
    }
    const held = values.held ? await holdSnapshot(world) : undefined
    const drained: Cost[] = []
    let left = recipients - steps * claimsPerStep * claimSize
    const part = Math.floor(left / drainSteps)
    while (left > part) {
      await drain(worker, part - claimsPerStep * claimSize)
      left -= part
      drained.push(await measure(worker, left))
    }
    await held?.end()
    await worker.close()
    await report(grown, drained)
  }
  if (values.only.includes('fairness')) await compareFairness(sources)
  if (values.only.includes('dead')) await countDeadRows(sources)
} finally {
  await world.close()
}

/** Creates the accounts with their contacts and campaigns. */
async function createSources({ system, database: { pool } }: World): Promise<QueueSource[]> {
  // No statement of this benchmark reads them, and they take longer to fill than all the rest.
  await pool.query('DROP INDEX contact_search_idx, contact_words_idx')
  const sources: QueueSource[] = []
  for (let n = 1; n <= accountCount; n += 1) {
    const { id: accountId } = await accounts.create(system, { name: `Account ${n}`, email: 'ada@example.com' })
    for (let each = 0; each < perAccount; each += 1)
      sources.push({ accountId, campaignId: await createCampaign(system, accountId) })
    await createContacts(accountId, Math.ceil(recipients / accountCount / perAccount), `a${n}-`)
  }
  await pool.query("UPDATE campaign SET status = 'SENDING', recipients_count = 1")
  await pool.query('VACUUM ANALYZE')
  return sources
}

async function createCampaign(system: System, accountId: number): Promise<number> {
  const ctx = newCtx(system, { accountId })
  const input = { name: 'News', subject: 'Hello', fromName: 'Ada', fromEmail: 'ada@example.com' }
  const { campaign } = await campaigns.create(ctx, { ...input, audience: { sendToAll: true } })
  await campaigns.setContent(ctx, { id: campaign.id, html: '<p>Hello {{FIRST_NAME}}</p>' })
  return campaign.id
}

async function createContacts(accountId: number, size: number, prefix: string): Promise<void> {
  await withoutChecks(
    `INSERT INTO contact (account_id, email, first_name, email_marketing, created_at, updated_at)
     SELECT $1, $3 || i || '@example.com', 'Ada', true, now(), now() FROM generate_series(1, $2::int) AS i`,
    [accountId, size, prefix],
  )
}

/** Adds `size` messages to each campaign. */
async function fillQueue(sources: readonly QueueSource[], size: number, step: number): Promise<void> {
  await withoutChecks(
    `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, email_id, created_at, due_at)
     SELECT k.account_id, k.id, c.id, k.email_id, now(), now()
     FROM campaign k, LATERAL (SELECT id FROM contact c WHERE c.account_id = k.account_id ORDER BY id LIMIT $1 OFFSET $2) c
     WHERE k.id = ANY ($3::int[]) ORDER BY k.id, c.id`,
    [size, size * (step - 1), sources.map(({ campaignId }) => campaignId)],
  )
  await world.database.pool.query(
    `INSERT INTO mail_source (account_id, campaign_id, due_at)
     SELECT account_id, id, now() FROM campaign WHERE id = ANY ($1::int[])
     ON CONFLICT (account_id, campaign_id) DO UPDATE SET due_at = excluded.due_at`,
    [sources.map(({ campaignId }) => campaignId)],
  )
  await world.database.pool.query('ANALYZE mail_recipient, contact')
}

async function withoutChecks(text: string, parameters: unknown[]): Promise<void> {
  const client = await world.database.pool.connect()
  try {
    await client.query('SET session_replication_role = replica; SET statement_timeout = 0')
    await client.query(text, parameters)
    await client.query('RESET session_replication_role; RESET statement_timeout')
  } finally {
    client.release()
  }
}

/** Claims as a worker, whose server reports the plan of each claim. */
interface Claims {
  readonly system: System
  readonly sources: QueueSource[]
  readonly plans: Plan[]
  readonly positions: ClaimPositions
  close(): Promise<void>
}

interface Plan {
  readonly blocks: number
  readonly milliseconds: number
}

async function openClaims({ database: { directUrl }, system }: World): Promise<Claims> {
  const plans: Plan[] = []
  const database = openDatabase({ url: directUrl, directUrl, poolSize: 1, log: system.log })
  database.pool.on('connect', (client: pg.PoolClient) => {
    client.on('notice', ({ message = '' }) => {
      if (!message.includes("SET state = 'CLAIMED'")) return
      const [, json = ''] = /plan:\n([\s\S]*)$/.exec(message) ?? []
      const root = JSON.parse(json)
      plans.push({
        blocks: root.Plan['Shared Hit Blocks'] + root.Plan['Shared Read Blocks'],
        milliseconds: root.Plan['Actual Total Time'],
      })
    })
    client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
      SET auto_explain.log_buffers = on; SET auto_explain.log_format = json; SET auto_explain.log_level = notice`)
  })
  return {
    system: { ...system, db: database.db },
    sources: [],
    plans,
    positions: newClaimPositions(),
    close: database.close,
  }
}

async function measure(worker: Claims, queued: number): Promise<Cost> {
  const [transactions, lists]: [number[], number[]] = [[], []]
  worker.plans.length = 0
  for (let n = 0; n < claimsPerStep; n += 1) {
    const start = performance.now()
    const sources = await listDueSources(worker.system)
    lists.push(performance.now() - start)
    const claimed = await claim(worker, sources, claimSize)
    transactions.push(claimed)
  }
  return {
    queued,
    blocks: median(worker.plans.map(({ blocks }) => blocks)),
    milliseconds: median(worker.plans.map(({ milliseconds }) => milliseconds)),
    transaction: median(transactions),
    list: median(lists),
  }
}

/** Claims and completes messages of the next source in turn. Returns the duration of the claim. */
async function claim(worker: Claims, due: readonly QueueSource[], size: number): Promise<number> {
  if (worker.sources.length === 0)
    worker.sources.push(...due.toSorted((a, b) => a.campaignId - b.campaignId || a.accountId - b.accountId))
  const source = worker.sources.shift()
  if (!source) return 0
  const start = performance.now()
  const claimed = await claimMessages(worker.system, source, 1, size, worker.positions)
  const milliseconds = performance.now() - start
  await world.database.pool.query(
    `UPDATE mail_recipient SET state = 'SENT', worker_id = NULL, attempts = 1, sent_at = now()
     WHERE account_id = $1 AND id = ANY ($2::bigint[])`,
    [source.accountId, claimed.map(({ id }) => id)],
  )
  return milliseconds
}

/** Claims and completes this number of messages, in batches as large as the queue is long. */
async function drain(worker: Claims, size: number): Promise<void> {
  const batch = Math.min(Math.max(Math.ceil(size / 400), claimSize), 5_000)
  for (let left = size; left > 0; left -= batch)
    await claim(worker, await listDueSources(worker.system), Math.min(batch, left))
}

/** Opens a transaction whose snapshot sees all rows of now, so that no later row version can be removed. */
async function holdSnapshot({ database: { directUrl } }: World): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: directUrl })
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await client.query('SELECT count(*) FROM mail_source')
  return client
}

async function report(grown: readonly Cost[], drained: readonly Cost[]): Promise<void> {
  const row = ({ queued, ...rest }: Cost) => ({
    queued,
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, Number(value.toFixed(2))])),
  })
  console.table(grown.map(row))
  console.table(drained.map(row))
  const folder = new URL('results/', import.meta.url)
  await mkdir(folder, { recursive: true })
  const points = (costs: readonly Cost[]) => costs.map(({ queued, blocks }) => [queued, blocks] as const)
  const svg = plot(
    { title: 'Blocks of 8 kB that a claim of 50 messages reads', x: 'messages in the queue', y: 'blocks' },
    [
      { name: 'growing', colour: '#1f77b4', points: points(grown) },
      { name: 'draining', colour: '#d62728', points: points(drained) },
    ],
  )
  await writeFile(new URL(`${values.name}.svg`, folder), svg)
}

/**
 * Measures how long 100 messages of a small account take, first beside one large account and then beside all. The first campaign
 * waits when the worker starts.
 */
async function compareFairness(sources: readonly QueueSource[]): Promise<void> {
  const { pool } = world.database
  const large = sources.slice(0, perAccount)
  for (const beside of [large, sources]) {
    const sink = await world.sink(5)
    await pool.query('TRUNCATE mail_recipient, mail_source')
    await fillQueue(beside, recipients / sources.length, 1)
    const waiting = await queueSmall()
    const worker = await world.start('worker', sink.url, { BASE_URL: 'http://127.0.0.1:4000' })
    const times = [(await lastArrival(sink, waiting)) - (await sink.ask({ do: 'tell' })).first]
    while ((await sink.ask({ do: 'tell' })).taken < 100) await sleep(50)
    for (let round = 0; round < 3; round += 1) {
      const start = Date.now()
      times.push((await lastArrival(sink, await queueSmall())) - start)
    }
    const { taken, last, first } = await sink.ask({ do: 'tell' })
    const perSecond = (taken - 1) / ((last - first) / 1000)
    console.log(
      `100 messages beside ${beside.length} campaigns: ${times.map((each) => (each / 1000).toFixed(1)).join(', ')} s (${perSecond.toFixed(0)} messages a second in all)`,
    )
    worker.signal('SIGKILL')
    await worker.end
    sink.stop()
  }
}

/** Queues a campaign of a new account to 100 contacts. Returns the prefix of their addresses. */
async function queueSmall(): Promise<string> {
  const { id: accountId } = await accounts.create(world.system, { name: 'Small', email: 'ada@example.com' })
  const prefix = `small${accountId}-`
  await createContacts(accountId, 100, prefix)
  const id = await createCampaign(world.system, accountId)
  await sending.send(newCtx(world.system, { accountId }), { id })
  return prefix
}

/** Returns the time at which the last of 100 messages arrived. */
async function lastArrival(sink: Sink, prefix: string): Promise<number> {
  for (;;) {
    const arrived = (await sink.times()).filter(([to]) => to.startsWith(prefix))
    if (arrived.length === 100) return Math.max(...arrived.map(([, [at = 0]]) => at))
    await sleep(100)
  }
}

/** Sends for some minutes, and prints the highest and the last number of dead rows of each table. */
async function countDeadRows(sources: readonly QueueSource[]): Promise<void> {
  const { pool } = world.database
  const sink = await world.sink(10)
  await pool.query('TRUNCATE mail_recipient, mail_source')
  await fillQueue(sources, recipients / sources.length, 1)
  const worker = await world.start('worker', sink.url, { BASE_URL: 'http://127.0.0.1:4000' })
  const most = new Map<string, number>()
  let last: Record<string, number> = {}
  for (let sample = 0; sample < Number(values.minutes) * 12; sample += 1) {
    await sleep(5_000)
    const { rows } = await pool.query('SELECT relname AS name, n_dead_tup::int AS n FROM pg_stat_user_tables')
    last = Object.fromEntries(rows.map(({ name, n }) => [name, n]))
    for (const { name, n } of rows) most.set(name, Math.max(most.get(name) ?? 0, n))
  }
  const { taken } = await sink.ask({ do: 'tell' })
  console.log(`${taken} messages in ${values.minutes} minutes`)
  const changed = [...most].filter(([, n]) => n > 500).toSorted(([, a], [, b]) => b - a)
  console.table(changed.map(([table, highest]) => ({ table, highest, last: last[table] })))
  worker.signal('SIGKILL')
  await worker.end
  sink.stop()
}
