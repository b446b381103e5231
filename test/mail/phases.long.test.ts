import { describe, expect, it, onTestFinished } from 'vitest'
import { smtpTransport } from '../../src/mail/delivery/transport/smtp-transport.ts'
import { encoded } from './encoded.ts'
import { newRelay, silent } from './relay.ts'

describe('a recipient without a reply', () => {
  it('gets more time with each attempt', async () => {
    const relay = await newRelay({ rcpt: () => silent })
    const transport = smtpTransport(relay.url, 3)
    onTestFinished(() => transport.close(true))
    const took = async (tries: number) => {
      const startedAt = performance.now()
      const { answer } = await transport.send(encoded('c@example.com'), tries)
      return { seconds: (performance.now() - startedAt) / 1_000, answer }
    }
    const [first, second] = await Promise.all([took(0), took(1)])
    expect([first.answer, second.answer]).toEqual([
      'no answer within 3 s (RCPT TO, DATA)',
      'no answer within 9 s (RCPT TO, DATA)',
    ])
    // Timers may run a little early.
    expect(first.seconds).toBeGreaterThan(2.9)
    expect(second.seconds).toBeGreaterThan(8.9)
    expect(first.seconds).toBeLessThan(second.seconds)
  })
})
