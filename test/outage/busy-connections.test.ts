import { it } from 'vitest'
import { connectMilliseconds } from '../../src/db/driver/index.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

it('requests are served while all connections are busy without a pause for longer than a request may wait', async () => {
  const server = await newServer({ DATABASE_POOL_SIZE: '2' })
  const world = await newWorld({ server })
  for (let index = 0; index < 20; index += 1) await world.contact({})
  const end = performance.now() + connectMilliseconds + 1_500
  const read = async () => {
    for (let served = 0; ; served += 1) {
      if (performance.now() > end && served > 10) return
      await world.run('{ contacts(first: 50) { nodes { email tags { name } } } }')
    }
  }
  await Promise.all(Array.from({ length: 6 }, read))
})
