import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { backOff } from '../../src/client/back-off.ts'
import { lifeOf } from '../../src/client/connection.ts'
import { lost } from '../../src/client/errors.ts'
import { frames } from '../../src/client/sse.ts'

const cut = { code: 'CONNECTION_LOST', retryAfterMs: undefined }

describe('the wait between attempts', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('grows to half a minute, and half of it is chance', () => {
    const waits = (chance: number) => {
      vi.spyOn(Math, 'random').mockReturnValue(chance)
      return [1, 2, 3, 6, 7, 1000].map((attempt) => backOff(cut, attempt))
    }
    expect(waits(0)).toEqual([250, 500, 1_000, 8_000, 15_000, 15_000])
    expect(waits(1)).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000])
  })

  it('is as long as the server asks for, and none where that asks to resume', () => {
    expect(backOff({ code: 'RATE_LIMITED', retryAfterMs: 42_000 }, 1)).toBe(42_000)
    expect(backOff({ code: 'TOO_SLOW', retryAfterMs: undefined }, 1)).toBe(0)
    expect(backOff({ code: 'TOO_SLOW', retryAfterMs: undefined }, 2)).toBeGreaterThan(0)
  })
})

describe('a connection', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is lost when nothing is heard of it for three quarters of a minute', () => {
    vi.useFakeTimers()
    const listener = { result: vi.fn(), end: vi.fn() }
    const release = vi.fn()
    const life = lifeOf(listener, release)
    vi.advanceTimersByTime(44_000)
    life.heard()
    vi.advanceTimersByTime(44_000)
    expect(listener.end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(listener.end.mock.calls).toMatchObject([[{ code: 'CONNECTION_LOST', message: 'The server fell silent.' }]])
    life.result({})
    life.heard()
    vi.advanceTimersByTime(100_000)
    expect([release, listener.end, listener.result].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
  })

  it('tells nothing any more after it was closed from here', () => {
    vi.useFakeTimers()
    const listener = { result: vi.fn(), end: vi.fn() }
    const life = lifeOf(listener, () => life.end(lost('closed')))
    life.close()
    vi.advanceTimersByTime(100_000)
    expect(listener.end).not.toHaveBeenCalled()
  })
})

describe('server-sent events', () => {
  it('are the same, wherever the network cuts them and however lines end', async () => {
    const texts = fc.array(
      fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text })),
      { maxLength: 5 },
    )
    const ends = fc.constantFrom('\n', '\r\n', '\r')
    await fc.assert(
      fc.asyncProperty(texts, ends, fc.integer({ min: 1, max: 7 }), async (texts, end, size) => {
        const lines = texts.flatMap((text, id) => [':', '', `id: ${id}`, 'event: next', `data: ${text}`, ''])
        const bytes = new TextEncoder().encode([...lines, 'event: complete', 'data', '', ''].join(end))
        const body = new ReadableStream<Uint8Array>({
          start: (controller) => {
            for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
            controller.close()
          },
        })
        let pieces = 0
        const found = await Array.fromAsync(frames(body, () => (pieces += 1)))
        const expected = [...texts.map((data) => ({ event: 'next', data })), { event: 'complete', data: '' }]
        // A carriage return that ends the stream may be half of a line's end.
        expect(found).toEqual(end === '\r' ? expected.slice(0, found.length) : expected)
        expect(found.length).toBeGreaterThanOrEqual(texts.length)
        expect(pieces).toBe(Math.ceil(bytes.length / size))
      }),
    )
  })
})
