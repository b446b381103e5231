import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

// Queued recipients must stay queued, so nothing is sent here.
const servers = useServers({ ROLES: 'api' })
const list = (world: World, query: Record<string, unknown>) =>
  world.call('GET', '/v1/campaign-recipients', { query: query as Record<string, string> })

/** Creates a campaign with three recipients: one sent, one bounced, one queued. */
async function campaign(world: World): Promise<number> {
  const { id } = await world.campaign()
  for (let n = 1; n <= 3; n += 1) await world.contact({ email: `c${n}@example.com`, email_marketing: true })
  await world.call('POST', '/v1/campaign-send', { body: { campaign_id: id, send_to_all: true } })
  await world.rows(
    `UPDATE mail_recipient r SET state = CASE WHEN n = 1 THEN 'SENT' ELSE 'BOUNCED' END::recipient_state, attempts = 1,
       answer = CASE WHEN n = 1 THEN '250 ok' ELSE '550 5.1.1 no such user' END, sent_at = CASE WHEN n = 1 THEN now() END
     FROM (SELECT id, row_number() OVER (ORDER BY contact_id) AS n FROM mail_recipient WHERE account_id = $1) one
     WHERE r.account_id = $1 AND r.id = one.id AND n < 3`,
    [world.accountId],
  )
  return id
}

describe.each(gateways)('the recipients of a campaign, %s', (gateway) => {
  const open = () => newWorld(servers, gateway, {})

  check('CAM-RECIPIENTS/success', 'lists recipients with the status of their messages', async () => {
    const world = await open()
    const campaign_id = await campaign(world)
    const { status, body } = await list(world, { campaign_id })
    expect([status, body.meta]).toEqual([200, { current_page: 1, last_page: 1, per_page: 50, total: 3 }])
    const nothing = { sent_at: null, opened_at: null, clicked_at: null, unsubscribed_at: null }
    expect(body.data).toMatchObject([
      {
        email: 'c1@example.com',
        state: 'sent',
        attempts: 1,
        answer: '250 ok',
        sent_at: expect.stringMatching(/\.\d{6}Z$/),
      },
      { email: 'c2@example.com', state: 'bounced', attempts: 1, answer: '550 5.1.1 no such user', ...nothing },
      { email: 'c3@example.com', state: 'queued', attempts: 0, answer: '', ...nothing },
    ])
    const bounced = await list(world, { campaign_id, state: 'bounced' })
    expect(bounced.body.data.map(({ email }: { email: string }) => email)).toEqual(['c2@example.com'])
    const second = await list(world, { campaign_id, page: 2, per_page: 2 })
    expect(second.body.data.map(({ email }: { email: string }) => email)).toEqual(['c3@example.com'])
  })

  check('CAM-RECIPIENTS/VALIDATION_ERROR', 'for an unknown campaign or status', async () => {
    const world = await open()
    const campaign_id = await campaign(world)
    expectError(await list(world, {}), 422, 'VALIDATION_ERROR', ['campaign_id'])
    expectError(await list(world, { campaign_id, state: 'gone' }), 422, 'VALIDATION_ERROR', ['state'])
  })

  check('CAM-RECIPIENTS/NOT_FOUND', "for another account's campaign", async () => {
    const [world, other] = [await open(), await open()]
    expectError(await list(other, { campaign_id: await campaign(world) }), 404, 'NOT_FOUND')
  })
})
