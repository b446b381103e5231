import { z } from 'zod'
import type { System } from '../../db/context.ts'
import { Unavailable } from '../../kernel/errors.ts'
import { HttpProblem, type HttpRequest, httpRoute, sendJsonProblem } from '../../kernel/web/http-route.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import { recordReports } from './bounces.ts'
import type { ReturnedMail } from './dsn.ts'
import {
  type ReportReader,
  readGenericReports,
  readMailgunReports,
  readPostmarkReports,
  readSendgridReports,
  readSesReports,
} from './provider-reports.ts'
import type { ProviderReport } from './report-judgement.ts'
import { SignatureLimitError, type SignedSenders } from './signed-senders.ts'
import { confirmSubscription, type FetchText, fetchText, isFromTopic, parseSnsEnvelope } from './sns.ts'
import { keepUnread } from './unread-reports.ts'
import { claimReport, findUse, markReportUsed, releaseReport } from './used-reports.ts'
import {
  hasBasicCredentials,
  hasBearerToken,
  isFresh,
  parseJson,
  verifyMailgun,
  verifySendgrid,
  type WebhookRequest,
} from './webhook-signatures.ts'

/** The credentials of providers. Requests of a provider without any return 404. */
export interface BounceKeys {
  /** ARNs of the SNS topics that SES reports to. */
  readonly ses?: readonly string[] | undefined
  /** `user:password`. */
  readonly postmark?: string | undefined
  /** HTTP webhook signing key. */
  readonly mailgun?: string | undefined
  /** Public key of the signed event webhook. */
  readonly sendgrid?: string | undefined
  /** Bearer token. */
  readonly generic?: string | undefined
  /** Bearer token. */
  readonly dsn?: string | undefined
}

export interface BounceServices {
  readonly system: System
  readonly bounceKeys: BounceKeys
  /** Limits requests whose signature covers their body. */
  readonly senders: SignedSenders
  /** Fetches certificates and confirmations of Amazon. */
  readonly fetch?: FetchText | undefined
}

/** Parses in a thread: messages are untrusted, and one of 10 MB can take a second. */
const parseDsnInThread = threadTask<Uint8Array, ReturnedMail>({
  file: '../content.worker',
  base: import.meta.url,
  name: 'parseDsn',
})

/** The reports of a request, or why there are none. */
type Reports = readonly ProviderReport[] | 'unauthenticated' | 'unreadable'

interface ReadRequest {
  readonly reports: Reports
  /** Text that is unique to a signed request, so that it is not recorded twice. */
  readonly replayKey?: string
  /** The parsed body, if the signature does not cover it. */
  readonly content?: unknown
  /** Source of a returned message, kept if it cannot be read or assigned. */
  readonly source?: Uint8Array
}

/** A request whose body is read when its credentials are known to be valid, if they are in its headers. */
interface UnreadRequest extends Pick<WebhookRequest, 'header'> {
  /** IP address of the client. */
  readonly ip: string
  readBody(): Promise<Buffer>
}
type Provider = (request: UnreadRequest) => Promise<ReadRequest>

const intake = {
  methods: ['POST'],
  headers: { 'Cache-Control': 'no-store' },
  limiter: 'none',
  sendProblem: sendJsonProblem,
} as const

/**
 * The webhooks for bounces and complaints. They return 200 with the number of reports and of those about messages of this
 * server, 401 without valid credentials, and 400 for requests that cannot be read. 429 and 503 are the limits of `senders`. A
 * signed request that is repeated changes nothing: it returns 200 with no reports, or 409 if its signature comes with another
 * body.
 */
export const bounceRoutes = [
  httpRoute('/hooks/bounces/dsn', {
    area: 'server',
    ...intake,
    summary: 'Intake of returned messages (delivery status notifications).',
    maxBodyBytes: 10 * 1024 * 1024,
    handle: (request, services: BounceServices) => handleReport('dsn', request, services),
  }),
  httpRoute('/hooks/bounces/:provider', {
    area: 'server',
    ...intake,
    summary: 'Intake of bounces and complaints: `ses`, `postmark`, `mailgun`, `sendgrid` or `generic`.',
    maxBodyBytes: 2 * 1024 * 1024,
    bodyTimeoutMs: 10_000,
    handle: (request, services: BounceServices) => handleReport(request.params.provider, request, services),
  }),
]

const problem = (status: number, message: string) => new HttpProblem(status, 'Bounce reports', message)

async function handleReport(name: string, { http, readBody }: HttpRequest, services: BounceServices): Promise<void> {
  const { system } = services
  const provider = providersOf(services).get(name)
  if (!provider) throw problem(404, `Bounce reports of ${name.slice(0, 50)} are not configured.`)
  const request = { readBody, ip: http.ip, header: (header: string) => http.get(header) }
  const { reports, replayKey, content, source } = await provider(request).catch((error: unknown) => {
    // The rest of the body is not read: the provider sends the report again, on a new connection.
    if (error instanceof Unavailable || error instanceof SignatureLimitError) http.set('Connection', 'close')
    if (!(error instanceof SignatureLimitError)) throw error
    http.set('Retry-After', String(error.retryAfterSeconds))
    throw problem(429, error.message)
  })
  if (reports === 'unauthenticated') throw problem(401, 'The credentials or the signature are not valid.')
  if (reports === 'unreadable' && source) await keepUnread(system, 'UNREADABLE', source)
  if (reports === 'unreadable') throw problem(400, 'The body is not a report of this provider.')
  if (replayKey !== undefined) {
    http.body = await recordOnce(system, reports, { key: `${name} ${replayKey}`, content })
    return
  }
  const known = await recordReports(system, reports, { isTrusted: name !== 'dsn' })
  if (source && known === 0) await keepUnread(system, reports.length === 0 ? 'UNREADABLE' : 'NO_MESSAGE', source)
  http.body = { received: reports.length, known }
}

