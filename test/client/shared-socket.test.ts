// @module-tag rows
import { describe, expect, it } from 'vitest'
import { createClient, type ResumeInfo } from '../../src/client/index.ts'
import { newFakeServer, optionsFor, type Position, read } from './fake-server.ts'

const upTo = (end: number) => Array.from({ length: end }, (_, index) => index + 1)

describe('the subscriptions of a client', () => {
  it('share one socket, and each resumes after its own cursor over one other socket', async () => {
    const fake = await newFakeServer()
    fake.announce(4)
    const { query, ...options } = optionsFor(fake)
    const client = createClient(options)
    const resumes: ResumeInfo[] = []
    const onResume = (resume: ResumeInfo) => void resumes.push(resume)
    const all = ['c0', 'c2', undefined].map((after) => client.iterate<Position>({ query, after, onResume }))
    const [first, second, third] = all as [(typeof all)[0], (typeof all)[0], (typeof all)[0]]
    expect([await read(first, 4), await read(second, 2), await third.started]).toEqual([[1, 2, 3, 4], [3, 4], 'c4'])
    await fake.until(() => fake.lines.size === 3)
    for (const line of [...fake.lines].slice(0, 1)) line.cut()
    await fake.until(() => fake.subscribed.length === 6)
    fake.announce()
    expect([await read(first, 1), await read(second, 1), await read(third, 1)]).toEqual([[5], [5], [5]])
    expect(fake.keys).toHaveLength(2)
    expect(resumes.map(({ after, attempt }) => [after, attempt])).toEqual([
      ['c4', 1],
      ['c4', 1],
      ['c4', 1],
    ])
    first.close()
    second.close()
    await fake.until(() => fake.lines.size === 1)
    expect(fake.connections()).toBe(1)
    third.close()
    await fake.until(() => fake.connections() === 0)
  })

  it('wait together after the same loss, and open one socket', async () => {
    const fake = await newFakeServer()
    const waits: number[] = []
    const { query, ...options } = optionsFor(fake)
    const client = createClient({ ...options, backOff: () => Math.random() * 50 })
    const onResume = ({ waitMs }: ResumeInfo) => void waits.push(waitMs)
    const all = upTo(5).map(() => client.iterate<Position>({ query, after: 'c0', onResume }))
    await fake.until(() => fake.lines.size === 5)
    fake.rejections.push({ status: 503, code: 1013 })
    for (const line of [...fake.lines].slice(0, 1)) line.cut()
    fake.announce()
    expect(await Promise.all(all.map((events) => read(events, 1)))).toEqual(all.map(() => [1]))
    expect([waits.length, new Set(waits).size, fake.keys.length]).toEqual([10, 2, 2])
    for (const events of all) events.close()
  })

  it('do not wait for a slow one, which stops alone and misses nothing', async () => {
    const fake = await newFakeServer()
    const { query, ...options } = optionsFor(fake)
    const client = createClient(options)
    const causes: string[] = []
    const onResume = ({ cause }: ResumeInfo) => void causes.push(cause.code)
    const slow = client.iterate<Position>({ query, after: 'c0', bufferSize: 4, onResume })
    const fast = client.iterate<Position>({ query, after: 'c0' })
    await fake.until(() => fake.lines.size === 2)
    fake.announce(50)
    expect(await read(fast, 50)).toEqual(upTo(50))
    await fake.until(() => fake.lines.size === 1)
    fake.announce(50)
    expect(await read(fast, 50)).toEqual(upTo(100).slice(50))
    expect(causes).toEqual([])
    expect(await read(slow, 100)).toEqual(upTo(100))
    expect([new Set(causes), fake.keys.length]).toEqual([new Set(['BUFFER_FULL']), 1])
    slow.close()
    fast.close()
  })

  it.each([
    ['the server closes the socket', (line: { cut(code?: number): void }) => line.cut(4401)],
    ['the token has expired', (line: { cut(code?: number): void }) => line.cut(4403)],
    [
      'the server refuses one operation',
      (line: { next(payload: object): void }) =>
        line.next({ errors: [{ message: 'Expired.', extensions: { code: 'UNAUTHORIZED' } }] }),
    ],
  ])('go on with the next access token, asked for once, if %s', async (_name, expire) => {
    const fake = await newFakeServer()
    const { query, ...options } = optionsFor(fake)
    let asked = 0
    const client = createClient({
      ...options,
      key: async () => {
        asked += 1
        return `token_${asked}`
      },
    })
    const both = ['c0', 'c1'].map((after) => client.iterate<Position>({ query, after }))
    await fake.until(() => fake.lines.size === 2)
    // The subscriptions have received nothing yet: that the socket was opened proves that its token was valid.
    for (const line of [...fake.lines].slice(0, 1)) expire(line as never)
    await fake.until(() => fake.subscribed.length === 4)
    fake.announce(2)
    expect([await read(both[0] as never, 2), await read(both[1] as never, 1)]).toEqual([[1, 2], [2]])
    expect(fake.keys).toEqual(['Bearer token_1', 'Bearer token_2'])
    for (const events of both) events.close()
  })

  it('keep their socket if the server completes one while the client closes it', async () => {
    const fake = await newFakeServer()
    const { query, ...options } = optionsFor(fake)
    const client = createClient(options)
    const kept = client.iterate<Position>({ query, after: 'c0' })
    await fake.until(() => fake.lines.size === 1)
    fake.overrides.push((line) => {
      // Both messages arrive in one packet.
      line.next({ data: { events: { cursor: 'c1', position: 1 } } })
      line.complete()
    })
    for await (const _ of client.iterate<Position>({ query, after: 'c0' })) break
    for (const position of [1, 2, 3]) {
      fake.announce()
      expect(await read(kept, 1)).toEqual([position])
    }
    expect(fake.keys).toHaveLength(1)
    kept.close()
    await fake.until(() => fake.connections() === 0)
  })
})
