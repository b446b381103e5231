import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import {
  CampaignContentSet,
  CampaignCreate,
  CampaignDelete,
  CampaignRead,
  CampaignRevise,
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
  revise: (id: string) => [CampaignRevise, { id }],
  send: (id: string) => [CampaignSend, { id }],
  delete: (id: string) => [CampaignDelete, { id }],
} as const satisfies Record<string, (id: string) => readonly [string, object]>

const no = 'NOT_FOUND'

/** The outcome of each action in each status: the new status, or the error code. */
const table: Readonly<Record<string, Readonly<Record<keyof typeof actions, string>>>> = {
  DRAFT: {
    update: 'DRAFT',
    content: 'DRAFT',
    schedule: 'SCHEDULED',
    unschedule: no,
    revise: no,
    send: 'SENDING',
    delete: 'gone',
  },
  SCHEDULED: {
    update: no,
    content: no,
    schedule: 'SCHEDULED',
    unschedule: 'DRAFT',
    revise: no,
    send: 'SENDING',
    delete: 'CAMPAIGN_SCHEDULED',
  },
  SENDING: { update: no, content: no, schedule: no, unschedule: no, revise: no, send: no, delete: no },
  SENT: { update: no, content: no, schedule: no, unschedule: no, revise: no, send: no, delete: no },
  'ERROR PROVIDER_DOWN': {
    update: 'DRAFT',
    content: 'DRAFT',
    schedule: no,
    unschedule: no,
    revise: 'DRAFT',
    send: 'SENDING',
    delete: 'gone',
  },
  'ERROR CANCELLED': { update: no, content: no, schedule: no, unschedule: no, revise: no, send: no, delete: 'gone' },
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
      ['HANDING_OVER', true],
    ] as const) {
      for (const [document, more] of [
        [CampaignUpdate, { name: 'Other' }],
        [CampaignContentSet, { html: '<p>Other</p>' }],
        [CampaignRevise, {}],
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

describe('a draft', () => {
  it("defaults to the account's sender, and stores the given fields", async () => {
    const world = await newWorld()
    await world.run(
      'mutation { accountUpdate(input: { senderName: "Ada", senderEmail: "ada@news.example" }) { account { id } } }',
    )
    const plain = await world.run(CampaignCreate, { input: { name: '  News  ' } })
    expect(plain.campaignCreate.campaign).toMatchObject({
      name: 'News',
      subject: '',
      fromName: 'Ada',
      fromEmail: 'ada@news.example',
      status: 'DRAFT',
      scheduledFor: null,
      recipientsCount: 0,
      audience: { sendToAll: false },
    })
    const full = { name: 'More', subject: 'Hello', fromName: 'Grace', fromEmail: 'grace@news.example' }
    const { campaign } = (await world.run(CampaignCreate, { input: full })).campaignCreate
    expect(campaign).toMatchObject(full)
    const change = { id: campaign.id, subject: 'Good day' }
    expect((await world.run(CampaignUpdate, { input: change })).campaignUpdate.campaign).toMatchObject({
      ...full,
      subject: 'Good day',
    })
  })

  it('keeps its plain text if only the HTML is set', async () => {
    const world = await newWorld()
    const { id } = await draft(world)
    await world.run(CampaignContentSet, { input: { id, html: '<p>1</p>', text: 'one' } })
    const { campaignContentSet } = await world.run(CampaignContentSet, { input: { id, html: '<p>2</p>' } })
    expect(campaignContentSet.campaign.email).toEqual({ html: '<p>2</p>', text: 'one' })
  })

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'News', fromEmail: 'nobody' }, 'fromEmail'],
    [{ name: 'News', subject: 'two\nlines' }, 'subject'],
    [{ name: 'News', audience: { lists: { includeTagIds: ['Q29udGFjdDox'] } } }, 'includeTagIds'],
    [
      { name: 'News', audience: { lists: { includeTagIds: Array.from({ length: 1001 }, (_, n) => n) } } },
      'includeTagIds',
    ],
  ])('rejects %j', async (input, field) => {
    const world = await newWorld()
    const { extensions } = await world.fault(CampaignCreate, { input })
    expect(extensions).toEqual({ code: 'VALIDATION_ERROR', details: { [field]: [expect.any(String)] } })
  })

  it('rejects an empty body', async () => {
    const world = await newWorld()
    const { id } = await draft(world)
    const { extensions } = await world.fault(CampaignContentSet, { input: { id, html: ' \n' } })
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { html: [expect.any(String)] } })
  })

  it('is deleted with its e-mail and documents, and releases its quota', async () => {
    const world = await newWorld({ limits: { campaigns: 1 } })
    const { id, databaseId } = await draft(world)
    expect(await world.fault(CampaignCreate, { input: { name: 'One more' } })).toMatchObject({
      extensions: { code: 'QUOTA_EXCEEDED' },
    })
    expect((await world.run(CampaignDelete, { input: { id } })).campaignDelete).toEqual({ databaseId })
    const left = await world.rows(
      `SELECT (SELECT count(*) FROM campaign WHERE account_id = $1)::int AS campaigns,
         (SELECT count(*) FROM email WHERE account_id = $1)::int AS emails,
         (SELECT count(*) FROM document WHERE account_id = $1)::int AS documents`,
      [world.accountId],
    )
    expect(left).toEqual([{ campaigns: 0, emails: 0, documents: 0 }])
    await draft(world)
    expect(await world.announced('quota.reached')).toHaveLength(2)
  })
})

