import type { Seams } from '../../src/app.ts'
import { type Clock, settableClock } from '../../src/kernel/clock.ts'
import { newServer, type Server } from '../support/server.ts'
import type { World } from '../support/world.ts'

// biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what the tests are there to find out
type Answer = any

/** The clock of tests that wait for hours: it moves when told to. */
export type HandClock = ReturnType<typeof settableClock> & { pass(milliseconds: number): void }

/** A clock that begins now, for receivers compare the time of a message with their own. */
export function newHandClock(): HandClock {
  const clock = settableClock(new Date())
  return { ...clock, pass: (milliseconds) => clock.set(new Date(clock.now().getTime() + milliseconds)) }
}

/** A server that works, may call this machine, and leaves nothing to chance. */
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
  webhookCreate(input: $input) { webhook { id databaseId url events active } secret } }`
export const Update = `mutation ($input: WebhookUpdateInput!) {
  webhookUpdate(input: $input) { webhook { id url events active disabledAt disabledReason } secret } }`
export const Delete = 'mutation ($id: ID!) { webhookDelete(input: { id: $id }) { databaseId } }'
export const Test = 'mutation ($id: ID!) { webhookTest(input: { id: $id }) { delivery { id type status } } }'
export const Replay = 'mutation ($input: WebhookReplayInput!) { webhookReplay(input: $input) { replayed } }'
export const Read = `query ($id: ID!) { webhook(id: $id) {
  id url events active disabledAt disabledReason failingSince lastSuccessAt
  deliveries { nodes { id messageId type status attempts nextAttemptAt responseStatus response error body deliveredAt } } } }`

/** Adds a webhook, told of everything unless `input` says otherwise. */
export async function newWebhook(
  world: World,
  url: string,
  input: object = {},
): Promise<{ id: string; databaseId: number; secret: string; url: string }> {
  const { webhook, secret } = (await world.run(Create, { input: { url, ...input } })).webhookCreate
  return { ...webhook, secret }
}

/** What became of a webhook's messages, once that is what `fits` says. */
export async function whenWebhook(world: World, id: string, fits: (webhook: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const { webhook } = await world.run(Read, { id })
    if (fits(webhook)) return webhook
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Makes senders look at once for what is due, as a hint does: they would within a second. */
export async function wake({ app }: Server): Promise<void> {
  await app.database.pool.query("SELECT pg_notify('campanile_deliveries', '')")
}
