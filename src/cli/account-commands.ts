import { type Command, Option } from 'commander'
import type { Account } from '../../prisma/generated/client/client.ts'
import { accounts, apiKeys } from '../account/index.ts'
import { newCommand, type OutputOptions, wholeNumber, withOutputOptions } from './options.ts'
import { run } from './run.ts'

type Plan = Account['plan']
const plans = { 'free-trial': 'FREE_TRIAL', starter: 'STARTER', pro: 'PRO', unlimited: 'UNLIMITED' } as const
const planNames = Object.fromEntries(Object.entries(plans).map(([name, plan]) => [plan, name]))

interface AccountOptions extends OutputOptions {
  name?: string
  email?: string
  plan?: keyof typeof plans
  subdomain?: string
  timezone?: string
  currency?: string
  limitContacts?: Limit
  limitCampaigns?: Limit
  limitEmails?: Limit
  limitFunnels?: Limit
  limitMonthlyRecipients?: Limit
  limitMediaKilobytes?: Limit
}

/** `cli account`: creates and updates accounts. */
export const accountCommand = newCommand('account').description('create and update accounts')
withAccountOptions(
  accountCommand.command('create').description('create an account, with an API key unless the plan is free-trial'),
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
  accountCommand.command('update').description('update an account; a change to free-trial disables its API keys'),
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
    .option('--limit-media-kilobytes <n>', 'size of all media files: a number, or "none"', limit)
}

/** No limit, as the commands write it. The parser of the options replaces null by an empty text. */
const none = 'none'

type Limit = number | typeof none | undefined

function limit(value: string): number | typeof none {
  return value === none ? none : wholeNumber(value)
}

function limitInput(value: Limit): number | null | undefined {
  return value === none ? null : value
}

function accountInput(options: AccountOptions) {
  const { name, email, currency, timezone, subdomain, plan } = options
  const fields = {
    name,
    email,
    currency,
    timezone: timezone === '' ? null : timezone,
    subdomain: subdomain === '' ? null : subdomain,
    plan: plan && (plans[plan] satisfies Plan),
  }
  const limits = {
    contacts: limitInput(options.limitContacts),
    campaigns: limitInput(options.limitCampaigns),
    emails: limitInput(options.limitEmails),
    funnels: limitInput(options.limitFunnels),
    monthlyRecipients: limitInput(options.limitMonthlyRecipients),
    mediaKilobytes: limitInput(options.limitMediaKilobytes),
  }
  return { ...fields, limits }
}

/** Returns an account as commands print it. */
export function accountOutput(account: Account) {
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
      media_kilobytes: account.limitMediaKilobytes,
    },
    created_at: account.createdAt,
  }
}
