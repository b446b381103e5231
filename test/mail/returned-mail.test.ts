import { beforeAll, describe, expect, it } from 'vitest'
import { eraseContact, waitForErasure } from '../contacts/erasure.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { aftermath, report, type Sent, sentMessage, untouched } from './reporting.ts'

const key = 'a-key-of-sixteen-characters'
const proof = { authorization: `Bearer ${key}`, 'content-type': 'message/rfc822' }

let server: Server
beforeAll(async () => {
  server = await newServer({ BOUNCES_DSN_KEY: key })
})
const newMessage = async (email?: string) =>
  sentMessage({ world: await newWorld({ server }), ...(email !== undefined && { email }) })
const post = (sent: Sent, body: string) => report(sent.world, 'dsn', body.replaceAll('\n', '\r\n'), proof)

const causeOf = async ({ world, contact }: Sent) => {
  const document = `query ($ref: ContactRefInput!) {
    contact(ref: $ref) { messages { nodes { failureCause failedAt } } timeline(first: 9) { nodes { type } } }
    suppressions { nodes { cause } } senderProblems { nodes { domain cause failures } } }`
  const found = await world.run(document, { ref: { id: contact.id } })
  return {
    cause: found.contact.messages.nodes[0].failureCause,
    suppressed: found.suppressions.nodes.map(({ cause }: { cause: string }) => cause),
    problems: found.senderProblems.nodes,
    timeline: found.contact.timeline.nodes.map(({ type }: { type: string }) => type),
  }
}

/** Messages of servers that do not send RFC 3464. */
const texts: Readonly<Record<string, (sent: Sent, reply: string) => string>> = {
  qmail: ({ contact, messageId }, reply) => `From: MAILER-DAEMON@mx.example.com
To: shop@example.org
Subject: failure notice

Hi. This is the qmail-send program at mx.example.com.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${contact.email}>:
192.0.2.7 does not like recipient.
Remote host said: ${reply}
Giving up on 192.0.2.7.

--- Below this line is a copy of the message.

Return-Path: <shop@example.org>
Message-ID: ${messageId}
Subject: Your account is disabled

Hello`,
  Exim: ({ contact, messageId }, reply) => `X-Failed-Recipients: ${contact.email}
Auto-Submitted: auto-replied
From: Mail Delivery System <Mailer-Daemon@mx.example.com>
To: shop@example.org
Subject: Mail delivery failed: returning message to sender

This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${contact.email}
    SMTP error from remote mail server after RCPT TO:<${contact.email}>:
    host mx.example.com [192.0.2.20]: ${reply}

------ This is a copy of the message, including all the headers. ------

Message-ID: ${messageId}
Subject: Hello`,
  Gmail: ({ contact, messageId }, reply) => `From: Mail Delivery Subsystem <mailer-daemon@googlemail.com>
To: shop@example.org
X-Failed-Recipients: ${contact.email}
Subject: Delivery Status Notification (Failure)
Content-Type: text/plain; charset=UTF-8

Delivery to the following recipient failed permanently:

     ${contact.email}

Technical details of permanent failure:
Google tried to deliver your message, but it was rejected by the server.

The error that the other server returned was:
${reply}

----- Original message -----

Message-ID: ${messageId}
Subject: Hello`,
  'a server that writes HTML': ({ contact, messageId }, reply) => `From: postmaster@mx.example.com
To: shop@example.org
Subject: Undeliverable: Hello
Content-Type: multipart/mixed; boundary=b1

--b1
Content-Type: text/html; charset=utf-8

<html><body><p>Your message to <b>${contact.email}</b> was not delivered.</p><p>${reply}</p></body></html>

--b1
Content-Type: message/rfc822

Message-ID: ${messageId}
To: ${contact.email}
Subject: Hello

--b1--`,
}

