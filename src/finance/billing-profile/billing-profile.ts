import { z } from 'zod'
import type { BillingProfile } from '../../../prisma/generated/client/client.ts'
import { ownAccount } from '../../account/index.ts'
import { lockKind } from '../../db/account-lock.ts'
import { type Ctx, one } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { check, sent, text } from '../../kernel/values/check.ts'
import type { VatCalculation } from '../amounts.ts'

export type { BillingProfile }

/** The prefix of a document number. It becomes part of a file name. */
export const numberPrefix = text(32).regex(
  /^([A-Za-z0-9][A-Za-z0-9._-]*)?$/,
  'must be letters, digits, dots, hyphens and underscores, a letter or a digit first',
)

const ChangeRules = z
  .object({
    companyName: text(255),
    address: text(500),
    vatNumber: text(64),
    footer: text(1000),
    invoicePrefix: numberPrefix,
    creditNotePrefix: numberPrefix,
    vatRounding: z.enum(['RATE', 'LINE']),
  })
  .partial()

type BillingProfileChange = { [Key in keyof z.output<typeof ChangeRules>]?: z.output<typeof ChangeRules>[Key] | null }

const profileByAccount = one<number, BillingProfile>(async (ctx) => {
  const rows = await ctx.db.billingProfile.findMany({ where: { accountId: ctx.accountId } })
  return new Map(rows.map((row) => [row.accountId, row]))
})

/** Returns the billing profile of the account. If none was stored, it contains the account's name and default prefixes. */
export async function load(ctx: Ctx): Promise<BillingProfile> {
  const stored = await ctx.load(profileByAccount, ctx.accountId)
  if (stored) return stored
  const { name: companyName, createdAt: updatedAt } = await ownAccount(ctx)
  const texts = { companyName, address: '', vatNumber: '', footer: '' }
  const prefixes = { invoicePrefix: 'INV-', creditNotePrefix: 'CN-' }
  return { accountId: ctx.accountId, ...texts, ...prefixes, vatRounding: 'RATE', updatedAt }
}

/** Returns the billing profile, which no other transaction changes until this one ends. */
export async function lock(tx: Ctx): Promise<BillingProfile> {
  await lockKind(tx, 'billing profile')
  return load(tx)
}

/**
 * Updates the billing profile; absent fields stay as they are. Issued documents do not change. Emits `billing_profile.updated`,
 * unless no field is set. Throws VALIDATION_ERROR.
 */
export async function update(ctx: Ctx, input: BillingProfileChange): Promise<{ billingProfile: BillingProfile }> {
  const change = sent(check(ChangeRules, sent(input)))
  return inTransaction(ctx, async (tx) => {
    const [accountId, updatedAt] = [tx.accountId, tx.clock.now()]
    const before = await lock(tx)
    // Prisma runs an upsert without changes as two statements, and two of these can conflict.
    if (Object.keys(change).length === 0) return { billingProfile: before }
    const billingProfile = await tx.db.billingProfile.upsert({
      where: { accountId },
      create: { ...before, ...change, updatedAt },
      update: { ...change, updatedAt },
    })
    await emit(tx, 'billing_profile.updated', { accountId })
    return { billingProfile }
  })
}

/**
 * Returns how the VAT of new lines is calculated: as the billing profile says for prices without VAT, and by rate for prices with
 * VAT.
 */
export async function vatCalculationOf(ctx: Ctx, pricesInclVat: boolean | null | undefined): Promise<VatCalculation> {
  if (pricesInclVat) return 'GROSS_BY_RATE'
  return (await load(ctx)).vatRounding === 'LINE' ? 'NET_BY_LINE' : 'NET_BY_RATE'
}
