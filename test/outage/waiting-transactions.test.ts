import { expect, it } from 'vitest'
import { newBlocker } from '../support/blocker.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

const update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { city } } }'

it('transactions of one account that wait for each other leave connections to other accounts', async () => {
  const world = await newWorld({ server: await newServer({ DATABASE_POOL_SIZE: '4' }) })
  const [other, contact] = [await world.other(), await world.contact()]
  const blocker = await newBlocker(world)
  await blocker.query('SELECT FROM contact WHERE account_id = $1 FOR UPDATE', [world.accountId])
  const input = { contact: { id: contact.id }, city: 'Lyon' }
  const waiting = Array.from({ length: 8 }, () => world.ask(update, { input }))
  await blocker.waited()
  for (let turn = 0; turn < 5; turn += 1) {
    await other.contact()
    expect(await other.run('{ contacts { totalCount } }')).toEqual({ contacts: { totalCount: turn + 1 } })
  }
  await blocker.query('ROLLBACK')
  for (const { body } of await Promise.all(waiting)) expect(body.data.contactUpdate.contact.city).toBe('Lyon')
  expect(world.server.errors).toEqual([])
})
