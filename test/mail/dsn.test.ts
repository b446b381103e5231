import { beforeAll, describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { aftermath, report, type Sent, sentMessage, untouched } from './reporting.ts'

const key = 'a-key-of-sixteen-characters'
const proof = { authorization: `Bearer ${key}`, 'content-type': 'message/rfc822' }

let server: Server
beforeAll(async () => {
  server = await newServer({ BOUNCES_DSN_KEY: key })
})
const newMessage = async () => sentMessage({ world: await newWorld({ server }) })

interface Notice {
  type?: string
  fields?: string
  /** What comes back of the message. */
  returned?: string
  to?: string
}

/** A report as a mail server sends it: multipart/report of three parts. */
function notice({ messageId, contact }: Sent, input: Notice = {}): string {
  const { type = 'delivery-status', to = 'ada@example.org' } = input
  const fields =
    input.fields ??
    `Reporting-MTA: dns; mx.example.com\n\nFinal-Recipient: rfc822; ${contact.email}\nAction: failed\nStatus: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 <${contact.email}>:\n Recipient address rejected: no such user`
  const returned = input.returned ?? `From: ada@example.org\nMessage-ID: ${messageId}\nSubject: Hello`
  return `From: MAILER-DAEMON@mx.example.com
To: ${to}
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="b1"

--b1
Content-Type: text/plain; charset=us-ascii

I'm sorry to have to inform you that your message could not be delivered.

--b1
Content-Type: message/${type}

${fields}

--b1
Content-Type: text/rfc822-headers

${returned}

--b1--
`.replaceAll('\n', '\r\n')
}

const post = (sent: Sent, body: string) => report(sent.world, 'dsn', body, proof)
const taken = { status: 200, body: { received: 1, known: 1 } }

describe('a delivery status notification', () => {
  it('about an address that does not accept e-mail is a hard bounce', async () => {
    const sent = await newMessage()
    expect((await report(sent.world, 'dsn', notice(sent))).status).toBe(401)
    expect(await post(sent, notice(sent))).toEqual(taken)
    const { email } = sent.contact
    const detail = `550 5.1.1 <${email}>: Recipient address rejected: no such user`
    expect(await aftermath(sent)).toEqual({
      states: ['BOUNCED'],
      agreed: true,
      suppressed: [{ email, reason: 'BOUNCE', detail }],
      announced: ['email.bounced'],
    })
  })

  it('is assigned by its return address if it contains nothing else', async () => {
    const sent = await newMessage()
    const token = sent.messageId.slice(1).split('@')[0]
    const dsn = notice(sent, { to: `b+${token}@bounces.example.com`, returned: 'Subject: Hello' })
    expect(await post(sent, dsn)).toEqual(taken)
    expect((await aftermath(sent)).states).toEqual(['BOUNCED'])
  })

  it.each([
    ['of a delay', 'Action: delayed', '4.4.1'],
    ['of a full mailbox', 'Action: failed', '5.2.2'],
    ['of a message too large', 'Action: failed', '5.3.4'],
    ['of a policy', 'Action: failed', '5.7.1'],
    ['of a server given up on', 'Action: failed', '4.4.7'],
  ])('%s is a soft bounce', async (_what, action, status) => {
    const sent = await newMessage()
    const fields = `Reporting-MTA: dns; mx.example.com\n\nFinal-Recipient: rfc822; ${sent.contact.email}\n${action}\nStatus: ${status}`
    expect(await post(sent, notice(sent, { fields }))).toEqual(taken)
    expect(await aftermath(sent)).toEqual(untouched)
    expect(await sent.world.rows('SELECT answer FROM mail_recipient WHERE id = $1', [sent.recipientId])).toEqual([
      { answer: status },
    ])
  })

  it('of success or another kind is ignored', async () => {
    const sent = await newMessage()
    const delivered =
      'Reporting-MTA: dns; mx.example.com\n\nFinal-Recipient: rfc822; x@y.example\nAction: delivered\nStatus: 2.0.0'
    const vacation = `From: bob@example.com\r\nIn-Reply-To: ${sent.messageId}\r\nSubject: Away\r\n\r\nBack on Monday.`
    for (const body of [
      notice(sent, { fields: delivered }),
      vacation,
      'x',
      '\0\0\0',
      'Content-Type: multipart/report\r\n\r\n',
    ]) {
      expect(await post(sent, body)).toEqual({ status: 200, body: { received: 0, known: 0 } })
    }
    expect(await aftermath(sent)).toEqual(untouched)
    expect(server.errors).toEqual([])
  })

  it('of abuse is recorded as a complaint', async () => {
    const sent = await newMessage()
    const abuse = `Feedback-Type: abuse\nUser-Agent: SomeGenerator/1.0\nVersion: 1\nOriginal-Rcpt-To: <${sent.contact.email}>`
    const mail = notice(sent, { type: 'feedback-report', fields: abuse })
    expect(await post(sent, mail)).toEqual(taken)
    expect(await aftermath(sent)).toMatchObject({
      agreed: false,
      suppressed: [{ email: sent.contact.email, reason: 'COMPLAINT', detail: 'feedback: abuse' }],
      announced: ['contact.unsubscribed', 'email.complained'],
    })
    const praise = await newMessage()
    const fields = abuse.replace('abuse', 'not-spam')
    expect((await post(praise, notice(praise, { type: 'feedback-report', fields }))).body).toMatchObject({
      received: 0,
    })
    expect(await aftermath(praise)).toEqual(untouched)
  })

  it('may contain the whole message', async () => {
    const sent = await newMessage()
    const returned = `Message-ID: ${sent.messageId}\n\n${'x'.repeat(70)}\n`.padEnd(2_000_000, 'y')
    expect(await post(sent, notice(sent, { returned }))).toEqual(taken)
    expect((await post(sent, 'x'.repeat(11_000_000))).status).toBe(413)
  })
})
