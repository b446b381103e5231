import { resolve } from 'node:path'
import { ConfigError, describeDefault, readVariables } from './config/types.ts'
import { variables } from './config/variables.ts'
import { isLoopbackName } from './kernel/values/address.ts'

export { secretOf } from './config/secret.ts'
export { ConfigError } from './config/types.ts'

/** Configuration of a process. Read from the environment and validated once, at the start. */
export type Config = ReturnType<typeof readCommandConfig>

type Env = Record<string, string | undefined>

/**
 * Reads the configuration of a server from the environment.
 *
 * **Throws** `ConfigError` with the name of the variable and the accepted values. The message does not contain values that can
 * include a password.
 */
export function readConfig(env: Env = process.env): Config {
  const config = toConfig(env)
  const { api, worker, bridge } = config.roles
  if (bridge && !config.graphqlUrl) {
    throw new ConfigError(
      'GRAPHQL_URL must be set when ROLES is bridge: the /graphql that the bridge sends requests to',
    )
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
export function readCommandConfig(env: Env = process.env) {
  return toConfig({ ...env, ROLES: undefined })
}

/** Returns the list of all variables with their defaults, for a terminal. */
export function describeVariables(): string {
  const rows = Object.entries(variables).map(([name, row]) => `${name}\n    ${row.description} ${describeDefault(row)}`)
  return ['npm start -- [--demo]', '', 'Variables of the environment:', ...rows].join('\n').replaceAll('`', '')
}

function toConfig(env: Env) {
  const read = readVariables(variables, env)
  const { HOST: host, PORT: port, DATABASE_URL: databaseUrl, MAIL_URL: mailUrls = [], AI_URL, AI_MODEL } = read
  if (read.DIRECT_DATABASE_URL && !databaseUrl) {
    throw new ConfigError('DATABASE_URL must be set when DIRECT_DATABASE_URL is: both name one database')
  }
  if (read.REPLICA_DATABASE_URLS && !databaseUrl) {
    throw new ConfigError('DATABASE_URL must be set when REPLICA_DATABASE_URLS is: they are replicas of it')
  }
  if (read.TRUSTED_DOCUMENTS_ONLY === 'on' && !read.TRUSTED_DOCUMENTS) {
    throw new ConfigError('TRUSTED_DOCUMENTS must be set when TRUSTED_DOCUMENTS_ONLY is on: nothing else is executed')
  }
  if (AI_URL && !AI_MODEL) {
    throw new ConfigError('AI_MODEL must be set when AI_URL is: the model that is asked')
  }
  if (read.CONSOLE_URL && read.BASE_URL && new URL(read.CONSOLE_URL).hostname === new URL(read.BASE_URL).hostname) {
    throw new ConfigError('CONSOLE_URL must have another host than BASE_URL, which serves the pages of accounts')
  }
  const { OPENID_ISSUER: issuer, OPENID_CLIENT_ID: clientId, OPENID_CLIENT_SECRET: clientSecret } = read
  if (issuer && !(clientId && clientSecret)) {
    const missing = clientId ? 'OPENID_CLIENT_SECRET' : 'OPENID_CLIENT_ID'
    throw new ConfigError(`${missing} must be set when OPENID_ISSUER is: the registration at the provider`)
  }
  const localUrl = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return {
    host,
    port,
    /** BASE_URL, if it is set. */
    givenBaseUrl: read.BASE_URL,
    /** Public URL without a trailing slash. Undefined if `port` is 0, because the port is then known only after the start. */
    baseUrl: read.BASE_URL ?? (port === 0 ? undefined : localUrl),
    databaseUrl,
    directDatabaseUrl: read.DIRECT_DATABASE_URL ?? databaseUrl,
    replicaDatabaseUrls: read.REPLICA_DATABASE_URLS ?? [],
    dataDir: resolve(read.DATA_DIR),
    mailUrls,
    mailPool: read.MAIL_POOL,
    mailRatePerAccount: read.MAIL_RATE_PER_ACCOUNT,
    mailRatePerDomain: read.MAIL_RATE_PER_DOMAIN,
    mailReturnPath: read.MAIL_RETURN_PATH,
    senders: read.SENDERS ?? (databaseUrl ? 'verified' : 'any'),
    bounces: {
      ses: read.BOUNCES_SES_TOPICS,
      postmark: read.BOUNCES_POSTMARK_LOGIN,
      mailgun: read.BOUNCES_MAILGUN_KEY,
      sendgrid: read.BOUNCES_SENDGRID_KEY,
      generic: read.BOUNCES_GENERIC_KEY,
      dsn: read.BOUNCES_DSN_KEY,
    },
    smsGatewayUrl: read.SMS_GATEWAY_URL,
    ai:
      AI_URL && AI_MODEL
        ? {
            url: AI_URL,
            key: read.AI_KEY,
            model: AI_MODEL,
            timeoutSeconds: read.AI_TIMEOUT_SECONDS,
            tokensPerMonth: read.AI_TOKENS_PER_MONTH,
          }
        : undefined,
    redisUrl: read.REDIS_URL,
    secret: read.SECRET,
    roles: {
      api: read.ROLES.includes('api'),
      worker: read.ROLES.includes('worker'),
      bridge: read.ROLES.includes('bridge'),
    },
    graphqlUrl: read.GRAPHQL_URL,
    rateLimitPerMinute: read.RATE_LIMIT_PER_MINUTE,
    costLimitPerMinute: read.COST_LIMIT_PER_MINUTE,
    postsPerMinute: {
      perAddress: read.PUBLIC_RATE_PER_IP,
      perForm: read.PUBLIC_RATE_PER_FORM,
      perEmail: read.PUBLIC_RATE_PER_EMAIL,
      flood: { perAddress: read.PUBLIC_FLOOD_PER_IP, perForm: read.PUBLIC_FLOOD_PER_FORM },
    },
    visitsPerMinute: read.PUBLIC_VISITS_PER_IP,
    trustProxy: read.TRUST_PROXY,
    geo: { database: read.GEOIP_DATABASE, cityHeader: read.GEO_CITY_HEADER, countryHeader: read.GEO_COUNTRY_HEADER },
    fontsFolder: read.FONTS_DIR,
    /** The store of media files. Undefined if it is the database. */
    mediaStore: read.MEDIA_URL,
    eventRetentionDays: read.EVENT_RETENTION_DAYS,
    trackingRetentionDays: read.TRACKING_RETENTION_DAYS,
    auditRetentionDays: read.AUDIT_RETENTION_DAYS,
    legacyApi: read.LEGACY_API === 'on',
    console: read.CONSOLE === 'on',
    /** Public URL of the console. Undefined if it is that of the server. */
    consoleUrl: read.CONSOLE_URL,
    openid: issuer && clientId && clientSecret ? { issuer, clientId, clientSecret } : undefined,
    devMail: (read.DEV_MAIL ?? (databaseUrl || mailUrls.length > 0 || !isLoopbackName(host) ? 'off' : 'on')) === 'on',
    metricsToken: read.METRICS_TOKEN,
    /** Whether `/metrics` answers without a token: only this machine can ask. */
    areMetricsOpen: read.METRICS_TOKEN === undefined && isLoopbackName(host),
    tracing: {
      endpoint: read.OTEL_EXPORTER_OTLP_ENDPOINT,
      serviceName: read.OTEL_SERVICE_NAME,
      ratio: read.OTEL_TRACES_SAMPLER_ARG,
      delayMs: read.OTEL_BSP_SCHEDULE_DELAY,
    },
    webhookAllowPrivate: read.WEBHOOK_ALLOW_PRIVATE === 'on',
    documents: {
      trusted: read.TRUSTED_DOCUMENTS,
      trustedOnly: read.TRUSTED_DOCUMENTS_ONLY === 'on',
      introspection: read.INTROSPECTION === 'on',
    },
    poolSize: read.DATABASE_POOL_SIZE,
    backgroundShare: read.BACKGROUND_SHARE,
    logLevel: read.LOG_LEVEL,
  }
}
