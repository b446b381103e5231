// @module-tag rows
import { expect, it } from 'vitest'
import { leaseMs } from '../../src/events/deliveries/delivery-queue.ts'
import { start } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { newReceiver } from './receiver.ts'
import { newManualClock, newSender, newWebhook, Test, whenWebhook } from './webhook-world.ts'

it('sends a webhook message exactly once more if its sender is killed between the response and its record', async () => {
  const api = await newServer({ WEBHOOK_ALLOW_PRIVATE: 'on' })
  const world = await newWorld({ server: api })
  const worker = start('main', [], {
    PORT: '0',
    SECRET: 'a secret that only tests know',
    ROLES: 'worker',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    DATABASE_URL: api.databaseUrl,
  })
  await worker.line(/^ready /)
  const receiver = await newReceiver((index) => (response) => {
    // The suspended sender cannot read the response, so the message was delivered and the result is not stored.
    if (index === 0) {
      worker.signal('SIGSTOP')
      response.on('finish', () => worker.signal('SIGKILL'))
    }
    response.end('taken')
  })
  const { id } = await newWebhook(world, receiver.url)
  await world.run(Test, { id })
  await worker.end
  const left = await whenWebhook(world, id, () => true)
  expect(left.deliveries.nodes).toMatchObject([{ status: 'PENDING', attempts: 1, responseStatus: null }])

  const clock = newManualClock()
  clock.pass(leaseMs)
  await newSender({ clock, env: { DATABASE_URL: api.databaseUrl, ROLES: 'worker' } })
  const after = await whenWebhook(world, id, ({ deliveries }) => deliveries.nodes[0].status === 'DELIVERED')
  expect(after.deliveries.nodes).toMatchObject([{ attempts: 2, response: 'taken' }])
  const [first, second] = receiver.calls
  expect(receiver.calls).toHaveLength(2)
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  expect(second?.text).toBe(first?.text)
})
