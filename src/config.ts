import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Configuration of a process. Read from the environment and validated once, at the start. */
export interface Config {
  host: string
  /** TCP port. 0 means that the operating system chooses a free port. */
  port: number
  /** Public URL without a trailing slash. Undefined if `port` is 0, because the port is then known only after the start. */
  baseUrl?: string | undefined
  databaseUrl?: string | undefined
  directDatabaseUrl?: string | undefined
  /** Absolute path of the data directory. */
  dataDir: string
  /** SMTP servers that share the load. If empty, messages are written to files. */
  mailUrls: string[]
  /** Maximum number of concurrent messages per mail server. */
  mailPool: number
  /** Maximum number of messages per second, per account and per recipient domain. Workers share them evenly. */
  mailRatePerAccount?: number | undefined
  mailRatePerDomain?: number | undefined
  /** Address for bounces, `local@domain`. If undefined, bounces are sent to the sender of the message. */
  mailReturnPath?: string | undefined
  /** Sender domains that accounts can use: only verified domains, or any. */
  senders: 'verified' | 'any'
  /** Keys that authenticate bounce reports. Reports of providers without a key are rejected. */
  bounces: BounceKeys
  /** URL that receives a POST request for each SMS of a sequence. */
  smsGatewayUrl?: string | undefined
  /** Language model that summarises submissions. If undefined, no summaries are created. */
  ai?: AiProvider | undefined
  redisUrl?: string | undefined
  secret?: string | undefined
  roles: { api: boolean; worker: boolean; bridge: boolean }
  graphqlUrl?: string | undefined
  rateLimitPerMinute: number
  /** Maximum query cost per account and minute, before the share of the account's plan is applied. */
  costLimitPerMinute: number
  /** Maximum number of submissions per minute: per IP address and account, and per form. */
  postsPerMinute: { perAddress: number; perForm: number }
  /** Maximum number of recorded visits per minute, per IP address and account. */
  visitsPerMinute: number
  /** Number of trusted proxies that set `X-Forwarded-For`. 0 means that clients connect directly. */
  trustProxy: number
  /** Sources of the location of visitors: a database file, or request headers that a proxy sets. */
  geo: { database?: string | undefined; cityHeader?: string | undefined; countryHeader?: string | undefined }
  /** Retention of events in days. Subscriptions can resume after events of this time. */
  eventRetentionDays: number
  /** Retention of individual opens, clicks and visits in days. */
  trackingRetentionDays: number
  legacyApi: boolean
  /** Whether `/dev/mail` shows the messages that were written to files. */
  devMail: boolean
  /** Bearer token of `/metrics`. If undefined, `/metrics` needs no authentication. */
  metricsToken?: string | undefined
  /** Whether webhooks can be sent to private IP addresses. */
  webhookAllowPrivate: boolean
  /** Path of a JSON file that maps the SHA-256 (hex) of a GraphQL document to its text. */
  trustedDocuments?: string | undefined
  poolSize: number
  logLevel: string
}

/** Secret or public key of each provider of bounce reports. `ses` contains the ARNs of SNS topics. */
interface BounceKeys {
  ses?: string[] | undefined
  postmark?: string | undefined
  mailgun?: string | undefined
  sendgrid?: string | undefined
  generic?: string | undefined
  dsn?: string | undefined
}

/** Language model with an API that is compatible with OpenAI, and its limits. */
interface AiProvider {
  url: string
  key?: string | undefined
  model: string
  timeoutSeconds: number
  /** Maximum number of tokens per account and calendar month. */
  tokensPerMonth: number
}

/** A variable has an invalid value. The message is one line for the operator. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

type Env = Record<string, string | undefined>

const headerName = /^[\w!#$%&'*+.^`|~-]+$/

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/**
 * Reads the configuration of a server from the environment. An empty variable counts as not set.
 *
 * **Throws** `ConfigError` with the name of the variable and the accepted values. The message does not contain values that can
 * include a password.
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

/**
 * Reads the configuration of a command. Ignores ROLES, and does not require SECRET, because a command has no roles and signs
 * nothing. **Throws** `ConfigError`.
 */
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
 * Returns the secret that signs links and cookies: SECRET, or a random secret that the first start stores in DATA_DIR,
 * readable only by the current user. Processes that start at the same time with the same DATA_DIR get the same secret.
 *
 * **Throws** a system error if DATA_DIR is not writable, and `ConfigError` if the stored secret is too short.
 */
