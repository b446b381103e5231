import type { Context, Middleware } from 'koa'
import getRawBody from 'raw-body'
import { z } from 'zod'
import type { System } from '../../db/context.ts'
import { TaskError, threadTask } from '../../kernel/thread-pool.ts'
import { hasBearer, hasLogin, isFresh, mailgunProof, type Posted, parsed, sendgridProof } from './bounce-proofs.ts'
import { generic, mailgun, postmark, type ReadReports, sendgrid, ses } from './bounce-reports.ts'
import { type Report, take } from './bounces.ts'
import { confirm, type Fetch, fetchText, isFromTopic, readEnvelope } from './sns.ts'
import { isUsed, markUsed } from './used-reports.ts'

/** What proves who reports, by provider; one without it is not listened to. */
export interface BounceKeys {
  /** ARNs of the SNS topics that SES reports to. */
  readonly ses?: readonly string[] | undefined
  /** `user:password`. */
  readonly postmark?: string | undefined
  readonly mailgun?: string | undefined
  /** The public key of the signed event webhook. */
  readonly sendgrid?: string | undefined
  readonly generic?: string | undefined
  readonly dsn?: string | undefined
}

export interface BounceOptions {
  readonly system: System & { readonly secret: string }
  readonly keys: BounceKeys
  /** Reaches Amazon. */
  readonly get?: Fetch | undefined
}

/** How long what a provider posts may be: in JSON, and as a message that came back with all it held. */
const longestJson = 256 * 1024
const longestMessage = 10 * 1024 * 1024

/** A message is written by strangers, and reading one of 10 MB can take a second. */
const dsnReports = threadTask<Uint8Array, Report[]>({
  file: '../content/content.worker',
  base: import.meta.url,
  name: 'dsnReports',
})

/** What a request is good for: reports, nothing at all, or no more than a refusal. */
type Reading = readonly Report[] | 'unproven' | 'unreadable'

/** What was read of a request, and what is unique to it if its sender's signature could be sent again by somebody else. */
interface Taken {
  readonly reading: Reading
  readonly proof?: string
}
type Provider = (posted: Posted) => Promise<Taken>

/**
 * `POST /hooks/bounces/<provider>`: what became of messages after a server had accepted them. Answers 200 with how many
 * reports were about messages of ours, 401 to whoever does not prove who they are, and 400 to what cannot be read. A signed
 * report that comes again changes nothing: it is answered with 200 and no reports.
 */
export function bounces({ system, keys, get = fetchText }: BounceOptions): Middleware {
  const providers = providersOf(keys, system, get)
  return async (http, next) => {
    const name = /^\/hooks\/bounces\/([^/]+)$/.exec(http.path)?.[1]
    if (name === undefined) return next()
    const provider = providers.get(name)
    http.set('Cache-Control', 'no-store')
    if (!provider) return answer(http, 404, `Nothing is taken from ${name.slice(0, 50)} here.`)
    if (http.method !== 'POST') {
      http.set('Allow', 'POST')
      return answer(http, 405, 'Reports are posted.')
    }
    try {
      const body = await getRawBody(http.req, { limit: name === 'dsn' ? longestMessage : longestJson })
      const { reading, proof } = await provider({ body, header: (header) => http.get(header) })
      if (reading === 'unproven') return answer(http, 401, 'This does not prove who it is from.')
      if (reading === 'unreadable') return answer(http, 400, 'This cannot be read.')
      const key = proof === undefined ? undefined : `${name} ${proof}`
      if (key !== undefined && (await isUsed(system, key))) {
        http.body = { received: 0, known: 0 }
        return
      }
      http.body = { received: reading.length, known: await take(system, reading) }
      // Only now: a report that could not be taken in is sent again, and must be taken in then. Twice at once is harmless.
      if (key !== undefined) await markUsed(system, key)
    } catch (error) {
      const { status } = error as { status?: unknown }
      if (status === 413) return answer(http, 413, 'This is too long.')
      if (status === 400) return answer(http, 400, 'This broke off.')
      system.log.error({ err: error, provider: name }, 'reports could not be taken in')
      answer(http, 503, 'This did not work. Please try again later.')
    }
  }
}

function providersOf(keys: BounceKeys, system: System, get: Fetch): Map<string, Provider> {
  const posted = (isProven: (posted: Posted) => boolean, read: ReadReports): Provider => {
    return async (given) => ({ reading: isProven(given) ? reading(() => read(parsed(given.body))) : 'unproven' })
  }
  const signed = (proofOf: (posted: Posted) => string | undefined, read: ReadReports): Provider => {
    return async (given) => {
      const proof = proofOf(given)
      return proof === undefined ? { reading: 'unproven' } : { reading: reading(() => read(parsed(given.body))), proof }
    }
  }
  const {
    postmark: login,
    mailgun: mailgunKey,
    sendgrid: sendgridKey,
    generic: genericKey,
    dsn: dsnKey,
    ses: topics,
  } = keys
  const providers = new Map<string, Provider>()
  if (genericKey)
    providers.set(
      'generic',
      posted((given) => hasBearer(genericKey, given), generic),
    )
  if (login)
    providers.set(
      'postmark',
      posted((given) => hasLogin(login, given), postmark),
    )
  if (mailgunKey)
    providers.set(
      'mailgun',
      signed((given) => mailgunProof(mailgunKey, given, system.clock.now()), mailgun),
    )
  if (sendgridKey)
    providers.set(
      'sendgrid',
      signed((given) => sendgridProof(sendgridKey, given, system.clock.now()), sendgrid),
    )
  if (dsnKey) {
    providers.set('dsn', async (given) => ({
      reading: hasBearer(dsnKey, given)
        ? await dsnReports(0, given.body, given.body.length).catch(unreadable)
        : 'unproven',
    }))
  }
  if (topics) providers.set('ses', (given) => fromAmazon(given, { topics, get, now: system.clock.now() }))
  return providers
}

/** A message that cannot be read within the limits of a thread never will be; what else failed may come again. */
function unreadable(error: unknown): 'unreadable' {
  if (error instanceof TaskError) return 'unreadable'
  throw error
}

async function fromAmazon(
  { body }: Posted,
  { topics, get, now }: { topics: readonly string[]; get: Fetch; now: Date },
): Promise<Taken> {
  const envelope = reading(() => [readEnvelope(parsed(body))])
  if (envelope === 'unreadable') return { reading: envelope }
  const [message] = envelope
  if (!message || !(await isFromTopic(message, topics, get))) return { reading: 'unproven' }
  if (!isFresh(Date.parse(message.Timestamp) / 1000, now)) return { reading: 'unproven' }
  if (message.Type === 'Notification') {
    return { reading: reading(() => ses(parsed(Buffer.from(message.Message)))), proof: message.MessageId }
  }
  if (message.Type === 'SubscriptionConfirmation' && !(await confirm(message, get))) return { reading: 'unproven' }
  return { reading: [] }
}

function reading<Item>(read: () => Item[]): Item[] | 'unreadable' {
  try {
    return read()
  } catch (error) {
    if (error instanceof z.ZodError) return 'unreadable'
    throw error
  }
}

function answer(http: Context, status: number, message: string): void {
  http.status = status
  http.body = { message }
}
