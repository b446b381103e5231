import { describe, expect, it } from 'vitest'
import { claimDeliveries, releaseClaim, storeBody, storeResult } from '../../src/events/deliveries/delivery-queue.ts'
import { webhookJobs } from '../../src/events/webhooks/former-urls.ts'
import { until } from '../runtime/process.ts'
import { newBlocker } from '../support/blocker.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { newSender, newWebhook, Replay, Test, Update, whenWebhook } from './webhook-world.ts'

/** Number of deliveries that are failed in several batches of 5,000. */
const many = 12_000

const capacity = { free: 50, perWebhook: 5, perAccount: 20, freeForFailing: 20, inProgress: [] }
const reason = 'The URL of the webhook was changed.'

/** Adds pending deliveries of a webhook to its present URL. A body has a number. */
async function queueDeliveries(world: World, webhookId: number, count = many): Promise<void> {
  await world.rows(
    `INSERT INTO webhook_delivery
       (account_id, webhook_id, event_id, message_id, type, data, occurred_at, body, due_at, created_at, generation)
     SELECT $1, $2, n, 'msg_' || n, 'contact.deleted', '{}', now(), '{"n":' || n || '}', now() - interval '1 hour', now(),
       (SELECT generation FROM webhook WHERE account_id = $1 AND id = $2) FROM generate_series(1, $3) n`,
    [world.accountId, webhookId, count],
  )
}

/** Counts the deliveries of a webhook by their state and error. */
async function count(world: World, webhookId: number): Promise<Record<string, number>> {
  const rows = await world.rows<{ key: string; n: number }>(
    `SELECT concat_ws(' ', state, error) AS key, count(*)::int AS n FROM webhook_delivery
     WHERE account_id = $1 AND webhook_id = $2 GROUP BY 1`,
    [world.accountId, webhookId],
  )
  return Object.fromEntries(rows.map(({ key, n }) => [key, n]))
}

/** Runs the job, more often than it enqueues itself on a busy machine. */
async function runJob({ server, accountId }: World, webhookId: number): Promise<void> {
  for (let run = 0; run < 5; run += 1)
    await webhookJobs['webhooks:fail_former_deliveries'](server.system, { accountId, webhookId })
}

/** The pending delivery of the account that is changed last. */
const isLast = `account_id = $1 AND id = (SELECT id FROM webhook_delivery
  WHERE account_id = $1 AND state = 'PENDING' ORDER BY due_at DESC, id DESC LIMIT 1)`

/** Creates a webhook with many pending deliveries on a server without workers. */
async function newQueue() {
  const world = await newWorld({ server: await newServer({ WEBHOOK_ALLOW_PRIVATE: 'on' }) })
  const webhook = await newWebhook(world, 'https://old.invalid/')
  await queueDeliveries(world, webhook.databaseId)
  const move = (url: string) => world.run(Update, { input: { id: webhook.id, url } })
  const claim = async () => (await claimDeliveries(world.server.system, capacity)).map(({ type, url }) => [type, url])
  return { world, ...webhook, move, claim }
}

