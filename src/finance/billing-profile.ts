import { z } from 'zod'
import type { BillingProfile } from '../../prisma/generated/client/client.ts'
import { ownAccount } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { one } from '../db/load.ts'
import { inTransaction } from '../db/transaction.ts'
import { check, sent, text } from '../kernel/check.ts'

export type { BillingProfile }

/** What may stand before a number: it becomes part of a file's name. */
export const prefix = text(32).regex(
  /^([A-Za-z0-9][A-Za-z0-9._-]*)?$/,
  'must be letters, digits, dots, hyphens and underscores, a letter or a digit first',
)

const Change = z
  .object({
    companyName: text(255),
    address: text(500),
    vatNumber: text(64),
    footer: text(1000),
    invoicePrefix: prefix,
    creditNotePrefix: prefix,
  })
  .partial()

export type ProfileChange = { [Key in keyof z.output<typeof Change>]?: string | null | undefined }

const stored = one<number, BillingProfile>(async (ctx) => {
  const rows = await ctx.db.billingProfile.findMany({ where: { accountId: ctx.accountId } })
  return new Map(rows.map((row) => [row.accountId, row]))
})

/** What stands on the account's papers about itself; its own name where nothing was ever set. */
export async function own(ctx: Ctx): Promise<BillingProfile> {
  const found = await ctx.load(stored, ctx.accountId)
  if (found) return found
  const { name: companyName } = await ownAccount(ctx)
  const nothing = { address: '', vatNumber: '', footer: '' }
  return { accountId: ctx.accountId, companyName, ...nothing, invoicePrefix: 'INV-', creditNotePrefix: 'CN-' }
}

/** Changes what stands on papers that are issued from now on: only what is sent. Fails with VALIDATION_ERROR. */
export async function update(ctx: Ctx, input: ProfileChange): Promise<{ billingProfile: BillingProfile }> {
  const change = sent(check(Change, sent(input)))
  return inTransaction(ctx, async (tx) => {
    const { accountId } = tx
    const before = await own(tx)
    // Prisma writes an upsert that changes nothing in two steps, and two of these at once would meet.
    if (Object.keys(change).length === 0) return { billingProfile: before }
    const billingProfile = await tx.db.billingProfile.upsert({
      where: { accountId },
      create: { ...before, ...change },
      update: change,
    })
    return { billingProfile }
  })
}
