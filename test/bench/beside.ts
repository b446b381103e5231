// node test/bench/beside.ts [--contacts 200000] [--rounds 3] [--only snapshot]
// measures the requests of small accounts beside the work of a large one, and the longest transaction of each kind of work
import { parseArgs } from 'node:util'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { campaigns, delivery, sending } from '../../src/campaigns/index.ts'
import { imports, tags } from '../../src/contacts/index.ts'
import { newCtx } from '../../src/db/context.ts'
import { openWorld, type Process, type World } from './mail/world.ts'
import { median, quantile } from './report.ts'

/** How much longer the slowest percent of the small accounts' requests may take, as a ratio. */
const most = 1.15

/** How long requests are measured without and with each kind of work, in milliseconds. */
const measuredMs = 12_000

const smallAccounts = 50
const { values } = parseArgs({
  options: {
    contacts: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string' },
  },
})
const [contacts, rounds] = [Number(values.contacts), Number(values.rounds)]

/** A small account. */
interface Small {
  readonly key: string
  readonly contactId: number
  readonly campaignId: number
}

/** The large account: its tags with many contacts, one for each round, and a key. */
interface Large {
  readonly key: string
  readonly tagIds: readonly number[]
}

const query = `query ($contact: ID!, $campaign: ID!) {
  contacts(first: 50) { nodes { email tags { name } } }
  campaign(id: $campaign) { stats { sent opened clicked } } contact(ref: { id: $contact }) { email } }`

const world = await openWorld({ fsync: 'off', full_page_writes: 'off', max_wal_size: '8GB', shared_buffers: '1GB' })
interface Percentiles {
  readonly p50: number
  readonly p99: number
}

function shown(all: readonly Percentiles[]): string {
  return `${median(all.map(({ p50 }) => p50)).toFixed(1)} / ${median(all.map(({ p99 }) => p99)).toFixed(1)}`
}

/** The work of the large account. Each resolves when it is done, or soon after `stop` returns true. */
const works: Readonly<
  Record<string, (large: Large, api: Process, round: number, stop: () => boolean) => Promise<unknown>>
> = {
  async import(_, __, round, stop) {
    const ctx = newCtx(world.system, world)
    const lines = Array.from({ length: 100_000 }, (_, n) => `r${round}n${n}@import.example,Ada,a;b\n`)
    const file = (async function* () {
      yield Buffer.from(`email,first_name,tags\n${lines.join('')}`)
    })()
    const { id } = await imports.createFromStream(ctx, {}, file)
    await until(async () => stop() || (await isZero('contact_import', `id = ${id} AND status = 'RUNNING'`)))
    await world.database.pool.query(`UPDATE contact_import SET status = 'FAILED' WHERE id = ${id}`)
  },
  async snapshot({ tagIds }, _, round) {
    const id = await send({ includeTagIds: [tagIds[round] as number] })
    await until(() => isZero('campaign', `id = ${id} AND snapshot_end IS NOT NULL`))
    await cancel(id)
  },
  async sending({ tagIds }, _, round, stop) {
    const id = await send({ includeTagIds: [tagIds[round] as number] })
    await until(async () => stop())
    await cancel(id)
  },
  async export({ key }, api) {
    const { exportLink } = await ask(api, key, '{ exportLink(list: CONTACTS) { url } }', {})
    await (await fetch(new URL(new URL(exportLink.url).pathname, api.url))).text()
  },
  async 'deletion of a tag'({ tagIds }, _, round) {
    await tags.remove(newCtx(world.system, world), { id: tagIds[round] as number })
    await until(() => isZero('contact_tag', `tag_id = ${tagIds[round]}`))
  },
}

async function send(lists: object): Promise<number> {
  const ctx = newCtx(world.system, world)
  const details = { name: 'News', subject: 'Hello', fromName: 'Ada', fromEmail: 'ada@example.com' }
  const { campaign } = await campaigns.create(ctx, { ...details, audience: { lists } })
  await campaigns.setContent(ctx, { id: campaign.id, html: '<p>Hello</p>' })
  await sending.send(ctx, { id: campaign.id })
  return campaign.id
}

async function cancel(id: number): Promise<void> {
  await delivery.cancel(newCtx(world.system, world), { id }).catch(() => undefined)
  await until(() => isZero('mail_recipient', `campaign_id = ${id} AND state IN ('QUEUED', 'CLAIMED', 'HANDING_OVER')`))
}

async function isZero(table: string, where: string): Promise<boolean> {
  const { rows } = await world.database.pool.query(
    `SELECT FROM ${table} WHERE account_id = ${world.accountId} AND ${where} LIMIT 1`,
  )
  return rows.length === 0
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  while (!(await isDone())) await new Promise((next) => setTimeout(next, 50))
}

/** Measures the requests without the work and then with it, and the longest transaction meanwhile. */
async function measure(api: Process, small: readonly Small[], work: (stop: () => boolean) => Promise<unknown>) {
  const alone = await load(api, small, measuredMs)
  let isOver = false
  let isDone = false
  const started = performance.now()
  const longest = watch(() => isDone)
  const done = work(() => isOver).finally(() => (isDone = true))
  // Work that is done earlier is measured as long as it takes.
  const beside = await load(api, small, measuredMs, () => isDone && performance.now() - started > 500)
  isOver = true
  await done
  return { alone, beside, longest: await longest }
}