describe('a webhook with many pending deliveries', { timeout: 60_000 }, () => {
  it('sends none of them after its URL was changed, while a job fails them, and sends new ones at once', async () => {
    const { world, id, databaseId, move, claim } = await newQueue()
    const beside = await newWebhook(world, 'https://beside.invalid/')
    await queueDeliveries(world, beside.databaseId, 10)
    const other = await newWorld({ server: world.server })
    const theirs = await newWebhook(other, 'https://old.invalid/')
    await queueDeliveries(other, theirs.databaseId, 10)
    await move('https://new.invalid/')
    expect(await count(world, databaseId)).toEqual({ PENDING: many - 5_000, [`FAILED ${reason}`]: 5_000 })
    await world.run(Test, { id })
    const claimed = await claim()
    expect(claimed.filter(([, url]) => url === 'https://new.invalid/')).toEqual([
      ['webhook.test', 'https://new.invalid/'],
    ])
    expect(claimed.filter(([type]) => type === 'contact.deleted').map(([, url]) => url)).toEqual(
      expect.arrayContaining(['https://beside.invalid/', 'https://old.invalid/']),
    )
    await runJob(world, databaseId)
    expect(await count(world, databaseId)).toEqual({ PENDING: 1, [`FAILED ${reason}`]: many })
    expect(await count(world, beside.databaseId)).toEqual({ PENDING: 10 })
    expect(await count(other, theirs.databaseId)).toEqual({ PENDING: 10 })
  })

  it('is not affected by an attempt at the former URL', async () => {
    const { world, id, databaseId, move } = await newQueue()
    const { system } = world.server
    const [first, second, third] = await claimDeliveries(system, capacity)
    if (!first || !second || !third) throw new Error('Too few were claimed.')
    // The claims are the last ones that a batch finds.
    await move('https://new.invalid/')
    const result = { status: 410, response: '', milliseconds: 1 }
    await storeResult(system, first, result, { status: 'FAILED', isGone: true })
    expect(await storeBody(system, second, '{}', [])).toBe(false)
    await releaseClaim(system, third)
    expect(await whenWebhook(world, id, () => true)).toMatchObject({ active: true, failingSince: null })
    await runJob(world, databaseId)
    expect(await count(world, databaseId)).toEqual({ [`FAILED ${reason}`]: many })
    expect(
      await world.rows('SELECT FROM webhook_delivery WHERE account_id = $1 AND step = 1', [world.accountId]),
    ).toHaveLength(5)
  })

  it('fails each of them once if a batch is killed, and after several changes', async () => {
    const { world, databaseId, move } = await newQueue()
    await move('https://new.invalid/')
    const blocker = await newBlocker(world)
    await blocker.query(`SELECT FROM webhook_delivery WHERE ${isLast} FOR UPDATE`, [world.accountId])
    const killed = expect(runJob(world, databaseId)).rejects.toThrow()
    await blocker.killed()
    await killed
    expect(await count(world, databaseId)).toEqual({ PENDING: 2_000, [`FAILED ${reason}`]: 10_000 })
    await blocker.query('ROLLBACK')
    await move('https://newer.invalid/')
    await runJob(world, databaseId)
    expect(await count(world, databaseId)).toEqual({ [`FAILED ${reason}`]: many })
    await runJob(world, databaseId)
    expect(await count(world, databaseId)).toEqual({ [`FAILED ${reason}`]: many })
  })

  it('leaves a delivery whose result is being stored', async () => {
    const { world, databaseId, move } = await newQueue()
    await move('https://new.invalid/')
    const blocker = await newBlocker(world)
    await blocker.query(`UPDATE webhook_delivery SET state = 'DELIVERED' WHERE ${isLast}`, [world.accountId])
    const job = runJob(world, databaseId)
    await blocker.waited()
    await blocker.query('COMMIT')
    await job
    expect(await count(world, databaseId)).toEqual({ DELIVERED: 1, [`FAILED ${reason}`]: many - 1 })
  })

  it('replays those that the job has not failed yet, to the new URL', async () => {
    const { world, id, databaseId, move, claim } = await newQueue()
    await move('https://new.invalid/')
    const since = '2000-01-01T00:00:00Z'
    const replay = async () => (await world.run(Replay, { input: { webhookId: id, since } })).webhookReplay.replayed
    expect(await replay()).toBe(10_000)
    expect(await replay()).toBe(many - 10_000)
    expect(await count(world, databaseId)).toEqual({ PENDING: many - 5_000, [`PENDING ${reason}`]: 5_000 })
    await runJob(world, databaseId)
    expect(await count(world, databaseId)).toEqual({ PENDING: many - 5_000, [`PENDING ${reason}`]: 5_000 })
    expect((await claim()).map(([, url]) => url)).toEqual(Array(5).fill('https://new.invalid/'))
  })

  it('sends only new messages to the new URL while workers send and a job fails the others', async () => {
    const server = await newSender()
    const world = await newWorld({ server })
    const old = await newReceiver()
    const { id, databaseId } = await newWebhook(world, old.url)
    await queueDeliveries(world, databaseId)
    await old.upTo(1)
    const receiver = await newReceiver()
    await world.run(Update, { input: { id, url: receiver.url } })
    await world.run(Test, { id })
    await receiver.upTo(1)
    await until(async () => {
      const states = await count(world, databaseId)
      return Object.keys(states).every((state) => !state.startsWith('PENDING'))
    })
    const { [`FAILED ${reason}`]: failed, DELIVERED: delivered } = await count(world, databaseId)
    expect(Number(failed) + Number(delivered)).toBe(many + 1)
    expect(receiver.calls.map(({ body }) => body.type)).toEqual(['webhook.test'])
    expect(old.calls.length).toBeLessThan(many - 5_000)
  })
})