/**
 * Records the reports of a signed request, unless they were recorded before. Returns the numbers of reports and of those about
 * messages of this server. **Throws** 409 if the signature was used with another body, and UNAVAILABLE while a request with the
 * same signature is being recorded.
 */
async function recordOnce(
  system: System,
  reports: readonly ProviderReport[],
  used: Parameters<typeof findUse>[1],
): Promise<{ received: number; known: number }> {
  if (!(await claimReport(system, used)))
    throw new Unavailable('A report with this signature is being recorded. Send this one again in a moment.', 2)
  try {
    const use = await findUse(system, used)
    if (use === 'other') throw problem(409, 'The signature was used by a request with another body.')
    if (use === 'same') return { received: 0, known: 0 }
    const known = await recordReports(system, reports)
    // After recording, so that a report that could not be recorded is accepted again. Recording twice has no effect.
    await markReportUsed(system, used)
    return { received: reports.length, known }
  } finally {
    await releaseReport(system, used)
  }
}

function providersOf({ system, bounceKeys, senders, fetch: get = fetchText }: BounceServices) {
  const { ses: topics, postmark, mailgun, sendgrid, generic, dsn } = bounceKeys
  const now = () => system.clock.now()
  const limited =
    (provider: Provider): Provider =>
    (request) =>
      senders.read(request.ip, () => provider(request), isSigned)
  const providers = {
    generic: generic && authenticated((request) => hasBearerToken(generic, request), readGenericReports),
    postmark: postmark && authenticated((request) => hasBasicCredentials(postmark, request), readPostmarkReports),
    // Mailgun signs only the time and the token.
    mailgun:
      mailgun &&
      limited(signed((request) => verifyMailgun(mailgun, request, now()), readMailgunReports, { coversBody: false })),
    sendgrid: sendgrid && limited(signed((request) => verifySendgrid(sendgrid, request, now()), readSendgridReports)),
    dsn: dsn && ((request: UnreadRequest) => readDsnRequest(request, dsn)),
    ses: topics && limited((request) => readSnsRequest(request, { topics, get, now: now() })),
  }
  return new Map(Object.entries(providers))
}

/** Whether the signature of a request was valid, also if the report in it cannot be read. */
function isSigned({ reports, replayKey }: ReadRequest): boolean {
  return replayKey !== undefined || typeof reports === 'object'
}

function authenticated(isAuthenticated: (request: UnreadRequest) => boolean, read: ReportReader): Provider {
  return async (request) => {
    if (!isAuthenticated(request)) return { reports: 'unauthenticated' }
    const body = await request.readBody()
    return { reports: readOr(() => read(parseJson(body))) }
  }
}

function signed(
  replayKeyOf: (request: WebhookRequest) => string | undefined,
  read: ReportReader,
  { coversBody = true } = {},
): Provider {
  return async ({ readBody, header }) => {
    const body = await readBody()
    const replayKey = replayKeyOf({ body, header })
    if (replayKey === undefined) return { reports: 'unauthenticated' }
    const content = parseJson(body)
    return { reports: readOr(() => read(content)), replayKey, ...(!coversBody && { content }) }
  }
}

async function readDsnRequest(request: UnreadRequest, key: string): Promise<ReadRequest> {
  if (!hasBearerToken(key, request)) return { reports: 'unauthenticated' }
  const body = await request.readBody()
  try {
    const { reports, isReport } = await parseDsnInThread(0, body, body.length)
    return { reports, ...(isReport && { source: body }) }
  } catch (error) {
    // A message that exceeds the limits of a thread will always do so. Other failures are temporary.
    if (error instanceof TaskError) return { reports: 'unreadable', source: body }
    throw error
  }
}

async function readSnsRequest(
  { readBody }: UnreadRequest,
  { topics, get, now }: { topics: readonly string[]; get: FetchText; now: Date },
): Promise<ReadRequest> {
  const body = await readBody()
  const envelopes = readOr(() => [parseSnsEnvelope(parseJson(body))])
  if (envelopes === 'unreadable') return { reports: 'unreadable' }
  const [envelope] = envelopes
  if (!envelope || !(await isFromTopic(envelope, topics, get))) return { reports: 'unauthenticated' }
  if (!isFresh(Date.parse(envelope.Timestamp) / 1000, now)) return { reports: 'unauthenticated' }
  if (envelope.Type === 'Notification') {
    const reports = readOr(() => readSesReports(parseJson(Buffer.from(envelope.Message))))
    return { reports, replayKey: envelope.MessageId }
  }
  if (envelope.Type === 'SubscriptionConfirmation' && !(await confirmSubscription(envelope, get)))
    return { reports: 'unauthenticated' }
  return { reports: [] }
}

function readOr<Item>(read: () => Item[]): Item[] | 'unreadable' {
  try {
    return read()
  } catch (error) {
    if (error instanceof z.ZodError) return 'unreadable'
    throw error
  }
}
