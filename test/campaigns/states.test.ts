import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import {
  CampaignContentSet,
  CampaignDelete,
  CampaignRead,
  CampaignSchedule,
  CampaignSend,
  CampaignUnschedule,
  CampaignUpdate,
  draft,
  later,
} from './documents.ts'

const actions = {
  update: (id: string) => [CampaignUpdate, { id, name: 'Other news' }],
  content: (id: string) => [CampaignContentSet, { id, html: '<p>Other</p>' }],
  schedule: (id: string) => [CampaignSchedule, { id, scheduledFor: later }],
  unschedule: (id: string) => [CampaignUnschedule, { id }],
  send: (id: string) => [CampaignSend, { id }],
  delete: (id: string) => [CampaignDelete, { id }],
} as const satisfies Record<string, (id: string) => readonly [string, object]>

const no = 'INVALID_STATE'

/** The outcome of each action in each status: the new status, or the error code. */
const table: Readonly<Record<string, Readonly<Record<keyof typeof actions, string>>>> = {
  DRAFT: {
    update: 'DRAFT',
    content: 'DRAFT',
    schedule: 'SCHEDULED',
    unschedule: no,
    send: 'SENDING',
    delete: 'gone',
  },
  SCHEDULED: {
    update: no,
    content: no,
    schedule: 'SCHEDULED',
    unschedule: 'DRAFT',
    send: 'SENDING',
    delete: 'CAMPAIGN_SCHEDULED',
  },
  SENDING: { update: no, content: no, schedule: no, unschedule: no, send: no, delete: no },
  SENT: { update: no, content: no, schedule: no, unschedule: no, send: no, delete: no },
  'ERROR PROVIDER_DOWN': {
    update: 'DRAFT',
    content: 'DRAFT',
    schedule: no,
    unschedule: no,
    send: 'SENDING',
    delete: 'gone',
  },
  'ERROR CANCELLED': { update: no, content: no, schedule: no, unschedule: no, send: no, delete: 'gone' },
}

async function campaignIn(world: World, state: string): Promise<string> {
  const { id, databaseId } = await draft(world, { audience: { sendToAll: true } })
  const [status, errorCode = null] = state.split(' ')
  const scheduledFor = status === 'SCHEDULED' ? new Date('2099-01-01') : null
  await world.rows(
    `UPDATE campaign SET status = $3::campaign_status, error_code = $4::campaign_error, scheduled_for = $5
     WHERE account_id = $1 AND id = $2`,
    [world.accountId, databaseId, status, errorCode, scheduledFor],
  )
  return id
}

describe('the status of a campaign', () => {
  for (const [state, row] of Object.entries(table)) {
    it.each(Object.entries(row))(`from ${state}, %s leads to %s`, async (action, outcome) => {
      const world = await newWorld()
      await world.contact({ emailMarketing: true })
      const id = await campaignIn(world, state)
      const [document, input] = actions[action as keyof typeof actions](id)
      const read = async () => (await world.run(CampaignRead, { id })).campaign
      const before = await read()
      if (outcome === no || outcome === 'CAMPAIGN_SCHEDULED') {
        const events = await world.announced()
        expect(await world.fault(document, { input })).toMatchObject({ extensions: { code: outcome } })
        expect(await read()).toEqual(before)
        expect(await world.announced()).toEqual(events)
      } else {
        await world.run(document, { input })
        const after = await read()
        expect(outcome === 'gone' ? after : after.status).toBe(outcome === 'gone' ? null : outcome)
      }
    })
  }

  it('leaves ERROR only if no message was, or may have been, sent', async () => {
    const world = await newWorld()
    await world.contact({ emailMarketing: true })
    await world.contact({ emailMarketing: true })
    for (const [state, isReached] of [
      ['QUEUED', false],
      ['FAILED', false],
      ['SKIPPED', false],
      ['SENT', true],
      ['BOUNCED', true],
      ['UNKNOWN', true],
      ['CLAIMED', true],
      ['SENDING', true],
    ] as const) {
      for (const [document, more] of [
        [CampaignUpdate, { name: 'Other' }],
        [CampaignContentSet, { html: '<p>Other</p>' }],
        [CampaignDelete, {}],
      ] as const) {
        const { id, databaseId } = await draft(world, { audience: { sendToAll: true } })
        await world.run(CampaignSend, { input: { id } })
        await world.rows(
          `UPDATE mail_recipient SET state = $3::recipient_state WHERE id = (
             SELECT max(id) FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2)`,
          [world.accountId, databaseId, state],
        )
        await world.rows(
          "UPDATE campaign SET status = 'ERROR', error_code = 'SENDER_REJECTED' WHERE account_id = $1 AND id = $2",
          [world.accountId, databaseId],
        )
        const [code, campaign] = [
          (await world.ask(document, { input: { id, ...more } })).body.errors?.[0].extensions.code,
          (await world.run(CampaignRead, { id })).campaign,
        ]
        if (isReached) {
          expect([code, campaign.recipients.totalCount], state).toEqual([no, 2])
        } else {
          expect([code, campaign?.recipients.totalCount ?? 0, campaign?.recipientsCount ?? 0], state).toEqual([
            undefined,
            0,
            0,
          ])
          expect(campaign?.status).toBe(document === CampaignDelete ? undefined : 'DRAFT')
          if (campaign) {
            const sent = (await world.run(CampaignSend, { input: { id } })).campaignSend.campaign
            expect(sent).toMatchObject({ status: 'SENDING', recipientsCount: 2 })
          }
        }
      }
    }
  })

  it('emits one event for each transition', async () => {
    const world = await newWorld()
    const { id, databaseId: campaignId } = await draft(world)
    await world.run(CampaignSchedule, { input: { id, scheduledFor: later } })
    await world.run(CampaignSchedule, { input: { id, scheduledFor: '2099-12-25 18:00' } })
    await world.run(CampaignUnschedule, { input: { id } })
    await world.run(CampaignSend, { input: { id, errorAsStatus: true } })
    await world.contact({ emailMarketing: true })
    await world.run(CampaignSend, { input: { id, audience: { sendToAll: true } } })
    const announced = (await world.announced()).filter(({ type }) => type.startsWith('campaign.'))
    expect(announced).toEqual([
      { type: 'campaign.scheduled', data: { campaignId } },
      { type: 'campaign.scheduled', data: { campaignId } },
      { type: 'campaign.unscheduled', data: { campaignId } },
      { type: 'campaign.error', data: { campaignId, errorCode: 'NO_RECIPIENTS' } },
      { type: 'campaign.sending', data: { campaignId } },
    ])
  })
})

describe("another account's campaign", () => {
  it.each(Object.entries(actions))('returns NOT_FOUND for %s', async (_name, action) => {
    const [world, other] = [await newWorld(), await newWorld()]
    const { id, databaseId } = await draft(other)
    for (const each of [id, String(databaseId), '0', '-1', '2147483648']) {
      const [document, input] = action(each)
      expect(await world.fault(document, { input })).toMatchObject({ extensions: { code: 'NOT_FOUND' } })
    }
    expect((await world.run(CampaignRead, { id })).campaign).toBeNull()
    expect((await other.run(CampaignRead, { id })).campaign.status).toBe('DRAFT')
    expect((await world.run('{ campaigns { totalCount } }')).campaigns.totalCount).toBe(0)
  })
})