export async function secretOf(config: Pick<Config, 'secret' | 'dataDir'>): Promise<string> {
  if (config.secret) return config.secret
  const file = join(config.dataDir, 'secret')
  await mkdir(config.dataDir, { recursive: true })
  if (!existsSync(file)) await createFile(file, randomBytes(32).toString('base64url'))
  const stored = (await readFile(file, 'utf8')).trim()
  if (stored.length < 16) throw new ConfigError(`SECRET must be at least 16 characters, ${file} holds fewer: delete it`)
  return stored
}

/** Creates a file unless it exists. Uses a hard link, because it is atomic: no process reads an incomplete file. */
async function createFile(file: string, value: string): Promise<void> {
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

function configError(name: string, accepted: string, got?: string): ConfigError {
  return new ConfigError(`${name} must be ${accepted}${got === undefined ? '' : `, got ${JSON.stringify(got)}`}`)
}

/** Reads a variable. The value of a secret is not included in the error message. */
function text(env: Env, name: string, pattern = /^/, accepted = 'text', kind?: 'secret'): string | undefined {
  const value = env[name]
  if (value === undefined || value === '') return undefined
  if (!pattern.test(value)) throw configError(name, accepted, kind ? undefined : value)
  return value
}

function whole(env: Env, name: string, from: number, to: number): number | undefined {
  const accepted = `a whole number from ${from} to ${to}`
  const value = text(env, name, /^\d{1,15}$/, accepted)
  if (value === undefined) return undefined
  if (Number(value) < from || Number(value) > to) throw configError(name, accepted, value)
  return Number(value)
}

function oneOf(env: Env, name: string, values: string[]): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  if (!values.includes(value)) throw configError(name, `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`, value)
  return value
}

/** Reads URLs that are separated by white space. */
function urls(env: Env, name: string, schemes: string[]): string[] {
  const given = (text(env, name) ?? '').split(/\s+/).filter((each) => each !== '')
  return given.flatMap((each) => url({ [name]: each }, name, schemes) ?? [])
}

/** Validates a URL and returns it unchanged, because drivers parse more of it than `URL` does. */
function url(env: Env, name: string, schemes: string[]): string | undefined {
  const value = text(env, name)
  if (value === undefined) return undefined
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  const local = schemes.includes('postgres') && parsed?.searchParams.has('host')
  if (!parsed || !schemes.includes(parsed.protocol.slice(0, -1)) || !(parsed.hostname || local)) {
    throw configError(name, `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`)
  }
  return value
}

function bounces(env: Env): BounceKeys {
  const key = (name: string) => text(env, name, /^\S{16,}$/, 'at least 16 characters without blanks', 'secret')
  const topics = text(env, 'BOUNCES_SES_TOPICS')
    ?.split(/\s+/)
    .filter((topic) => topic !== '')
  const invalidTopic = topics?.find((topic) => !/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/.test(topic))
  if (invalidTopic !== undefined)
    throw configError('BOUNCES_SES_TOPICS', 'ARNs of SNS topics, with blanks between', invalidTopic)
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
  if (/[?#]|\/\/[^/]*@/.test(address)) throw configError('AI_URL', 'a URL without a login, ? and #')
  if (model === undefined) throw new ConfigError('AI_MODEL must be set when AI_URL is: the model that is asked')
  return { ...provider, url: address, model }
}

function baseUrl(env: Env): string | undefined {
  const value = url(env, 'BASE_URL', ['http', 'https'])
  if (value && /[?#]/.test(value)) throw configError('BASE_URL', 'a URL without ? and #', value)
  return value?.replace(/\/+$/, '')
}

function roles(env: Env): Config['roles'] {
  const value = text(env, 'ROLES') ?? 'api,worker'
  const named = value.split(',').map((role) => role.trim())
  const known = named.every((role) => ['api', 'worker', 'bridge'].includes(role))
  if (!known || (named.includes('bridge') && named.some((role) => role !== 'bridge'))) {
    throw configError('ROLES', 'api, worker or both with a comma between, or bridge alone', value)
  }
  return { api: named.includes('api'), worker: named.includes('worker'), bridge: named.includes('bridge') }
}
