import { countRows } from '../support/count-rows.ts'
import type { World } from './support.ts'

/** A time in the future. */
export const later = '2099-12-24 18:00'

export const post = (world: World, path: string, body: unknown) => world.call('POST', path, { body })

/** The complete campaign as its route returns it. */
export const read = async (world: World, campaign_id: number) =>
  (await world.call('GET', '/v1/campaign', { query: { campaign_id } })).body.data

export const setStatus = (world: World, id: number, status: string) =>
  world.rows('UPDATE campaign SET status = $3::campaign_status WHERE account_id = $1 AND id = $2', [
    world.accountId,
    id,
    status,
  ])

/**
 * Creates a campaign that was sent to three contacts: one opened and clicked, one opened and unsubscribed. A fourth one
 * is queued.
 */
export async function sentCampaign(world: World): Promise<number> {
  const { id } = await world.campaign()
  for (let n = 0; n < 4; n += 1) await world.contact({ email_marketing: true })
  await post(world, '/v1/campaign-send', { campaign_id: id, send_to_all: true })
  await world.rows(
    `UPDATE mail_recipient r SET state = 'SENT', sent_at = now(), opened_at = CASE WHEN n < 3 THEN now() END,
       clicked_at = CASE WHEN n = 1 THEN now() END, unsubscribed_at = CASE WHEN n = 2 THEN now() END
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM mail_recipient WHERE account_id = $1) one
     WHERE r.account_id = $1 AND r.id = one.id AND n < 4`,
    [world.accountId],
  )
  await countRows(world, ['mail_recipient', 'latest_message'])
  return id
}
