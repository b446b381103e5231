import { describe, expect, it, onTestFinished } from 'vitest'
import { smtpTransport } from '../../src/mail/delivery/transport/smtp-transport.ts'
import { encoded } from './encoded.ts'
import { type Act, deaf, drop, type Manners, newRelay, silent, trickle } from './relay.ts'
import { newSink } from './sink.ts'

/** Milliseconds that an answer may take: if the test waits for the end of this time, and if all answers come. */
const [soonMs, lateMs] = [1_500, 30_000]

/** A transport to a relay of these manners; each answer may take `mostMs`. */
async function against(manners: Manners, size = 1, mostMs = soonMs) {
  const relay = await newRelay(manners)
  const transport = smtpTransport(`${relay.url}?socketTimeout=${mostMs}&greetingTimeout=${mostMs}`, size)
  onTestFinished(() => transport.close(true))
  return { relay, send: (to = 'c@example.com', bytes?: number) => transport.send(encoded(to, bytes), 0) }
}

describe('an SMTP session that ends', () => {
  const broken = `250-${'x'.repeat(2_000_000)}`
  it.each<[string, Manners, string]>([
    ['without a greeting', { greeting: () => silent }, 'unreachable'],
    ['instead of a greeting', { greeting: () => drop }, 'unreachable'],
    ['with a greeting of 421', { greeting: () => '421 4.3.2 busy' }, 'unreachable'],
    ['with a greeting of 554', { greeting: () => '554 go away' }, 'unreachable'],
    ['with a greeting that is no SMTP', { greeting: () => 'HTTP/1.1 400 Bad Request' }, 'unreachable'],
    ['without an answer to EHLO', { ehlo: () => silent }, 'unreachable'],
    ['instead of an answer to EHLO', { ehlo: () => drop }, 'unreachable'],
    ['with an answer to EHLO that is too long', { ehlo: () => broken }, 'unreachable'],
    ['without an answer to STARTTLS', { starttls: () => silent }, 'unreachable'],
    ['with STARTTLS refused', { starttls: () => '454 4.7.0 not now' }, 'unreachable'],
    ['instead of a TLS handshake', { starttls: () => '220 go on\r\nno handshake' }, 'unreachable'],
    ['without an answer to MAIL FROM', { mail: () => silent }, 'unreachable'],
    ['instead of an answer to MAIL FROM', { mail: () => drop }, 'unreachable'],
    ['with 421 to MAIL FROM', { mail: () => '421 4.7.0 too much' }, 'unreachable'],
    ['with 451 to MAIL FROM', { mail: () => '451 4.3.0 later' }, 'unreachable'],
    ['with 553 to MAIL FROM', { mail: () => '553 5.7.1 not you' }, 'bad sender'],
    ['without an answer to RCPT TO', { rcpt: () => silent }, 'stalled'],
    ['instead of an answer to RCPT TO', { rcpt: () => drop }, 'stalled'],
    ['with an answer to RCPT TO that is no SMTP', { rcpt: () => 'what?' }, 'stalled'],
    ['with an answer to RCPT TO that is too long', { rcpt: () => broken }, 'stalled'],
    ['with 421 to RCPT TO', { rcpt: () => '421 4.3.2 closing' }, 'deferred'],
    ['with 450 to RCPT TO', { rcpt: () => '450 4.2.0 greylisted' }, 'deferred'],
    ['with 550 to RCPT TO', { rcpt: () => '550 5.1.1 no such user' }, 'bad address'],
    ['without an answer to DATA', { data: () => silent }, 'stalled'],
    ['instead of an answer to DATA', { data: () => drop }, 'stalled'],
    ['with 451 to DATA', { data: () => '451 4.3.0 later' }, 'deferred'],
    ['within the content', { content: () => drop }, 'cut'],
    ['with an answer before the final dot', { content: () => '250 accepted' }, 'cut'],
    ['with a refusal before the final dot', { content: () => '552 5.3.4 too large' }, 'bad message'],
    ['without an answer to the message', { end: () => silent }, 'ambiguous'],
    ['instead of an answer to the message', { end: () => drop }, 'ambiguous'],
    ['with an answer to the message that is too long', { end: () => broken }, 'ambiguous'],
    ['with 452 to the message', { end: () => '452 4.2.2 full' }, 'deferred'],
    ['with 554 to the message', { end: () => '554 5.6.0 spam' }, 'bad message'],
  ])('%s has the verdict of its phase', async (_, manners, verdict) => {
    const { send } = await against(manners)
    expect(await send()).toMatchObject({ verdict })
  })

  it('is followed by another over a new connection', async () => {
    const manners: Manners = {}
    const { relay, send } = await against(manners)
    expect(await send()).toMatchObject({ verdict: 'accepted' })
    for (const step of ['rcpt', 'content', 'end'] as const) {
      for (const act of [drop, silent, '451 later', '250 ok'] satisfies Act[]) {
        manners[step] = () => act
        await send()
        delete manners[step]
        const to = `${step}${String(act)}@example.com`
        expect(await send(to)).toMatchObject({ verdict: 'accepted' })
        expect(relay.taken.at(-1)).toBe(to)
      }
    }
    expect(relay.most()).toBeLessThanOrEqual(2)
  })

  it('between two messages affects neither of them', async () => {
    const { relay, send } = await against({}, 1, lateMs)
    let n = 0
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await send()).toMatchObject({ verdict: 'accepted' })
      relay.endAll(turn === 0 ? undefined : '421 4.4.2 idle for too long')
      n += 1
    }
    expect(relay.taken).toHaveLength(n)
  })

  it('with 421 to the next MAIL FROM is repeated over another connection', async () => {
    let isTired = false
    const mail = () => {
      isTired = !isTired
      return isTired ? undefined : '421 4.7.0 too many messages over this connection'
    }
    const { relay, send } = await against({ mail }, 1, lateMs)
    for (const to of ['a@example.com', 'b@example.com']) expect(await send(to)).toMatchObject({ verdict: 'accepted' })
    expect(relay.taken).toEqual(['a@example.com', 'b@example.com'])
  })

  it.each<[string, keyof Manners, string]>([
    ['the greeting', 'greeting', 'unreachable'],
    ['RCPT TO', 'rcpt', 'stalled'],
    ['the message', 'end', 'ambiguous'],
  ])('in time although the answer to %s comes byte by byte', async (_, step, verdict) => {
    // The answer has no end, so a limit for each byte would never be reached.
    const { send } = await against({ [step]: () => trickle })
    expect(await send()).toMatchObject({ verdict })
  })

  it('within content that is read too slowly is not ambiguous', async () => {
    const { send } = await against({ content: () => deaf })
    expect(await send('c@example.com', 20_000_000)).toMatchObject({ verdict: 'cut' })
  })
})

