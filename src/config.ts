import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** What an operator decided, read once at the start and checked. */
export interface Config {
  host: string
  /** 0 lets the system choose a free one. */
  port: number
  /** Unset when the port is the system's choice: then the address is known only once we listen. */
  baseUrl?: string | undefined
  databaseUrl?: string | undefined
  directDatabaseUrl?: string | undefined
  /** Absolute. */
  dataDir: string
  /** Mail servers that share the load; none: messages become files. */
  mailUrls: string[]
  /** How many messages may be on their way to one mail server at a time. */
  mailPool: number
  /** How many messages a second may go out for one account, and to one domain; workers share them evenly. */
  mailRatePerAccount?: number | undefined
  mailRatePerDomain?: number | undefined
  /** Where bounces come back, `local@domain`; unset: to each message's sender. */
  mailReturnPath?: string | undefined
  /** Whether accounts send only from domains that they have verified, or from any. */
  senders: 'verified' | 'any'
  /** What proves who reports bounces; a provider that has none is not listened to. */
  bounces: BounceKeys
  /** Takes a POST for each SMS of a sequence. */
  smsGatewayUrl?: string | undefined
  /** Who is asked for summaries of submissions; nobody where absent. */
  ai?: AiProvider | undefined
  redisUrl?: string | undefined
  secret?: string | undefined
  roles: { api: boolean; worker: boolean; bridge: boolean }
  graphqlUrl?: string | undefined
  rateLimitPerMinute: number
  /** Cost points that an account may spend a minute, if its plan gives it all of them. */
  costLimitPerMinute: number
  /** How many posts a minute one address may make to an account's pages and forms, and all together to one form. */
  postsPerMinute: { perAddress: number; perForm: number }
  /** How many looks at an account's pages and forms from one address are kept, a minute. */
  visitsPerMinute: number
  /** How many proxies stand in front, each of which says whom it serves; 0: clients reach us themselves. */
  trustProxy: number
  /** What tells where visitors are; the headers are those of a proxy. */
  geo: { database?: string | undefined; cityHeader?: string | undefined; countryHeader?: string | undefined }
  /** How many days events are kept, and can be resumed after. */
  eventRetentionDays: number
  /** How many days opens, clicks and visits are kept one by one. */
  trackingRetentionDays: number
  legacyApi: boolean
  /** Whether `/dev/mail` shows the messages that became files. */
  devMail: boolean
  /** Bearer token that `/metrics` asks for; without one it is open. */
  metricsToken?: string | undefined
  /** Whether webhooks may go to addresses that are not on the public Internet. */
  webhookAllowPrivate: boolean
  /** A JSON file: SHA-256 (hex) of a document to its text. */
  trustedDocuments?: string | undefined
  poolSize: number
  logLevel: string
}

/** A secret or public key for each provider that reports bounces, as that provider calls it. */
export interface BounceKeys {
  ses?: string[] | undefined
  postmark?: string | undefined
  mailgun?: string | undefined
  sendgrid?: string | undefined
  generic?: string | undefined
  dsn?: string | undefined
}

/** A model behind an interface like OpenAI's, and what may be asked of it. */
export interface AiProvider {
  url: string
  key?: string | undefined
  model: string
  timeoutSeconds: number
  /** For one account in a calendar month. */
  tokensPerMonth: number
}

/** A variable has a value that we cannot work with; the message is one line for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

type Env = Record<string, string | undefined>

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * Reads what a server needs from the environment. An empty variable counts as not set.
 *
 * Throws ConfigError, whose one line names the variable and what it takes. Values that may hold a password are not
 * repeated in it.
 */
export function readConfig(env: Env = process.env): Config {
  const config = readAll(env)
  const { api, worker, bridge } = config.roles
  if (bridge && !config.graphqlUrl) {
    throw new ConfigError('GRAPHQL_URL must be set when ROLES is bridge: the /graphql it stands in front of')
  }
  if (config.databaseUrl && (api || worker) && !config.secret) {
    throw new ConfigError('SECRET must be set when DATABASE_URL is: at least 16 characters, the same for every process')
  }
  return config
}

/** The same for a command beside a server: it signs nothing, so it asks for no SECRET, and roles mean nothing to it. */
export function readCommandConfig(env: Env = process.env): Config {
  return readAll({ ...env, ROLES: undefined })
}

