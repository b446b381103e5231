// node test/bench/filters.ts [--size=1000000]   compares the first page and the count of filters with hand-written SQL
import { deepStrictEqual } from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { accounts, apiKeys } from '../../src/account/index.ts'
import { startApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { startEmbedded } from '../../src/db/embedded.ts'
import { systemClock } from '../../src/kernel/clock.ts'
import { newLog } from '../../src/kernel/log.ts'
import { newCommandSystem } from '../../src/server/command-system.ts'

const size = Number(process.argv.find((each) => each.startsWith('--size='))?.slice('--size='.length) ?? 1_000_000)
const rounds = 7
const most = 1.5
const log = newLog('error')

interface Named {
  tags: number[]
  sequence: number
  campaigns: number[]
  fields: number[]
}

/** A filter, and its conditions as a person writes them, with the ids of the account. */
interface Case {
  filter: (ids: Named) => object
  where: (ids: Named) => string
  /** The sort key, if it is not the time of creation. */
  rank?: string
}

interface Row {
  readonly what: string
  readonly matches: number
  readonly 'ours ms': number
  readonly 'baseline ms': number
  readonly ratio: number
  readonly aim: string
  readonly verdict: 'met' | 'MISSED'
}

const tagged = (id: number | undefined) =>
  `EXISTS (SELECT FROM contact_tag t WHERE t.account_id = c.account_id AND t.contact_id = c.id AND t.tag_id = ${id})`
const inTag = (id: number | undefined) =>
  `c.id IN (SELECT contact_id FROM contact_tag WHERE account_id = $1 AND tag_id = ${id})`
const opened = (ids: readonly number[]) =>
  `c.id IN (SELECT contact_id FROM mail_recipient WHERE account_id = $1 AND campaign_id IN (${ids}) AND opened_at IS NOT NULL)`
const sized = (id: number | undefined, value: string) =>
  `c.id IN (SELECT contact_id FROM contact_field WHERE account_id = $1 AND custom_field_id = ${id} AND left(lower(value), 100) = '${value}')`

const words = `lower(' ' || c.email || ' ' || c.first_name || ' ' || c.last_name || ' ' || c.company_name || ' ' || c.phone)`
const has = (part: string) => `${words} LIKE '%${part}%'`
const rankOf = (word: string) =>
  `CASE WHEN ${words} || ' ' LIKE '% ${word} %' THEN 2 WHEN ${words} LIKE '% ${word}%' THEN 1 ELSE 0 END`

const cases: Readonly<Record<string, Case>> = {
  'one tag': { filter: ({ tags: [a] }) => ({ tags: { any: [a] } }), where: ({ tags: [a] }) => inTag(a) },
  'two tags and not a third': {
    filter: ({ tags: [a, b, c] }) => ({ tags: { all: [a, b], none: [c] } }),
    where: ({ tags: [a, b, c] }) => `${inTag(a)} AND ${inTag(b)} AND NOT ${tagged(c)}`,
  },
  'tags, size, country and opened one of three': {
    filter: ({ tags: [a, b, c], campaigns, fields: [field] }) => ({
      tags: { all: [a, b], none: [c] },
      customFields: [{ id: field, text: { eq: 'M' } }],
      country: { eq: 'France' },
      campaignsOpened: { any: campaigns.slice(1) },
    }),
    where: ({ tags: [a, b, c], campaigns, fields: [field] }) =>
      `${inTag(a)} AND ${inTag(b)} AND NOT ${tagged(c)} AND ${sized(field, 'm')} AND lower(c.country) = 'france'
       AND ${opened(campaigns.slice(1))}`,
  },
  'part of an address': {
    filter: () => ({ email: { contains: 'ct12345' } }),
    where: () => `${has('ct12345')} AND lower(c.email) LIKE '%ct12345%'`,
  },
  'a search of one letter, which begins a word of all': { filter: () => ({ search: 'c' }), where: () => has(' c') },
  'a search of three letters, the beginning of a word of three in ten': {
    filter: () => ({ search: 'nor' }),
    where: () => has('nor'),
    rank: rankOf('nor'),
  },
  'a search of three letters, a part of a word of three in ten': {
    filter: () => ({ search: 'ord' }),
    where: () => has('ord'),
    rank: rankOf('ord'),
  },
  'a search of a full name': {
    filter: () => ({ search: 'last2077 first77' }),
    where: () => `${has('last2077')} AND ${has('first77')}`,
    rank: `${rankOf('last2077')} + ${rankOf('first77')}`,
  },
  'city in a list': {
    filter: () => ({ city: { in: ['City7', 'city1200'] } }),
    where: () => `lower(c.city) IN ('city7', 'city1200')`,
  },
  'created in a time, with consent': {
    filter: () => ({ createdAt: { gte: '2026-01-02T00:00:00Z', lt: '2026-01-05T00:00:00Z' }, emailMarketing: true }),
    where: () => `c.created_at >= '2026-01-02Z' AND c.created_at < '2026-01-05Z' AND c.email_marketing`,
  },
  'one of two tags or enrolled': {
    filter: ({ tags: [a, b], sequence }) => ({ or: [{ tags: { any: [a, b] } }, { sequences: { any: [sequence] } }] }),
    where: ({ tags: [a, b], sequence }) => `c.id IN (
      SELECT contact_id FROM contact_tag WHERE account_id = $1 AND tag_id IN (${a}, ${b})
      UNION SELECT contact_id FROM enrolment WHERE account_id = $1 AND sequence_id = ${sequence} AND state = 'ACTIVE')`,
  },
  'sent, not opened, not tagged': {
    filter: ({ tags: [a], campaigns: [campaign] }) => ({
      campaignsNotOpened: { any: [campaign] },
      not: { tags: { any: [a] } },
    }),
    where: ({ tags: [a], campaigns: [campaign] }) => `c.id IN (SELECT contact_id FROM mail_recipient
      WHERE account_id = $1 AND campaign_id = ${campaign} AND sent_at IS NOT NULL AND opened_at IS NULL) AND NOT ${tagged(a)}`,
  },
  'a number in a range': {
    filter: ({ fields: [, field] }) => ({ customFields: [{ id: field, number: { gte: 10, lte: 12 } }] }),
    where: ({ fields: [, field] }) => `c.id IN (SELECT contact_id FROM contact_field
      WHERE account_id = $1 AND custom_field_id = ${field} AND number BETWEEN 10 AND 12)`,
  },
  'a day before another, and a size': {
    filter: ({ fields: [field, , day] }) => ({
      customFields: [
        { id: day, date: { lt: '2020-02-01' } },
        { id: field, text: { eq: 'XL' } },
      ],
    }),
    where: ({ fields: [field, , day] }) => `c.id IN (SELECT contact_id FROM contact_field
      WHERE account_id = $1 AND custom_field_id = ${day} AND day < '2020-02-01') AND ${sized(field, 'xl')}`,
  },
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
    await fill()
    const ids = await namesOf(id)
    const rows: Row[] = []
    for (const [name, each] of Object.entries(cases))
      rows.push(await compare(name, each, ids, id, key, app.address.url))
    console.table(rows)
    return rows.every(({ verdict }) => verdict === 'met')
  } finally {
    await app.close()
  }
}

async function fill(): Promise<void> {
  await client.query('SET session_replication_role = replica')
  await client.query(`SET bench.size = ${size}`)
  await client.query(await readFile(new URL('filters/fill.sql', import.meta.url), 'utf8'))
  await client.query('RESET session_replication_role')
  await client.query('VACUUM ANALYZE')
}

async function namesOf(accountId: number): Promise<Named> {
  const ids = async (table: string) =>
    (await client.query(`SELECT id FROM ${table} WHERE account_id = $1 ORDER BY id`, [accountId])).rows.map(
      ({ id }) => id,
    )
  const [sequence] = await ids('sequence')
  return { tags: await ids('tag'), sequence, campaigns: await ids('campaign'), fields: await ids('custom_field') }
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

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}
