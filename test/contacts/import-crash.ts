import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newWorld } from '../support/world.ts'
import { Create, Read, waitForImport } from './imports.ts'

/** Kills the worker of an import of `count` rows, and expects that another one applies each of them once. */
export async function resumeAfterCrash(count: number): Promise<void> {
  const world = await newWorld()
  const env = {
    DATABASE_URL: world.server.databaseUrl,
    SECRET: 'a secret that only tests know',
    ROLES: 'worker',
    PORT: '0',
  }
  const rows = Array.from({ length: count }, (_, n) => `p${n}@example.com,${randomUUID()},a;b\n`)
  const csv = `email,first_name,tags\n${rows.join('')}`
  const { contactImport } = (await world.run(Create, { input: { csv } })).contactImportCreate
  const rowsDone = async () => (await world.run(Read, contactImport)).contactImport.rowsDone as number

  // The worker cannot pass the last row, however late it is killed: an open transaction has its address.
  const blocker = new pg.Client({ connectionString: world.server.databaseUrl })
  await blocker.connect()
  onTestFinished(() => blocker.end())
  await blocker.query('BEGIN')
  await blocker.query(
    'INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at) VALUES ($1, $2, false, now(), now())',
    [world.accountId, `p${count - 1}@example.com`],
  )
  const first = start('main', [], env)
  await until(async () => (await rowsDone()) >= 1_000)
  first.signal('SIGKILL')
  await first.end
  await blocker.query('ROLLBACK')
  const reached = await rowsDone()
  expect(reached).toBeGreaterThanOrEqual(1_000)
  expect(reached).toBeLessThan(count)
  const contacts = async () => (await world.run('{ contacts { totalCount } }')).contacts.totalCount
  expect(await contacts()).toBe(reached)

  await ageHeartbeats(world)
  const second = start('main', [], env)
  const end = await waitForImport(world, contactImport.id, 120_000)
  expect(end).toMatchObject({
    status: 'COMPLETED',
    rowsDone: count,
    created: count,
    updated: 0,
    unchanged: 0,
    failed: 0,
  })
  expect(await contacts()).toBe(count)
  const announced = await world.announced()
  expect(announced.filter(({ type }) => type === 'contact.created')).toHaveLength(count)
  expect(announced.filter(({ type }) => type === 'contact.tag_added')).toHaveLength(2 * count)
  expect(await checkFigures(world.server.system)).toEqual([])
  second.signal('SIGTERM')
  expect(await second.end).toMatchObject({ code: 0 })
}
