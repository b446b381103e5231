import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import type * as z from 'zod'
import type { campaign } from '../../rest-bridge/campaigns/campaign.ts'
import type { contact } from '../../rest-bridge/contacts/contact.ts'
import type { payloads } from '../../rest-bridge/events/payloads.ts'
import type { creditNote, invoice, transaction } from '../../rest-bridge/finance/billing.ts'
import type { order } from '../../rest-bridge/finance/order.ts'
import type { subscription, subscriptionSummary } from '../../rest-bridge/finance/subscription.ts'
import type { submissionRow } from '../../rest-bridge/forms/submission.ts'
import { verifyWebhook, type WebhookMessage, WebhookVerificationError } from '../../src/client/index.ts'
import type {
  CampaignData,
  ContactData,
  CreditNoteData,
  FormSubmissionData,
  Gone,
  InvoiceData,
  OrderData,
  SubscriptionData,
  SubscriptionSummary,
  TransactionData,
  WebhookEvents,
} from '../../src/client/webhook-events.ts'
import vectors from '../../src/client/webhook-vectors.json' with { type: 'json' }
import type { EventType } from '../../src/events/index.ts'

interface Vector {
  name: string
  secret: string
  now: number
  id: string | null
  timestamp: string | null
  body: string
  signature: string | null
}

const accepted: Vector[] = vectors.accepted
const refused: (Vector & { reason: string })[] = vectors.refused

function headersOf({ id, timestamp, signature }: Pick<Vector, 'id' | 'timestamp' | 'signature'>) {
  const all = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
  return Object.fromEntries(Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null))
}

function verify(vector: Vector) {
  const { toleranceSeconds } = vectors
  const now = () => new Date(vector.now * 1000)
  return verifyWebhook(vector.body, headersOf(vector), vector.secret, { toleranceSeconds, now })
}

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const old = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'
const body =
  '{"id":"msg_1","type":"contact.tag_added","timestamp":"2026-11-21T04:00:00.000Z","data":{"contact_id":1,"tag_id":2}}'

/** A message as it arrives now. */
function arriving(text = body, signedBy = secret) {
  const now = new Date()
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(signedBy).sign('msg_1', now, text),
  }
}

describe('the published vectors', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  it.each(accepted)('accept: $name', async (vector) => {
    const message = JSON.parse(vector.body)
    expect(await verify(vector)).toEqual({ ...message, id: vector.id })
    vi.useFakeTimers({ now: vector.now * 1000 })
    expect(new Webhook(vector.secret).verify(vector.body, headersOf(vector))).toEqual(message)
  })

  it.each(accepted)(
    'are what the library of Standard Webhooks signs: $name',
    ({ secret, id, timestamp, body, signature }) => {
      const signed = new Webhook(secret).sign(id ?? '', new Date(Number(timestamp) * 1000), body)
      expect(signature?.split(' ')).toContain(signed)
    },
  )

  it.each(refused)('refuse: $name ($reason)', async (vector) => {
    await expect(verify(vector)).rejects.toMatchObject({ name: 'WebhookVerificationError', code: vector.reason })
    vi.useFakeTimers({ now: vector.now * 1000 })
    expect(() => new Webhook(vector.secret).verify(vector.body, headersOf(vector))).toThrow()
  })
})

