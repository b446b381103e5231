import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { contactJobs } from '../../src/contacts/index.ts'
import type { System } from '../../src/db/context.ts'
import { forgetOldKeys } from '../../src/db/requests/idempotency.ts'
import { forgetOldDeliveries } from '../../src/events/index.ts'
import { financeJobs } from '../../src/finance/index.ts'
import { visitors } from '../../src/forms/index.ts'
import { removeOldConfirmations } from '../../src/funnels/index.ts'
import { forgetReports } from '../../src/mail/index.ts'
import { newWorld, type World } from '../support/world.ts'

const old = "now() - interval '500 days'"

interface RetentionJob {
  readonly table: string
  readonly run: (system: System) => Promise<void>
  /** Creates an old row with this number. */
  readonly make: (world: World, n: number) => Promise<unknown>
  /** SQL condition that matches the row. */
  readonly is: (n: number) => string
  /** Whether the rows of the table belong to no account. */
  readonly isShared?: boolean
}

const insert = (table: string, columns: string, values: (n: number) => string) => (world: World, n: number) =>
  world.rows(`INSERT INTO ${table} (account_id, ${columns}) VALUES ($1, ${values(n)})`, [world.accountId])

const jobs: RetentionJob[] = [
  {
    table: 'idempotency_key',
    run: forgetOldKeys,
    make: insert(
      'idempotency_key',
      'key, field, input_hash, result, created_at',
      (n) => `'k${n}', 'f', '', '{}', ${old}`,
    ),
    is: (n) => `key = 'k${n}'`,
  },
  {
    table: 'provider_event',
    run: (system) => (financeJobs['finance:forget-events'] as (system: System) => Promise<void>)(system),
    make: insert(
      'provider_event',
      'provider, event_id, input_hash, result, created_at',
      (n) => `'p', 'e${n}', '', '{}', ${old}`,
    ),
    is: (n) => `event_id = 'e${n}'`,
  },
  {
    table: 'visitor',
    run: visitors.removeOldVisitors,
    make: insert(
      'visitor',
      'id, first_touch, first_at, last_touch, last_at',
      (n) => `'v${n}', '{}', ${old}, '{}', ${old}`,
    ),
    is: (n) => `id = 'v${n}'`,
  },
  {
    table: 'contact_import',
    run: (system) => (contactJobs['contacts:forget-imports'] as (system: System) => Promise<void>)(system),
    make: insert(
      'contact_import',
      'file_name, status, options, created_at',
      (n) => `'i${n}', 'COMPLETED', '{}', ${old}`,
    ),
    is: (n) => `file_name = 'i${n}'`,
  },
  {
    table: 'bulk_job',
    run: (system) => (contactJobs['contacts:forget-imports'] as (system: System) => Promise<void>)(system),
    make: insert(
      'bulk_job',
      'status, action, options, created_at',
      (n) => `'COMPLETED', 'DELETE', '{"ids": [${n}]}', ${old}`,
    ),
    is: (n) => `options = '{"ids": [${n}]}'`,
  },
  {
    table: 'used_report',
    run: forgetReports,
    make: (world, n) => world.rows(`INSERT INTO used_report VALUES ('\\x0${n}', ${old})`),
    is: (n) => `hash = '\\x0${n}'`,
    isShared: true,
  },
  {
    table: 'confirmation',
    run: removeOldConfirmations,
    make: async (world, n) => {
      const { databaseId: contactId } = await world.contact()
      const form = await world.form()
      const { databaseId: id } = await world.submission(form)
      await world.rows(
        `INSERT INTO confirmation (account_id, submission_id, form_id, contact_id, source, text, asked_at)
         VALUES ($1, $2, $3, $4, 's${n}', '', ${old})`,
        [world.accountId, id, form.databaseId, contactId],
      )
    },
    is: (n) => `source = 's${n}'`,
  },
  {
    table: 'webhook_delivery',
    run: forgetOldDeliveries,
    make: async (world, n) => {
      const { databaseId } = await world.webhook()
      await world.rows(
        `INSERT INTO webhook_delivery (account_id, webhook_id, message_id, type, data, occurred_at, due_at, created_at)
         VALUES ($1, $2, 'm${n}', 'webhook.test', '{}', ${old}, ${old}, ${old})`,
        [world.accountId, databaseId],
      )
    },
    is: (n) => `message_id = 'm${n}'`,
  },
]

describe('the retention jobs', () => {
  it.each(jobs)('of $table skip locked rows until the next run, and do not wait', async (job) => {
    const world = await newWorld()
    for (const n of [1, 2]) await job.make(world, n)
    const find = (n: number) =>
      `SELECT FROM ${job.table} WHERE ${job.is(n)} ${job.isShared ? '' : `AND account_id = ${world.accountId}`}`
    const left = async () => {
      const found: number[] = []
      for (const n of [1, 2]) if ((await world.rows(find(n))).length > 0) found.push(n)
      return found
    }
    expect(await left()).toEqual([1, 2])
    const holder = new pg.Client({ connectionString: world.server.databaseUrl })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query(`BEGIN; ${find(1)} FOR UPDATE`)
    await job.run(world.server.system)
    expect(await left()).toEqual([1])
    await holder.query('COMMIT')
    await job.run(world.server.system)
    expect(await left()).toEqual([])
  })
})
