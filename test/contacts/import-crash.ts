import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newWorld } from '../support/world.ts'
import { Create, Read, uploadFile, waitForImport } from './imports.ts'

/** Kills the worker of an import of `count` rows, and expects that another one applies each of them once. */
export async function resumeAfterCrash(count: number): Promise<void> {
  const world = await newWorld()
  const env = {
    DATABASE_URL: world.server.databaseUrl,
    SECRET: 'a secret that only tests know',
    ROLES: 'worker',
    PORT: '0',
  }
  await world.customField({ name: 'Born', type: 'DATE' })
  const born = (n: number) => (n === count - 1 ? '31/12/2001' : '01/02/2001')
  // Without the last row, neither the encoding nor the order of the dates would be known.
  const rows = Array.from(
    { length: count },
    (_, n) => `p${n}@example.com,${randomUUID()},a;b,${born(n)},\u00c3\u00a9\n`,
  )
  const csv = Buffer.from(
    `email,first_name,tags,Born,city\n${rows.join('')}`.replace(/\u00c3\u00a9\n$/, '\u00e9\n'),
    'latin1',
  )
  const { contactImport, uploadUrl } = (await world.run(Create, { input: {} })).contactImportCreate
  expect(await uploadFile(uploadUrl, csv)).toMatchObject({ status: 200 })
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
    warnings: 1,
    encoding: 'WINDOWS_1252',
    errorGroups: [{ code: 'ENCODING', count: 1, firstLines: [count + 1] }],
  })
  const read = '{ contacts(filter: { city: { eq: "Ã©" } }) { totalCount } }'
  expect((await world.run(read)).contacts.totalCount).toBe(count - 1)
  const [dates] = await world.rows(
    'SELECT count(*)::int AS n FROM contact_field WHERE account_id = $1 AND value = $2',
    [world.accountId, '2001-02-01'],
  )
  expect(dates).toEqual({ n: count - 1 })
  expect(await contacts()).toBe(count)
  const announced = await world.announced()
  expect(announced.filter(({ type }) => type === 'contact.created')).toHaveLength(count)
  expect(announced.filter(({ type }) => type === 'contact.tag_added')).toHaveLength(2 * count)
  expect(await checkFigures(world.server.system)).toEqual([])
  second.signal('SIGTERM')
  expect(await second.end).toMatchObject({ code: 0 })
}
