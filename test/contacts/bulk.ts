import { expect, vi } from 'vitest'
import { countContacts } from '../support/contact-counter.ts'
import type { World } from '../support/world.ts'

const fields = `id databaseId status action filter error total done changed skipped failed finishedAt
  errors(first: 100) { totalCount nodes { contactDatabaseId code message contact { email } } }`
export const Bulk = `mutation ($input: ContactsBulkInput!) { contactsBulk(input: $input) { bulkJob { ${fields} } } }`
export const ReadJob = `query ($id: ID!) { bulkJob(id: $id) { ${fields} } }`
export const Cancel = 'mutation ($id: ID!) { bulkJobCancel(input: { id: $id }) { bulkJob { status finishedAt } } }'

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
type Data = any

/** Reads a bulk job. */
export async function jobOf(world: World, id: string): Promise<Data> {
  return (await world.run(ReadJob, { id })).bulkJob
}

/** Creates a bulk job. */
export async function startBulk(world: World, contacts: object, action: object): Promise<Data> {
  return (await world.run(Bulk, { input: { contacts, action } })).contactsBulk.bulkJob
}

/** Runs a bulk job and returns it when it has ended. */
export async function runBulk(world: World, contacts: object, action: object): Promise<Data> {
  return waitForBulk(world, (await startBulk(world, contacts, action)).id)
}

/** Waits until a bulk job has ended, and returns it. */
export async function waitForBulk(world: World, id: string, timeout = 100_000): Promise<Data> {
  return vi.waitFor(
    async () => {
      const bulkJob = await jobOf(world, id)
      expect(bulkJob.status).not.toBe('RUNNING')
      return bulkJob
    },
    { timeout, interval: 50 },
  )
}

/** Inserts contacts with the e-mail addresses `p1@example.com` and so on, who consent to marketing e-mail. */
export async function addContacts(world: World, count: number): Promise<void> {
  await world.rows(
    `INSERT INTO contact (account_id, email, city, email_marketing, created_at, updated_at)
     SELECT $1, 'p' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'Paris' ELSE 'Lyon' END, true, now(), now()
     FROM generate_series(1, $2::int) n`,
    [world.accountId, count],
  )
  await countContacts(world)
}