describe('campaignSchedule', () => {
  it.each([
    ['2099-10-25 02:30', '2099-10-25T01:30:00.000Z', '2099-10-25 02:30:00', 'Europe/Paris'],
    ['2099-03-29 02:30', '2099-03-29T01:30:00.000Z', '2099-03-29 03:30:00', undefined],
    ['2099-03-29T02:30', '2099-03-29T06:30:00.000Z', '2099-03-29 02:30:00', 'America/New_York'],
    ['2099-03-29T02:30:00Z', '2099-03-29T02:30:00.000Z', '2099-03-29 04:30:00', undefined],
  ])('parses %s as %s', async (scheduledFor, instant, local, timezone) => {
    const world = await newWorld(timezone ? { timezone } : {})
    const { id } = await draft(world)
    const { campaign } = (await world.run(CampaignSchedule, { input: { id, scheduledFor } })).campaignSchedule
    expect(campaign).toMatchObject({ status: 'SCHEDULED', scheduledFor: instant, scheduledForLocal: local })
  })

  it.each(['2020-01-01 10:00', '2099-02-30 10:00', 'tomorrow', ''])(
    'rejects %j with INVALID_DATE',
    async (scheduledFor) => {
      const world = await newWorld()
      const { id } = await draft(world)
      expect(await world.fault(CampaignSchedule, { input: { id, scheduledFor } })).toMatchObject({
        extensions: { code: 'INVALID_DATE' },
      })
      expect((await world.run(CampaignRead, { id })).campaign.status).toBe('DRAFT')
    },
  )
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

describe('concurrent operations on one campaign', () => {
  it('send it once', async () => {
    const world = await newWorld()
    for (let made = 0; made < 5; made += 1) await world.contact({ emailMarketing: true })
    for (let round = 0; round < 10; round += 1) {
      const { id } = await draft(world, { audience: { sendToAll: true } })
      const send = () => world.ask(CampaignSend, { input: { id } })
      const outcomes = (await Promise.all([send(), send(), send()])).map(
        ({ body }) => body.errors?.[0].extensions.code ?? body.data.campaignSend.campaign.status,
      )
      expect(outcomes.toSorted()).toEqual([no, no, 'SENDING'])
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
        if (isHeld) await expect.poll(waiting, { timeout: 5_000, interval: 5 }).toBe(asked.length)
      }
      if (isHeld) await holder.query('COMMIT')
      const answers = await Promise.all(asked)
      const ok = (field: string) => answers.some(({ body }) => body.data?.[field])
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
