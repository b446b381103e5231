import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { aftermath, report, type Sent, sentMessage, untouched } from './reporting.ts'

const login = 'postmark:a-long-password'
const mailgunKey = 'key-0123456789abcdef'
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })

let server: Server
beforeAll(async () => {
  server = await newServer({
    BOUNCES_POSTMARK_LOGIN: login,
    BOUNCES_MAILGUN_KEY: mailgunKey,
    BOUNCES_SENDGRID_KEY: pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  })
})
const newMessage = async () => sentMessage({ world: await newWorld({ server }) })
const liftSuppression = ({ world, contact }: Sent) =>
  world.run('mutation ($email: String!) { suppressionRemove(input: { email: $email }) { email } }', contact)
const bare = (messageId: string) => messageId.slice(1, -1)
const bounced = { states: ['BOUNCED'], announced: ['email.bounced'] }
const complained = { agreed: false, announced: ['contact.unsubscribed', 'email.complained'] }

describe('Postmark', () => {
  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })
  const body = ({ messageId, contact }: Sent, more: object = {}) => ({
    RecordType: 'Bounce',
    Type: 'HardBounce',
    TypeCode: 1,
    MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
    Metadata: { message: bare(messageId).split('@')[0] },
    Email: contact.email,
    Description: 'The server was unable to deliver your message',
    Details: 'smtp;550 5.1.1 no such user',
    ...more,
  })

  it('accepts reports with the configured credentials', async () => {
    const sent = await newMessage()
    for (const wrong of [{}, basic('postmark:'), basic(`${login}x`)]) {
      expect((await report(sent.world, 'postmark', body(sent), wrong as never)).status).toBe(401)
    }
    expect(await aftermath(sent)).toEqual(untouched)
    expect((await report(sent.world, 'postmark', body(sent), basic(login))).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toMatchObject({
      ...bounced,
      suppressed: [{ email: sent.contact.email, detail: 'smtp;550 5.1.1 no such user' }],
    })
  })

  it('distinguishes soft bounces, hard bounces and complaints, and ignores other events', async () => {
    const soft = await newMessage()
    for (const Type of ['SoftBounce', 'Transient', 'AutoResponder', 'Subscribe', 'constructor']) {
      expect((await report(soft.world, 'postmark', body(soft, { Type }), basic(login))).status).toBe(200)
    }
    expect(await aftermath(soft)).toEqual(untouched)
    const angry = await newMessage()
    await report(
      angry.world,
      'postmark',
      body(angry, { RecordType: 'SpamComplaint', Type: 'SpamComplaint' }),
      basic(login),
    )
    expect(await aftermath(angry)).toMatchObject(complained)
  })
})