describe('an SMTP session with a server that supports pipelining', () => {
  const ehlo = () => '250-here\r\n250-PIPELINING\r\n250 8BITMIME'

  it('sends the commands of a message at once', async () => {
    // The relay does not reply to MAIL FROM until it has read DATA.
    const relay = await newRelay({ ehlo, mail: () => silent, rcpt: () => '250 ok\r\n250 ok' })
    const transport = smtpTransport(relay.url, 1)
    onTestFinished(() => transport.close(true))
    expect(await transport.send(encoded('c@example.com'), 0)).toMatchObject({ verdict: 'accepted' })
  })

  it.each<[string, Manners, string]>([
    ['without an answer to MAIL FROM', { mail: () => silent, rcpt: () => silent, data: () => silent }, 'unreachable'],
    [
      'with 451 to MAIL FROM',
      { mail: () => '451 4.3.0 later', rcpt: () => '503 x', data: () => '503 x' },
      'unreachable',
    ],
    ['with 553 to MAIL FROM', { mail: () => '553 5.7.1 no', rcpt: () => '503 x', data: () => '503 x' }, 'bad sender'],
    ['with 450 to RCPT TO', { rcpt: () => '450 4.2.0 greylisted', data: () => '554 none' }, 'deferred'],
    ['with 550 to RCPT TO', { rcpt: () => '550 5.1.1 no such user', data: () => '554 none' }, 'bad address'],
    ['with 550 to RCPT TO and DATA accepted', { rcpt: () => '550 5.1.1 no such user' }, 'bad address'],
    ['with 421 to RCPT TO', { rcpt: () => '421 4.3.2 closing', data: () => drop }, 'deferred'],
    ['with 550 to RCPT TO and the connection closed', { rcpt: () => '550 5.1.1 no', data: () => drop }, 'bad address'],
    ['with 451 to DATA', { data: () => '451 4.3.0 later' }, 'deferred'],
  ])('that ends %s has the verdict of its phase, and the next one is sent', async (_, manners, verdict) => {
    const changing: Manners = { ehlo, ...manners }
    const { relay, send } = await against(changing, 1, manners.mail?.('') === silent ? soonMs : lateMs)
    expect(await send('bad@example.com')).toMatchObject({ verdict })
    for (const step of ['mail', 'rcpt', 'data'] as const) delete changing[step]
    expect(await send('good@example.com')).toMatchObject({ verdict: 'accepted' })
    expect(relay.taken).toEqual(['good@example.com'])
  })
})

describe('a message', () => {
  it('arrives unchanged although lines begin with dots', async () => {
    const sink = await newSink()
    const transport = smtpTransport(sink.url, 1)
    onTestFinished(() => transport.close(true))
    const raw = '.\r\n..\r\nx.\r\n.x\r\n\r\n.'
    for (let turn = 0; turn < 2; turn += 1)
      await transport.send({ ...encoded('c@example.com'), raw: Buffer.from(raw) }, 0)
    expect(sink.taken.map((message) => message.raw)).toEqual([`${raw}\r\n`, `${raw}\r\n`])
  })

  it.each([
    ['sender', { from: 'ada@example.com>\r\nRCPT TO:<eve@example.com' }, 'bad sender'],
    ['recipient', { to: ['c@example.com>\r\nRCPT TO:<eve@example.com'] }, 'bad address'],
    ['recipient that is empty', { to: [] }, 'bad address'],
  ])('with a %s that would change the dialogue is not sent', async (_, envelope, verdict) => {
    const relay = await newRelay()
    const transport = smtpTransport(relay.url, 1)
    onTestFinished(() => transport.close(true))
    expect(await transport.send({ ...encoded('c@example.com'), ...envelope }, 0)).toMatchObject({ verdict })
    expect(relay.asked).toEqual([])
  })
})
