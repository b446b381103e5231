import { afterEach, describe, expect, it, vi } from 'vitest'
import { iterate, type SubscriptionError, subscribe } from '../../src/client/index.ts'
import { newFakeServer, optionsFor, type Position, query, read } from './fake-server.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('iterate', () => {
  it('reconnects at once after TOO_SLOW', async () => {
    const fake = await newFakeServer()
    const causes: string[] = []
    const { backOff: _backOff, ...options } = optionsFor(fake, { after: 'c0' })
    const events = iterate<Position>({
      ...options,
      onResume: ({ cause, waitMs }) => causes.push(`${cause.code} ${waitMs}`),
    })
    await fake.until(() => fake.lines.size === 1)
    for (const line of fake.lines) line.cut(4410)
    await fake.until(() => fake.subscribed.length === 2)
    fake.announce()
    expect(await read(events, 1)).toEqual([1])
    expect(causes).toEqual(['TOO_SLOW 0'])
    events.close()
  })

  it.each([
    'subscription { events { cursor } }',
    'subscription ($after: String) { events { cursor } }',
    'subscription ($from: String) { events(after: $from) { cursor } }',
  ])('throws NOT_RESUMABLE for a document without the cursor: %s', (query) => {
    expect(() => iterate({ url: 'http://127.0.0.1:1/graphql', key: 'k', query })).toThrow(/declare `\$after: String`/)
  })
})

describe('url', () => {
  const options = { key: 'k', query }

  it.each(['ws', 'sse'] as const)('accepts http and ws over %s', async (transport) => {
    const fake = await newFakeServer()
    for (const url of [fake.url, fake.url.replace('http', 'ws'), new URL(fake.url)]) {
      const events = iterate({ ...options, url, transport })
      expect(await events.started).toBe('c0')
      events.close()
    }
  })

  it.each(['ws', 'sse'] as const)('accepts a path only in a browser over %s', async (transport) => {
    expect(() => iterate({ ...options, url: '/graphql', transport })).toThrow(/Invalid URL/)
    const fake = await newFakeServer()
    vi.stubGlobal('location', { href: fake.url.replace('/graphql', '/app/') })
    const events = iterate({ ...options, url: '/graphql', transport })
    expect(await events.started).toBe('c0')
    events.close()
  })

  it('throws NO_WEBSOCKET if the runtime has no WebSocket', () => {
    vi.stubGlobal('WebSocket', undefined)
    expect(() => iterate({ ...options, url: 'http://127.0.0.1:1/graphql' })).toThrow(/pass one as `webSocket`/)
  })
})

describe('subscribe', () => {
  it('processes one event at a time and then advances the cursor', async () => {
    const fake = await newFakeServer()
    fake.announce(3)
    const steps: string[] = []
    let isLast: () => void = () => {}
    const last = new Promise<void>((resolve) => {
      isLast = resolve
    })
    const subscription = subscribe<Position>({
      ...optionsFor(fake, { after: 'c0' }),
      onEvent: async ({ event }) => {
        steps.push(`${event.position} begins after ${subscription.cursor()}`)
        await new Promise(setImmediate)
        steps.push(`${event.position} ends`)
        if (event.position === 3) isLast()
      },
    })
    await last
    subscription.close()
    await subscription.done
    expect(steps).toEqual(['1 begins after c0', '1 ends', '2 begins after c1', '2 ends', '3 begins after c2', '3 ends'])
    expect(subscription.cursor()).toBe('c3')
  })

  it('ends with the cursor before the event for which onEvent throws', async () => {
    const fake = await newFakeServer()
    fake.announce(3)
    const failure = new Error('The database is full.')
    const reported: unknown[] = []
    const options = optionsFor(fake, { after: 'c0' })
    const onEvent = ({ event }: { event: Position }) => {
      if (event.position === 2) throw failure
    }
    const first = subscribe<Position>({ ...options, onEvent, onError: (error) => reported.push(error) })
    await first.done
    expect([reported, first.cursor()]).toEqual([[failure], 'c1'])
    await expect(subscribe<Position>({ ...options, onEvent }).done).rejects.toBe(failure)
    await fake.until(() => fake.lines.size === 0)
  })

  it('reports a final error once', async () => {
    const fake = await newFakeServer()
    fake.rejections.push({ status: 401, code: 4401 })
    const reported: SubscriptionError[] = []
    const onError = (error: unknown) => reported.push(error as SubscriptionError)
    const subscription = subscribe({ ...optionsFor(fake), onEvent: () => undefined, onError })
    await subscription.done
    expect(reported).toMatchObject([{ code: 'UNAUTHORIZED' }])
    expect(subscription.cursor()).toBeUndefined()
  })
})
