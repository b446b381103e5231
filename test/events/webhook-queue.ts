import { expect } from 'vitest'
import type { Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { newSender, newWebhook, Test, wakeSenders } from './webhook-world.ts'

/** Adds this number of messages for a webhook to the queue, as if as many events had been emitted. */
export async function queueDeliveries(world: World, webhookId: number, count: number): Promise<void> {
  await world.rows(
    `INSERT INTO webhook_delivery
       (account_id, webhook_id, event_id, message_id, type, data, occurred_at, body, due_at, created_at)
     SELECT $1, $2, n, 'msg_' || n, 'contact.deleted', '{}', now(), '{"n":' || n || '}', now() - interval '1 hour', now()
     FROM generate_series(1, $3) n`,
    [world.accountId, webhookId, count],
  )
}

/** Adds an account with an endpoint that answers, and measures how long deliveries to it take. */
async function newQuick(server: Server) {
  const world = await newWorld({ server })
  const receiver = await newReceiver()
  const { id } = await newWebhook(world, receiver.url)
  let milliseconds = 0
  return {
    milliseconds: () => milliseconds,
    deliver: async () => {
      const started = performance.now()
      const before = receiver.calls.length
      await world.run(Test, { id })
      await receiver.upTo(before + 1)
      milliseconds += performance.now() - started
    },
  }
}

/** Expects that an endpoint that hangs with `count` messages delays neither other endpoints of its account nor other accounts. */
export async function expectNoDelay(count: number): Promise<void> {
  // No attempt at a hanging endpoint ends during the test.
  const server = await newSender({ attemptTimeoutMs: 3_600_000 })
  const busy = await newWorld({ server })
  const hanging = await newReceiver(() => () => undefined)
  for (const path of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const { databaseId } = await newWebhook(busy, `${hanging.url}/${path}`)
    await queueDeliveries(busy, databaseId, path === 'a' ? count : 50)
  }
  await wakeSenders(server)
  // The account has its maximum number of deliveries in flight, and they do not end.
  await hanging.upTo(20)
  // One after the other, so that both are measured on an equally busy machine.
  const [delayed, alone] = [await newQuick(server), await newQuick(await newSender())]
  for (let n = 1; n <= 20; n += 1) {
    await delayed.deliver()
    await alone.deliver()
  }
  expect(delayed.milliseconds()).toBeLessThan(10 * alone.milliseconds())
  const beside = await newReceiver()
  await newWebhook(busy, beside.url)
  expect(hanging.calls).toHaveLength(20)
  const paths = hanging.calls.map(({ path }) => path)
  for (const path of new Set(paths)) expect(paths.filter((each) => each === path).length).toBeLessThanOrEqual(5)
}
