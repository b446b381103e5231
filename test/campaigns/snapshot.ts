import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { campaignJobs } from '../../src/campaigns/index.ts'
import { countStates, createSubscribers, readCampaign, sendCampaign, waitForStatus } from '../mail/sending.ts'
import { newSink } from '../mail/sink.ts'
import { start, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { CampaignDelete, CampaignSend, CampaignUpdate } from './documents.ts'

/** Contacts of an account whose snapshot has several parts of 10,000 contacts. */
const people = 25_000

const change = (name: string) => `mutation ($id: ID!) { ${name}(input: { id: $id }) { campaign { status } } }`

async function newLargeWorld(options: Parameters<typeof newWorld>[0] = {}): Promise<World> {
  const world = await newWorld(options)
  await createSubscribers(world, people)
  return world
}

/** Runs the job that changes the recipients of a campaign, more often than it enqueues itself on a busy machine. */
async function runJob(world: World, campaignId: number): Promise<void> {
  const payload = { accountId: world.accountId, campaignId }
  for (let run = 0; run < 10; run += 1) await campaignJobs['campaigns:recipients'](world.server.system, payload)
}

/** Returns how many messages of a campaign workers could claim. */
async function claimable(world: World, campaignId: number): Promise<number> {
  const [row] = await world.rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM mail_source s JOIN mail_recipient r USING (account_id, campaign_id)
     WHERE s.account_id = $1 AND s.campaign_id = $2 AND s.is_open AND r.state = 'QUEUED'`,
    [world.accountId, campaignId],
  )
  return row?.n ?? 0
}

const newDraft = (world: World, input: object = {}) =>
  world.campaign({ subject: 'Hello', fromEmail: 'ada@example.com', audience: { sendToAll: true }, ...input })

describe('the recipient snapshot of a large account', { timeout: 180_000 }, () => {
  it('survives workers that are killed, without a missing or repeated recipient', async () => {
    const world = await newWorld({ server: await newServer() })
    await createSubscribers(world, 42_000)
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

    // The third part waits for this contact, so that the worker is killed in the middle of it.
    const holder = new pg.Client({ connectionString: world.server.databaseUrl })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query(
      `BEGIN; SELECT FROM contact WHERE id = ${opted.find((each) => each > (all[24_000] ?? 0))} FOR UPDATE`,
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
    const first = start('src/main.ts', [], env)
    await until(async () => (await waiting()).length > 0)
    const backends = await waiting()
    first.signal('SIGKILL')
    await first.end
    await holder.query('COMMIT')
    // PostgreSQL notices the end of the worker after the statement, and rolls it back.
    const isWorking = async () =>
      (await world.rows('SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[])', [backends])).length > 0
    await until(async () => !(await isWorking()))
    const reached = opted.filter((each) => each <= (all[19_999] ?? 0)).length
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: reached, sentTo: 0 })

    const left = opted.at(-1) as number
    await world.rows('UPDATE contact SET email_marketing = false WHERE id = $1', [left])
    await world.contact({ emailMarketing: true })
    // The job of a killed worker is released after 30 seconds; here its heartbeat is made old at once.
    await world.rows("UPDATE job_worker SET seen_at = now() - interval '1 minute'")
    await world.rows(
      "UPDATE graphile_worker._private_jobs SET locked_at = now() - interval '1 minute' WHERE locked_at IS NOT NULL",
    )
    await world.rows(
      "UPDATE graphile_worker._private_job_queues SET locked_at = now() - interval '1 minute' WHERE locked_at IS NOT NULL",
    )
    const workers = [start('src/main.ts', [], env), start('src/main.ts', [], env)]
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
  })

  it('is complete before the first message can be sent', async () => {
    const world = await newLargeWorld()
    const { id, databaseId } = await sendCampaign(world)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: 10_000 })
    expect(await claimable(world, databaseId)).toBe(0)
    const announced = await world.announced('campaign.updated')
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: people })
    expect(await claimable(world, databaseId)).toBe(people)
    expect(await world.announced('campaign.updated')).toHaveLength(announced.length + 1)
    const { account } = await world.run('{ account { quota { monthlyRecipients { used } } } }')
    expect(account.quota.monthlyRecipients.used).toBe(people)
  })

  it('is completed while the campaign is paused, which sends nothing', async () => {
    const world = await newLargeWorld()
    const { id, databaseId } = await sendCampaign(world)
    await world.run(change('campaignPause'), { id })
    await world.run(change('campaignResume'), { id })
    expect(await claimable(world, databaseId)).toBe(0)
    await world.run(change('campaignPause'), { id })
    await runJob(world, databaseId)
    expect([(await readCampaign(world, id)).recipientsCount, await claimable(world, databaseId)]).toEqual([people, 0])
    await world.run(change('campaignResume'), { id })
    expect(await claimable(world, databaseId)).toBe(people)
  })

  it('ends when the campaign is cancelled', async () => {
    const world = await newLargeWorld()
    const { id, databaseId } = await sendCampaign(world)
    await world.run(change('campaignCancel'), { id })
    await runJob(world, databaseId)
    expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'CANCELLED', recipientsCount: 10_000 })
    expect(await countStates(world, databaseId)).toEqual({ SKIPPED: 10_000 })
  })

  it('skips all recipients of a campaign that is cancelled later', async () => {
    const world = await newLargeWorld()
    const { id, databaseId } = await sendCampaign(world)
    await runJob(world, databaseId)
    await world.run(change('campaignCancel'), { id })
    expect(await claimable(world, databaseId)).toBe(0)
    await runJob(world, databaseId)
    expect(await countStates(world, databaseId)).toEqual({ SKIPPED: people })
  })

  it('is refused without a contact that consented, and if it exceeds the quota', async () => {
    const world = await newLargeWorld({ limits: { monthlyRecipients: 15_000 } })
    const { id, databaseId } = await newDraft(world)
    const { extensions } = await world.fault(CampaignSend, { input: { id } })
    expect(extensions.code).toBe('QUOTA_EXCEEDED')
    await world.rows('UPDATE contact SET email_marketing = false WHERE account_id = $1', [world.accountId])
    expect((await world.fault(CampaignSend, { input: { id } })).extensions.code).toBe('VALIDATION_ERROR')
    expect(await readCampaign(world, id)).toMatchObject({ status: 'DRAFT', recipientsCount: 0 })
    expect(await countStates(world, databaseId)).toEqual({})
    // The only contact with consent is in the last part.
    await world.rows(
      'UPDATE contact SET email_marketing = true WHERE id = (SELECT max(id) FROM contact WHERE account_id = $1)',
      [world.accountId],
    )
    await world.run(CampaignSend, { input: { id } })
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: 1 })
  })

  it('stops the campaign if other campaigns use up the quota, and starts again', async () => {
    const world = await newLargeWorld({ limits: { monthlyRecipients: people } })
    const { id, databaseId } = await sendCampaign(world)
    const setUsed = (used: number) =>
      world.rows("UPDATE quota_usage SET used = $2 WHERE account_id = $1 AND slot = 'monthly_recipients'", [
        world.accountId,
        used,
      ])
    await setUsed(people - 1)
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({
      status: 'ERROR',
      errorCode: 'QUOTA_EXCEEDED',
      recipientsCount: 0,
    })
    await setUsed(10_000)
    await world.run(CampaignSend, { input: { id } })
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: people })
    expect(await countStates(world, databaseId)).toEqual({ QUEUED: people })
  })

  it('stops the campaign if an exclusion is deleted meanwhile', async () => {
    const world = await newLargeWorld()
    const tag = await world.tag()
    const filter = { not: { tags: [tag.id] }, emailMarketing: { equals: true } }
    const { id, databaseId } = await newDraft(world, {
      audience: { filter: { not: { tags: { any: [tag.id] } } } },
    }).catch(() => newDraft(world, { audience: { filter } }))
    await world.run(CampaignSend, { input: { id } })
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: tag.id })
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'ERROR', errorCode: 'AUDIENCE_INVALID', sentTo: 0 })
    expect(await countStates(world, databaseId)).toEqual({})

    await world.run(CampaignUpdate, { input: { id, audience: { sendToAll: true } } })
    await world.run(CampaignSend, { input: { id } })
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: people })
  })

  it('is removed in the background when its campaign is deleted or becomes a draft', async () => {
    const world = await newLargeWorld()
    const { id, databaseId } = await sendCampaign(world)
    await runJob(world, databaseId)
    const failNow = () =>
      world.rows(
        `WITH failed AS (UPDATE campaign SET status = 'ERROR', error_code = 'PROVIDER_DOWN' WHERE id = $1 RETURNING id)
         UPDATE mail_source SET is_open = false WHERE campaign_id IN (SELECT id FROM failed)`,
        [databaseId],
      )
    await failNow()
    await world.run(CampaignUpdate, { input: { id, subject: 'Hello again' } })
    expect(await readCampaign(world, id)).toMatchObject({ status: 'DRAFT', recipientsCount: 0 })
    // Sent again before the job removed the former recipients.
    await world.run(CampaignSend, { input: { id } })
    await runJob(world, databaseId)
    expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: people })
    await failNow()
    await world.run(CampaignDelete, { input: { id } })
    expect(await readCampaign(world, id)).toBeNull()
    await runJob(world, databaseId)
    expect(await countStates(world, databaseId)).toEqual({})
  })

  it('retries all recipients that wait for another attempt when it is resumed', async () => {
    const world = await newLargeWorld()
    const { id, databaseId } = await sendCampaign(world)
    await runJob(world, databaseId)
    await world.rows("UPDATE mail_recipient SET due_at = now() + interval '1 hour' WHERE campaign_id = $1", [
      databaseId,
    ])
    await world.rows("UPDATE campaign SET status = 'ERROR', error_code = 'PROVIDER_DOWN' WHERE id = $1", [databaseId])
    await world.run(CampaignSend, { input: { id } })
    // A run enqueues the next one with its position, and there is no worker.
    for (let run = 0; run < 10; run += 1) {
      const [job] = await world.rows<{ retryAfter: number }>(
        `SELECT max((payload ->> 'retryAfter')::int) AS "retryAfter" FROM graphile_worker._private_jobs
         WHERE (payload ->> 'campaignId')::int = $1`,
        [databaseId],
      )
      const payload = { accountId: world.accountId, campaignId: databaseId, retryAfter: job?.retryAfter ?? 0 }
      await campaignJobs['campaigns:recipients'](world.server.system, payload)
    }
    const [late] = await world.rows(
      'SELECT count(*)::int AS n FROM mail_recipient WHERE campaign_id = $1 AND due_at > now()',
      [databaseId],
    )
    expect(late).toEqual({ n: 0 })
  })
})
