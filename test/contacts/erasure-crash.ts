import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newWorld } from '../support/world.ts'
import { eraseContact, readErasure, waitForErasure } from './erasure.ts'

/**
 * Kills the worker of an erasure, and expects that two others complete it. `copies` is the number of rows of each kind of copy.
 */
export async function completeAfterCrash(copies: number): Promise<void> {
  const world = await newWorld()
  const person = await world.contact({ email: 'crash@people.example' })
  const other = await world.contact()
  await world.rows(
    `INSERT INTO outbox_event (account_id, type, data, created_at, position)
     SELECT $1, 'contact.field_updated', jsonb_build_object('contactId', CASE WHEN n % 2 = 0 THEN $2::int ELSE $3::int END,
       'customFieldId', 1, 'value', 'value of the person'), now(), 0 FROM generate_series(1, $4::int) n`,
    [world.accountId, person.databaseId, other.databaseId, copies],
  )
  await world.rows(
    `INSERT INTO webhook_delivery (account_id, webhook_id, event_id, message_id, type, data, occurred_at, due_at, body, state, created_at)
     SELECT $1, 1, n, 'm', 'contact.updated', jsonb_build_object('contactId', $2::int), now(), now(),
       CASE WHEN n % 2 = 0 THEN 'for Crash@people.example' ELSE 'for another' END, 'DELIVERED', now()
     FROM generate_series(1, $3::int) n`,
    [world.accountId, other.databaseId, copies],
  )
  const { id } = await eraseContact(world, { id: person.id })
  const env = {
    DATABASE_URL: world.server.databaseUrl,
    SECRET: 'a secret that only tests know',
    ROLES: 'worker',
    PORT: '0',
  }
  const left = async () =>
    (
      await world.rows<{ events: number; bodies: number }>(
        `SELECT (SELECT count(*)::int FROM outbox_event WHERE account_id = $1 AND data->>'value' <> '') AS events,
           (SELECT count(*)::int FROM webhook_delivery WHERE account_id = $1 AND body IS NOT NULL) AS bodies`,
        [world.accountId],
      )
    )[0] as { events: number; bodies: number }
  expect(await left()).toEqual({ events: copies, bodies: copies })
  // The worker cannot pass the step after the events, however late it is killed.
  const blocker = new pg.Client({ connectionString: world.server.databaseUrl })
  await blocker.connect()
  onTestFinished(() => blocker.end())
  await blocker.query('BEGIN; LOCK TABLE webhook_delivery IN SHARE ROW EXCLUSIVE MODE')
  const first = start('main', [], env)
  await until(async () => (await left()).events < copies)
  first.signal('SIGKILL')
  await first.end
  expect(await readErasure(world, id)).toMatchObject({ status: 'RUNNING', completedAt: null })
  expect((await left()).bodies).toBe(copies)
  await blocker.query('COMMIT')

  await ageHeartbeats(world)
  const workers = [start('main', [], env), start('main', [], env)]
  await waitForErasure(world, id, 180_000)
  expect(await left()).toEqual({ events: copies / 2, bodies: copies / 2 })
  expect(await world.announced('contact.erased')).toHaveLength(1)
  const [erasure] = await world.rows('SELECT person, step, position FROM contact_erasure WHERE account_id = $1', [
    world.accountId,
  ])
  expect(erasure).toEqual({ person: null, step: null, position: null })
  for (const worker of workers) worker.signal('SIGTERM')
  for (const worker of workers) expect(await worker.end).toMatchObject({ code: 0 })
}