describe('the shapes that providers send', () => {
  const basic = { authorization: `Basic ${Buffer.from(login).toString('base64')}` }

  it('of Postmark may lack keys, and name subscriptions', async () => {
    const sent = await newMessage()
    const { email } = sent.contact
    const bounce = { RecordType: 'Bounce', Type: 'HardBounce', Email: email, Details: 'smtp;550 5.1.1 unknown user' }
    expect((await report(sent.world, 'postmark', bounce, basic)).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toMatchObject(bounced)
    const left = await newMessage()
    const change = { RecordType: 'SubscriptionChange', Recipient: left.contact.email, SuppressSending: true }
    const byRecipient = { ...change, SuppressionReason: 'ManualSuppression' }
    expect((await report(left.world, 'postmark', byRecipient, basic)).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(left)).toMatchObject({ agreed: false, suppressed: [], announced: ['contact.unsubscribed'] })
    for (const other of [{ ...change, SuppressSending: false }, { RecordType: 'Delivery' }, { RecordType: 'Open' }])
      expect((await report(left.world, 'postmark', other, basic)).body).toEqual({ received: 0, known: 0 })
  })

  it('are judged by the reply, not by the name of the event alone', async () => {
    const sent = await newMessage()
    const blocked = {
      RecordType: 'Bounce',
      Type: 'HardBounce',
      Email: sent.contact.email,
      Details: 'smtp;554 5.7.1 client host [192.0.2.1] blocked using bl.example',
    }
    await report(sent.world, 'postmark', blocked, basic)
    expect(await aftermath(sent)).toEqual(untouched)
  })
})

describe('Mailgun', () => {
  const body = ({ messageId, contact }: Sent, more: object = {}, { key = mailgunKey, age = 0 } = {}) => {
    const token = randomBytes(25).toString('hex')
    const timestamp = String(Math.floor(Date.now() / 1000) - age)
    const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex')
    const event = {
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      recipient: contact.email,
      message: { headers: { to: contact.email, 'message-id': bare(messageId), subject: 'Hello' } },
      'delivery-status': { code: 550, message: '5.1.1 no such user', description: '' },
    }
    return { signature: { timestamp, token, signature }, 'event-data': { ...event, ...more } }
  }

  it('accepts reports with a valid signature that has not expired', async () => {
    const sent = await newMessage()
    const forged = body(sent, {}, { key: 'another-key-of-theirs' })
    for (const wrong of [forged, body(sent, {}, { age: 13 * 60 * 60 }), { ...body(sent), signature: null }, {}]) {
      expect((await report(sent.world, 'mailgun', wrong)).status).toBe(401)
    }
    expect(await aftermath(sent)).toEqual(untouched)
    expect((await report(sent.world, 'mailgun', body(sent))).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toMatchObject({ ...bounced, suppressed: [{ detail: '5.1.1 no such user' }] })
  })

  it('records a signed report once, even after its suppression was removed', async () => {
    const sent = await newMessage()
    const once = body(sent)
    expect((await report(sent.world, 'mailgun', once)).body).toEqual({ received: 1, known: 1 })
    await liftSuppression(sent)
    const { token, timestamp, signature } = once.signature
    expect(await report(sent.world, 'mailgun', once)).toEqual({ status: 200, body: { received: 0, known: 0 } })
    for (const more of [{ severity: 'temporary' }, { recipient: 'other@example.com' }, { event: 'complained' }]) {
      const reused = { ...body(sent, more), signature: { signature, timestamp, token } }
      expect((await report(sent.world, 'mailgun', reused)).status).toBe(409)
    }
    expect((await aftermath(sent)).suppressed).toEqual([])
  })

  it('records one of two simultaneous requests with one token', async () => {
    const [one, other] = [await newMessage(), await newMessage()]
    const first = body(one)
    const second = { ...body(other), signature: first.signature }
    const blocker = new pg.Client({ connectionString: server.databaseUrl })
    await blocker.connect()
    onTestFinished(() => blocker.end())
    await blocker.query('BEGIN; LOCK TABLE mail_recipient')
    const replies = [report(one.world, 'mailgun', first), report(other.world, 'mailgun', second)]
    expect((await Promise.race(replies)).status).toBe(503)
    await blocker.query('COMMIT')
    expect((await Promise.all(replies)).map(({ status }) => status).sort()).toEqual([200, 503])
    const suppressed = async () => [await aftermath(one), await aftermath(other)].map((each) => each.suppressed.length)
    const before = await suppressed()
    expect(before.toSorted()).toEqual([0, 1])
    const again = [await report(one.world, 'mailgun', first), await report(other.world, 'mailgun', second)]
    expect(again.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await suppressed()).toEqual(before)
  })

  it('accepts events without a message, and unsubscriptions', async () => {
    const sent = await newMessage()
    const bare = body(sent, { message: undefined, 'delivery-status': undefined })
    expect((await report(sent.world, 'mailgun', bare)).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toMatchObject(bounced)
    const left = await newMessage()
    await report(left.world, 'mailgun', body(left, { event: 'unsubscribed' }))
    expect(await aftermath(left)).toMatchObject({ agreed: false, suppressed: [] })
  })

  it('distinguishes soft bounces, hard bounces and complaints, and ignores other events', async () => {
    const soft = await newMessage()
    for (const event of [{ severity: 'temporary' }, { reason: 'espblock' }, { event: 'opened' }]) {
      expect((await report(soft.world, 'mailgun', body(soft, event))).status).toBe(200)
    }
    expect(await aftermath(soft)).toEqual(untouched)
    const angry = await newMessage()
    await report(angry.world, 'mailgun', body(angry, { event: 'complained', severity: undefined }))
    expect(await aftermath(angry)).toMatchObject(complained)
  })
})

describe('SendGrid', () => {
  const signed = (body: string, key = pair.privateKey, age = 0) => {
    const timestamp = String(Math.floor(Date.now() / 1000) - age)
    const signature = sign('sha256', Buffer.from(timestamp + body), key).toString('base64')
    return {
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': timestamp,
    }
  }
  const event = ({ messageId, contact }: Sent, more: object = {}) => ({
    email: contact.email,
    timestamp: 1_513_299_569,
    'smtp-id': messageId,
    event: 'bounce',
    type: 'bounce',
    reason: '550 5.1.1 no such user',
    status: '5.1.1',
    ...more,
  })

  it('accepts reports with a valid signature over the exact body', async () => {
    const sent = await newMessage()
    const body = JSON.stringify([event(sent), { event: 'processed', email: 'x' }], null, 1)
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    expect((await report(sent.world, 'sendgrid', body)).status).toBe(401)
    expect((await report(sent.world, 'sendgrid', body, signed(body, stranger))).status).toBe(401)
    expect((await report(sent.world, 'sendgrid', `${body} `, signed(body))).status).toBe(401)
    expect(await aftermath(sent)).toEqual(untouched)
    expect((await report(sent.world, 'sendgrid', body, signed(body))).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toMatchObject({ ...bounced, suppressed: [{ detail: '550 5.1.1 no such user' }] })
  })

  it('records a signed report once, and only until the signature expires', async () => {
    const sent = await newMessage()
    const body = JSON.stringify([event(sent)])
    for (const age of [26 * 60 * 60, -60 * 60]) {
      expect((await report(sent.world, 'sendgrid', body, signed(body, pair.privateKey, age))).status).toBe(401)
    }
    const headers = signed(body)
    expect((await report(sent.world, 'sendgrid', body, headers)).body).toEqual({ received: 1, known: 1 })
    await liftSuppression(sent)
    expect((await report(sent.world, 'sendgrid', body, headers)).body).toEqual({ received: 0, known: 0 })
    expect((await aftermath(sent)).suppressed).toEqual([])
  })

  it('accepts a batch as large as it sends', async () => {
    const sent = await newMessage()
    const filler = { event: 'delivered', email: 'x@example.org', response: '250 ok', sg_event_id: 'A'.repeat(500) }
    const body = JSON.stringify([
      event(sent, { bounce_classification: 'Invalid Address' }),
      ...Array(1_500).fill(filler),
    ])
    expect(body.length).toBeGreaterThan(768 * 1024)
    expect((await report(sent.world, 'sendgrid', body, signed(body))).body).toEqual({ received: 1, known: 1 })
    expect(await aftermath(sent)).toMatchObject(bounced)
  })

  it('records every event of a request', async () => {
    const world = await newWorld({ server })
    const [soft, dropped, angry] = [
      await sentMessage({ world }),
      await sentMessage({ world }),
      await sentMessage({ world }),
    ] as const
    const body = JSON.stringify([
      event(soft, { type: 'blocked' }),
      event(soft, { event: 'deferred' }),
      event(soft, { event: 'dropped', reason: 'Invalid SMTPAPI header' }),
      event(dropped, { event: 'dropped', reason: 'Bounced Address' }),
      event(angry, { event: 'spamreport' }),
    ])
    expect((await report(world, 'sendgrid', body, signed(body))).body).toEqual({ received: 4, known: 4 })
    expect((await aftermath(soft)).states).toEqual(['SENT'])
    expect((await aftermath(dropped)).states).toEqual(['BOUNCED'])
    expect((await aftermath(angry)).agreed).toBe(false)
    expect((await aftermath(soft)).agreed).toBe(true)
  })
})
