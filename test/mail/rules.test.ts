import { describe, expect, it } from 'vitest'
import { newBuffer, type Ready } from '../../src/mail/delivery/buffer.ts'
import { newChoice } from '../../src/mail/delivery/choice.ts'
import { nextAttempt, outcomeOf } from '../../src/mail/delivery/outcome.ts'
import { newRate } from '../../src/mail/delivery/rates.ts'

describe('the meaning of a failed attempt', () => {
  it.each([
    [421, 'CONN', 'session', '', 'unreachable'],
    [421, 'MAIL FROM', 'session', '', 'unreachable'],
    [450, 'MAIL FROM', 'session', '', 'unreachable'],
    [554, 'CONN', 'session', 'go away', 'unreachable'],
    [502, 'STARTTLS', 'session', '', 'unreachable'],
    [553, 'MAIL FROM', 'session', '', 'bad sender'],
    [421, 'RCPT TO', 'recipient', '', 'deferred'],
    [451, 'RCPT TO', 'recipient', '', 'deferred'],
    [452, 'DATA', 'recipient', '', 'deferred'],
    [550, 'RCPT TO', 'recipient', '5.1.1 no such user', 'bad address'],
    [550, 'RCPT TO', 'recipient', 'no such user', 'bad address'],
    [550, 'RCPT TO', 'recipient', '5.7.1 relaying denied', 'bad message'],
    [554, 'DATA', 'recipient', '5.7.1 spam', 'bad message'],
    [552, 'DATA', 'content', 'too large', 'bad message'],
    [421, 'DATA', 'content', '', 'deferred'],
    [452, 'DATA', 'answer', '', 'deferred'],
    [554, 'DATA', 'answer', '5.7.1 spam', 'bad message'],
    [354, 'DATA', 'answer', 'go on', 'ambiguous'],
  ] as const)('%i to %s in phase %s (%s) is %s', (responseCode, command, phase, text, verdict) => {
    const error = { message: 'refused', responseCode, command, response: `${responseCode} ${text}` }
    expect(outcomeOf(error, phase)).toEqual({ verdict, answer: error.response })
  })

  it.each([
    ['session', 'unreachable'],
    ['recipient', 'stalled'],
    ['content', 'cut'],
    ['answer', 'ambiguous'],
  ] as const)('a connection lost in phase %s is %s', (phase, verdict) => {
    const error = { message: 'Connection closed unexpectedly', code: 'ECONNECTION', command: 'CONN' }
    expect(outcomeOf(error, phase)).toEqual({ verdict, answer: error.message })
  })

  it('a refused login stops what is sent; a login that is not possible now is a failure of the server', () => {
    expect(outcomeOf({ message: 'x', code: 'EAUTH', responseCode: 535 }, 'session').verdict).toBe('bad login')
    expect(outcomeOf({ message: 'x', code: 'EAUTH', responseCode: 454 }, 'session').verdict).toBe('unreachable')
  })
})

describe('the choice of what goes next', () => {
  const message = (id: number, to: string, accountId = 1) => ({ accountId, id: BigInt(id), to }) as Ready
  const choiceOf = (size: number, messages: readonly Ready[]) => {
    const clock = { now: 1_000_000 }
    const buffer = newBuffer()
    buffer.add(messages)
    return { clock, buffer, choice: newChoice({ buffer, rates: {}, workers: () => 1, size, now: () => clock.now }) }
  }
  const to = (messages: readonly Ready[]) => messages.map((each) => each.to)

  it('leaves one connection to other accounts that have something to send', () => {
    const all = Array.from({ length: 9 }, (_, n) => message(n, 'a@slow.example'))
    const { choice, buffer } = choiceOf(5, all)
    expect(choice.take(5, [])).toHaveLength(5)
    buffer.add(all)
    buffer.add([message(20, 'b@well.example', 2)])
    expect(to(choice.take(2, all.slice(0, 4)))).toEqual(['b@well.example'])
    expect(to(choice.take(1, all.slice(0, 4)))).toEqual(['a@slow.example'])
  })

  it('gives a domain one connection after a recipient was not answered for, after a pause that grows', () => {
    const all = Array.from({ length: 30 }, (_, n) => message(n, `a${n}@slow.example`))
    const { choice, clock, buffer } = choiceOf(5, [...all, message(40, 'b@well.example')])
    const sent = choice.take(5, [])
    for (const each of sent) choice.learn(each, 'stalled', clock.now - 1)
    expect(choice.waiting()).toBe(1)
    const surplus = choice.surplus()
    expect([surplus.length, to(choice.take(9, [])), buffer.size]).toEqual([25, ['b@well.example'], 0])
    for (const { wait } of surplus) expect(wait).toBeGreaterThanOrEqual(1_000)

    buffer.add(all)
    clock.now += 1_000
    expect(choice.surplus()).toHaveLength(25)
    const [probe] = choice.take(9, []) as [Ready]
    expect(choice.take(9, [probe])).toEqual([])
    choice.learn(probe, 'stalled', clock.now)
    clock.now += 1_999
    expect(choice.take(9, [])).toEqual([])
    buffer.add(all)
    clock.now += 1
    expect(choice.take(9, [])).toHaveLength(1)
  })

  it('gives a domain one connection more with each answer, and all of them after a minute without trouble', () => {
    const all = Array.from({ length: 60 }, (_, n) => message(n, `a${n}@slow.example`))
    const { choice, clock } = choiceOf(5, all)
    const [first] = choice.take(1, []) as [Ready]
    choice.learn(first, 'stalled', clock.now)
    clock.now += 1_000
    for (const most of [1, 2, 3, 4, 4]) {
      const sent = choice.take(9, [])
      expect(sent).toHaveLength(most)
      choice.learn(sent[0] as Ready, 'accepted', clock.now)
    }
    clock.now += 61_000
    expect(choice.take(9, [])).toHaveLength(9)
  })

  it('leaves one connection free of all domains in trouble together', () => {
    const domains = Array.from({ length: 6 }, (_, n) => message(n, `a@d${n}.example`))
    const { choice, clock } = choiceOf(3, domains)
    for (const each of domains) choice.learn(each, 'stalled', clock.now)
    clock.now += 1_000
    expect(choice.take(9, [])).toHaveLength(2)
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