describe.each(Object.entries(texts))('a returned message of %s', (_name, write) => {
  it('about an unknown user is a hard bounce with its cause', async () => {
    const sent = await newMessage()
    expect(await post(sent, write(sent, '550 5.1.1 user unknown'))).toEqual({
      status: 200,
      body: { received: 1, known: 1 },
    })
    expect(await causeOf(sent)).toMatchObject({
      cause: 'ADDRESS_UNKNOWN',
      suppressed: ['ADDRESS_UNKNOWN'],
      problems: [],
    })
    expect((await causeOf(sent)).timeline).toContain('MESSAGE_FAILED')
  })

  it('about a block list is a problem of the sender, and the recipient stays', async () => {
    const sent = await newMessage()
    await post(sent, write(sent, '554 5.7.1 Service unavailable; client [192.0.2.1] blocked using bl.example'))
    expect(await aftermath(sent)).toEqual(untouched)
    const domain = sent.contact.email.split('@')[1]
    expect(await causeOf(sent)).toMatchObject({
      cause: 'BLOCK_LIST',
      suppressed: [],
      problems: [{ domain, cause: 'BLOCK_LIST', failures: 1 }],
    })
  })

  it('about a full mailbox is a soft bounce', async () => {
    const sent = await newMessage()
    await post(sent, write(sent, '552 5.2.2 mailbox full'))
    expect(await aftermath(sent)).toEqual(untouched)
    expect(await causeOf(sent)).toMatchObject({ cause: 'MAILBOX_FULL', problems: [] })
  })
})

const dsn = (fields: string, returned: string, type = 'delivery-status') => `From: MAILER-DAEMON@mx.example.com
To: shop@example.org
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary=b1

--b1
Content-Type: text/plain

Your message could not be delivered.

--b1
Content-Type: message/${type}

Reporting-MTA: dns; mx.example.com

${fields}

--b1
Content-Type: text/rfc822-headers

${returned}

--b1--`

