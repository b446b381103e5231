import { z } from 'zod'
import type { Account } from '../../prisma/generated/client/client.ts'
import type { Ctx, System } from '../db/context.ts'
import { hint } from '../db/listen.ts'
import { one } from '../db/load.ts'
import { inSystemTransaction } from '../db/transaction.ts'
import { check, email, name, sent, text } from '../kernel/check.ts'
import { isCurrency } from '../kernel/currencies.ts'
import { invalid, refuse } from '../kernel/errors.ts'
import { type DateRange, defaultZone, isZone, type Period, type Span, spanOf } from '../kernel/period.ts'
import { keysChannel } from './api-keys.ts'
import { announcePageChange } from './page-changes.ts'

const limit = z
  .int('must be a whole number')
  .min(0, 'must not be negative')
  .max(2_147_483_647, 'is too large')
  .nullable()
  .optional()

const settings = {
  name: name(255),
  email,
  timezone: text(64).refine(isZone, 'must be an IANA time zone such as Europe/Paris').nullable(),
  currency: text(3)
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .refine(isCurrency, 'must be a currency that is in use'),
  subdomain: text(63)
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'must be small letters, digits and inner hyphens')
    .nullable(),
  senderName: text(255),
  senderEmail: z.union([z.literal(''), email], 'must be an e-mail address'),
  doubleOptIn: z.boolean(),
  trustTypedAddresses: z.boolean(),
}

/** Names that a server's own hosts have or may get, and the prefix of internationalised names (RFC 5891). */
const reserved = /^(?:(?:www|api|admin|mail|graphql)$|xn--)/i

const plans = ['FREE_TRIAL', 'STARTER', 'PRO', 'UNLIMITED'] as const
const limits = z
  .object({ contacts: limit, campaigns: limit, emails: limit, funnels: limit, monthlyRecipients: limit })
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
  trustTypedAddresses: settings.trustTypedAddresses.default(false),
  limits: limits.default({}),
})
const AccountChange = z.object({ ...settings, plan: z.enum(plans), limits }).partial()
const OwnChange = z.object(settings).partial()

export type NewAccount = z.input<typeof NewAccount>
export type AccountChange = z.input<typeof AccountChange>
/** How much an account may have of each; null is no limit. */
export type Limits = Pick<
  Account,
  'limitContacts' | 'limitCampaigns' | 'limitEmails' | 'limitFunnels' | 'limitMonthlyRecipients'
>
/** What an account may change of itself; plan and limits are the operator's. */
export type OwnChange = { [Key in keyof z.input<typeof OwnChange>]?: z.input<typeof OwnChange>[Key] | null | undefined }

/**
 * Opens an account; a limit that is not given is unlimited. Fails with VALIDATION_ERROR, also for a subdomain that is taken
 * or reserved.
 */
export async function create(system: System, input: NewAccount): Promise<Account> {
  const { limits: given, ...rest } = check(NewAccount, input)
  mustNotBeReserved(rest.subdomain)
  const data = { ...rest, ...limitColumns(given), timezone: rest.timezone ?? null, subdomain: rest.subdomain ?? null }
  return unlessSubdomainTaken(() => system.db.account.create({ data: { ...data, createdAt: system.clock.now() } }))
}

/** Changes an account, plan and limits too, as its operator may. A change to the free trial disables its keys. */
export async function update(system: System, { id, ...input }: AccountChange & { id: number }): Promise<Account> {
  const { limits: given, ...rest } = check(AccountChange, input)
  const data = { ...defined(rest), ...limitColumns(given ?? {}) }
  const changed = await unlessSubdomainTaken(() =>
    inSystemTransaction(system, async (tx) => {
      const before = await tx.db.account.findUnique({ where: { id } })
      mustNotBeReserved(rest.subdomain, before?.subdomain)
      const { count } = await tx.db.account.updateMany({ where: { id }, data })
      if (count === 0) throw refuse('NOT_FOUND', `There is no account ${id}.`)
      if (rest.plan === 'FREE_TRIAL') {
        await tx.db.apiKey.updateMany({
          where: { accountId: id, disabledAt: null },
          data: { disabledAt: tx.clock.now() },
        })
      }
      return tx.db.account.findUniqueOrThrow({ where: { id } })
    }),
  )
  await hint(system, keysChannel)
  return changed
}

/** Changes the caller's own account. For `timezone` and `subdomain` null means none; elsewhere it means no change. */
export async function updateOwn(ctx: Ctx, input: OwnChange): Promise<{ account: Account }> {
  const { timezone, subdomain, ...rest } = input
  const data = defined(check(OwnChange, { ...sent(rest), ...defined({ timezone, subdomain }) }))
  mustNotBeReserved(data.subdomain, (await own(ctx)).subdomain)
  const account = await unlessSubdomainTaken(() => ctx.db.account.update({ where: { id: ctx.accountId }, data }))
  announcePageChange(ctx)
  return { account }
}

/** Reads accounts by id; a caller only ever reaches its own. */
export const byId = one<number, Account>(async (ctx, ids) => {
  const rows = await ctx.db.account.findMany({ where: { id: ctx.accountId } })
  return new Map(rows.filter((row) => ids.includes(row.id)).map((row) => [row.id, row]))
})

/** The caller's own account. */
export async function own(ctx: Ctx): Promise<Account> {
  const account = await ctx.load(byId, ctx.accountId)
  if (!account) throw refuse('UNAUTHORIZED', 'The account is gone.')
  return account
}

/** The zone whose midnight begins the account's days and months. */
export async function zoneOf(ctx: Ctx): Promise<string> {
  return (await own(ctx)).timezone ?? defaultZone
}

/** The stretch of time that a period means to the account. Fails with INVALID_PERIOD. */
export async function spanFor(ctx: Ctx, period: Period, range?: DateRange | null): Promise<Span> {
  return spanOf(period, range, await zoneOf(ctx), ctx.clock.now())
}

function limitColumns(given: z.output<typeof limits>): Partial<Limits> {
  return defined({
    limitContacts: given.contacts,
    limitCampaigns: given.campaigns,
    limitEmails: given.emails,
    limitFunnels: given.funnels,
    limitMonthlyRecipients: given.monthlyRecipients,
  })
}

/** Without the fields that are undefined; null stays, for it is a value here. */
function defined<Input extends object>(input: Input): { [Key in keyof Input]?: Exclude<Input[Key], undefined> } {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as never
}

/** Fails with VALIDATION_ERROR for a reserved subdomain, unless the account has it already. */
function mustNotBeReserved(subdomain: string | null | undefined, current?: string | null): void {
  if (subdomain && subdomain !== current && reserved.test(subdomain)) throw invalid({ subdomain: ['is reserved'] })
}

async function unlessSubdomainTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if ((error as { code?: string }).code === 'P2002') throw invalid({ subdomain: ['is taken by another account'] })
    throw error
  }
}
