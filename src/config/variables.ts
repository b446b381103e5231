import { objectStore } from './object-store.ts'
import { baseUrl, list, oneOf, share, text, url, variable, whole } from './types.ts'

const postgresUrl = url('postgres', 'postgresql')
const httpUrl = url('http', 'https')
const headerName = text(/^[\w!#$%&'*+.^`|~-]+$/, 'the name of a header')
const onOff = oneOf('on', 'off')
const count = whole(1, 1_000_000_000)
const perSecond = whole(1, 1_000_000)
const key = text(/^\S{16,}$/, 'at least 16 characters without blanks')
const isSecret = true

const roles = ['api', 'worker', 'bridge'] as const

/** All variables of the environment that a process reads. The documentation and `--help` show this table. */
export const variables = {
  HOST: variable(text(/^[^\s/?#@]+$/, 'a host name or an IP address'), 'Address to listen on.', {
    default: '127.0.0.1',
  }),
  PORT: variable(whole(0, 65_535), 'TCP port. 0 is a free port that the operating system chooses.', { default: 4000 }),
  BASE_URL: variable(baseUrl(/[?#]/, '? and #'), 'Public address, used in links.', { otherwise: '`http://HOST:PORT`' }),
  DATABASE_URL: variable(postgresUrl, 'PostgreSQL 15 or newer.', {
    otherwise: 'an embedded PostgreSQL under `DATA_DIR`',
  }),
  DIRECT_DATABASE_URL: variable(postgresUrl, 'The same database without a transaction pooler in between.', {
    otherwise: '`DATABASE_URL`',
  }),
  REPLICA_DATABASE_URLS: variable(
    list(postgresUrl, 'URLs that start with postgres:// or postgresql://, with white space between'),
    'Read replicas of the database, with white space between, without a pooler.',
  ),
  DATABASE_POOL_SIZE: variable(
    whole(1, 1000),
    'Database connections for requests. Each process opens about ten more for background work.',
    { default: 10 },
  ),
  BACKGROUND_SHARE: variable(
    share,
    'Share of the time that long work takes in each process while many requests are served, such as imports, recipient snapshots, exports and bulk jobs. With 1, it does not pause, and a process that only works keeps its priority.',
    { otherwise: '0.02 for each processor, from 0.04 to 0.1' },
  ),
  DATA_DIR: variable(text(), 'Folder of the embedded database, messages as files, and the generated secret.', {
    default: '.data',
  }),
  SECRET: variable(
    text(/^.{16,}$/s, 'at least 16 characters'),
    'Signs links and cookies, and encrypts stored keys. Required with `DATABASE_URL`, the same for every process.',
    { otherwise: 'generated once, kept in `DATA_DIR`', isSecret },
  ),
  ROLES: variable(
    {
      accepts: 'api, worker or both with a comma between, or bridge alone',
      parse(value) {
        const words = value.split(',').map((word) => word.trim())
        const named = roles.filter((role) => words.includes(role))
        const isValid = words.every((word) => roles.some((role) => role === word))
        return isValid && (named.length === 1 || !named.includes('bridge')) ? named : undefined
      },
    },
    'What the process does: `api`, `worker` or both, or `bridge` alone, the REST API in front of another process.',
    { default: ['api', 'worker'] },
  ),
  GRAPHQL_URL: variable(httpUrl, 'URL of the `/graphql` that a `bridge` calls. Required for it.'),
  REDIS_URL: variable(
    url('redis', 'rediss'),
    'Redis for rate limits and notifications between processes. Use a separate database (`redis://host/1`).',
    { otherwise: 'each process has its own limits; notifications use PostgreSQL' },
  ),
  TRUST_PROXY: variable(whole(0, 10), 'Number of proxies in front that set `X-Forwarded-*`.', { default: 0 }),
  RATE_LIMIT_PER_MINUTE: variable(count, 'Requests per account and minute.', { default: 600 }),
  COST_LIMIT_PER_MINUTE: variable(count, 'GraphQL cost points per account and minute. The starter plan gets half.', {
    default: 600_000,
  }),
  LEGACY_API: variable(onOff, '`off` hides the unversioned REST endpoints.', { default: 'on' }),
  CONSOLE: variable(onOff, '`off` removes `/console`, and sessions of its users are not accepted.', { default: 'on' }),
  CONSOLE_URL: variable(
    baseUrl(/[?#]|:\/\/[^/]*@|:\/\/[^/]*\/./, 'a login, a path, ? and #'),
    'Public address of the console, on a host of its own. `/console` and its sessions then exist on that host only, and the pages and files of accounts on all others.',
    { otherwise: '`BASE_URL`, which then serves the pages of accounts in a sandbox' },
  ),
  OPENID_ISSUER: variable(
    baseUrl(
      /[?#]|:\/\/[^/]*@|^http:\/\/(?!(?:localhost|127\.0\.0\.1|\[::1\])[:/]|localhost$)/,
      'a login, ? and #, with https except on this machine',
    ),
    'Issuer of an OpenID Connect provider with which users can sign in to the console.',
    { otherwise: 'users sign in by e-mail only' },
  ),
  OPENID_CLIENT_ID: variable(text(), 'Client ID at the provider. Required with `OPENID_ISSUER`.'),
  OPENID_CLIENT_SECRET: variable(text(), 'Client secret at the provider. Required with `OPENID_ISSUER`.', { isSecret }),
  TRUSTED_DOCUMENTS: variable(
    text(),
    'JSON file that maps SHA-256 hashes (hex) to GraphQL documents, which clients request by `documentId`.',
  ),
  TRUSTED_DOCUMENTS_ONLY: variable(
    onOff,
    '`on` refuses all other documents of API keys and access tokens. Requires `TRUSTED_DOCUMENTS`.',
    { default: 'off' },
  ),
  INTROSPECTION: variable(onOff, '`off` refuses documents that read the schema.', { default: 'on' }),
  MAIL_URL: variable(
    list(url('smtp', 'smtps'), 'URLs that start with smtp:// or smtps://, with blanks between'),
    'Mail servers that share the load, `smtp://user:pass@host:port`, separated by white space.',
    { otherwise: 'each message is written to `DATA_DIR/mail/<message id>.eml`' },
  ),
  MAIL_POOL: variable(whole(1, 100), 'Concurrent messages for each mail server.', { default: 5 }),
  MAIL_RATE_PER_ACCOUNT: variable(perSecond, 'Messages a second for each account, over all workers.'),
  MAIL_RATE_PER_DOMAIN: variable(perSecond, 'Messages a second for each recipient domain, over all workers.'),
  MAIL_RETURN_PATH: variable(
    text(
      /^[^\s@+<>]{1,10}@[^\s@<>]+\.[^\s@<>]+$/,
      'an address such as b@mail.example.com, with ten characters at most before the @',
    ),
    'Return path for bounces, such as `b@bounces.example.com`. Each message adds a token after a `+`.',
    { otherwise: 'the sender' },
  ),
  SENDERS: variable(oneOf('verified', 'any'), '`verified`: accounts send only from domains that they have verified.', {
    otherwise: '`any` with the embedded database, else `verified`',
  }),
  DEV_MAIL: variable(onOff, 'Whether `/dev/mail` shows the messages that were written to files.', {
    otherwise: '`on` with the embedded database, no `MAIL_URL` and a loopback `HOST`, else `off`',
  }),
  BOUNCES_SES_TOPICS: variable(
    list(text(/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w-]+$/), 'ARNs of SNS topics, with blanks between'),
    'ARNs of the SNS topics that Amazon SES reports to. Reports of a provider without a key are rejected.',
  ),
  BOUNCES_POSTMARK_LOGIN: variable(
    text(/^[^\s:]+:\S{8,}$/, 'user:password, the password of 8 characters or more'),
    "`user:password` of Postmark's webhook.",
    { isSecret },
  ),
  BOUNCES_MAILGUN_KEY: variable(key, "Mailgun's HTTP webhook signing key.", { isSecret }),
  BOUNCES_SENDGRID_KEY: variable(
    text(/^MFk[A-Za-z0-9+/]{100,}={0,2}$/, 'the public key of the signed event webhook'),
    "Public key of SendGrid's signed event webhook.",
  ),
  BOUNCES_GENERIC_KEY: variable(key, 'Bearer token of `generic` reports.', { isSecret }),
  BOUNCES_DSN_KEY: variable(key, 'Bearer token of `dsn` reports.', { isSecret }),
  SMS_GATEWAY_URL: variable(httpUrl, 'URL that receives a POST of `{id, to, text}` for each SMS of a sequence.', {
    otherwise: 'SMS stages fail with an error',
  }),
  PUBLIC_RATE_PER_IP: variable(
    count,
    "Posts a minute to an account's pages and forms, for each IP address. Introspection queries a minute without a key.",
    {
      default: 120,
    },
  ),
  PUBLIC_RATE_PER_FORM: variable(count, 'Posts a minute for each form.', { default: 6_000 }),
  PUBLIC_RATE_PER_EMAIL: variable(
    count,
    "Posts a minute with the same e-mail address to an account's pages and forms, from all IP addresses together.",
    { default: 20 },
  ),
  PUBLIC_FLOOD_PER_IP: variable(
    count,
    "Sign-ups a minute to an account's pages and forms from one IP address. More are a flood: for ten minutes, a sign-up from there needs a proof of work.",
    { default: 20 },
  ),
  PUBLIC_FLOOD_PER_FORM: variable(
    count,
    'Sign-ups a minute to one form. More are a flood: for ten minutes, a sign-up to it needs a proof of work.',
    { default: 120 },
  ),
  PUBLIC_VISITS_PER_IP: variable(
    count,
    "Recorded visits a minute to an account's pages and forms, for each IP address and process.",
    { default: 60 },
  ),
  GEOIP_DATABASE: variable(text(), 'MaxMind file (`.mmdb`) with the city and country of IP addresses.'),
  GEO_CITY_HEADER: variable(headerName, 'Header of the proxy with the city of the visitor.'),
  GEO_COUNTRY_HEADER: variable(headerName, 'Header of the proxy with the country of the visitor.'),
  MEDIA_URL: variable(
    objectStore,
    'Bucket with the API of S3 in which the bytes of uploaded media files are kept: `s3://KEY:SECRET@HOST/BUCKET?region=eu-west-1`. A folder can follow the bucket. With `&tls=off`, it is reached by HTTP.',
    { otherwise: 'the database', isSecret },
  ),
  FONTS_DIR: variable(
    text(),
    'Folder of fonts (`.ttf`, `.otf`, `.ttc`), also in subfolders, for characters in invoices and credit notes that the built-in fonts lack.',
  ),
  AI_URL: variable(
    baseUrl(/[?#]|\/\/[^/]*@/, 'a login, ? and #'),
    'OpenAI-compatible endpoint, such as `https://api.openai.com/v1`, that summarises completed submissions.',
    { otherwise: 'no summaries' },
  ),
  AI_KEY: variable(text(/^[\x21-\x7e]+$/, 'visible ASCII characters'), 'Key of `AI_URL`.', { isSecret }),
  AI_MODEL: variable(text(), 'Language model. Required with `AI_URL`.'),
  AI_TIMEOUT_SECONDS: variable(whole(1, 300), 'Timeout of a summary.', { default: 30 }),
  AI_TOKENS_PER_MONTH: variable(count, 'Tokens for each account and calendar month.', { default: 1_000_000 }),
  EVENT_RETENTION_DAYS: variable(
    whole(1, 3650),
    'Days that events are kept. Subscribers can resume within that time.',
    {
      default: 7,
    },
  ),
  TRACKING_RETENTION_DAYS: variable(
    whole(31, 3650),
    'Days that single opens, clicks and visits are kept. Totals are kept longer.',
    { default: 400 },
  ),
  AUDIT_RETENTION_DAYS: variable(whole(1, 3650), 'Days that the entries of the audit log are kept.', { default: 400 }),
  WEBHOOK_ALLOW_PRIVATE: variable(onOff, '`on` allows webhooks to private and local addresses, for development.', {
    default: 'off',
  }),
  METRICS_TOKEN: variable(
    text(/^[\x21-\x7e]{16,}$/, 'at least 16 visible ASCII characters'),
    'Bearer token that `/metrics` requires.',
    { otherwise: 'open if `HOST` is a loopback address, else `/metrics` answers 403', isSecret },
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable(
    httpUrl,
    'Collector that receives traces by OTLP over HTTP, such as `http://localhost:4318`. Other variables of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_HEADERS`, apply too.',
    { otherwise: 'nothing is traced' },
  ),
  OTEL_SERVICE_NAME: variable(text(), 'Name of the service in traces.', { default: 'campanile' }),
  OTEL_TRACES_SAMPLER_ARG: variable(share, 'Share of the traces that are recorded, from 0 to 1.', { default: 1 }),
  OTEL_BSP_SCHEDULE_DELAY: variable(
    whole(1, 600_000),
    'Maximum time that a span waits until it is sent, in milliseconds.',
    { default: 5_000 },
  ),
  LOG_LEVEL: variable(
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    'Log level. Logs are written to standard error.',
    { default: 'info' },
  ),
} as const
