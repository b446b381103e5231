import { describe, expect, it } from 'vitest'
import { newBuffer, type Ready } from '../../src/mail/buffer.ts'
import { nextAttempt, outcomeOf } from '../../src/mail/outcome.ts'
import { newRate } from '../../src/mail/rates.ts'

describe('what a failed attempt means', () => {
  const answered = (responseCode: number, command: string, text = '') =>
    outcomeOf({ message: 'refused', responseCode, command, response: `${responseCode} ${text}` }, 'nothing').verdict
  it.each([
    [421, 'DATA', '', 'deferred'],
    [451, 'RCPT TO', '', 'deferred'],
    [450, 'MAIL FROM', '', 'deferred'],
    [452, 'DATA', '', 'deferred'],
    [450, 'CONN', '', 'unreachable'],
    [550, 'RCPT TO', '5.1.1 no such user', 'bad address'],
    [550, 'RCPT TO', 'no such user', 'bad address'],
    [550, 'RCPT TO', '5.7.1 relaying denied', 'bad message'],
    [554, 'DATA', '5.7.1 spam', 'bad message'],
    [553, 'MAIL FROM', '', 'bad sender'],
    [554, 'CONN', 'go away', 'unreachable'],
  ])('of %i to %s (%s): %s', (code, command, text, verdict) => {
    expect(answered(code, command, text)).toBe(verdict)
  })

  it.each([
    ['nothing', 'unreachable'],
    ['a part', 'deferred'],
    ['all', 'ambiguous'],
  ] as const)('where the connection was lost with %s of the message: %s', (given, verdict) => {
    const error = { message: 'Connection closed unexpectedly', code: 'ECONNECTION', command: 'CONN' }
    expect(outcomeOf(error, given)).toEqual({ verdict, answer: error.message })
  })

  it('where the login is refused: nothing goes out; where it is only not possible now, the server is ill', () => {
    expect(outcomeOf({ message: 'x', code: 'EAUTH', responseCode: 535 }, 'nothing').verdict).toBe('bad sender')
    expect(outcomeOf({ message: 'x', code: 'EAUTH', responseCode: 454 }, 'nothing').verdict).toBe('unreachable')
  })
})

describe('the next attempt', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  it('comes later each time, and after eight none comes', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => (Number(nextAttempt(n, now, 0.5)) - Number(now)) / 60_000)
    expect(minutes).toEqual([1, 5, 15, 30, 60, 120, 240, 480])
    expect(nextAttempt(9, now)).toBeNull()
  })

  it('is spread by a fifth to either side', () => {
    expect(Number(nextAttempt(1, now, 0)) - Number(now)).toBe(48_000)
    expect(Number(nextAttempt(1, now, 1)) - Number(now)).toBe(72_000)
  })
})

describe('a rate', () => {
  it("lets a second's worth go at once, then one after the other, each key for itself", () => {
    let time = 1_000_000
    const rate = newRate(4, undefined, () => time)
    for (let n = 0; n < 4; n += 1) {
      expect(rate.wait('a')).toBe(0)
      rate.take('a')
    }
    expect(rate.wait('a')).toBe(250)
    expect(rate.wait('b')).toBe(0)
    time += 250
    expect(rate.wait('a')).toBe(0)
  })

  it('of less than one a second lets one go at a time', () => {
    let time = 1_000_000
    const rate = newRate(0.5, undefined, () => time)
    expect(rate.wait('a')).toBe(0)
    rate.take('a')
    expect(rate.wait('a')).toBe(2_000)
    time += 2_000
    expect(rate.wait('a')).toBe(0)
  })

  it('is shared by as many as there are', () => {
    const time = 1_000_000
    let processes = 1
    const rate = newRate(
      4,
      () => processes,
      () => time,
    )
    rate.take('a')
    processes = 2
    expect(rate.wait('a')).toBe(0)
    rate.take('a')
    expect(rate.wait('a')).toBe(250)
    rate.take('b')
    rate.take('b')
    expect(rate.wait('b')).toBe(500)
  })

  it('that is not given is none', () => {
    const rate = newRate(undefined)
    for (let n = 0; n < 100; n += 1) rate.take('a')
    expect(rate.wait('a')).toBe(0)
  })
})

describe('what waits in a process', () => {
  const message = (accountId: number, id: number) => ({ accountId, id: BigInt(id) }) as Ready
  const ids = (messages: readonly Ready[]) => messages.map(({ id }) => Number(id))

  it('goes account by account in turn, each in its order', () => {
    const buffer = newBuffer()
    buffer.add([1, 2, 3, 4].map((id) => message(1, id)))
    buffer.add([11, 12].map((id) => message(2, id)))
    expect(ids(buffer.take(3, () => true))).toEqual([1, 11, 2])
    expect(ids(buffer.take(9, () => true))).toEqual([12, 3, 4])
    expect(buffer.size).toBe(0)
  })

  it('stays where it may not go, and keeps nobody else', () => {
    const buffer = newBuffer()
    buffer.add([1, 2].map((id) => message(1, id)))
    buffer.add([11].map((id) => message(2, id)))
    expect(ids(buffer.take(9, ({ accountId, id }) => accountId === 2 || id === 2n))).toEqual([2, 11])
    expect([buffer.size, buffer.of(1), buffer.of(2)]).toEqual([1, 1, 0])
    expect(ids(buffer.drop(() => true))).toEqual([1])
    expect(buffer.size).toBe(0)
  })
})
