import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { newRefusalPace } from '../../src/kernel/work/refusal-pace.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

describe('the pace of refusals', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  /** Counts a number of refusals of an address. Returns how many of them may be sent by now. */
  async function refuse(pace: ReturnType<typeof newRefusalPace>, ip: string, count: number): Promise<() => number> {
    let sent = 0
    for (let n = 0; n < count; n += 1)
      void pace.wait(ip).then(() => {
        sent += 1
      })
    await vi.advanceTimersByTimeAsync(0)
    return () => sent
  }

  it('sends 200 of a network at once and 50 a second after them, and each within five seconds', async () => {
    const pace = newRefusalPace()
    const sent = await refuse(pace, '2001:db8:1:2::1', 210)
    expect(sent()).toBe(200)
    const ofSame = await refuse(pace, '2001:db8:1:2::2', 1)
    const ofOther = await refuse(pace, '2001:db8:1:3::1', 1)
    expect([ofSame(), ofOther()]).toEqual([0, 1])
    await vi.advanceTimersByTimeAsync(100)
    expect(sent()).toBe(205)
    const flood = await refuse(pace, '2001:db8:1:2::1', 5_000)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(flood()).toBe(5_000)
    await vi.advanceTimersByTimeAsync(10_000)
    expect((await refuse(pace, '2001:db8:1:2::1', 10))()).toBe(10)
  })
})

describe('refusals that wait for their pace', () => {
  it('hold no slot, and nothing that is served waits with them', async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    const paced: string[] = []
    const pace = {
      wait: async (ip: string) => {
        paced.push(ip)
        await held
      },
    }
    // Three requests are executed at a time.
    const server = await newServer(
      { DATABASE_POOL_SIZE: '1', BOUNCES_GENERIC_KEY: 'only-the-provider-knows-this' },
      { pace },
    )
    const world = await newWorld({ server })
    const form = await world.form()
    const wrong = { authorization: 'Bearer cmp_wrong', 'content-type': 'application/json' }
    const post = { method: 'POST', headers: wrong, body: '{}' }
    const asked: [path: string, status: number, init?: RequestInit][] = [
      ['/graphql', 401, post],
      ['/v1/contacts', 401, { headers: wrong }],
      ['/hooks/bounces/generic', 401, post],
      ['/p/none/1/none', 404],
      ['/p/none/1', 404],
      ['/f/999999999', 404],
      [`/f/${form.databaseId}`, 405, { method: 'PUT' }],
      [`/f/${form.databaseId}`, 413, { ...post, body: 'x'.repeat(300_000) }],
    ]
    let answered = 0
    const replies = asked.map(async ([path, , init]) => {
      const { status } = await fetch(server.url + path, init)
      answered += 1
      return status
    })
    await until(() => paced.length === asked.length)
    expect((await world.ask('{ viewer { email } }')).status).toBe(200)
    expect(
      (await fetch(`${server.url}/v1/contacts`, { headers: { authorization: `Bearer ${world.mainKey}` } })).status,
    ).toBe(200)
    expect((await fetch(`${server.url}/f/${form.databaseId}`)).status).toBe(200)
    // What a person entered is no refusal.
    const typed = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"answers":{"x":"y"}}' }
    expect((await fetch(`${server.url}/f/${form.databaseId}`, typed)).status).toBe(422)
    expect([answered, paced.length]).toEqual([0, asked.length])
    letGo()
    expect(await Promise.all(replies)).toEqual(asked.map(([, status]) => status))
  })
})
