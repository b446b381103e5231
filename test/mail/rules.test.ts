import { describe, expect, it } from 'vitest'
import { newResultGathering } from '../../src/mail/delivery/attempts/result-gathering.ts'
import { newAccountTurns } from '../../src/mail/delivery/selection/account-turns.ts'
import { newMessageBuffer, type ReadyMessage } from '../../src/mail/delivery/selection/message-buffer.ts'
import { newRateLimit } from '../../src/mail/delivery/selection/rate-limit.ts'
import { newSelector } from '../../src/mail/delivery/selection/selector.ts'
import { nextAttemptAt, outcomeOf } from '../../src/mail/delivery/transport/outcome.ts'

const encoded = { messageId: '', from: '', to: [], raw: Buffer.alloc(0) }

describe('outcomeOf', () => {
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
    expect(outcomeOf(error, phase)).toMatchObject({ verdict, answer: error.response })
  })

  it.each([
    ['session', 'unreachable'],
    ['recipient', 'stalled'],
    ['content', 'cut'],
    ['answer', 'ambiguous'],
  ] as const)('a connection lost in phase %s is %s', (phase, verdict) => {
    const error = { message: 'Connection closed unexpectedly', code: 'ECONNECTION', command: 'CONN' }
    expect(outcomeOf(error, phase)).toMatchObject({ verdict, answer: error.message })
  })

  it('returns bad login for a permanent refusal, and unreachable for a temporary one', () => {
    expect(outcomeOf({ message: 'x', code: 'EAUTH', responseCode: 535 }, 'session').verdict).toBe('bad login')
    expect(outcomeOf({ message: 'x', code: 'EAUTH', responseCode: 454 }, 'session').verdict).toBe('unreachable')
  })
})

describe('the selector', () => {
  const message = (id: number, to: string, accountId = 1) =>
    ({ accountId, id: BigInt(id), to, encoded }) as unknown as ReadyMessage
  const choiceOf = (size: number, messages: readonly ReadyMessage[]) => {
    const clock = { now: 1_000_000 }
    const buffer = newMessageBuffer(newAccountTurns())
    buffer.add(messages)
    return { clock, buffer, choice: newSelector({ buffer, rates: {}, workers: () => 1, size, now: () => clock.now }) }
  }
  const to = (messages: readonly ReadyMessage[]) => messages.map((each) => each.to)

  it('slows only the messages of an account to a domain that blames the sender', () => {
    const all = Array.from({ length: 4 }, (_, n) => message(n, 'a@strict.example'))
    const { choice, buffer, clock } = choiceOf(9, all)
    const [first] = choice.select(1, [])
    choice.recordVerdict(first as ReadyMessage, 'bad message', clock.now, 'BLOCK_LIST')
    buffer.add([message(20, 'b@strict.example', 2), message(21, 'a@well.example')])
    expect(to(choice.select(9, [])).toSorted()).toEqual(['a@well.example', 'b@strict.example'])
    clock.now += 1_100
    expect(to(choice.select(9, []))).toEqual(['a@strict.example'])
  })

  it('leaves one connection to other accounts with messages', () => {
    const all = Array.from({ length: 9 }, (_, n) => message(n, 'a@slow.example'))
    const { choice, buffer } = choiceOf(5, all)
    expect(choice.select(5, [])).toHaveLength(5)
    buffer.add(all)
    buffer.add([message(20, 'b@well.example', 2)])
    expect(to(choice.select(2, all.slice(0, 4)))).toEqual(['b@well.example'])
    expect(to(choice.select(1, all.slice(0, 4)))).toEqual(['a@slow.example'])
  })

  it('prefers an account that begins to send to those that send for long, and then lets them take turns', () => {
    const all = (accountId: number) => Array.from({ length: 600 }, (_, n) => message(n, 'a@well.example', accountId))
    const { choice, buffer } = choiceOf(1_000, [...all(1), ...all(2)])
    const accountsOf = (max: number) =>
      Object.entries(Object.groupBy(choice.select(max, []), ({ accountId }) => accountId)).map(
        ([accountId, messages = []]) => [Number(accountId), messages.length],
      )
    expect(accountsOf(600)).toEqual([
      [1, 300],
      [2, 300],
    ])
    buffer.add(all(3))
    expect(accountsOf(200)).toEqual([[3, 200]])
    expect(accountsOf(301)).toEqual([
      [1, 100],
      [2, 100],
      [3, 101],
    ])
  })

  it('limits a domain to one connection after a growing pause if a recipient got no reply', () => {
    const all = Array.from({ length: 30 }, (_, n) => message(n, `a${n}@slow.example`))
    const { choice, clock, buffer } = choiceOf(5, [...all, message(40, 'b@well.example')])
    const sent = choice.select(5, [])
    for (const each of sent) choice.recordVerdict(each, 'stalled', clock.now - 1)
    expect(choice.waitingCount()).toBe(1)
    const surplus = choice.removeSurplus()
    expect([surplus.length, to(choice.select(9, [])), buffer.size]).toEqual([25, ['b@well.example'], 0])
    for (const { delayMs: wait } of surplus) expect(wait).toBeGreaterThanOrEqual(1_000)

    buffer.add(all)
    clock.now += 1_000
    expect(choice.removeSurplus()).toHaveLength(25)
    const [probe] = choice.select(9, []) as [ReadyMessage]
    expect(choice.select(9, [probe])).toEqual([])
    choice.recordVerdict(probe, 'stalled', clock.now)
    clock.now += 1_999
    expect(choice.select(9, [])).toEqual([])
    buffer.add(all)
    clock.now += 1
    expect(choice.select(9, [])).toHaveLength(1)
  })

  it('allows a domain one more connection with each reply, and all of them after a minute', () => {
    const all = Array.from({ length: 60 }, (_, n) => message(n, `a${n}@slow.example`))
    const { choice, clock } = choiceOf(5, all)
    const [first] = choice.select(1, []) as [ReadyMessage]
    choice.recordVerdict(first, 'stalled', clock.now)
    clock.now += 1_000
    for (const most of [1, 2, 3, 4, 4]) {
      const sent = choice.select(9, [])
      expect(sent).toHaveLength(most)
      choice.recordVerdict(sent[0] as ReadyMessage, 'accepted', clock.now)
    }
    clock.now += 61_000
    expect(choice.select(9, [])).toHaveLength(9)
  })

  it('leaves one connection that domains in back-off cannot use', () => {
    const domains = Array.from({ length: 6 }, (_, n) => message(n, `a@d${n}.example`))
    const { choice, clock } = choiceOf(3, domains)
    for (const each of domains) choice.recordVerdict(each, 'stalled', clock.now)
    clock.now += 1_000
    expect(choice.select(9, [])).toHaveLength(2)
  })
})

