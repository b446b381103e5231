// @module-tag rows
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { CampaignDelete, CampaignRead, CampaignSchedule, CampaignSend, draft, later } from './documents.ts'

describe('concurrent operations on one campaign', () => {
  it('send it once', async () => {
    const world = await newWorld()
    for (let created = 0; created < 5; created += 1) await world.contact({ emailMarketing: true })
    for (let round = 0; round < 10; round += 1) {
      const { id } = await draft(world, { audience: { sendToAll: true } })
      const send = () => world.ask(CampaignSend, { input: { id } })
      const outcomes = (await Promise.all([send(), send(), send()])).map(
        ({ body }) => body.errors?.[0].extensions.code ?? body.data.campaignSend.campaign.status,
      )
      expect(outcomes.toSorted()).toEqual(['INVALID_STATE', 'INVALID_STATE', 'SENDING'])
      expect((await world.run(CampaignRead, { id })).campaign).toMatchObject({
        status: 'SENDING',
        recipientsCount: 5,
        recipients: { totalCount: 5 },
      })
      expect(await world.announced('campaign.sending')).toHaveLength(round + 1)
    }
  })

  it('leave it in a consistent status', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    const holder = new pg.Client({ connectionString: world.server.databaseUrl })
    await holder.connect()
    onTestFinished(() => holder.end())
    const waiting = async () =>
      (
        await holder.query(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
      ).rowCount
    const seen = new Set<string>()
    for (let round = 0; round < 30; round += 1) {
      const { id, databaseId } = await draft(world, { audience: { sendToAll: true } })
      const attempts = [
        () => world.ask(CampaignSend, { input: { id } }),
        () => world.ask(CampaignSchedule, { input: { id, scheduledFor: later } }),
        () => world.ask(CampaignDelete, { input: { id } }),
      ]
      // The first request does not always run first; in the first rounds each operation gets the row lock once.
      const first = round % 3
      const turns = [...attempts.slice(first), ...attempts.slice(0, first)]
      const isHeld = round < 3
      if (isHeld) await holder.query(`BEGIN; SELECT FROM campaign WHERE id = ${databaseId} FOR UPDATE`)
      const asked: ReturnType<World['ask']>[] = []
      for (const attempt of turns) {
        asked.push(attempt())
        if (isHeld) await expect.poll(waiting, { interval: 5 }).toBe(asked.length)
      }
      if (isHeld) await holder.query('COMMIT')
      const responses = await Promise.all(asked)
      const ok = (field: string) => responses.some(({ body }) => body.data?.[field])
      const [sent, scheduled, deleted] = [ok('campaignSend'), ok('campaignSchedule'), ok('campaignDelete')]
      const { campaign } = await world.run(CampaignRead, { id })
      const [{ count }] = (await world.rows<{ count: number }>(
        'SELECT count(*)::int FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2',
        [world.accountId, databaseId],
      )) as [{ count: number }]
      // A deletion excludes the others. Sending may follow scheduling, because a scheduled campaign can be sent.
      expect([sent, scheduled, deleted].filter(Boolean).length).toBeGreaterThanOrEqual(1)
      if (deleted) {
        expect([sent, scheduled, campaign, count]).toEqual([false, false, null, 0])
      } else if (sent) {
        expect([campaign.status, campaign.recipientsCount, count]).toEqual(['SENDING', 1, 1])
      } else {
        expect([campaign.status, campaign.recipientsCount, count]).toEqual(['SCHEDULED', 0, 0])
      }
      seen.add(deleted ? 'deleted' : sent ? 'sent' : 'scheduled')
    }
    expect(seen).toContain('sent')
    expect(seen).toContain('deleted')
    const used = (await world.run('{ account { quota { campaigns { used } } } campaigns { totalCount } }')) as {
      account: { quota: { campaigns: { used: number } } }
      campaigns: { totalCount: number }
    }
    expect(used.account.quota.campaigns.used).toBe(used.campaigns.totalCount)
  })
})
