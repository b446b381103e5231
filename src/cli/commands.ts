import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { Account, ApiKey } from '../../prisma/generated/client/client.ts'
import { accounts, apiKeys, ownAccount } from '../account/index.ts'
import { type Config, readCommandConfig, secretOf } from '../config.ts'
import { type Database, openDatabase } from '../db/client.ts'
import { newCtx, type System } from '../db/context.ts'
import { explainEmbedded, startEmbedded } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { systemClock } from '../kernel/clock.ts'
import { newLog } from '../kernel/log.ts'
import { scopesOf } from '../kernel/scopes.ts'
import { newSigner } from '../kernel/signer.ts'

type Plan = Account['plan']
const plans = { 'free-trial': 'FREE_TRIAL', starter: 'STARTER', pro: 'PRO', unlimited: 'UNLIMITED' } as const
const planNames = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [plan, name]))

interface OutputOptions {
  json?: boolean
}

interface AccountOptions extends OutputOptions {
  name?: string
  email?: string
  plan?: keyof typeof plans
  subdomain?: string
  timezone?: string
  currency?: string
  limitContacts?: number | null
  limitCampaigns?: number | null
  limitEmails?: number | null
  limitFunnels?: number | null
  limitMonthlyRecipients?: number | null
}

/** Context of a command: the migrated database, the configuration, and the names of the migrations that were applied. */
interface CommandContext {
  system: System
  database: Database
  config: Config
  applied: string[]
}

const program = newCommand('cli').description('Administration of a Campanile server, also while it runs.')
// A failure prints one line. Without this, commander adds hints and the usage.
program.configureOutput({ writeErr: () => undefined }).exitOverride()

const account = newCommand('account').description('create and update accounts')
withAccountOptions(
  account.command('create').description('create an account, with an API key unless the plan is free-trial'),
)
  .requiredOption('--name <name>')
  .requiredOption('--email <address>')
  .action((options: AccountOptions & { name: string; email: string }) =>
    run(options, async ({ system }) => {
      const { name, email } = options
      const created = await accounts.create(system, { ...accountInput(options), name, email })
      const onTrial = created.plan === 'FREE_TRIAL'
      const firstKey = onTrial ? undefined : await apiKeys.create(system, { accountId: created.id, name: 'First key' })
      return { account: accountOutput(created), key: firstKey?.key ?? null }
    }),
  )
withAccountOptions(
  account.command('update').description('update an account; a change to free-trial disables its API keys'),
)
  .requiredOption('--id <id>', 'ID of the account', wholeNumber)
  .option('--name <name>')
  .option('--email <address>')
  .action((options: AccountOptions & { id: number }) =>
    run(options, async ({ system }) => {
      const changed = await accounts.update(system, { id: options.id, ...accountInput(options) })
      return { account: accountOutput(changed) }
    }),
  )

