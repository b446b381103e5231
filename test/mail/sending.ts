import { expect } from 'vitest'
import { until } from '../runtime/process.ts'
import { countContacts } from '../support/contact-counter.ts'
import { atEnd } from '../support/ends.ts'
import type { Server } from '../support/server.ts'
import { newServer } from '../support/server.ts'
import type { World } from '../support/world.ts'
import { SetContent } from './conditions.ts'
import { type Behaviour, type Sink, startSink } from './sink.ts'

/** Starts a process with API and worker that uses this mail server. */
export async function newSender(mailUrl: string, env: Record<string, string> = {}): Promise<Server> {
  return newServer({ ROLES: 'api,worker', MAIL_URL: mailUrl, ...env })
}

let shared: Promise<{ server: Server; sink: Sink }> | undefined

/**
 * Returns the sender and the sink that the tests of a file share, without what the sink received before. For a behaviour that
 * puts nothing into the memory of the sender: a server or a domain that fails is avoided for a while.
 */
export async function sharedSender(behaviour: Pick<Behaviour, 'delay' | 'beforeAnswer'> = {}) {
  shared ??= startShared()
  const { server, sink } = await shared
  sink.reset(behaviour)
  server.errors.length = 0
  return { server, sink }
}

async function startShared(): Promise<{ server: Server; sink: Sink }> {
  const sink = await startSink()
  atEnd(() => {
    shared = undefined
    return sink.close()
  })
  return { sink, server: await newSender(sink.url) }
}

/** Creates contacts that agreed to marketing e-mail: `c1@example.com` and so on. */
export async function createSubscribers(world: World, n: number, domain = 'example.com'): Promise<void> {
  await world.rows(
    `INSERT INTO contact (account_id, email, email_marketing, created_at, updated_at)
     SELECT $1, 'c' || i || '@' || $3, true, now(), now() FROM generate_series(1, $2::int) AS i`,
    [world.accountId, n, domain],
  )
  await countContacts(world)
}

const Read = `query ($id: ID!) { campaign(id: $id) { status errorCode recipientsCount sentTo sentAt pausedAt
  stats { sent bounced } } }`

/** Reads the status and counts of a campaign. */
export async function readCampaign(world: World, id: string) {
  return (await world.run(Read, { id })).campaign
}

/** Waits until a campaign has a status, and returns it. */
export async function waitForStatus(world: World, id: string, status: string) {
  let now = await readCampaign(world, id)
  await until(async () => {
    now = await readCampaign(world, id)
    return now.status === status
  })
  return now
}

/** Sends a campaign to all contacts that agreed to marketing e-mail. Its content is one word, unless it is set. */
export async function sendCampaign(
  world: World,
  input: object = {},
  content?: object,
): Promise<{ id: string; databaseId: number }> {
  const campaign = await world.campaign({ subject: 'Hello', fromEmail: 'ada@example.com', ...input })
  if (content) await world.run(SetContent, { id: campaign.id, ...content })
  const document = 'mutation ($input: CampaignSendInput!) { campaignSend(input: $input) { campaign { status } } }'
  const { campaignSend } = await world.run(document, { input: { id: campaign.id, audience: { sendToAll: true } } })
  expect(campaignSend.campaign.status).toBe('SENDING')
  return campaign
}

/** Returns the number of messages of a campaign in each state. */
export async function countStates(world: World, campaignId: number): Promise<Record<string, number>> {
  const rows = await world.rows<{ state: string; n: number }>(
    'SELECT state, count(*)::int AS n FROM mail_recipient WHERE account_id = $1 AND campaign_id = $2 GROUP BY state',
    [world.accountId, campaignId],
  )
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]))
}

/** Lets what waits for another attempt have it now. */
export const hurry = (world: World) =>
  world.rows(
    `WITH due AS (UPDATE mail_recipient SET due_at = now() WHERE account_id = $1 AND state = 'QUEUED')
     UPDATE mail_source SET due_at = now() WHERE account_id = $1`,
    [world.accountId],
  )
