import { describe, expect, it } from 'vitest'
import { campaignJobs } from '../../src/campaigns/index.ts'
import { countStates, createSubscribers, readCampaign, sendCampaign, waitForStatus } from '../mail/sending.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World, type WorldOptions } from '../support/world.ts'
import { CampaignDelete, CampaignSend, CampaignUpdate } from './documents.ts'

const change = (name: string) => `mutation ($id: ID!) { ${name}(input: { id: $id }) { campaign { status } } }`

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

/** Contacts of an account whose snapshot has several parts. */
export interface Scale {
  readonly people: number
  readonly part: number
}

/** Takes and changes the recipient snapshots of accounts with many contacts. */
export function describeSnapshots({ people, part }: Scale): void {
  let opened: Promise<Server> | undefined
  const open = async (): Promise<Server> => {
    const server = await newServer({}, { maxRowsAtOnce: part })
    return { ...server, system: { ...server.system, maxRowsAtOnce: part } }
  }
  const newLargeWorld = async (options: WorldOptions = {}): Promise<World> => {
    opened ??= open()
    const world = await newWorld({ server: await opened, ...options })
    await createSubscribers(world, people)
    return world
  }

  describe('the recipient snapshot of a large account', { timeout: 180_000 }, () => {
    it('is complete before the first message can be sent', async () => {
      const world = await newLargeWorld()
      const { id, databaseId } = await sendCampaign(world)
      expect(await readCampaign(world, id)).toMatchObject({ status: 'SENDING', recipientsCount: part })
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
      expect(await waitForStatus(world, id, 'ERROR')).toMatchObject({ errorCode: 'CANCELLED', recipientsCount: part })
      expect(await countStates(world, databaseId)).toEqual({ SKIPPED: part })
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
      const world = await newLargeWorld({ limits: { monthlyRecipients: 1.5 * part } })
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
      await setUsed(part)
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
}