describe('a report without a valid token', () => {
  it('counts as a soft bounce at most, because anyone can send it', async () => {
    const sent = await newMessage(`only-${Date.now()}@unsigned.example`)
    const { email } = sent.contact
    const fields = `Final-Recipient: rfc822; ${email}\nAction: failed\nStatus: 5.1.1`
    expect((await post(sent, dsn(fields, 'Subject: Hello'))).body).toEqual({ received: 1, known: 1 })
    const abuse = `From: a@b.example\nTo: c@d.example\nContent-Type: multipart/report; report-type=feedback-report; boundary=b1\n\n--b1\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\nOriginal-Rcpt-To: ${email}\n\n--b1--`
    expect((await post(sent, abuse)).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toEqual(untouched)
    expect(await causeOf(sent)).toMatchObject({ cause: 'UNKNOWN' })
  })
})

describe('a report', () => {
  it.each([
    [
      'of an internationalised address (RFC 6533)',
      'Final-Recipient: utf-8; ada@bücher.example',
      'global-delivery-status',
    ],
    ['of a quoted local part', 'Final-Recipient: rfc822; "ada l"@example.org', 'delivery-status'],
    ['of an address with a trailing dot', 'Final-Recipient: rfc822; ada@example.org.', 'delivery-status'],
  ])('%s is assigned by its token', async (_what, recipient, type) => {
    const sent = await newMessage()
    const fields = `${recipient}\nAction: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 no such user`
    expect((await post(sent, dsn(fields, `Message-ID: ${sent.messageId}`, type))).body).toEqual({
      received: 1,
      known: 1,
    })
    expect((await aftermath(sent)).suppressed).toMatchObject([{ email: sent.contact.email }])
  })

  it('of a delay stores its cause, and the message has not failed', async () => {
    const sent = await newMessage()
    const fields = `Final-Recipient: rfc822; ${sent.contact.email}\nAction: delayed\nStatus: 4.2.2`
    const body = dsn(fields, `Message-ID: ${sent.messageId}`)
    expect((await post(sent, body)).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toEqual(untouched)
    const { cause, timeline } = await causeOf(sent)
    expect(cause).toBe('MAILBOX_FULL')
    expect(timeline).not.toContain('MESSAGE_FAILED')
    expect(
      await sent.world.rows('SELECT 1 FROM failing_address WHERE account_id = $1', [sent.world.accountId]),
    ).toEqual([])
  })

  it('about many recipients of one message is recorded once', async () => {
    const sent = await newMessage()
    const field = (n: number) => `Final-Recipient: rfc822; r${n}@example.org\nAction: failed\nStatus: 5.7.1`
    const fields = Array.from({ length: 50 }, (_, n) => field(n)).join('\n\n')
    const statements = await sent.world.statements(() => post(sent, dsn(fields, `Message-ID: ${sent.messageId}`)))
    expect(statements).toBeLessThan(30)
    expect((await causeOf(sent)).problems).toMatchObject([{ cause: 'POLICY', failures: 1 }])
  })

  it('about an address that the contact has replaced suppresses the old one', async () => {
    const sent = await newMessage()
    const { email, id } = sent.contact
    await sent.world.run(
      'mutation ($id: ID!, $email: String!) { contactUpdate(input: { contact: { id: $id }, email: $email }) { contact { id } } }',
      { id, email: `new-${email}` },
    )
    const fields = `Final-Recipient: rfc822; ${email}\nAction: failed\nStatus: 5.1.1`
    await post(sent, dsn(fields, `Message-ID: ${sent.messageId}`))
    expect((await aftermath(sent)).suppressed).toMatchObject([{ email }])
  })

  it('of an opt-out unsubscribes the contact and does not suppress its address', async () => {
    const sent = await newMessage()
    const mail = `From: a@b.example\nContent-Type: multipart/report; report-type=feedback-report; boundary=b1\n\n--b1\nContent-Type: message/feedback-report\n\nFeedback-Type: opt-out\nRemoval-Recipient: ${sent.contact.email}\n\n--b1\nContent-Type: text/rfc822-headers\n\nMessage-ID: ${sent.messageId}\n\n--b1--`
    await post(sent, mail)
    expect(await aftermath(sent)).toEqual({ ...untouched, agreed: false, announced: ['contact.unsubscribed'] })
  })

  it('that was kept is deleted with a person whose address it contains', async () => {
    const full = await newServer({ BOUNCES_DSN_KEY: key, ROLES: 'api,worker' })
    const sent = await sentMessage({ world: await newWorld({ server: full }) })
    const { email, id } = sent.contact
    await post(sent, `From: MAILER-DAEMON@mx.example.com\nSubject: Returned mail\n\nX-Unknown-${email}`)
    const count = 'SELECT count(*)::int AS n FROM unread_report WHERE position(convert_to($1, $2) IN source) > 0'
    const kept = () => sent.world.rows(count, [email, 'UTF8'])
    expect(await kept()).toEqual([{ n: 1 }])
    await waitForErasure(sent.world, (await eraseContact(sent.world, { id })).id)
    expect(await kept()).toEqual([{ n: 0 }])
  })

  it('that cannot be read is kept for operators; the answer of a person is not', async () => {
    const sent = await newMessage()
    const kept = async () => (await sent.world.rows('SELECT reason FROM unread_report ORDER BY id', [])).length
    const before = await kept()
    const away = `From: bob@example.com\nSubject: Automatic reply: Hello\nAuto-Submitted: auto-replied\nIn-Reply-To: ${sent.messageId}\n\nMy account is not available, the user bob@example.com is unknown.`
    expect((await post(sent, away)).body).toEqual({ received: 0, known: 0 })
    expect(await kept()).toBe(before)
    const strange = 'From: MAILER-DAEMON@mx.example.com\nSubject: Returned mail\n\nNo.'
    expect((await post(sent, strange)).body).toEqual({ received: 0, known: 0 })
    expect(await kept()).toBe(before + 1)
    expect(await aftermath(sent)).toEqual(untouched)
  })
})
