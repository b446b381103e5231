import type { Seams } from '../../src/app.ts'
import { type Clock, settableClock } from '../../src/kernel/clock.ts'
import { until } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import { settled } from '../support/settled.ts'
import type { World } from '../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
type Answer = any

/** The clock of tests that span hours. It advances only on request. */
export type ManualClock = ReturnType<typeof settableClock> & { pass(milliseconds: number): void }

/** Creates a clock that starts now, because receivers compare the time of a message with the system clock. */
export function newManualClock(): ManualClock {
  const clock = settableClock(new Date())
  return { ...clock, pass: (milliseconds) => clock.set(new Date(clock.now().getTime() + milliseconds)) }
}

/** Starts a server with workers that may call this machine, and whose delays are not random. */
export async function newSender(
  options: { env?: Record<string, string>; clock?: Clock; attemptTimeoutMs?: number; seams?: Seams } = {},
): Promise<Server> {
  const { env = {}, clock, attemptTimeoutMs, seams } = options
  return newServer(
    { ROLES: 'api,worker', WEBHOOK_ALLOW_PRIVATE: 'on', ...env },
    { ...(clock && { clock }), deliveries: { random: () => 0, attemptTimeoutMs }, ...seams },
  )
}

export const Create = `mutation ($input: WebhookCreateInput!) {
  webhookCreate(input: $input) { webhook { id databaseId url events eventPatterns active } secret } }`
export const Update = `mutation ($input: WebhookUpdateInput!) {
  webhookUpdate(input: $input) { webhook { id url events eventPatterns active disabledAt disabledReason } secret } }`
export const Delete = 'mutation ($id: ID!) { webhookDelete(input: { id: $id }) { deletedWebhookId } }'
export const Test = 'mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { id type status } } }'
export const Replay = 'mutation ($input: WebhookReplayInput!) { webhookReplay(input: $input) { replayed } }'
export const Read = `query ($id: ID!) { webhook(id: $id) {
  id url events eventPatterns active disabledAt disabledReason failingSince lastSuccessAt
  deliveries { nodes { id messageId type status attempts nextAttemptAt responseStatus response error body deliveredAt } } } }`

/** Adds a webhook. Defaults to all events. */
export async function newWebhook(
  world: World,
  url: string,
  input: object = {},
): Promise<{
  id: string
  databaseId: number
  secret: string
  url: string
  events: string[]
  eventPatterns: string[]
}> {
  const { webhook, secret } = (await world.run(Create, { input: { url, ...input } })).webhookCreate
  return { ...webhook, secret }
}

/** Waits until the deliveries of a webhook satisfy `fits`, and returns them. */
export async function whenWebhook(world: World, id: string, fits: (webhook: Answer) => boolean): Promise<Answer> {
  let webhook: Answer
  await until(async () => {
    webhook = (await world.run(Read, { id })).webhook
    return fits(webhook)
  })
  return webhook
}

/**
 * Waits until all events so far were assigned to the webhooks. A worker does this after their commit, so a webhook that is
 * added or enabled meanwhile receives them too.
 */
export async function assigned(world: World): Promise<void> {
  await settled(world)
  await until(async () => {
    const [reader] = await world.rows<{ isAtEnd: boolean }>(
      `SELECT r.position >= c.position AS "isAtEnd" FROM log_reader r, event_counter c WHERE r.name = 'webhooks'`,
    )
    return reader?.isAtEnd === true
  })
}

/** Notifies the senders of due messages. Without it they would look within a second. */
export async function wakeSenders({ app }: Server): Promise<void> {
  await app.database.pool.query("SELECT pg_notify('campanile_deliveries', '')")
}
