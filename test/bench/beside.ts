// node test/bench/beside.ts [--contacts 200000] [--messages 10] [--rounds 6] [--only snapshot,import] [--share 0.04] [--rate 20]
// measures the requests of small accounts beside the work of a large one, and the longest transaction of each kind of work. Short
// phases without and with the work alternate: without it, the process of the worker is stopped by a signal. The works "nothing"
// and "busy processor", which only computes, are the baselines.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { campaigns } from '../../src/campaigns/index.ts'
import { tags } from '../../src/contacts/index.ts'
import { newCtx } from '../../src/db/context.ts'
import { defaultShare } from '../../src/kernel/work/pacing.ts'
import { type Load, percentiles, type Small } from './beside/requests.ts'
import { type Large, works } from './beside/works.ts'
import { openWorld, type Process, type World } from './mail/world.ts'
import { median } from './report.ts'

/** How much longer the slowest percent of the small accounts' requests may take, as a ratio. */
const most = 1.15

/** How long requests are measured in a phase without and in one with the work, in milliseconds. */
const phaseMs = 5_000

/** Time before each phase in which statements end, and the pacing notices the requests, in milliseconds. */
const settlingMs = { alone: 500, beside: 1_500 }

/** Time in which a new process compiles what requests use, in milliseconds. */
const warmUpMs = 15_000

const smallAccounts = 50

/** Number of tags of all contacts that can be deleted during the measurement. */
const oldTags = 8
const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '200000' },
    messages: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '6' },
    rate: { type: 'string', default: '20' },
    share: { type: 'string', default: '' },
    only: { type: 'string', default: Object.keys(works).join() },
  },
})
const [contacts, messages, rounds, perSecond] = [values.contacts, values.messages, values.rounds, values.rate].map(
  Number,
) as [number, number, number, number]

// A server that has run for a while reuses the files of its log. A new one creates them, and commits wait up to 60 ms for one.
const wal = { wal_init_zero: 'off', max_wal_size: '8GB', full_page_writes: 'off' }
const world = await openWorld({ fsync: 'off', shared_buffers: '1GB', ...wal })
const loader = fork(fileURLToPath(new URL('beside/requests.ts', import.meta.url)))

/** Runs a load in its own process. */
async function apply(load: Omit<Load, 'perSecond'>): Promise<number[]> {
  loader.send({ ...load, perSecond })
  return (await once(loader, 'message'))[0]
}

/** The processes whose work is measured. */
interface Processes {
  readonly api: Process
  readonly worker: Process
  /** Share of the time that their paced work takes. */
  readonly share: number
}

/** Measures requests without and with a work in turn, and the longest transaction of the work. */
async function measure({ api, worker, share }: Processes, small: readonly Small[], large: Large, name: string) {
  let isOver = false
  let resume = () => {}
  let running = Promise.resolve()
  const pause = () => {
    worker.signal('SIGSTOP')
    running = new Promise((next) => {
      resume = next
    })
  }
  const work = works[name] as (typeof works)[string]
  const repeat = async () => {
    while (!isOver) await work({ world, large, api, share, isOver: () => isOver, running: () => running })
  }
  const repeated = repeat()
  const [alone, beside]: [number[][], number[][]] = [[], []]
  const shares: number[] = []
  let longest = { ms: 0, text: '' }
  const load = { url: api.url, small }
  for (let round = 0; round < rounds; round += 1) {
    pause()
    // Its result is not needed, but its statements take time of the database.
    const idle = watch()
    await sleep(settlingMs.alone)
    alone.push(await apply({ ...load, milliseconds: phaseMs }))
    await idle.end()
    worker.signal('SIGCONT')
    resume()
    const watching = watch()
    await apply({ ...load, milliseconds: settlingMs.beside })
    const before = await workingSeconds([api, worker])
    const start = performance.now()
    beside.push(await apply({ ...load, milliseconds: phaseMs }))
    shares.push(((await workingSeconds([api, worker])) - before) / ((performance.now() - start) / 1_000))
    const found = await watching.end()
    if (found.ms > longest.ms) longest = found
  }
  isOver = true
  await repeated
  return { alone: summary(alone), beside: summary(beside), longest, share: median(shares) }
}

/** Percentiles of all phases, and the median of the p99 of each phase, which one pause of the machine does not decide. */
function summary(phases: readonly number[][]) {
  return { ...percentiles(phases.flat()), typical: median(phases.map((times) => percentiles(times).p99)) }
}

const shownNames = ['p50', 'p90', 'p99', 'typical'] as const

/** Formats percentiles. */
function shown(each: ReturnType<typeof summary>): string {
  return shownNames.map((name) => each[name].toFixed(1)).join(' / ')
}

/** Returns the time in which paced work of processes ran since their start. */
async function workingSeconds(processes: readonly Process[]): Promise<number> {
  const texts = await Promise.all(processes.map(async ({ url }) => (await fetch(new URL('/metrics', url))).text()))
  const values = texts.map((text) => /^campanile_background_seconds_total\{state="working"\} (\S+)$/m.exec(text)?.[1])
  return values.reduce((sum, value) => sum + Number(value ?? 0), 0)
}

