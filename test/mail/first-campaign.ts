import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { Create, waitForImport } from '../contacts/imports.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { createSubscribers, newSender, sendCampaign, waitForStatus } from './sending.ts'
import { newSink } from './sink.ts'

const people = 1_200
const tables = ['contact', 'contact_consent', 'mail_recipient', 'mail_source'] as const

/** Lets nobody analyse the tables until the test is done: neither autovacuum nor a worker. Rows can be written. */
async function keepStatistics(world: World): Promise<void> {
  const client = new pg.Client({ connectionString: world.server.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query(`BEGIN; LOCK TABLE ${tables.join(', ')} IN SHARE UPDATE EXCLUSIVE MODE`)
}

/** How many rows of each table were looked at so far. */
async function looked(world: World): Promise<Record<string, number>> {
  const rows = await world.rows<{ name: string; n: string }>(
    `SELECT relname AS name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint AS n
     FROM pg_stat_user_tables WHERE relname = ANY($1::text[])`,
    [tables],
  )
  return Object.fromEntries(rows.map(({ name, n }) => [name, Number(n)]))
}

const csv = `email,emailMarketing\n${Array.from({ length: people }, (_, n) => `p${n}@new.example,true\n`).join('')}`

/** Analyses what a campaign to 50 contacts of this account left behind. */
export async function analyseAfterCampaign(world: World): Promise<void> {
  await createSubscribers(world, 50, 'old.example')
  await waitForStatus(world, (await sendCampaign(world)).id, 'SENT')
  await analyse(world)
}

/** Analyses the tables of contacts and messages. */
export async function analyse({ rows }: World): Promise<void> {
  await rows(`ANALYZE ${tables.join(', ')}`)
}

/**
 * Imports contacts twice and writes to them, with the statistics that `prepare` leaves, and expects that no plan reads the whole
 * account.
 */
export async function readRowsAFewTimes(prepare: (other: World) => Promise<void>): Promise<void> {
  const sink = await newSink({ keepRaw: false })
  const other = await newWorld({ server: await newSender(sink.url) })
  await prepare(other)
  await keepStatistics(other)
  const world = await other.other()
  const before = await looked(world)
  const { contactImport } = (await world.run(Create, { input: { csv } })).contactImportCreate
  expect(await waitForImport(world, contactImport.id, 120_000)).toMatchObject({
    status: 'COMPLETED',
    created: people,
  })
  const again = (await world.run(Create, { input: { csv, updateExisting: true } })).contactImportCreate
  expect(await waitForImport(world, again.contactImport.id, 120_000)).toMatchObject({ unchanged: people })
  const earlier = sink.taken.length
  const { id } = await sendCampaign(world)
  // Asking how the campaign stands would read its recipients, too.
  await until(() => sink.taken.length === earlier + people)
  await waitForStatus(world, id, 'SENT')
  expect(world.server.errors).toEqual([])
  // Connections report what they have read after a second at the latest, and go on with the workers' rounds.
  let after = await looked(world)
  await until(async () => {
    const last = after
    await world.rows('SELECT pg_stat_force_next_flush(), pg_sleep(1.1)')
    after = await looked(world)
    return last['contact'] === after['contact'] && last['mail_recipient'] === after['mail_recipient']
  })
  for (const table of tables) {
    const each = ((after[table] ?? 0) - (before[table] ?? 0)) / people
    // A plan that reads the whole account for each row, or for each claim, reads more than a thousand.
    expect(each, table).toBeLessThan(200)
  }
}
