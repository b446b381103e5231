// @module-tag rows
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { backOff } from '../../src/client/back-off.ts'
import { connectionLost } from '../../src/client/errors.ts'
import { newConnection } from '../../src/client/transports/connection.ts'
import { readFrames } from '../../src/client/transports/sse.ts'

const lost = { code: 'CONNECTION_LOST', retryAfterMs: undefined }

describe('the wait between attempts', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('grows to 30 seconds, of which half is random', () => {
    const waits = (random: number) => {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      return [1, 2, 3, 6, 7, 1000].map((attempt) => backOff(lost, attempt))
    }
    expect(waits(0)).toEqual([250, 500, 1_000, 8_000, 15_000, 15_000])
    expect(waits(1)).toEqual([500, 1_000, 2_000, 16_000, 30_000, 30_000])
  })

  it('is at least retryAfterMs, and 0 for the first attempt after TOO_SLOW', () => {
    expect(backOff({ code: 'RATE_LIMITED', retryAfterMs: 42_000 }, 1)).toBe(42_000)
    expect(backOff({ code: 'TOO_SLOW', retryAfterMs: undefined }, 1)).toBe(0)
    expect(backOff({ code: 'TOO_SLOW', retryAfterMs: undefined }, 2)).toBeGreaterThan(0)
  })
})

describe('a connection', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is lost after 45 seconds without data', () => {
    vi.useFakeTimers()
    const listener = { accept: vi.fn(), result: vi.fn(), end: vi.fn() }
    const release = vi.fn()
    const connection = newConnection(listener, release)
    vi.advanceTimersByTime(44_000)
    connection.keepAlive()
    vi.advanceTimersByTime(44_000)
    expect(listener.end).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1_000)
    expect(listener.end.mock.calls).toMatchObject([
      [{ code: 'CONNECTION_LOST', message: 'No data was received for 45 seconds.' }],
    ])
    connection.result({})
    connection.keepAlive()
    vi.advanceTimersByTime(100_000)
    expect([release, listener.end, listener.result].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
  })

  it('reports nothing after it was closed by the client', () => {
    vi.useFakeTimers()
    const listener = { accept: vi.fn(), result: vi.fn(), end: vi.fn() }
    const connection = newConnection(listener, () => connection.end(connectionLost('closed')))
    connection.close()
    vi.advanceTimersByTime(100_000)
    expect(listener.end).not.toHaveBeenCalled()
  })
})

describe('server-sent events', () => {
  it('are parsed from chunks of any size with any line ending', async () => {
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
        const parsed = await Array.fromAsync(readFrames(body, () => (pieces += 1)))
        const expected = [...texts.map((data) => ({ event: 'next', data })), { event: 'complete', data: '' }]
        // A carriage return at the end of the stream may be the first half of a CRLF.
        expect(parsed).toEqual(end === '\r' ? expected.slice(0, parsed.length) : expected)
        expect(parsed.length).toBeGreaterThanOrEqual(texts.length)
        expect(pieces).toBe(Math.ceil(bytes.length / size))
      }),
    )
  })
})
