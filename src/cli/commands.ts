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

type Plan = Account['plan']
const plans = { 'free-trial': 'FREE_TRIAL', starter: 'STARTER', pro: 'PRO', unlimited: 'UNLIMITED' } as const
const planNames = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [plan, name]))

interface Answered {
  json?: boolean
}

interface AccountOptions extends Answered {
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

/** What a command works with: the database, brought up to date, and what it applied to get there. */
interface Desk {
  system: System
  database: Database
  config: Config
  applied: string[]
}

const program = newCommand('cli').description('Administration of a Campanile server, also while it runs.')
// One line is promised on a failure; commander would add hints and the usage.
program.configureOutput({ writeErr: () => undefined }).exitOverride()

const account = newCommand('account').description('open and change accounts')
withAccountOptions(account.command('create').description('open an account; unless on trial it gets a key'))
  .requiredOption('--name <name>')
  .requiredOption('--email <address>')
  .action((options: AccountOptions & { name: string; email: string }) =>
    run(options, async ({ system }) => {
      const { name, email } = options
      const created = await accounts.create(system, { ...accountInput(options), name, email })
      const onTrial = created.plan === 'FREE_TRIAL'
      const made = onTrial ? undefined : await apiKeys.create(system, { accountId: created.id, name: 'First key' })
      return { account: shownAccount(created), key: made?.key ?? null }
    }),
  )
withAccountOptions(account.command('update').description('change an account; on a change to free-trial its keys end'))
  .requiredOption('--id <id>', 'the account', wholeNumber)
  .option('--name <name>')
  .option('--email <address>')
  .action((options: AccountOptions & { id: number }) =>
    run(options, async ({ system }) => {
      const changed = await accounts.update(system, { id: options.id, ...accountInput(options) })
      return { account: shownAccount(changed) }
    }),
  )

const key = newCommand('key').description('make, disable and list API keys')
answering(key.command('create').description('make a key; it is shown once'))
  .requiredOption('--account <id>', 'the account', wholeNumber)
  .option('--scopes <list>', 'comma-separated, such as contacts:read,contacts:write; full_access if not given')
  .option('--name <name>')
  .action((options: Answered & { account: number; scopes?: string; name?: string }) =>
    run(options, async ({ system }) => {
      const scopes = options.scopes?.split(',').map((scope) => scope.trim() as apiKeys.KeyScope)
      const made = await apiKeys.create(system, { accountId: options.account, name: options.name, scopes })
      return { key: made.key, ...shownKey(made.apiKey) }
    }),
  )
answering(key.command('disable').description('refuse a key from now on'))
  .requiredOption('--id <id>', 'the key', wholeNumber)
  .action((options: Answered & { id: number }) =>
    run(options, async ({ system }) => shownKey(await apiKeys.disableAny(system, { id: options.id }))),
  )
answering(key.command('list').description('the keys of an account, disabled ones too'))
  .requiredOption('--account <id>', 'the account', wholeNumber)
  .action((options: Answered & { account: number }) =>
    run(options, async (desk) => ({ keys: await keysOf(desk, options.account) })),
  )

const demo = answering(newCommand('demo').description('load the demonstration data into a new account')).action(
  (options: Answered) =>
    run(options, async ({ system, config }) => {
      const { loadDemo } = await import('../demo/demo.ts')
      const { host, port, baseUrl = `http://${host}:${port}` } = config
      const served = { ...system, secret: await secretOf(config), baseUrl: () => baseUrl }
      const loaded = await loadDemo(served, config.dataDir)
      return { account: shownAccount(loaded.account), key: loaded.key }
    }),
)
const bringUp = answering(newCommand('migrate').description('bring the database up to date')).action(
  (options: Answered) => run(options, async ({ applied }) => ({ applied })),
)

const takeIn = answering(newCommand('import').description('import contacts from a CSV file'))
  .requiredOption('--account <id>', 'the account', wholeNumber)
  .requiredOption('--file <path>', 'the file: UTF-8, with a header')
  .option('--keep-existing', 'leave contacts alone that are there')
  .action((options: Answered & { account: number; file: string; keepExisting?: boolean }) =>
    run(options, async (desk) => {
      const { importContacts } = await import('./data-commands.ts')
      return importContacts(await ctxOf(desk, options.account), options)
    }),
  )
const takeAway = answering(
  newCommand('export').description('write a list of an account to a file, or to standard output'),
)
  .requiredOption('--account <id>', 'the account', wholeNumber)
  .requiredOption('--list <list>', 'such as contacts, orders, credit_notes')
  .addOption(new Option('--format <format>').choices(['csv', 'ndjson']).default('csv'))
  .option('--out <path>', 'the file; standard output where absent')
  .action((options: Answered & { account: number; list: string; format: 'csv' | 'ndjson'; out?: string }) => {
    if (options.json && options.out === undefined)
      throw new Error('--json goes with --out: the list itself takes standard output.')
    return run(options, async (desk) => {
      const { exportList } = await import('./data-commands.ts')
      return exportList(await ctxOf(desk, options.account), options)
    })
  })

const backup = answering(newCommand('backup').description('back up the embedded database and its secret, also in use'))
  .argument('<file>')
  .action(async (file: string, options: Answered) => {
    const { backUp } = await import('./backup-commands.ts')
    print(options, await backUp(readCommandConfig(), newLog('silent'), file))
  })
const restore = answering(newCommand('restore').description('restore a backup into an empty DATA_DIR'))
  .argument('<file>')
  .action(async (file: string, options: Answered) => {
    const { restore } = await import('./backup-commands.ts')
    print(options, await restore(readCommandConfig(), newLog('silent'), file))
  })

for (const command of [account, key, demo, bringUp, takeIn, takeAway, backup, restore]) program.addCommand(command)
await program.parseAsync().catch(fail)

function newCommand(name: string): Command {
  return new Command(name).configureOutput({ writeErr: () => undefined }).exitOverride()
}

function answering(command: Command): Command {
  return command.option('--json', 'print one JSON document')
}

function withAccountOptions(command: Command): Command {
  return answering(command)
    .addOption(new Option('--plan <plan>').choices(Object.keys(plans)))
    .option('--subdomain <label>', 'of its public pages; "" for none')
    .option('--timezone <zone>', 'such as Europe/Paris; "" for none')
    .option('--currency <code>', 'such as EUR')
    .option('--limit-contacts <n>', 'a number, or "none"', limit)
    .option('--limit-campaigns <n>', 'a number, or "none"', limit)
    .option('--limit-emails <n>', 'messages a month: a number, or "none"', limit)
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

function shownAccount(account: Account) {
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

function shownKey(key: ApiKey) {
  const scopes = scopesOf(key.scopes) ?? null
  const { id, name, prefix, createdAt, disabledAt } = key
  return { id, name, prefix, scopes, created_at: createdAt, disabled_at: disabledAt }
}

/** What operations of an account take. Fails where there is none of this id. */
async function ctxOf({ system }: Desk, accountId: number) {
  const ctx = newCtx(system, { accountId })
  await ownAccount(ctx).catch(() => {
    throw new Error(`There is no account ${accountId}.`)
  })
  return ctx
}

async function keysOf(desk: Desk, accountId: number) {
  const ctx = await ctxOf(desk, accountId)
  const shown: ReturnType<typeof shownKey>[] = []
  for (let after: string | undefined; ; ) {
    const page = await apiKeys.list(ctx, { first: 100, after })
    shown.push(...page.rows.map(shownKey))
    const last = page.rows.at(-1)
    if (!page.hasNextPage || !last) return shown
    after = page.cursor(last)
  }
}

/** Does the work of a command on the database that a server beside us uses too, and prints its answer. */
async function run(options: Answered, work: (desk: Desk) => Promise<object | undefined>): Promise<void> {
  const config = readCommandConfig()
  const log = newLog('silent')
  const embedded = config.databaseUrl ? undefined : await startEmbedded(config.dataDir, log)
  try {
    const url = config.databaseUrl ?? embedded?.url ?? ''
    const directUrl = config.directDatabaseUrl ?? url
    const applied = await migrate(directUrl, log)
    const database = openDatabase({ url, directUrl, poolSize: 2, log })
    try {
      const system = { db: database.db, log, clock: systemClock }
      const answer = await work({ system, database, config, applied })
      // A list that was written to standard output is the whole answer.
      if (!answer) return
      print(options, answer)
    } finally {
      await database.close()
    }
  } catch (error) {
    throw embedded ? explainEmbedded(config.dataDir, error) : error
  } finally {
    await embedded?.stop()
  }
}

function print(options: Answered, answer: object): void {
  process.stdout.write(`${options.json ? JSON.stringify(answer) : inWords(answer)}\n`)
}

/** For a reader: a line for each thing that was answered. */
function inWords(answer: object): string {
  const line = ([name, value]: [string, unknown]) =>
    `${name} ${typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)}`
  return Object.entries(answer).map(line).join('\n')
}

function fail(error: unknown): void {
  if (error instanceof CommanderError && error.exitCode === 0) return
  const message = error instanceof Error ? error.message : String(error)
  const plain = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ')
  process.stderr.write(`${plain === '(outputHelp)' ? 'A command is missing: see --help' : plain}\n`)
  process.exitCode = 1
}
