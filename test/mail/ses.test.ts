import { createSign, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newServer, type Server } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { aftermath, report, type Sent, sentMessage, untouched } from './reporting.ts'
import { certificate, privateKey } from './sns-certificate.ts'

const topic = 'arn:aws:sns:eu-west-1:123456789012:bounces'
const certificateUrl = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123.pem'
const subscribeUrl = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=t`

/** What was asked of the web. */
const fetched: string[] = []
let server: Server
beforeAll(async () => {
  const fetchText = async (url: string) => {
    fetched.push(url)
    return url.endsWith('.pem') ? certificate : '<ConfirmSubscriptionResponse/>'
  }
  server = await newServer(
    { BOUNCES_SES_TOPICS: `arn:aws:sns:eu-west-1:123456789012:other ${topic}` },
    { fetch: fetchText },
  )
})
beforeEach(() => {
  fetched.length = 0
})
const newMessage = async () => sentMessage({ world: await newWorld({ server }) })

type Fields = Record<string, string>

/** Signs as SNS does: names and values of these fields, a line each. */
function signed(fields: Fields): Fields {
  const names =
    fields['Type'] === 'Notification'
      ? ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type']
      : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type']
  const text = names.flatMap((name) => (fields[name] === undefined ? [] : [`${name}\n${fields[name]}\n`])).join('')
  const algorithm = fields['SignatureVersion'] === '1' ? 'sha1' : 'sha256'
  return { ...fields, Signature: createSign(algorithm).update(text).sign(privateKey, 'base64') }
}

const envelope = (message: object | string, more: Fields = {}): Fields => ({
  Type: 'Notification',
  MessageId: randomUUID(),
  TopicArn: topic,
  Message: typeof message === 'string' ? message : JSON.stringify(message),
  Timestamp: new Date().toISOString(),
  SignatureVersion: '2',
  SigningCertURL: certificateUrl,
  ...more,
})

const mailOf = ({ messageId }: Sent) => ({
  messageId: '0102018f-of-Amazons-own',
  headers: [{ name: 'Message-ID', value: messageId }],
})
const bounce = (sent: Sent, more: object = {}) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType: 'Permanent',
    bounceSubType: 'General',
    bouncedRecipients: [
      { emailAddress: sent.contact.email, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 no user' },
    ],
    ...more,
  },
  mail: mailOf(sent),
})
const subscription = (more: Fields = {}) =>
  envelope('You have chosen to subscribe.', {
    Type: 'SubscriptionConfirmation',
    Token: 't',
    SubscribeURL: subscribeUrl,
    ...more,
  })

describe('SES', () => {
  it.each(['1', '2'])('reports a bounce under signature version %s of SNS', async (SignatureVersion) => {
    const sent = await newMessage()
    const body = signed(envelope(bounce(sent), { SignatureVersion, Subject: 'Amazon SES Email Event Notification' }))
    expect(await report(sent.world, 'ses', body, { 'content-type': 'text/plain; charset=UTF-8' })).toEqual({
      status: 200,
      body: { received: 1, known: 1 },
    })
    expect(await aftermath(sent)).toMatchObject({
      states: ['BOUNCED'],
      suppressed: [{ email: sent.contact.email, detail: 'smtp; 550 5.1.1 no user' }],
      announced: ['email.bounced'],
    })
  })

  it('distinguishes soft bounces, hard bounces and complaints, in notifications and events', async () => {
    const soft = await newMessage()
    await report(soft.world, 'ses', signed(envelope(bounce(soft, { bounceType: 'Transient' }))))
    const complainedRecipients = [{ emailAddress: soft.contact.email }]
    const praise = { complaintFeedbackType: 'not-spam', complainedRecipients }
    await report(soft.world, 'ses', signed(envelope({ eventType: 'Complaint', complaint: praise, mail: mailOf(soft) })))
    await report(soft.world, 'ses', signed(envelope({ eventType: 'Delivery', mail: mailOf(soft) })))
    expect(await aftermath(soft)).toEqual(untouched)
    const angry = await newMessage()
    const complaint = { complainedRecipients: [{ emailAddress: angry.contact.email }] }
    await report(angry.world, 'ses', signed(envelope({ eventType: 'Complaint', complaint, mail: mailOf(angry) })))
    expect(await aftermath(angry)).toMatchObject({ agreed: false, suppressed: [{ reason: 'COMPLAINT' }] })
  })

  it('is accepted only with a valid signature of Amazon and a configured topic', async () => {
    const sent = await newMessage()
    const good = envelope(bounce(sent))
    const wrong: Fields[] = [
      { ...signed(good), Message: JSON.stringify(bounce(sent, { bounceSubType: 'x' })) },
      { ...signed(good), Signature: 'AAAA' },
      signed({ ...good, TopicArn: 'arn:aws:sns:eu-west-1:999999999999:bounces' }),
    ]
    for (const SigningCertURL of [
      'http://sns.eu-west-1.amazonaws.com/a.pem',
      'https://evil.example/a.pem',
      'https://sns.eu-west-1.amazonaws.com.evil.example/a.pem',
      'https://sns.eu-west-1.amazonaws.com:8443/a.pem',
      'https://sns.eu-west-1.amazonaws.com@evil.example/a.pem',
      'https://evil.s3.amazonaws.com/a.pem',
      'https://sns.s3.amazonaws.com/SimpleNotificationService-0123.pem',
      'https://sns.s3-eu-west-1.amazonaws.com/SimpleNotificationService-0123.pem',
      'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123.pem',
      'https://sns.eu-west-1.amazonaws.com.cn/SimpleNotificationService-0123.pem',
      'https://sns.eu-west-1.amazonaws.com/a/SimpleNotificationService-0123.pem',
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123.pem?x',
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123.pem#x',
      'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-a%2Fb.pem',
      'https://sns.eu-west-1.amazonaws.com/a.pem',
      'not a url',
    ]) {
      wrong.push(signed({ ...good, SigningCertURL }))
    }
    for (const body of wrong) expect((await report(sent.world, 'ses', body)).status).toBe(401)
    expect(fetched.filter((url) => url !== certificateUrl)).toEqual([])
    expect(await aftermath(sent)).toEqual(untouched)
    expect((await report(sent.world, 'ses', signed(envelope('not JSON')))).status).toBe(400)
    expect((await report(sent.world, 'ses', {})).status).toBe(400)
    expect(server.errors).toEqual([])
  })

  it('records a notification once, and only until its signature expires', async () => {
    const sent = await newMessage()
    const hours = (age: number) => new Date(Date.now() - age * 60 * 60 * 1000).toISOString()
    for (const Timestamp of [hours(26), hours(-1), 'yesterday']) {
      expect((await report(sent.world, 'ses', signed(envelope(bounce(sent), { Timestamp })))).status).toBe(401)
    }
    const body = signed(envelope(bounce(sent)))
    expect((await report(sent.world, 'ses', body)).body).toEqual({ received: 1, known: 1 })
    expect((await report(sent.world, 'ses', body)).body).toEqual({ received: 0, known: 0 })
  })

  it('confirms subscriptions at URLs of Amazon only', async () => {
    const sent = await newMessage()
    expect((await report(sent.world, 'ses', signed(subscription()))).body).toEqual({ received: 0, known: 0 })
    expect(fetched).toContain(subscribeUrl)
    fetched.length = 0
    for (const SubscribeURL of [
      'https://evil.example/',
      'http://sns.eu-west-1.amazonaws.com/',
      'https://169.254.169.254/',
    ]) {
      expect((await report(sent.world, 'ses', signed(subscription({ SubscribeURL })))).status).toBe(401)
    }
    const foreign = { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:bounces' }
    expect((await report(sent.world, 'ses', signed(subscription(foreign)))).status).toBe(401)
    expect(fetched).toEqual([])
  })
})