describe('verifyWebhook', () => {
  it('believes whatever the library signs, and nothing of it that was changed', async () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.json(), fc.nat(), async (key, data, place) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`
        const text = `{"type":"webhook.test","timestamp":"2026-11-21T04:00:00.000Z","data":${data}}`
        const headers = arriving(text, secret)
        expect(await verifyWebhook(text, headers, secret)).toMatchObject({ id: 'msg_1', data: JSON.parse(data) })
        const changed = new TextEncoder().encode(text)
        changed[place % changed.length] = (changed[place % changed.length] ?? 0) ^ 1
        await expect(verifyWebhook(changed, headers, secret)).rejects.toMatchObject({ code: 'NO_MATCHING_SIGNATURE' })
      }),
      { numRuns: 50 },
    )
  })

  it('takes the body as text or bytes, and headers as a Request, Node or a framework gives them', async () => {
    const headers = arriving()
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    const bytes = new TextEncoder().encode(body)
    for (const given of [body, bytes, Buffer.from(body), bytes.buffer]) {
      for (const form of [headers, upper, lists, new Headers(headers)]) {
        expect(await verifyWebhook(given, form, secret)).toEqual(JSON.parse(body))
      }
    }
  })

  it('knows several secrets while one is rotated', async () => {
    expect(await verifyWebhook(body, arriving(body, old), [secret, old])).toMatchObject({ id: 'msg_1' })
    expect(await verifyWebhook(body, arriving(body, secret), [secret, old])).toMatchObject({ id: 'msg_1' })
    await expect(verifyWebhook(body, arriving(body, old), [secret])).rejects.toMatchObject({
      code: 'NO_MATCHING_SIGNATURE',
    })
    await expect(verifyWebhook(body, arriving(), [])).rejects.toMatchObject({ code: 'NO_MATCHING_SIGNATURE' })
  })

  it('lets the receiver say how old a message may be', async () => {
    const later = { now: () => new Date(Date.now() + 11_000) }
    await expect(verifyWebhook(body, arriving(), secret, { ...later, toleranceSeconds: 10 })).rejects.toMatchObject({
      code: 'TOO_OLD',
    })
    expect(await verifyWebhook(body, arriving(), secret, { ...later, toleranceSeconds: 12 })).toMatchObject({
      id: 'msg_1',
    })
  })

  it.each([
    [
      'a time with something behind it',
      { 'webhook-timestamp': `${Math.floor(Date.now() / 1000)} ` },
      secret,
      'BAD_TIMESTAMP',
    ],
    ['a secret that is no base64', {}, 'whsec_not base64', 'BAD_SECRET'],
    ['an empty secret', {}, '', 'BAD_SECRET'],
    ['a prefix alone', {}, 'whsec_', 'BAD_SECRET'],
  ])('refuses %s', async (_name, headers, given, code) => {
    await expect(verifyWebhook(body, { ...arriving(), ...headers }, given)).rejects.toMatchObject({ code })
  })

  it.each([
    '',
    'null',
    '[]',
    '"text"',
    '{"type":1,"timestamp":"","data":{}}',
    '{"type":"a","timestamp":"b"}',
    '{',
    '\ufeff{}',
  ])('refuses a body that is signed and no message: %s', async (text) => {
    await expect(verifyWebhook(text, arriving(text), secret)).rejects.toBeInstanceOf(WebhookVerificationError)
    await expect(verifyWebhook(text, arriving(text), secret)).rejects.toMatchObject({ code: 'BAD_BODY' })
  })

  it('tells a receiver that has parsed the body already', async () => {
    await expect(verifyWebhook(JSON.parse(body), arriving(), secret)).rejects.toThrow(/not parsed/)
  })

  it('refuses a signature that is written in another way than the one', async () => {
    const headers = arriving()
    const signature = headers['webhook-signature']
    const last = signature.at(-2) as string
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const twin = `${signature.slice(0, -2)}${alphabet[alphabet.indexOf(last) + 1]}=`
    expect(Buffer.from(twin.slice(3), 'base64')).toEqual(Buffer.from(signature.slice(3), 'base64'))
    await expect(verifyWebhook(body, { ...headers, 'webhook-signature': twin }, secret)).rejects.toMatchObject({
      code: 'NO_MATCHING_SIGNATURE',
    })
  })
})

describe('the types of messages', () => {
  it('know every event that the server announces, and what it sends of each', () => {
    expectTypeOf<Exclude<EventType, keyof WebhookEvents>>().toEqualTypeOf<never>()
    expectTypeOf<keyof WebhookEvents>().toEqualTypeOf<keyof typeof payloads>()
  })

  it('are the shapes of /v1', () => {
    expectTypeOf<ContactData>().toEqualTypeOf<z.output<typeof contact>>()
    expectTypeOf<CampaignData>().toEqualTypeOf<z.output<typeof campaign>>()
    expectTypeOf<OrderData>().toEqualTypeOf<z.output<typeof order>>()
    expectTypeOf<TransactionData>().toEqualTypeOf<z.output<typeof transaction>>()
    expectTypeOf<InvoiceData>().toEqualTypeOf<z.output<typeof invoice>>()
    expectTypeOf<CreditNoteData>().toEqualTypeOf<z.output<typeof creditNote>>()
    expectTypeOf<SubscriptionData>().toEqualTypeOf<z.output<typeof subscription>>()
    expectTypeOf<SubscriptionSummary>().toEqualTypeOf<z.output<typeof subscriptionSummary>>()
    expectTypeOf<FormSubmissionData>().toEqualTypeOf<z.output<typeof submissionRow>>()
  })

  it('follow from the type of the event, or are what a document of the webhook selects', async () => {
    const message = await verifyWebhook(body, arriving(), secret)
    if (message.type === 'contact.created') expectTypeOf(message.data).toEqualTypeOf<ContactData | Gone>()
    if (message.type === 'contact.tag_added') expect(message.data.tag_id).toBe(2)
    const own = await verifyWebhook<{ 'contact.tag_added': { tag: { name: string } } }>(body, arriving(), secret)
    expectTypeOf<(typeof own)['data']['tag']['name']>().toEqualTypeOf<string>()
    expectTypeOf<WebhookMessage<Record<string, unknown>>['data']>().toEqualTypeOf<unknown>()
    expect(own.type).toBe('contact.tag_added')
  })
})