const key = newCommand('key').description('create, disable and list API keys')
withOutputOptions(key.command('create').description('create an API key; it is shown only once'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .option(
    '--scopes <list>',
    'comma-separated scopes, for example contacts:read,contacts:write; defaults to full_access',
  )
  .option('--name <name>')
  .action((options: OutputOptions & { account: number; scopes?: string; name?: string }) =>
    run(options, async ({ system }) => {
      const scopes = options.scopes?.split(',').map((scope) => scope.trim() as apiKeys.KeyScope)
      const created = await apiKeys.create(system, { accountId: options.account, name: options.name, scopes })
      return { key: created.key, ...keyOutput(created.apiKey) }
    }),
  )
withOutputOptions(key.command('disable').description('disable an API key'))
  .requiredOption('--id <id>', 'ID of the API key', wholeNumber)
  .action((options: OutputOptions & { id: number }) =>
    run(options, async ({ system }) => keyOutput(await apiKeys.disableAny(system, { id: options.id }))),
  )
withOutputOptions(key.command('list').description('list the API keys of an account, including disabled keys'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .action((options: OutputOptions & { account: number }) =>
    run(options, async (context) => ({ keys: await keysOf(context, options.account) })),
  )

const demo = withOutputOptions(newCommand('demo').description('create an account with demonstration data')).action(
  (options: OutputOptions) =>
    run(options, async ({ system, config }) => {
      const { loadDemo } = await import('../demo/demo.ts')
      const { host, port, baseUrl = `http://${host}:${port}` } = config
      const served = { ...system, signer: newSigner(await secretOf(config)), baseUrl: () => baseUrl }
      const loaded = await loadDemo(served, config.dataDir)
      return { account: accountOutput(loaded.account), key: loaded.key }
    }),
)
const migrateCommand = withOutputOptions(newCommand('migrate').description('apply pending database migrations')).action(
  (options: OutputOptions) => run(options, async ({ applied }) => ({ applied })),
)

const importCommand = withOutputOptions(newCommand('import').description('import contacts from a CSV file'))
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .requiredOption('--file <path>', 'path of the CSV file: UTF-8, with a header')
  .option('--keep-existing', 'do not update existing contacts')
  .action((options: OutputOptions & { account: number; file: string; keepExisting?: boolean }) =>
    run(options, async (context) => {
      const { importContacts } = await import('./data-commands.ts')
      return importContacts(await ctxOf(context, options.account), options)
    }),
  )
const exportCommand = withOutputOptions(
  newCommand('export').description('export a list of an account to a file or to standard output'),
)
  .requiredOption('--account <id>', 'ID of the account', wholeNumber)
  .requiredOption('--list <list>', 'name of the list, for example contacts, orders, credit_notes')
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .option('--out <path>', 'path of the file; defaults to standard output')
  .action((options: OutputOptions & { account: number; list: string; format: 'csv' | 'ndjson'; out?: string }) => {
    if (options.json && options.out === undefined)
      throw new Error('--json goes with --out: without --out, the list is written to standard output.')
    return run(options, async (context) => {
      const { exportList } = await import('./data-commands.ts')
      return exportList(await ctxOf(context, options.account), options)
    })
  })

const backup = withOutputOptions(
  newCommand('backup').description('back up the embedded database and its secret; the database can be in use'),
)
  .argument('<file>')
  .action(async (file: string, options: OutputOptions) => {
    const { backUp } = await import('./backup-commands.ts')
    print(options, await backUp(readCommandConfig(), newLog('silent'), file))
  })
const restore = withOutputOptions(newCommand('restore').description('restore a backup into an empty DATA_DIR'))
  .argument('<file>')
  .action(async (file: string, options: OutputOptions) => {
    const { restore } = await import('./backup-commands.ts')
    print(options, await restore(readCommandConfig(), newLog('silent'), file))
  })

for (const command of [account, key, demo, migrateCommand, importCommand, exportCommand, backup, restore])
  program.addCommand(command)
await program.parseAsync().catch(fail)

function newCommand(name: string): Command {
  return new Command(name).configureOutput({ writeErr: () => undefined }).exitOverride()
}

function withOutputOptions(command: Command): Command {
  return command.option('--json', 'print one JSON document')
}

function withAccountOptions(command: Command): Command {
  return withOutputOptions(command)
    .addOption(new Option('--plan <plan>').choices(Object.keys(plans)))
    .option('--subdomain <label>', 'subdomain of the public pages; "" removes it')
    .option('--timezone <zone>', 'IANA time zone, for example Europe/Paris; "" removes it')
    .option('--currency <code>', 'ISO 4217 currency code, for example EUR')
    .option('--limit-contacts <n>', 'a number, or "none"', limit)
    .option('--limit-campaigns <n>', 'a number, or "none"', limit)
    .option('--limit-emails <n>', 'messages per month: a number, or "none"', limit)
    .option('--limit-funnels <n>', 'a number, or "none"', limit)
    .option('--limit-monthly-recipients <n>', 'a number, or "none"', limit)
}

function wholeNumber(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('It takes a whole number.')
}

function limit(value: string): number | null {
  return value === 'none' ? null : wholeNumber(value)
}

function accountInput(options: AccountOptions) {
  const { name, email, currency, timezone, subdomain, plan } = options
  const given = {
    name,
    email,
    currency,
    timezone: timezone === '' ? null : timezone,
    subdomain: subdomain === '' ? null : subdomain,
    plan: plan && (plans[plan] satisfies Plan),
  }
  const limits = {
    contacts: options.limitContacts,
    campaigns: options.limitCampaigns,
    emails: options.limitEmails,
    funnels: options.limitFunnels,
    monthlyRecipients: options.limitMonthlyRecipients,
  }
  return { ...given, limits }
}

function accountOutput(account: Account) {
  return {
    id: account.id,
    name: account.name,
    email: account.email,
    plan: planNames[account.plan],
    subdomain: account.subdomain,
    timezone: account.timezone,
    currency: account.currency,
    limits: {
      contacts: account.limitContacts,
      campaigns: account.limitCampaigns,
      emails: account.limitEmails,
      funnels: account.limitFunnels,
      monthly_recipients: account.limitMonthlyRecipients,
    },
    created_at: account.createdAt,
  }
}

function keyOutput(key: ApiKey) {
  const scopes = scopesOf(key.scopes) ?? null
  const { id, name, prefix, createdAt, disabledAt } = key
  return { id, name, prefix, scopes, created_at: createdAt, disabled_at: disabledAt }
}

/** Creates the context for operations of an account. Throws if the account does not exist. */
async function ctxOf({ system }: CommandContext, accountId: number) {
  const ctx = newCtx(system, { accountId })
  await ownAccount(ctx).catch(() => {
    throw new Error(`There is no account ${accountId}.`)
  })
  return ctx
}

async function keysOf(context: CommandContext, accountId: number) {
  const ctx = await ctxOf(context, accountId)
  const shown: ReturnType<typeof keyOutput>[] = []
  for (let after: string | undefined; ; ) {
    const page = await (await apiKeys.list(ctx, { first: 100, after })).content()
    shown.push(...page.rows.map(keyOutput))
    const last = page.rows.at(-1)
    if (!page.hasNextPage || !last) return shown
    after = page.cursor(last)
  }
}

/**
 * Opens the database, applies pending migrations, runs a command and prints its result. A server can use the database at the
 * same time.
 */
async function run(
  options: OutputOptions,
  work: (context: CommandContext) => Promise<object | undefined>,
): Promise<void> {
  const config = readCommandConfig()
  const log = newLog('silent')
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.dataDir, log)
  try {
    const url = config.databaseUrl ?? embedded?.url ?? ''
    const directUrl = config.directDatabaseUrl ?? url
    const applied = await migrate(directUrl, log)
    const database = openDatabase({ url, directUrl, poolSize: 2, log })
    try {
      const { newCommandSystem } = await import('../server/command-system.ts')
      const system = newCommandSystem({ db: database.db, log, clock: systemClock })
      const result = await work({ system, database, config, applied })
      // An export to standard output prints only the list.
      if (!result) return
      print(options, result)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw embedded ? explainEmbedded(config.dataDir, error) : error
  } finally {
    await embedded?.stop()
  }
}

function print(options: OutputOptions, result: object): void {
  process.stdout.write(`${options.json ? JSON.stringify(result) : formatResult(result)}\n`)
}

/** Formats a result as lines of a name and a value. */
function formatResult(result: object): string {
  const line = ([name, value]: [string, unknown]) =>
    `${name} ${typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)}`
  return Object.entries(result).map(line).join('\n')
}

function fail(error: unknown): void {
  if (error instanceof CommanderError && error.exitCode === 0) return
  const message = error instanceof Error ? error.message : String(error)
  const plain = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')
  process.stderr.write(`${plain === '(outputHelp)' ? 'A command is missing: see --help' : plain}\n`)
  process.exitCode = 1
}
