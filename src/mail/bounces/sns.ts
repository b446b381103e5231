import { createVerify, X509Certificate } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'

/** Fetches a text from the web; fails where it cannot. A test puts its own in the place. */
export type Fetch = (url: string) => Promise<string>

const text = z.string()
const Envelope = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: text,
  TopicArn: text,
  Subject: text.optional(),
  Message: text,
  Timestamp: text,
  SignatureVersion: z.enum(['1', '2']),
  Signature: text,
  SigningCertURL: text,
  Token: text.optional(),
  SubscribeURL: text.optional(),
})
export type SnsEnvelope = z.output<typeof Envelope>

/** The fields that are signed, each with its name, in this order (Amazon SNS, Verifying the signatures of messages). */
const signed: Readonly<Record<SnsEnvelope['Type'], readonly (keyof SnsEnvelope)[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
}

const certificates = new LRUCache<string, string>({ max: 20, ttl: 24 * 60 * 60 * 1000 })
const longestFetch = 5_000
const longestText = 100_000

/** Reads what SNS posts. Throws a ZodError for anything else. */
export function readEnvelope(body: unknown): SnsEnvelope {
  return Envelope.parse(body)
}

/** Whether Amazon has signed a message, for one of these topics: anybody can have Amazon sign what they please for their own. */
export async function isFromTopic(envelope: SnsEnvelope, topics: readonly string[], get: Fetch): Promise<boolean> {
  if (!topics.includes(envelope.TopicArn) || !isAmazons(envelope.SigningCertURL)) return false
  const lines = signed[envelope.Type].flatMap((field) => {
    const value = envelope[field]
    return value === undefined ? [] : [`${field}\n${value}\n`]
  })
  const known = certificates.get(envelope.SigningCertURL)
  const certificate = known ?? (await get(envelope.SigningCertURL))
  try {
    const verify = createVerify(envelope.SignatureVersion === '1' ? 'sha1WithRSAEncryption' : 'sha256WithRSAEncryption')
    const isSigned = verify
      .update(lines.join(''), 'utf8')
      .verify(new X509Certificate(certificate).publicKey, envelope.Signature, 'base64')
    if (isSigned) certificates.set(envelope.SigningCertURL, certificate)
    return isSigned
  } catch {
    return false
  }
}

/** Tells Amazon that its messages are welcome here. Answers false where the address is not Amazon's. */
export async function confirm({ SubscribeURL }: SnsEnvelope, get: Fetch): Promise<boolean> {
  if (SubscribeURL === undefined || !isAmazons(SubscribeURL)) return false
  await get(SubscribeURL)
  return true
}

/** Fetches over HTTPS within some seconds; goes nowhere else, however it is told to. */
export const fetchText: Fetch = async (url) => {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(longestFetch) })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}.`)
  const body = await response.text()
  if (body.length > longestText) throw new Error(`${new URL(url).host} answered at too great a length.`)
  return body
}

/** Whether an address is one of SNS itself: nobody else has it sign, and nobody else is asked. */
function isAmazons(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, port, username } = new URL(url)
  return (
    protocol === 'https:' && port === '' && username === '' && /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/.test(hostname)
  )
}