describe('nextAttemptAt', () => {
  const now = new Date('2026-11-21T12:00:00Z')
  it('returns growing delays, and null after 8 retries', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => (Number(nextAttemptAt(n, now, 0.5)) - Number(now)) / 60_000)
    expect(minutes).toEqual([1, 5, 15, 30, 60, 120, 240, 480])
    expect(nextAttemptAt(9, now)).toBeNull()
  })

  it('spreads delays by 20 % to either side', () => {
    expect(Number(nextAttemptAt(1, now, 0)) - Number(now)).toBe(48_000)
    expect(Number(nextAttemptAt(1, now, 1)) - Number(now)).toBe(72_000)
  })
})

describe('a rate limit', () => {
  it('allows the messages of one second at once, then one after the other, for each key', () => {
    let time = 1_000_000
    const rate = newRateLimit(4, undefined, () => time)
    for (let n = 0; n < 4; n += 1) {
      expect(rate.delayMs('a')).toBe(0)
      rate.consume('a')
    }
    expect(rate.delayMs('a')).toBe(250)
    expect(rate.delayMs('b')).toBe(0)
    time += 250
    expect(rate.delayMs('a')).toBe(0)
  })

  it('below one per second allows one message at a time', () => {
    let time = 1_000_000
    const rate = newRateLimit(0.5, undefined, () => time)
    expect(rate.delayMs('a')).toBe(0)
    rate.consume('a')
    expect(rate.delayMs('a')).toBe(2_000)
    time += 2_000
    expect(rate.delayMs('a')).toBe(0)
  })

  it('is divided by the number of processes', () => {
    const time = 1_000_000
    let processes = 1
    const rate = newRateLimit(
      4,
      () => processes,
      () => time,
    )
    rate.consume('a')
    processes = 2
    expect(rate.delayMs('a')).toBe(0)
    rate.consume('a')
    expect(rate.delayMs('a')).toBe(250)
    rate.consume('b')
    rate.consume('b')
    expect(rate.delayMs('b')).toBe(500)
  })

  it('without a rate allows everything', () => {
    const rate = newRateLimit(undefined)
    for (let n = 0; n < 100; n += 1) rate.consume('a')
    expect(rate.delayMs('a')).toBe(0)
  })
})

describe('results of messages', () => {
  const gathering = () => {
    const results = newResultGathering()
    for (let n = 0; n < 100; n += 1) results.recordStatement(2)
    results.add(1_000)
    return results
  }

  it('wait as long as a statement takes for messages that were sent at about the same time', () => {
    const results = gathering()
    expect(results.waitMs([1_000.5])).toBeCloseTo(3)
    expect(results.waitMs([998, 5_000])).toBeCloseTo(3)
    for (let n = 0; n < 100; n += 1) results.recordStatement(5_000)
    expect(results.waitMs([1_000])).toBe(10)
  })

  it('wait for no message that was sent much earlier or later', () => {
    expect(gathering().waitMs([])).toBe(0)
    expect(gathering().waitMs([900, 996, 1_004, 2_000])).toBe(0)
  })

  it('count from the message that was sent first, and not after they were recorded', () => {
    const results = gathering()
    results.add(1_002)
    expect(results.waitMs([1_004])).toBe(0)
    results.clear()
    expect(results.waitMs([1_000, 1_002])).toBe(0)
  })
})

describe('the message buffer', () => {
  const message = (accountId: number, id: number) => ({ accountId, id: BigInt(id), encoded }) as unknown as ReadyMessage
  const ids = (messages: readonly ReadyMessage[]) => messages.map(({ id }) => Number(id))

  it('takes messages of accounts in turn, each in its order', () => {
    const buffer = newMessageBuffer(newAccountTurns())
    buffer.add([1, 2, 3, 4].map((id) => message(1, id)))
    buffer.add([11, 12].map((id) => message(2, id)))
    expect(ids(buffer.take(3, () => true))).toEqual([1, 11, 2])
    expect(ids(buffer.take(9, () => true))).toEqual([12, 3, 4])
    expect(buffer.size).toBe(0)
  })

  it('keeps messages that may not go, without delaying others', () => {
    const buffer = newMessageBuffer(newAccountTurns())
    buffer.add([1, 2].map((id) => message(1, id)))
    buffer.add([11].map((id) => message(2, id)))
    expect(ids(buffer.take(9, ({ accountId, id }) => accountId === 2 || id === 2n))).toEqual([2, 11])
    expect([buffer.size, buffer.countOf(1), buffer.countOf(2)]).toEqual([1, 1, 0])
    expect(ids(buffer.remove(() => true))).toEqual([1])
    expect(buffer.size).toBe(0)
  })
})
