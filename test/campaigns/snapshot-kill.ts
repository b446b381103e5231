import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { countStates, createSubscribers, readCampaign, sendCampaign } from '../mail/sending.ts'
import { newSink } from '../mail/sink.ts'
import { start, until } from '../runtime/process.ts'
import { ageHeartbeats } from '../support/dead-worker.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

/**
 * Kills a worker in the part of a recipient snapshot after a number of parts of 10,000 contacts, and lets two others continue.
 */
export function testKill(people: number, parts: number): void {
  it('a recipient snapshot survives workers that are killed, without a missing or repeated recipient', async () => {
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, people)
    await world.rows('UPDATE contact SET email_marketing = false WHERE account_id = $1 AND id % 7 = 0', [
      world.accountId,
    ])
    const ids = async (where: string) =>
      (
        await world.rows<{ id: number }>(`SELECT id FROM contact WHERE account_id = $1 AND ${where} ORDER BY id`, [
          world.accountId,
        ])
      ).map(({ id }) => id)
    const opted = await ids('email_marketing')
    const all = await ids('true')
    const { id, databaseId } = await sendCampaign(world)
    expect((await countStates(world, databaseId))['QUEUED']).toBe(
      opted.filter((each) => each <= (all[9_999] ?? 0)).length,
    )

    // The part waits for this contact, so that the worker is killed in the middle of it.
    const holder = new pg.Client({ connectionString: world.server.databaseUrl })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query(
      `BEGIN; SELECT FROM contact WHERE id = ${opted.find((each) => each > (all[parts * 10_000 + 1_000] ?? 0))} FOR UPDATE`,
    )
    const waiting = async () =>
      (
        await world.rows<{ pid: number }>(
          `SELECT pid FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO mail_recipient%'`,
        )
      ).map(({ pid }) => pid)
    const sink = await newSink({ keepRaw: false })
    const env = {
      ...{ ROLES: 'worker', PORT: '0', SECRET: 'a secret that only tests know', SENDERS: 'any' },
      ...{ DATABASE_URL: world.server.databaseUrl, MAIL_URL: sink.url, BASE_URL: 'http://127.0.0.1:4000' },
    }
    const first = start('main', [], env)
    await until(async () => (await waiting()).length > 0)
    const backends = await waiting()
    first.signal('SIGKILL')
    await first.end
    await holder.query('COMMIT')
    // PostgreSQL notices the end of the worker after the statement, and rolls it back.
    const isWorking = async () =>
      (await world.rows('SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[])', [backends])).length > 0
    await until(async () => !(await isWorking()))
    const reached = opted.filter((each) => each <= (all[parts * 10_000 - 1] ?? 0)).length
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: reached, sentTo: 0 })

    const left = opted.at(-1) as number
    await world.rows('UPDATE contact SET email_marketing = false WHERE id = $1', [left])
    await world.contact({ emailMarketing: true })
    await ageHeartbeats(world)
    const workers = [start('main', [], env), start('main', [], env)]
    const expected = opted.filter((each) => each !== left)
    await until(async () => (await readCampaign(world, id)).recipientsCount === expected.length)
    const recipients = await world.rows<{ id: number }>(
      'SELECT contact_id AS id FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2 ORDER BY contact_id',
      [world.accountId, databaseId],
    )
    expect(recipients.map((each) => each.id)).toEqual(expected)
    await until(() => sink.taken.length > 0)
    for (const worker of workers) worker.signal('SIGTERM')
    await Promise.all(workers.map((worker) => worker.end))
  }, 180_000)
}