function readAll(env: Env): Config {
  const host = text(env, 'HOST', /^[^\s/?#@]+$/, 'a host name or an IP address') ?? '127.0.0.1'
  const port = whole(env, 'PORT', 0, 65_535) ?? 4000
  const databaseUrl = url(env, 'DATABASE_URL', ['postgres', 'postgresql'])
  const directDatabaseUrl = url(env, 'DIRECT_DATABASE_URL', ['postgres', 'postgresql'])
  if (directDatabaseUrl && !databaseUrl) {
    throw new ConfigError('DATABASE_URL must be set when DIRECT_DATABASE_URL is: both name one database')
  }
  return {
    host,
    port,
    baseUrl: baseUrl(env) ?? (port === 0 ? undefined : `http://${host.includes(':') ? `[${host}]` : host}:${port}`),
    databaseUrl,
    directDatabaseUrl: directDatabaseUrl ?? databaseUrl,
    dataDir: resolve(text(env, 'DATA_DIR') ?? '.data'),
    mailUrls: urls(env, 'MAIL_URL', ['smtp', 'smtps']),
    mailPool: whole(env, 'MAIL_POOL', 1, 100) ?? 5,
    mailRatePerAccount: whole(env, 'MAIL_RATE_PER_ACCOUNT', 1, 1_000_000),
    mailRatePerDomain: whole(env, 'MAIL_RATE_PER_DOMAIN', 1, 1_000_000),
    mailReturnPath: text(
      env,
      'MAIL_RETURN_PATH',
      /^[^\s@+<>]{1,10}@[^\s@<>]+\.[^\s@<>]+$/,
      'an address such as b@mail.example.com, with ten characters at most before the @',
    ),
    senders: (oneOf(env, 'SENDERS', ['verified', 'any']) ?? (databaseUrl ? 'verified' : 'any')) as Config['senders'],
    bounces: bounces(env),
    ai: ai(env),
    smsGatewayUrl: url(env, 'SMS_GATEWAY_URL', ['http', 'https']),
    redisUrl: url(env, 'REDIS_URL', ['redis', 'rediss']),
    secret: text(env, 'SECRET', /^.{16,}$/s, 'at least 16 characters', 'secret'),
    roles: roles(env),
    graphqlUrl: url(env, 'GRAPHQL_URL', ['http', 'https']),
    rateLimitPerMinute: whole(env, 'RATE_LIMIT_PER_MINUTE', 1, 1_000_000_000) ?? 600,
    costLimitPerMinute: whole(env, 'COST_LIMIT_PER_MINUTE', 1, 1_000_000_000) ?? 600_000,
    postsPerMinute: {
      perAddress: whole(env, 'PUBLIC_RATE_PER_IP', 1, 1_000_000_000) ?? 120,
      perForm: whole(env, 'PUBLIC_RATE_PER_FORM', 1, 1_000_000_000) ?? 6_000,
    },
    visitsPerMinute: whole(env, 'PUBLIC_VISITS_PER_IP', 1, 1_000_000_000) ?? 60,
    trustProxy: whole(env, 'TRUST_PROXY', 0, 10) ?? 0,
    geo: {
      database: text(env, 'GEOIP_DATABASE'),
      cityHeader: text(env, 'GEO_CITY_HEADER', headerName, 'the name of a header'),
      countryHeader: text(env, 'GEO_COUNTRY_HEADER', headerName, 'the name of a header'),
    },
    eventRetentionDays: whole(env, 'EVENT_RETENTION_DAYS', 1, 3650) ?? 7,
    trackingRetentionDays: whole(env, 'TRACKING_RETENTION_DAYS', 31, 3650) ?? 400,
    devMail: (oneOf(env, 'DEV_MAIL', ['on', 'off']) ?? (databaseUrl || env['MAIL_URL'] ? 'off' : 'on')) === 'on',
    metricsToken: text(env, 'METRICS_TOKEN', /^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters', 'secret'),
    legacyApi: (oneOf(env, 'LEGACY_API', ['on', 'off']) ?? 'on') === 'on',
    webhookAllowPrivate: oneOf(env, 'WEBHOOK_ALLOW_PRIVATE', ['on', 'off']) === 'on',
    trustedDocuments: text(env, 'TRUSTED_DOCUMENTS'),
    poolSize: whole(env, 'DATABASE_POOL_SIZE', 1, 1000) ?? 10,
    logLevel: oneOf(env, 'LOG_LEVEL', logLevels) ?? 'info',
  }
}

/**
 * What signs links and cookies: SECRET, or one made at the first start and kept in DATA_DIR for this user alone.
 *
 * Two processes that start together on one DATA_DIR get the same. Fails where DATA_DIR cannot be written.
 */
export async function secretOf(config: Pick<Config, 'secret' | 'dataDir'>): Promise<string> {
  if (config.secret) return config.secret
  const file = join(config.dataDir, 'secret')
  await mkdir(config.dataDir, { recursive: true })
  if (!existsSync(file)) await keepFirst(file, randomBytes(32).toString('base64url'))
  const kept = (await readFile(file, 'utf8')).trim()
  if (kept.length < 16) throw new ConfigError(`SECRET must be at least 16 characters, ${file} holds fewer: delete it`)
  return kept
}

/** A link is made or refused as a whole: nobody reads half a secret, and the second to come finds the first one's. */
async function keepFirst(file: string, value: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  await writeFile(draft, value, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    await rm(draft)
  }
}

function refusal(name: string, takes: string, got?: string): ConfigError {
  return new ConfigError(`${name} must be ${takes}${got === undefined ? '' : `, got ${JSON.stringify(got)}`}`)
}

function text(env: Env, name: string, pattern = /^/, takes = 'text', kind?: 'secret'): string | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  if (!pattern.test(value)) throw refusal(name, takes, kind ? undefined : value)
  return value
}

function whole(env: Env, name: string, from: number, to: number): number | undefined {
  const takes = `a whole number from ${from} to ${to}`
  const value = text(env, name, /^\d{1,15}$/, takes)
  if (value === undefined) return undefined
  if (Number(value) < from || Number(value) > to) throw refusal(name, takes, value)
  return Number(value)
}

function oneOf(env: Env, name: string, values: string[]): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  if (!values.includes(value)) throw refusal(name, `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`, value)
  return value
}

/** Several of them, with white space between. */
function urls(env: Env, name: string, schemes: string[]): string[] {
  const given = (text(env, name) ?? '').split(/\s+/).filter((each) => each !== '')
  return given.flatMap((each) => url({ [name]: each }, name, schemes) ?? [])
}

/** Checked but handed on as written, for drivers read more from it than URL does. */
function url(env: Env, name: string, schemes: string[]): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  const local = schemes.includes('postgres') && parsed?.searchParams.has('host')
  if (!parsed || !schemes.includes(parsed.protocol.slice(0, -1)) || !(parsed.hostname || local)) {
    throw refusal(name, `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
  }
  return value
}

function bounces(env: Env): BounceKeys {
  const key = (name: string) => text(env, name, /^\S{16,}$/, 'at least 16 characters without blanks', 'secret')
  const topics = text(env, 'BOUNCES_SES_TOPICS')
    ?.split(/\s+/)
    .filter((topic) => topic !== '')
  const strange = topics?.find((topic) => !/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/.test(topic))
  if (strange !== undefined) throw refusal('BOUNCES_SES_TOPICS', 'ARNs of SNS topics, with blanks between', strange)
  return {
    ses: topics,
    postmark: text(
      env,
      'BOUNCES_POSTMARK_LOGIN',
      /^[^\s:]+:\S{8,}$/,
      'user:password, the password of 8 characters or more',
      'secret',
    ),
    mailgun: key('BOUNCES_MAILGUN_KEY'),
    sendgrid: text(
      env,
      'BOUNCES_SENDGRID_KEY',
      /^MFk[A-Za-z0-9+/]{100,}={0,2}$/,
      'the public key of the signed event webhook',
    ),
    generic: key('BOUNCES_GENERIC_KEY'),
    dsn: key('BOUNCES_DSN_KEY'),
  }
}

function ai(env: Env): AiProvider | undefined {
  const provider = {
    url: url(env, 'AI_URL', ['http', 'https'])?.replace(/\/+$/, ''),
    key: text(env, 'AI_KEY', /^[\x21-\x7e]+$/, 'visible ASCII characters', 'secret'),
    model: text(env, 'AI_MODEL'),
    timeoutSeconds: whole(env, 'AI_TIMEOUT_SECONDS', 1, 300) ?? 30,
    tokensPerMonth: whole(env, 'AI_TOKENS_PER_MONTH', 1, 1_000_000_000) ?? 1_000_000,
  }
  const { url: address, model } = provider
  if (address === undefined) return undefined
  if (/[?#]|\/\/[^/]*@/.test(address)) throw refusal('AI_URL', 'a URL without a login, ? and #')
  if (model === undefined) throw new ConfigError('AI_MODEL must be set when AI_URL is: the model that is asked')
  return { ...provider, url: address, model }
}

function baseUrl(env: Env): string | undefined {
  const value = url(env, 'BASE_URL', ['http', 'https'])
  if (value && /[?#]/.test(value)) throw refusal('BASE_URL', 'a URL without ? and #', value)
  return value?.replace(/\/+$/, '')
}

function roles(env: Env): Config['roles'] {
  const value = text(env, 'ROLES') ?? 'api,worker'
  const named = value.split(',').map((role) => role.trim())
  const known = named.every((role) => ['api', 'worker', 'bridge'].includes(role))
  if (!known || (named.includes('bridge') && named.some((role) => role !== 'bridge'))) {
    throw refusal('ROLES', 'api, worker or both with a comma between, or bridge alone', value)
  }
  return { api: named.includes('api'), worker: named.includes('worker'), bridge: named.includes('bridge') }
}
