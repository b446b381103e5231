import { readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { variables } from '../../src/config/variables.ts'
import { ConfigError, readCommandConfig, readConfig, secretOf } from '../../src/config.ts'
import { start, temporaryFolder } from './process.ts'

const database = 'postgres://u:p4ssw0rd@localhost/db'
const secret = 'sixteen characters'

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 4000,
      baseUrl: 'http://127.0.0.1:4000',
      replicaDatabaseUrls: [],
      dataDir: resolve('.data'),
      mailUrls: [],
      mailPool: 5,
      senders: 'any',
      bounces: {},
      roles: { api: true, worker: true, bridge: false },
      rateLimitPerMinute: 600,
      costLimitPerMinute: 600_000,
      postsPerMinute: { perAddress: 120, perForm: 6000, perEmail: 20, flood: { perAddress: 20, perForm: 120 } },
      trustProxy: 0,
      geo: {},
      eventRetentionDays: 7,
      trackingRetentionDays: 400,
      auditRetentionDays: 400,
      visitsPerMinute: 60,
      devMail: true,
      areMetricsOpen: true,
      legacyApi: true,
      documents: { trustedOnly: false, introspection: true },
      console: true,
      webhookAllowPrivate: false,
      tracing: { endpoint: undefined, serviceName: 'campanile', ratio: 1, delayMs: 5_000 },
      poolSize: 10,
      logLevel: 'info',
    })
  })

  it('treats an empty variable as unset', () => {
    const names = ['HOST', 'PORT', 'BASE_URL', 'DATABASE_URL', 'DATA_DIR', 'REDIS_URL', 'SECRET', 'ROLES', 'LEGACY_API']
    expect(readConfig(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readConfig({}))
  })

  it('shows messages by default only with the embedded database, no mail server and a loopback address', () => {
    const isShown = (env: Record<string, string>) => readConfig(env).devMail
    const smtp = { MAIL_URL: 'smtp://mail.example.com' }
    const external = { DATABASE_URL: database, SECRET: secret }
    expect([isShown({}), isShown(smtp), isShown(external), isShown({ ...external, ...smtp })]).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect([isShown({ HOST: '::1' }), isShown({ HOST: 'localhost' })]).toEqual([true, true])
    expect([isShown({ HOST: '0.0.0.0' }), isShown({ HOST: '192.168.1.5' }), isShown({ HOST: '::' })]).not.toContain(
      true,
    )
    expect([isShown({ ...external, ...smtp, DEV_MAIL: 'on' }), isShown({ DEV_MAIL: 'off' })]).toEqual([true, false])
  })

  it('reads all variables', () => {
    const config = readConfig({
      HOST: '::1',
      PORT: '8080',
      BASE_URL: 'https://mail.example.com/',
      DATABASE_URL: database,
      SECRET: secret,
      ROLES: 'worker',
      RATE_LIMIT_PER_MINUTE: '5',
      COST_LIMIT_PER_MINUTE: '7',
      LEGACY_API: 'off',
      CONSOLE: 'off',
      WEBHOOK_ALLOW_PRIVATE: 'on',
      MAIL_URL: 'smtp://me:pw@mail.example.com:587/?pool=true',
    })
    expect(config).toMatchObject({
      host: '::1',
      port: 8080,
      baseUrl: 'https://mail.example.com',
      databaseUrl: database,
      directDatabaseUrl: database,
      replicaDatabaseUrls: [],
      roles: { api: false, worker: true, bridge: false },
      rateLimitPerMinute: 5,
      costLimitPerMinute: 7,
      legacyApi: false,
      console: false,
      webhookAllowPrivate: true,
      mailUrls: ['smtp://me:pw@mail.example.com:587/?pool=true'],
    })
    expect(readConfig({ HOST: '::1' }).baseUrl).toBe('http://[::1]:4000')
    expect(readConfig({ PORT: '0' }).baseUrl).toBeUndefined()
    expect(
      readConfig({ ROLES: 'bridge', GRAPHQL_URL: 'http://api/graphql', DATABASE_URL: database }).roles.bridge,
    ).toBe(true)
    expect(readConfig({ DATABASE_URL: 'postgresql:///db?host=/run/postgresql', SECRET: secret }).poolSize).toBe(10)
  })

  it('requires verified sender domains with an external database, unless SENDERS says otherwise', () => {
    expect(readConfig({}).senders).toBe('any')
    expect(readConfig({ SENDERS: 'verified' }).senders).toBe('verified')
    const external = { DATABASE_URL: database, SECRET: secret }
    expect(readConfig(external).senders).toBe('verified')
    expect(readConfig({ ...external, SENDERS: 'any' }).senders).toBe('any')
  })

  it('reads the provider of summaries', () => {
    const input = { AI_URL: 'http://localhost:11434/v1/', AI_MODEL: 'small' }
    const usual = { url: 'http://localhost:11434/v1', model: 'small', timeoutSeconds: 30, tokensPerMonth: 1_000_000 }
    expect(readConfig(input).ai).toEqual(usual)
    expect(readConfig({ ...input, AI_KEY: 'sk-1', AI_TIMEOUT_SECONDS: '5', AI_TOKENS_PER_MONTH: '7' }).ai).toEqual({
      ...usual,
      key: 'sk-1',
      timeoutSeconds: 5,
      tokensPerMonth: 7,
    })
    expect(readConfig({ AI_MODEL: 'small', AI_KEY: 'sk-1' }).ai).toBeUndefined()
  })

  it.each<[variable: string, env: Record<string, string>]>([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }],
    ['OTEL_TRACES_SAMPLER_ARG', { OTEL_TRACES_SAMPLER_ARG: '2' }],
    ['PORT', { PORT: 'x' }],
    ['PORT', { PORT: '65536' }],
    ['PORT', { PORT: '-1' }],
    ['PORT', { PORT: '4000.5' }],
    ['PORT', { PORT: '0x50' }],
    ['HOST', { HOST: 'a host' }],
    ['HOST', { HOST: 'http://localhost' }],
    ['BASE_URL', { BASE_URL: 'mail.example.com' }],
    ['BASE_URL', { BASE_URL: 'ftp://mail.example.com' }],
    ['BASE_URL', { BASE_URL: 'https://mail.example.com/?a=b' }],
    ['OPENID_ISSUER', { OPENID_ISSUER: 'http://login.example.com' }],
    ['OPENID_CLIENT_ID', { OPENID_ISSUER: 'https://login.example.com', OPENID_CLIENT_SECRET: 'too short' }],
    ['CONSOLE_URL', { CONSOLE_URL: 'https://console.example.com/path' }],
    ['CONSOLE_URL', { BASE_URL: 'https://example.com', CONSOLE_URL: 'https://example.com:8443' }],
    ['AI_MODEL', { AI_URL: 'https://ai.example/v1' }],
    ['AI_URL', { AI_URL: 'ai.example', AI_MODEL: 'm' }],
    ['AI_URL', { AI_URL: 'https://u:p@ai.example/v1', AI_MODEL: 'm' }],
    ['AI_URL', { AI_URL: 'https://ai.example/v1?a=b', AI_MODEL: 'm' }],
    ['AI_KEY', { AI_URL: 'https://ai.example/v1', AI_MODEL: 'm', AI_KEY: 'two words' }],
    ['AI_TIMEOUT_SECONDS', { AI_TIMEOUT_SECONDS: '0' }],
    ['AI_TOKENS_PER_MONTH', { AI_TOKENS_PER_MONTH: '0' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://localhost/db', SECRET: secret }],
    ['DATABASE_URL', { DATABASE_URL: 'postgres://', SECRET: secret }],
    ['DIRECT_DATABASE_URL', { DATABASE_URL: database, DIRECT_DATABASE_URL: 'x', SECRET: secret }],
    ['DATABASE_URL', { DIRECT_DATABASE_URL: database, SECRET: secret }],
    ['REPLICA_DATABASE_URLS', { DATABASE_URL: database, REPLICA_DATABASE_URLS: `${database} x`, SECRET: secret }],
    ['DATABASE_URL', { REPLICA_DATABASE_URLS: database, SECRET: secret }],
    ['SECRET', { DATABASE_URL: database }],
    ['SECRET', { SECRET: 'too short' }],
    ['MAIL_URL', { MAIL_URL: 'http://mail.example.com' }],
    ['MAIL_RETURN_PATH', { MAIL_RETURN_PATH: 'bounces@localhost' }],
    ['MAIL_RETURN_PATH', { MAIL_RETURN_PATH: 'a-long-local-part@example.com' }],
    ['BOUNCES_SES_TOPICS', { BOUNCES_SES_TOPICS: 'arn:aws:sns:eu-west-1:123456789012:mail bounces' }],
    ['BOUNCES_POSTMARK_LOGIN', { BOUNCES_POSTMARK_LOGIN: 'without a password' }],
    ['BOUNCES_MAILGUN_KEY', { BOUNCES_MAILGUN_KEY: 'short' }],
    ['BOUNCES_SENDGRID_KEY', { BOUNCES_SENDGRID_KEY: '-----BEGIN PUBLIC KEY-----' }],
    ['BOUNCES_GENERIC_KEY', { BOUNCES_GENERIC_KEY: 'short' }],
    ['BOUNCES_DSN_KEY', { BOUNCES_DSN_KEY: 'with some blanks in it' }],
    ['REDIS_URL', { REDIS_URL: 'localhost:6379' }],
    ['SENDERS', { SENDERS: 'all' }],
    ['ROLES', { ROLES: 'api,mailer' }],
    ['ROLES', { ROLES: 'api,bridge', GRAPHQL_URL: 'http://api/graphql' }],
    ['ROLES', { ROLES: ',' }],
    ['GRAPHQL_URL', { ROLES: 'bridge' }],
    ['GRAPHQL_URL', { ROLES: 'bridge', GRAPHQL_URL: '/graphql' }],
    ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: '0' }],
    ['COST_LIMIT_PER_MINUTE', { COST_LIMIT_PER_MINUTE: '0' }],
    ['COST_LIMIT_PER_MINUTE', { COST_LIMIT_PER_MINUTE: '1e6' }],
    ['RATE_LIMIT_PER_MINUTE', { RATE_LIMIT_PER_MINUTE: 'unlimited' }],
    ['LEGACY_API', { LEGACY_API: 'no' }],
    ['DEV_MAIL', { DEV_MAIL: 'yes' }],
    ['METRICS_TOKEN', { METRICS_TOKEN: 'too short' }],
    ['WEBHOOK_ALLOW_PRIVATE', { WEBHOOK_ALLOW_PRIVATE: 'true' }],
    ['DATABASE_POOL_SIZE', { DATABASE_POOL_SIZE: '0' }],
    ['LOG_LEVEL', { LOG_LEVEL: 'loud' }],
  ])('rejects an invalid %s in one line that names the variable and no secret: %o', (variable, env) => {
    const problem = messageOf(() => readConfig(env))
    expect(problem).toMatch(new RegExp(`^${variable} must `))
    expect(problem).not.toMatch(/\n|p4ssw0rd|too short/)
  })

  it('requires no secret and no role for a command', () => {
    expect(readCommandConfig({ DATABASE_URL: database, ROLES: 'bridge' })).toMatchObject({ databaseUrl: database })
  })

  it('lists every variable with --help', async () => {
    const { code, stdout } = await start('main', ['--help'], {}).end
    expect(code).toBe(0)
    for (const name of Object.keys(variables)) expect(stdout).toContain(`\n${name}\n`)
  })

  it('ends the start with that line only', async () => {
    const { code, stdout, stderr } = await start('main', [], { PORT: 'x' }).end
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: 'PORT must be a whole number from 0 to 65535, got "x"\n',
    })
  })
})

describe('the secret file', () => {
  it('is created once by concurrent processes, and is readable by its owner only', async () => {
    const dataDir = join(await temporaryFolder(), 'new')
    const made = await Promise.all(Array.from({ length: 10 }, () => secretOf({ dataDir })))
    const file = join(dataDir, 'secret')
    expect(new Set(made)).toEqual(new Set([await readFile(file, 'utf8')]))
    expect(made[0]).toMatch(/^[\w-]{43}$/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await secretOf({ dataDir, secret })).toBe(secret)
  })
})

function messageOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'nothing was refused'
}
