import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import type * as z from 'zod'
import type { campaign } from '../../rest-bridge/campaigns/campaign.ts'
import type { contact } from '../../rest-bridge/contacts/contact.ts'
import type { creditNote, invoice, transaction } from '../../rest-bridge/finance/billing.ts'
import type { order } from '../../rest-bridge/finance/order.ts'
import type { subscription, subscriptionSummary } from '../../rest-bridge/finance/subscription.ts'
import type { submissionRow } from '../../rest-bridge/forms/submission.ts'
import { verifyWebhook, type WebhookMessage, WebhookVerificationError } from '../../src/client/index.ts'
import type {
  CampaignData,
  ContactData,
  CreditNoteData,
  DeletedRecord,
  FormSubmissionData,
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

/** Returns the headers of a message that is signed now. */
function signedHeaders(text = body, signedBy = secret) {
  const now = new Date()
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(signedBy).sign('msg_1', now, text),
  }
}

describe('the published test vectors', () => {
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
    'match the signatures of the Standard Webhooks library: $name',
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
  it('accepts messages that the library signs and rejects changed ones', async () => {
    const bytes = fc.uint8Array({ minLength: 24, maxLength: 64 })
    await fc.assert(
      fc.asyncProperty(bytes, fc.json(), fc.nat(), async (key, data, index) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`
        const text = `{"type":"webhook.test","timestamp":"2026-11-21T04:00:00.000Z","data":${data}}`
        const headers = signedHeaders(text, secret)
        expect(await verifyWebhook(text, headers, secret)).toMatchObject({ id: 'msg_1', data: JSON.parse(data) })
        const changed = new TextEncoder().encode(text)
        changed[index % changed.length] = (changed[index % changed.length] ?? 0) ^ 1
        await expect(verifyWebhook(changed, headers, secret)).rejects.toMatchObject({ code: 'NO_MATCHING_SIGNATURE' })
      }),
      { numRuns: 50 },
    )
  })

  it('accepts the body as text or bytes and the headers of a Request, Node or a framework', async () => {
    const headers = signedHeaders()
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
    const bytes = new TextEncoder().encode(body)
    for (const raw of [body, bytes, Buffer.from(body), bytes.buffer]) {
      for (const form of [headers, upper, lists, new Headers(headers)]) {
        expect(await verifyWebhook(raw, form, secret)).toEqual(JSON.parse(body))
      }
    }
  })

  it('accepts several secrets', async () => {
    expect(await verifyWebhook(body, signedHeaders(body, old), [secret, old])).toMatchObject({ id: 'msg_1' })
    expect(await verifyWebhook(body, signedHeaders(body, secret), [secret, old])).toMatchObject({ id: 'msg_1' })
    await expect(verifyWebhook(body, signedHeaders(body, old), [secret])).rejects.toMatchObject({
      code: 'NO_MATCHING_SIGNATURE',
    })
    await expect(verifyWebhook(body, signedHeaders(), [])).rejects.toMatchObject({ code: 'NO_MATCHING_SIGNATURE' })
  })

  it('accepts a tolerance for the age of a message', async () => {
    const later = { now: () => new Date(Date.now() + 11_000) }
    await expect(
      verifyWebhook(body, signedHeaders(), secret, { ...later, toleranceSeconds: 10 }),
    ).rejects.toMatchObject({
      code: 'TOO_OLD',
    })
    expect(await verifyWebhook(body, signedHeaders(), secret, { ...later, toleranceSeconds: 12 })).toMatchObject({
      id: 'msg_1',
    })
  })

  it.each([
    [
      'a timestamp with trailing text',
      { 'webhook-timestamp': `${Math.floor(Date.now() / 1000)} ` },
      secret,
      'BAD_TIMESTAMP',
    ],
    ['a secret that is not base64', {}, 'whsec_not base64', 'BAD_SECRET'],
    ['an empty secret', {}, '', 'BAD_SECRET'],
    ['a prefix without a secret', {}, 'whsec_', 'BAD_SECRET'],
  ])('rejects %s', async (_name, headers, invalidSecret, code) => {
    await expect(verifyWebhook(body, { ...signedHeaders(), ...headers }, invalidSecret)).rejects.toMatchObject({ code })
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
  ])('throws BAD_BODY for a signed body that is not a message: %s', async (text) => {
    await expect(verifyWebhook(text, signedHeaders(text), secret)).rejects.toBeInstanceOf(WebhookVerificationError)
    await expect(verifyWebhook(text, signedHeaders(text), secret)).rejects.toMatchObject({ code: 'BAD_BODY' })
  })

  it('throws an error for a parsed body', async () => {
    await expect(verifyWebhook(JSON.parse(body), signedHeaders(), secret)).rejects.toThrow(/not parsed/)
  })

  it('rejects a signature with a non-canonical encoding', async () => {
    const headers = signedHeaders()
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

describe('the message types', () => {
  it('cover all events of the server', () => {
    expectTypeOf<keyof WebhookEvents>().toEqualTypeOf<EventType>()
  })

  it('equal the types of /v1', () => {
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

  it('depend on the event type or on the document of the webhook', async () => {
    const message = await verifyWebhook(body, signedHeaders(), secret)
    if (message.type === 'contact.created') expectTypeOf(message.data).toEqualTypeOf<ContactData | DeletedRecord>()
    if (message.type === 'contact.tag_added') expect(message.data.tag_id).toBe(2)
    const own = await verifyWebhook<{ 'contact.tag_added': { tag: { name: string } } }>(body, signedHeaders(), secret)
    expectTypeOf<(typeof own)['data']['tag']['name']>().toEqualTypeOf<string>()
    expectTypeOf<WebhookMessage<Record<string, unknown>>['data']>().toEqualTypeOf<unknown>()
    expect(own.type).toBe('contact.tag_added')
  })
})
