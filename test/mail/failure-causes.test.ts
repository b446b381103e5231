// Words of several languages. cspell:disable
import { describe, expect, it } from 'vitest'
import { outcomeOf } from '../../src/mail/delivery/transport/outcome.ts'
import { judge } from '../../src/mail/failures/failure-judgement.ts'
import { expectLinear } from '../support/growth.ts'

/** Replies to RCPT TO as servers write them, their cause, and what becomes of the message. */
const replies = [
  ['552 5.2.2 Mailbox full', 'MAILBOX_FULL', 'bad message'],
  ['552 5.2.2 <ada@example.org>: user is over quota', 'MAILBOX_FULL', 'bad message'],
  ['452 4.2.2 The email account that you tried to reach is over quota', 'MAILBOX_FULL', 'deferred'],
  ['552 Too many recipients', 'RATE', 'deferred'],
  ['550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents more', 'RATE', 'deferred'],
  ['421 4.7.28 Our system has detected an unusual rate of unsolicited mail', 'RATE', 'deferred'],
  ['450 4.2.0 <ada@example.org>: Recipient address rejected: Greylisted', 'RATE', 'deferred'],
  ['553 5.1.8 Domain of sender address does not exist', 'SENDER', 'bad message'],
  ['550 5.1.7 Invalid sender address', 'SENDER', 'bad message'],
  ["550 5.1.7 The sender's address was invalid", 'SENDER', 'bad message'],
  ['550 5.1.0 sender rejected', 'SENDER', 'bad message'],
  ['550 5.7.1 Sender verify failed', 'SENDER', 'bad message'],
  ['554 Service unavailable; Client host [192.0.2.1] blocked using zen.example', 'BLOCK_LIST', 'bad message'],
  ['550 5.7.1 Service unavailable, [192.0.2.1] is listed at bl.example', 'BLOCK_LIST', 'bad message'],
  ['550 5.7.1 Mail from your IP address has been banned', 'BLOCK_LIST', 'bad message'],
  ['550 SC-001 rejected because of the reputation of your network', 'BLOCK_LIST', 'bad message'],
  ['550 relay not permitted', 'POLICY', 'bad message'],
  ['550 5.7.1 Relaying denied', 'POLICY', 'bad message'],
  ['552 5.3.4 Message size exceeds fixed limit', 'TOO_LARGE', 'bad message'],
  ['552 5.2.3 message too large for this recipient', 'TOO_LARGE', 'bad message'],
  ['554 5.3.0 Other mail system problem', 'NETWORK', 'bad message'],
  ['503 5.5.1 need MAIL command', 'UNKNOWN', 'bad message'],
  ['501 5.5.2 Syntax error', 'CONTENT', 'bad message'],
  ['550 5.7.26 unauthenticated email is not accepted from this domain', 'AUTHENTICATION', 'bad message'],
  ['550 5.7.23 The message was rejected because of Sender Policy Framework violation', 'AUTHENTICATION', 'bad message'],
  ['550 DMARC check failed', 'AUTHENTICATION', 'bad message'],
  ['550 5.7.1 rejected by our content filter', 'POLICY', 'bad message'],
  ['554 5.6.0 message scored as spam', 'CONTENT', 'bad message'],
  ['451 4.7.1 try again later', 'POLICY', 'deferred'],
  ['450 4.1.1 <ada@example.org>: unverified address', 'ADDRESS_UNKNOWN', 'deferred'],
  ['550 5.1.1 User unknown; see log at [5.7.1.22]', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.1.1 User unknown', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 No such user', 'ADDRESS_UNKNOWN', 'bad address'],
  [
    '550-5.1.1 The email account that you tried to reach does not exist. Please try\n550 5.1.1 double-checking',
    'ADDRESS_UNKNOWN',
    'bad address',
  ],
  ['550 5.5.0 Requested action not taken: mailbox unavailable', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.4.1 [ada@example.org]: Recipient address rejected: Access denied', 'ADDRESS_UNKNOWN', 'bad address'],
  ['554 delivery error: dd This user does not have an account', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.7.1 <ada@example.org>: Recipient address rejected: user not found', 'ADDRESS_UNKNOWN', 'bad address'],
  ['551 5.1.6 User has moved; please try <ada@other.example>', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.2.1 Account disabled', 'MAILBOX_DISABLED', 'bad address'],
  ['550 5.2.1 The email account that you tried to reach is inactive', 'MAILBOX_DISABLED', 'bad address'],
  ['550 5.1.2 Host unknown', 'DOMAIN_UNKNOWN', 'bad address'],
  ['556 5.1.10 Domain does not accept mail', 'DOMAIN_UNKNOWN', 'bad address'],
  // The enhanced code decides before words which only say that something was refused.
  ['550 5.6.0 <ada@example.org>: Recipient address rejected: Media error', 'CONTENT', 'bad message'],
  ['550 5.3.0 <ada@example.org>: Recipient address rejected: Local configuration error', 'NETWORK', 'bad message'],
  ['550 5.7.1 <ada@example.org>: Recipient address rejected: Message refused', 'POLICY', 'bad message'],
  ['554 5.6.1 user rejected: media not supported', 'CONTENT', 'bad message'],
  ['550 5.1.1 rejected by host smtpd.block.example.com: User unknown', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 at IP 192.0.2.4 refused <ada@example.org>: [550 5.1.1 User unknown]', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.1.1 The server refused the recipient, user unknown', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.1.1 Message refused by the antispam gateway: no such recipient', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 5.1.1 Too many unknown users from your address', 'RATE', 'deferred'],
  ['550 5.1.1 <shop@shop.example>: Sender address rejected: User unknown', 'SENDER', 'bad message'],
  ['550 Address rejected', 'ADDRESS_UNKNOWN', 'bad address'],
  // A name server that does not answer, or a dialogue that failed.
  ['554 5.4.4 DNS lookup failed: SERVFAIL', 'NETWORK', 'bad message'],
  ['554 5.1.1 <ada@example.org>... Remote protocol error', 'NETWORK', 'bad message'],
  // Other words and other languages.
  ['550 sorry, your envelope recipient is in my badrcptto list', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 You have been blocked by the recipient', 'POLICY', 'bad message'],
  ['550 Utente sconosciuto', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 ユーザー ada が見つかりません', 'ADDRESS_UNKNOWN', 'bad address'],
  ['550 メールボックスの容量がいっぱいです', 'MAILBOX_FULL', 'bad message'],
] as const

describe('the reply to RCPT TO', () => {
  it.each(replies)('%s has the cause %s and makes the message a %s', (response, cause, verdict) => {
    const error = { message: 'refused', command: 'RCPT TO', response, responseCode: Number(response.slice(0, 3)) }
    expect(outcomeOf(error, 'recipient')).toEqual({ verdict, cause, answer: response })
  })
})

describe('a failure', () => {
  it('is judged by the more precise of status, reply and words', () => {
    const judged = (status: string, text: string) => judge({ status, text })
    expect(judged('5.0.0', '550 5.7.1 refused')).toEqual({ cause: 'POLICY', isHard: false })
    expect(judged('5.1.1', '552 over quota (#5.1.1)')).toEqual({ cause: 'MAILBOX_FULL', isHard: false })
    expect(judged('5.7.1', '550 user unknown')).toEqual({ cause: 'ADDRESS_UNKNOWN', isHard: true })
    expect(judged('5.1.1', '')).toEqual({ cause: 'ADDRESS_UNKNOWN', isHard: true })
    expect(judged('5.0.0', '')).toEqual({ cause: 'UNKNOWN', isHard: false })
    expect(judged('4.4.7', 'delivery time expired')).toEqual({ cause: 'NETWORK', isHard: false })
  })

  it.each(['5.0.0', '5.4.3', '5.4.4', ''])(
    'of a name server with the code %s is not the fault of the address',
    (status) => {
      const failed = (text: string) => judge({ status, text: `Host or domain name not found. ${text}`, isFinal: true })
      const trouble = 'Name service error for name=x.example type=MX'
      for (const reason of [
        'Malformed or unexpected name server reply',
        'unexpected name server reply',
        'server failure',
      ])
        expect(failed(`${trouble}: ${reason}`)).toEqual({ cause: 'NETWORK', isHard: false })
      expect(failed(`${trouble}: Host not found`)).toEqual({ cause: 'DOMAIN_UNKNOWN', isHard: true })
    },
  )

  it('does not read addresses, hosts and links as words of the reply', () => {
    const text = '550 5.2.2 <no-such-user@spam.example>: see https://help.example/user-unknown at spam-filter.example'
    expect(judge({ text }).cause).toBe('MAILBOX_FULL')
  })

  it.each([
    ...[
      'user ',
      'mailbox a ',
      'sender address of ',
      '550 5.1.1-',
      'host the ',
      'a.',
      'a.b-c_',
      '[',
      '4.4.',
      'a@b.c ',
      '<',
    ],
  ])('is judged in time that is proportional to its length: %j', async (part) => {
    const prepare = (size: number) => {
      const text = part.repeat(size)
      return () => judge({ text })
    }
    await expectLinear(prepare, { from: 25_000 })
  })
})
