// node test/bench/costs.ts [--contacts 5000] [--messages 2]    measures the processor time, log and disk of each kind of work
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { apiKeys } from '../../src/account/index.ts'
import { newCtx } from '../../src/db/context.ts'
import { contents, funnels, steps } from '../../src/funnels/index.ts'
import { openWorld } from './mail/world.ts'
import { timesOf, treeOf } from './times.ts'

const { values } = parseArgs({
  options: { contacts: { type: 'string', default: '5000' }, messages: { type: 'string', default: '2' } },
})
const [contacts, messages] = [Number(values.contacts), Number(values.messages)]
const requests = 600

const world = await openWorld()
try {
  const { database, system, accountId } = world
  const ctx = newCtx(system, { accountId })
  const { key } = await apiKeys.create(system, { accountId })
  await database.pool.query("UPDATE account SET subdomain = 'bench' WHERE id = $1", [accountId])
  const sink = await world.sink(0)
  const server = await world.start('api,worker', sink.url, {
    WEBHOOK_ALLOW_PRIVATE: 'on',
    PUBLIC_VISITS_PER_IP: '1000000',
  })
  const postmaster = await postmasterOf()
  const rows: Record<string, string | number>[] = []

  const ask = async (query: string, variables = {}) => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query, variables }),
    })
    const { data, errors } = (await response.json()) as { data: Record<string, never>; errors?: unknown }
    if (errors) throw new Error(JSON.stringify(errors))
    // biome-ignore lint/suspicious/noExplicitAny: the shape is that of the document
    return data as any
  }
  const repeat = (work: (n: number) => Promise<unknown>) => async () => {
    for (let n = 0; n < requests; n += 4) await Promise.all([n, n + 1, n + 2, n + 3].map(work))
  }

  /** Measures work, without what the processes do when they are idle. */
  const measure = async (what: string, units: number, work: () => Promise<unknown>, idle?: Usage) => {
    const [before, began] = [await usage(), performance.now()]
    await work()
    // Positions, figures and deliveries of events follow.
    await sleep(3_000)
    const [after, seconds] = [await usage(), (performance.now() - began) / 1000]
    const per = (part: keyof Usage) => (after[part] - before[part] - (idle?.[part] ?? 0) * seconds) / units
    const used: Usage = { node: per('node'), postgres: per('postgres'), wal: per('wal'), disk: per('disk') }
    rows.push({
      what,
      units,
      'Node ms': used.node.toFixed(3),
      'PostgreSQL ms': used.postgres.toFixed(3),
      'WAL bytes': Math.round(used.wal),
      'disk bytes': Math.round(used.disk),
      seconds: Math.round(seconds),
    })
    return used
  }

  /** Processor time of the server and of PostgreSQL in ms, and bytes of the write-ahead log and of the database. */
  async function usage(): Promise<Usage> {
    const { rows: sizes } = await database.pool.query(
      "SELECT (pg_current_wal_lsn() - '0/0')::float8 AS wal, pg_database_size(current_database())::float8 AS disk",
    )
    return { node: (await timesOf(server.pid)).own, postgres: await treeOf(postmaster), ...sizes[0] }
  }

  async function postmasterOf(): Promise<number> {
    const { rows: processes } = await database.pool.query('SELECT pg_backend_pid() AS pid')
    return (await timesOf(processes[0].pid)).parent
  }

  await sleep(5_000)
  const perSecond = await measure('a second without work', 1, () => sleep(10_000))
  const idle: Usage = {
    ...{ node: perSecond.node / 13, postgres: perSecond.postgres / 13, wal: perSecond.wal / 13, disk: 0 },
  }
  await measure(
    'a row of an import',
    contacts,
    async () => {
      const { contactImportCreate } = await ask(
        'mutation { contactImportCreate(input: {}) { uploadUrl contactImport { id } } }',
      )
      const lines = Array.from(
        { length: contacts },
        (_, n) => `person.${n}@example.com,Ada${n % 100},Lovelace${n},Paris,true`,
      )
      const body = `email,first_name,last_name,city,email_marketing\n${lines.join('\n')}\n`
      await fetch(contactImportCreate.uploadUrl, { method: 'PUT', body })
      const query = `{ contactImport(id: "${contactImportCreate.contactImport.id}") { status created } }`
      while ((await ask(query)).contactImport.status !== 'COMPLETED') await sleep(250)
    },
    idle,
  )
  await database.pool.query('VACUUM ANALYZE')
  const page = '{ contacts(first: 50) { nodes { id email firstName tags { name } } } }'
  await measure(
    'a page of 50 contacts',
    requests,
    repeat(() => ask(page)),
    idle,
  )
  const { rows: ids } = await database.pool.query<{ id: number }>('SELECT id FROM contact LIMIT $1', [requests])
  const update = (n: number, to: string) =>
    ask('mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }', {
      input: { contact: { id: ids[n]?.id }, firstName: `${to} ${n}` },
    })
  const updated = await measure(
    'an update of a contact',
    requests,
    repeat((n) => update(n, 'Grace')),
    idle,
  )

  let delivered = 0
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => {
      delivered += 1
      response.end()
    })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  await ask('mutation ($input: WebhookCreateInput!) { webhookCreate(input: $input) { webhook { id } } }', {
    input: { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, events: ['CONTACT_UPDATED'] },
  })
  const both = await measure(
    'the same with a webhook',
    requests,
    async () => {
      await repeat((n) => update(n, 'Ada'))()
      while (delivered < requests) await sleep(100)
    },
    idle,
  )
  rows.push({
    what: 'an event delivered',
    'Node ms': (both.node - updated.node).toFixed(3),
    'PostgreSQL ms': (both.postgres - updated.postgres).toFixed(3),
    'WAL bytes': Math.round(both.wal - updated.wal),
  })
  receiver.close()

  const { funnel } = await funnels.create(ctx, { name: 'Bench' })
  const { step } = await steps.create(ctx, { funnelId: funnel.id, name: 'Welcome' })
  const elements = [
    { type: 'title', text: 'Hello' },
    { type: 'form', buttonText: 'Join' },
  ]
  const column = { type: 'column', children: elements }
  const root = [{ type: 'section', children: [{ type: 'row', children: [column] }] }]
  await contents.set(ctx, { id: step.id, content: { version: 1, root } })
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
  const visit = () => fetch(`${server.url}/p/bench/${funnel.id}/${step.path}`, { headers }).then((got) => got.text())
  await measure('a visit of a page', requests, repeat(visit), idle)

  const send = async () => {
    for (let n = 0; n < messages; n += 1) await world.sent(await world.send())
    // The job that adds changes of figures runs every minute.
    await sleep(60_000)
  }
  await measure('a message', contacts * messages, send, idle)
  await database.pool.query('VACUUM ANALYZE')
  console.table(rows)
  const { rows: tables } = await database.pool.query(
    `SELECT root::text AS "table", sum(pg_total_relation_size(part))::int AS bytes, sum(reltuples)::int AS rows
     FROM (SELECT coalesce(pg_partition_root(oid), oid)::regclass AS root, oid AS part, greatest(reltuples, 0) AS reltuples
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r') t GROUP BY 1 ORDER BY 2 DESC LIMIT 10`,
  )
  console.table(tables)
  console.log(`${(await usage()).disk} bytes in all`)
} finally {
  await world.close()
}

interface Usage {
  readonly node: number
  readonly postgres: number
  readonly wal: number
  readonly disk: number
}
