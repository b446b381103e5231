import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type ConcurrencyLimits, newConcurrencyLimiter } from '../../src/kernel/work/request-slots.ts'
import { newStartTurns } from '../../src/kernel/work/start-turns.ts'
import { atEnd } from '../support/ends.ts'

const limits: ConcurrencyLimits = {
  running: 20,
  runningPerHolder: 10,
  present: 100,
  presentPerHolder: 100,
}

/** Two limiters of a process, as those of the API and of visitors, and what has started since. */
function newLimiters() {
  const turns = newStartTurns()
  const [api, visitors] = [newConcurrencyLimiter(limits, turns), newConcurrencyLimiter(limits, turns)]
  atEnd(async () => {
    api.close()
    visitors.close()
  })
  const started: string[] = []
  const send = (limiter: typeof api, holder: string, count: number) =>
    Array.from({ length: count }, () => {
      const slot = limiter.acquire(holder)
      void slot.start().then(
        () => started.push(holder),
        () => undefined,
      )
      return slot
    })
  return { api, visitors, started, send }
}

/** Waits until what was decided is visible, in the same turn of the event loop. */
const settle = async () => {
  for (let step = 0; step < 10; step += 1) await Promise.resolve()
}

it('the requests of one holder alone start at once', async () => {
  const { api, started, send } = newLimiters()
  send(api, 'one', 6)
  await settle()
  expect(started).toEqual(Array(6).fill('one'))
})

it('a holder starts one request in a turn while others send some, also through another limiter', async () => {
  const { api, visitors, started, send } = newLimiters()
  send(api, 'tenant', 1)
  send(visitors, 'flood', 1)
  await nextTurn()
  started.length = 0
  send(visitors, 'flood', 4)
  send(api, 'tenant', 2)
  await settle()
  expect(started).toEqual(['flood', 'tenant'])
  await nextTurn()
  await settle()
  expect(started).toEqual(['flood', 'tenant', 'flood', 'tenant'])
  // What arrives later does not overtake what waits.
  send(visitors, 'flood', 1)
  await settle()
  expect(started).toHaveLength(4)
  for (let turn = 0; turn < 4; turn += 1) await nextTurn()
  expect(started.filter((holder) => holder === 'flood')).toHaveLength(5)
})

it('requests that have waited for a place start one in a turn, too', async () => {
  const { api, visitors, started, send } = newLimiters()
  const running = send(visitors, 'flood', limits.runningPerHolder)
  send(visitors, 'flood', 3)
  await settle()
  expect(started).toHaveLength(limits.runningPerHolder)
  started.length = 0
  send(api, 'tenant', 1)
  for (const slot of running) slot.release()
  await settle()
  expect(started.toSorted()).toEqual(['flood', 'tenant'])
})

it('a request whose client leaves while it waits for a turn never starts', async () => {
  const { api, visitors, started, send } = newLimiters()
  send(api, 'tenant', 1)
  const [, second] = send(visitors, 'flood', 3)
  second?.leave()
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  expect(started.filter((holder) => holder === 'flood')).toHaveLength(2)
  expect(visitors.state()).toMatchObject({ running: 2, waiting: 0, closed: 1 })
})