/** Samples the age of the oldest transaction that began from now on, every 100 ms. */
function watch(): { end(): Promise<{ ms: number; text: string }> } {
  let isOver = false
  const run = async () => {
    let longest = { ms: 0, text: '' }
    const { rows: begun } = await world.database.pool.query('SELECT clock_timestamp() AS at')
    while (!isOver) {
      const { rows } = await world.database.pool.query(
        `SELECT extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) AS text
         FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()
           AND query !~ '^(VACUUM|ANALYZE)' AND xact_start > $1 ORDER BY xact_start LIMIT 1`,
        [begun[0].at],
      )
      const [oldest] = rows as { ms: string; text: string }[]
      if (oldest && Number(oldest.ms) > longest.ms) longest = { ms: Number(oldest.ms), text: oldest.text }
      await sleep(100)
    }
    return longest
  }
  const running = run()
  return {
    end: () => {
      isOver = true
      return running
    },
  }
}

/** Fills the large account: messages for each contact, and a tag that all contacts have. */
async function fillLarge({ createContacts, database, accountId, system }: World): Promise<Large> {
  await createContacts(contacts)
  const { key } = await apiKeys.create(system, { accountId })
  const ctx = newCtx(system, { accountId })
  const tagIds: number[] = []
  for (let n = 0; n <= oldTags; n += 1) {
    const { tag } = await tags.create(ctx, { name: `all ${n}` })
    await database.pool.query(
      `INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
       SELECT account_id, id, $2, now(), created_at FROM contact WHERE account_id = $1`,
      [accountId, tag.id],
    )
    tagIds.push(tag.id)
  }
  const { campaign } = await campaigns.create(ctx, { name: 'Old' })
  for (let n = 0; n < messages; n += 1) await insertMessages(accountId, n === 0 ? campaign.id : 1_000_000 + n)
  await database.pool.query("UPDATE campaign SET status = 'SENT', sent_at = now() WHERE account_id = $1", [accountId])
  await database.pool.query(
    `INSERT INTO quota_usage (account_id, slot, period, used) VALUES ($1, 'contacts', '', $2)
     ON CONFLICT (account_id, slot, period) DO UPDATE SET used = excluded.used`,
    [accountId, contacts],
  )
  return { key, tagId: tagIds.shift() ?? 0, oldTagIds: tagIds }
}

async function insertMessages(accountId: number, campaignId: number): Promise<void> {
  await world.database.pool.query(
    `INSERT INTO mail_recipient (account_id, campaign_id, contact_id, state, created_at, due_at, sent_at)
     SELECT account_id, $2, id, 'SENT', now(), now(), now() FROM contact WHERE account_id = $1`,
    [accountId, campaignId],
  )
}

/** Creates small accounts with 200 contacts, three tags each, and a campaign that was sent. */
async function fillSmall({ database, system }: World): Promise<Small[]> {
  const small: Small[] = []
  for (let n = 0; n < smallAccounts; n += 1) {
    const { id: accountId } = await accounts.create(system, { name: `small ${n}`, email: 'ada@example.com' })
    const { key } = await apiKeys.create(system, { accountId })
    const ctx = newCtx(system, { accountId })
    for (const name of ['a', 'b', 'c']) await tags.create(ctx, { name })
    const { campaign } = await campaigns.create(ctx, { name: 'News' })
    const { rows } = await database.pool.query(
      `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
       SELECT $1, 'c' || i || '@example.com', true, now(), now() FROM generate_series(1, 200) AS i RETURNING id`,
      [accountId],
    )
    await database.pool.query(
      `INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
       SELECT c.account_id, c.id, t.id, now(), c.created_at FROM contact c JOIN tag t USING (account_id) WHERE c.account_id = $1`,
      [accountId],
    )
    await insertMessages(accountId, campaign.id)
    small.push({ key, contactId: rows[0].id, campaignId: campaign.id })
  }
  return small
}

try {
  const large = await fillLarge(world)
  const small = await fillSmall(world)
  const sink = await world.sink(10)
  const table: Record<string, string | number>[] = []
  await world.database.pool.query('VACUUM ANALYZE')
  for (const share of values.share.split(',').map((text) => Number(text) || defaultShare(availableParallelism()))) {
    const env = { BASE_URL: 'http://127.0.0.1:4000', BACKGROUND_SHARE: String(share) }
    const api = await world.start('api', sink.url, env)
    const worker = await world.start('worker', sink.url, env)
    await apply({ url: api.url, small, milliseconds: warmUpMs })
    for (const name of values.only.split(',')) {
      const { alone, beside, longest, share: worked } = await measure({ api, worker, share }, small, large, name)
      table.push({
        work: name,
        BACKGROUND_SHARE: share,
        'alone p50/p90/p99/p99 of a phase, ms': shown(alone),
        'beside, ms': shown(beside),
        ratios: shownNames.map((name) => (beside[name] / alone[name]).toFixed(2)).join(' / '),
        aim: `≤ ${most}`,
        'share worked': worked.toFixed(2),
        'longest transaction, ms': Math.round(longest.ms),
        'its statement': longest.text,
      })
      console.table(table.slice(-1))
    }
    for (const each of [api, worker]) {
      each.signal('SIGKILL')
      await each.end
    }
  }
  console.table(table)
} finally {
  loader.kill()
  await world.close()
}
