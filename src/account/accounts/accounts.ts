import { z } from 'zod'
import type { Account } from '../../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../../db/context.ts'
import { hint } from '../../db/jobs/listen.ts'
import { inSystemTransaction, inTransaction, ofAccount } from '../../db/transaction.ts'
import { accounts, isDatabaseZone } from '../../db/zone.ts'
import { emit } from '../../events/index.ts'
import { invalid, refuse } from '../../kernel/errors.ts'
import { check, email, name, sent, text } from '../../kernel/values/check.ts'
import { isCurrency } from '../../kernel/values/currencies.ts'
import { domainName } from '../../kernel/values/domain-name.ts'
import { isZone, zoneMessage } from '../../kernel/values/period.ts'
import { disableKeys, keysChannel } from './callers.ts'
import { announcePageChange } from './page-changes.ts'
import { ruleColumns, rulesOf, type SendingRules, sendingRules } from './sending-rules.ts'

const limit = z
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(2_147_483_647, 'is too large')
  .nullable()
  .optional()

/** Maximum number of e-mail domains that an account refuses. */
export const maxRefusedDomains = 1_000

const settings = {
  name: name(255),
  email,
  timezone: text(64).refine(isZone, zoneMessage).nullable(),
  currency: text(3)
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .refine(isCurrency, 'must be a current ISO 4217 currency'),
  subdomain: text(63)
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'must contain only lowercase letters, digits and inner hyphens')
    .nullable(),
  senderName: text(255),
  senderEmail: z.union([z.literal(''), email], 'must be a valid e-mail address'),
  doubleOptIn: z.boolean(),
  oneClickConfirmation: z.boolean(),
  confirmationReminder: z.boolean(),
  softBounceLimit: z.int('must be a whole number').min(0, 'must be from 0 to 100').max(100, 'must be from 0 to 100'),
  softBounceDays: z.int('must be a whole number').min(0, 'must be from 0 to 365').max(365, 'must be from 0 to 365'),
  trustTypedAddresses: z.boolean(),
  refusedDomains: z
    .array(domainName)
    .max(maxRefusedDomains, `must be at most ${maxRefusedDomains}`)
    .transform((names) => [...new Set(names)].sort()),
}

/** Subdomains that operators use for their own hosts, and the prefix of internationalised names (RFC 5891). */
const reserved = /^(?:(?:www|api|admin|mail|graphql)$|xn--)/i

const plans = ['FREE_TRIAL', 'STARTER', 'PRO', 'UNLIMITED'] as const
const limits = z
  .object({
    contacts: limit,
    campaigns: limit,
    emails: limit,
    funnels: limit,
    monthlyRecipients: limit,
    mediaKilobytes: limit,
  })
  .partial()

const NewAccount = z.object({
  name: settings.name,
  email: settings.email,
  plan: z.enum(plans).default('UNLIMITED'),
  timezone: settings.timezone.optional(),
  currency: settings.currency.default('EUR'),
  subdomain: settings.subdomain.optional(),
  senderName: settings.senderName.default(''),
  senderEmail: settings.senderEmail.default(''),
  doubleOptIn: settings.doubleOptIn.default(false),
  oneClickConfirmation: settings.oneClickConfirmation.default(true),
  confirmationReminder: settings.confirmationReminder.default(true),
  softBounceLimit: settings.softBounceLimit.default(5),
  softBounceDays: settings.softBounceDays.default(14),
  trustTypedAddresses: settings.trustTypedAddresses.default(false),
  limits: limits.default({}),
})
const AccountChange = z.object({ ...settings, plan: z.enum(plans), limits }).partial()
const OwnChange = z.object({ ...settings, ...sendingRules }).partial()

type NewAccount = z.input<typeof NewAccount>
type AccountChange = z.input<typeof AccountChange>
/** Limits of an account. Null means unlimited. */
export type Limits = Pick<
  Account,
  'limitContacts' | 'limitCampaigns' | 'limitEmails' | 'limitFunnels' | 'limitMonthlyRecipients' | 'limitMediaKilobytes'
>
/** Fields that an account can change itself. Only operators change the plan and the limits. */
type OwnChange = { [Key in keyof z.input<typeof OwnChange>]?: z.input<typeof OwnChange>[Key] | null | undefined }

/**
 * Creates an account. Absent limits mean unlimited.
 *
 * **Throws** VALIDATION_ERROR, also for a subdomain that is reserved or used by another account.
 */
export async function create(system: System, input: NewAccount): Promise<Account> {
  const { limits: limitInput, ...rest } = check(NewAccount, input)
  mustNotBeReserved(rest.subdomain)
  await mustBeDatabaseZone(system, rest.timezone)
  const data = {
    ...rest,
    ...limitColumns(limitInput),
    timezone: rest.timezone ?? null,
    subdomain: rest.subdomain ?? null,
  }
  const now = system.clock.now()
  return unlessSubdomainTaken(() => system.db.account.create({ data: { ...data, createdAt: now, updatedAt: now } }))
}

