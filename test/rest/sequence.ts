import { expect } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import type { World } from './support.ts'

export const plainTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

/** The response of a successful call. */
export async function data(world: World, method: string, path: string, sent: Parameters<World['call']>[2] = {}) {
  const answer = await world.call(method, path, sent)
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ success: true })
  return answer.body.data
}

export const subscribe = (world: World, contact_id: number, sequence_id: number, more = {}) =>
  data(world, 'POST', '/v1/contact-sequence', { body: { contact_id, sequence_id, ...more } })

/** Inserts a message of a stage that was sent. */
export async function sent(world: World, contactId: number, sequenceId: number, stageId: number, led: string[] = []) {
  const at = (what: string) => (led.includes(what) ? new Date() : null)
  await world.rows(
    `INSERT INTO mail_recipient (account_id, contact_id, sequence_id, stage_id, state, created_at, sent_at, opened_at, clicked_at, unsubscribed_at)
     VALUES ($1, $2, $3, $4, 'SENT', now(), now(), $5, $6, $7)`,
    [world.accountId, contactId, sequenceId, stageId, at('opened'), at('clicked'), at('unsubscribed')],
  )
  await countRows(world, ['mail_recipient', 'latest_message'])
}