/** Sends the requests of one small account after another, two at a time, with pauses. */
async function load(api: Process, small: readonly Small[], ms: number, isDone = () => false): Promise<Percentiles> {
  const times: number[] = []
  const end = performance.now() + ms
  let next = 0
  const run = async () => {
    while (performance.now() < end && !isDone()) {
      const { key, contactId, campaignId } = small[next++ % small.length] as Small
      const started = performance.now()
      await ask(api, key, query, { contact: contactId, campaign: campaignId })
      await ask(
        api,
        key,
        'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }',
        {
          input: { contact: { id: contactId }, city: String(next) },
        },
      )
      times.push(performance.now() - started)
      await new Promise((resume) => setTimeout(resume, 20))
    }
  }
  await Promise.all([run(), run()])
  return { p50: median(times), p99: quantile(times, 0.99) }
}

/** Samples the age of the oldest transaction every 100 ms. */
async function watch(isDone: () => boolean): Promise<{ ms: number; text: string }> {
  let longest = { ms: 0, text: '' }
  while (!isDone()) {
    const { rows } = await world.database.pool.query(
      `SELECT extract(epoch FROM clock_timestamp() - xact_start) * 1000 AS ms, left(regexp_replace(query, '\\s+', ' ', 'g'), 60) AS text
       FROM pg_stat_activity WHERE backend_type = 'client backend' AND state <> 'idle' AND pid <> pg_backend_pid()
         AND query NOT LIKE 'VACUUM%' ORDER BY xact_start LIMIT 1`,
    )
    const [oldest] = rows as { ms: string; text: string }[]
    if (oldest && Number(oldest.ms) > longest.ms) longest = { ms: Number(oldest.ms), text: oldest.text }
    await new Promise((next) => setTimeout(next, 100))
  }
  return longest
}

// biome-ignore lint/suspicious/noExplicitAny: the bench reads a few fields of the response
async function ask(api: Process, key: string, document: string, variables: object): Promise<any> {
  const response = await fetch(new URL('/graphql', api.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: document, variables }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const { data, errors } = (await response.json()) as any
  if (errors) throw new Error(JSON.stringify(errors))
  return data
}

/** Fills the large account: ten messages for each contact, and tags that all contacts have. */
async function fillLarge({ createContacts, database, accountId, system }: World): Promise<Large> {
  await createContacts(contacts)
  const { key } = await apiKeys.create(system, { accountId })
  const ctx = newCtx(system, { accountId })
  const tagIds: number[] = []
  for (let round = 0; round < rounds; round += 1) tagIds.push((await tags.create(ctx, { name: `tag ${round}` })).tag.id)
  const run = (text: string, parameters: unknown[] = [accountId]) => database.pool.query(text, parameters)
  await run(
    `INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at, contact_created_at)
     SELECT c.account_id, c.id, t.id, now(), c.created_at FROM contact c JOIN tag t USING (account_id) WHERE c.account_id = $1`,
  )
  const { campaign } = await campaigns.create(ctx, { name: 'Old' })
  for (let n = 0; n < 10; n += 1) await insertMessages(accountId, n === 0 ? campaign.id : 1_000_000 + n)
  await run("UPDATE campaign SET status = 'SENT', sent_at = now() WHERE account_id = $1")
  await run(
    `INSERT INTO quota_usage (account_id, slot, period, used) VALUES ($1, 'contacts', '', $2)
     ON CONFLICT (account_id, slot, period) DO UPDATE SET used = excluded.used`,
    [accountId, contacts],
  )
  return { key, tagIds }
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
  const sink = await world.sink(0)
  const api = await world.start('api', sink.url, { BASE_URL: 'http://127.0.0.1:4000' })
  await world.start('worker', sink.url, { BASE_URL: 'http://127.0.0.1:4000' })
  await world.database.pool.query('VACUUM ANALYZE')
  await load(api, small, 3_000)
  const table: Record<string, string | number>[] = []
  for (const [name, work] of Object.entries(works)) {
    if (values.only && values.only !== name) continue
    const results: Awaited<ReturnType<typeof measure>>[] = []
    for (let round = 0; round < rounds; round += 1)
      results.push(await measure(api, small, (stop) => work(large, api, round, stop)))
    const ratio = median(results.map(({ beside, alone }) => beside.p99 / alone.p99))
    table.push({
      work: name,
      'alone p50/p99, ms': shown(results.map(({ alone }) => alone)),
      'beside p50/p99, ms': shown(results.map(({ beside }) => beside)),
      'p99 ratio': ratio.toFixed(2),
      aim: `≤ ${most}`,
      'longest transaction, ms': Math.round(Math.max(...results.map(({ longest }) => longest.ms))),
      'its statement': results.toSorted((a, b) => b.longest.ms - a.longest.ms)[0]?.longest.text ?? '',
    })
    console.table(table.slice(-1))
  }
  console.table(table)
} finally {
  await world.close()
}