/**
 * Updates an account including its plan and limits, for operators. A change to the free trial disables all keys.
 *
 * **Emits** `account.updated` and `api_key.disabled`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(system: System, { id, ...input }: AccountChange & { id: number }): Promise<Account> {
  const { limits: limitInput, ...rest } = check(AccountChange, input)
  await mustBeDatabaseZone(system, rest.timezone)
  const data = { ...defined(rest), ...limitColumns(limitInput ?? {}), updatedAt: system.clock.now() }
  const changed = await unlessSubdomainTaken(() =>
    inSystemTransaction(system, async (tx) => {
      const before = await tx.db.account.findUnique({ where: { id } })
      mustNotBeReserved(rest.subdomain, before?.subdomain)
      const { count } = await tx.db.account.updateMany({ where: { id }, data })
      if (count === 0) throw refuse('NOT_FOUND', `There is no account ${id}.`)
      const account = ofAccount(tx, id)
      if (rest.plan === 'FREE_TRIAL') await disableKeys(account)
      await emit(account, 'account.updated', { accountId: id })
      return tx.db.account.findUniqueOrThrow({ where: { id } })
    }),
  )
  await hint(system, keysChannel)
  return changed
}

/**
 * Updates the caller's account. Null removes `timezone`, `subdomain`, `frequencyCap` and `quietHours`; for other fields null
 * means no change.
 *
 * **Emits** `account.updated`. **Throws** VALIDATION_ERROR, also for a subdomain that is reserved or used by another account.
 */
export async function updateOwn(ctx: Ctx, input: OwnChange): Promise<{ account: Account }> {
  const { timezone, subdomain, frequencyCap, quietHours, ...rest } = input
  const removable = defined({ timezone, subdomain, frequencyCap, quietHours })
  const { frequencyCap: cap, quietHours: quiet, daysOff, ...fields } = check(OwnChange, { ...sent(rest), ...removable })
  const data = { ...defined(fields), ...ruleColumns({ frequencyCap: cap, quietHours: quiet, daysOff }) }
  mustNotBeReserved(data.subdomain, (await own(ctx)).subdomain)
  await mustBeDatabaseZone(ctx, data.timezone)
  const change = (tx: Ctx) =>
    tx.db.account.update({ where: { id: tx.accountId }, data: { ...data, updatedAt: tx.clock.now() } })
  return inTransaction(ctx, async (tx) => {
    const account = await unlessSubdomainTaken(() => change(tx))
    await emit(tx, 'account.updated', { accountId: account.id })
    await announcePageChange(tx)
    return { account }
  })
}

/** Locks the settings of the caller's account until the transaction ends, and returns the time of their last change. */
export async function lockOwn(tx: Ctx): Promise<{ updatedAt: Date }> {
  const [row] = await tx.sql<{ updatedAt: Date }>`
    SELECT updated_at AS "updatedAt" FROM account WHERE id = ${tx.sql.account} FOR NO KEY UPDATE`
  return row as { updatedAt: Date }
}

/** Loads accounts by id. Returns only the caller's account. */
export const byId = accounts

/** Loads the caller's account. **Throws** UNAUTHORIZED if it was deleted. */
export async function own(ctx: Ctx): Promise<Account> {
  const account = await ctx.load(byId, ctx.accountId)
  if (!account) throw refuse('UNAUTHORIZED', 'The account was deleted.')
  return account
}

/** Returns the rules of the caller's account for marketing messages. */
export async function ownRules(ctx: Ctx): Promise<SendingRules> {
  return rulesOf(await own(ctx))
}

function limitColumns(values: z.output<typeof limits>): Partial<Limits> {
  return defined({
    limitContacts: values.contacts,
    limitCampaigns: values.campaigns,
    limitEmails: values.emails,
    limitFunnels: values.funnels,
    limitMonthlyRecipients: values.monthlyRecipients,
    limitMediaKilobytes: values.mediaKilobytes,
  })
}

/** Removes fields that are undefined. Null is kept, because it is a value here. */
function defined<Input extends object>(input: Input): { [Key in keyof Input]?: Exclude<Input[Key], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never
}

/** **Throws** VALIDATION_ERROR for a time zone that only this process knows: PostgreSQL computes days in it as well. */
async function mustBeDatabaseZone(system: Pick<System, 'db'>, zone: string | null | undefined): Promise<void> {
  if (zone && !(await isDatabaseZone(system, zone))) throw invalid({ timezone: [zoneMessage] })
}

/** **Throws** VALIDATION_ERROR for a reserved subdomain, unless the account has it already. */
function mustNotBeReserved(subdomain: string | null | undefined, current?: string | null): void {
  if (subdomain && subdomain !== current && reserved.test(subdomain)) throw invalid({ subdomain: ['is reserved'] })
}

async function unlessSubdomainTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002')
      throw invalid({ subdomain: ['is used by another account'] }, 'TAKEN')
    throw error
  }
}
