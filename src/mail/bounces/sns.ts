import { createVerify, X509Certificate } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'

/** Fetches a text by URL. Rejects if it cannot. Tests replace it. */
export type FetchText = (url: string) => Promise<string>

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
type SnsEnvelope = z.output<typeof Envelope>

/** The signed fields in the order of the signature (Amazon SNS, Verifying the signatures of messages). */
const signedFields: Readonly<Record<SnsEnvelope['Type'], readonly (keyof SnsEnvelope)[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
}

const certificates = new LRUCache<string, string>({ max: 20, ttl: 24 * 60 * 60 * 1000 })
const fetchTimeoutMs = 5_000
const maxTextLength = 100_000

/** Reads a message of SNS. **Throws** a ZodError for anything else. */
export function parseSnsEnvelope(body: unknown): SnsEnvelope {
  return Envelope.parse(body)
}

/** Returns whether Amazon signed a message and its topic is one of `topics`. Anyone can publish to a topic of their own. */
export async function isFromTopic(envelope: SnsEnvelope, topics: readonly string[], get: FetchText): Promise<boolean> {
  if (!topics.includes(envelope.TopicArn) || !isCertificateUrl(envelope)) return false
  const lines = signedFields[envelope.Type].flatMap((field) => {
    const value = envelope[field]
    return value === undefined ? [] : [`${field}\n${value}\n`]
  })
  const cached = certificates.get(envelope.SigningCertURL)
  const certificate = cached ?? (await get(envelope.SigningCertURL))
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

/** Confirms a subscription at Amazon. Returns false if the URL is not Amazon's. */
export async function confirmSubscription({ SubscribeURL, TopicArn }: SnsEnvelope, get: FetchText): Promise<boolean> {
  if (SubscribeURL === undefined || snsUrl(SubscribeURL, TopicArn)?.pathname !== '/') return false
  await get(SubscribeURL)
  return true
}

/** Fetches a text within 5 seconds. Redirects are refused. */
export const fetchText: FetchText = async (url) => {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (!response.ok) throw new Error(`${new URL(url).host} answered ${response.status}.`)
  const body = await response.text()
  if (body.length > maxTextLength)
    throw new Error(`${new URL(url).host} answered with more than ${maxTextLength} characters.`)
  return body
}

/** Returns whether the certificate of a message is one of SNS: Amazon serves no other files at such paths. */
function isCertificateUrl({ SigningCertURL, TopicArn }: SnsEnvelope): boolean {
  const url = snsUrl(SigningCertURL, TopicArn)
  return (
    url !== undefined &&
    /^\/SimpleNotificationService-[0-9A-Za-z]{1,100}\.pem$/.test(SigningCertURL.slice(url.origin.length))
  )
}

/**
 * Returns a URL if its host is SNS in the region of a topic. Others can have names that are like it: `sns.s3.amazonaws.com` is a
 * bucket. Only the certificates and confirmations of SNS are trusted.
 */
function snsUrl(text: string, topic: string): URL | undefined {
  const [, partition, , region] = topic.split(':')
  const origin = `https://sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`
  const url = URL.parse(text)
  return url?.origin === origin && text.startsWith(`${origin}/`) ? url : undefined
}
