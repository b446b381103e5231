import { z } from 'zod'
import type { Funnel } from '../../../prisma/generated/client/client.ts'
import { announcePageChange, ownAccount, use } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { forms } from '../../forms/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { check, name, sent } from '../../kernel/values/check.ts'
import { emails } from '../../mail/index.ts'
import { enqueueVisitCleanUp } from '../visits/visit-removal.ts'
import { lock } from './funnel-list.ts'
import { formsOf } from './step-list.ts'

const types = z.enum(['BLANK', 'LEAD', 'SALES'])
const NewFunnel = z.object({ name: name(255), type: types.default('BLANK') })
const FunnelChange = z.object({ name: name(255), type: types }).partial()

/**
 * Creates a funnel without steps.
 *
 * **Emits** `funnel.created`, and `quota.reached` if it is the last funnel that the plan allows. **Throws** NO_SUBDOMAIN if the
 * account has no subdomain, VALIDATION_ERROR and QUOTA_EXCEEDED.
 */
export async function create(
  ctx: Ctx,
  input: { name: string; type?: Funnel['type'] | null | undefined },
): Promise<{ funnel: Funnel }> {
  const checked = check(NewFunnel, sent(input))
  return inTransaction(ctx, async (tx) => {
    const funnel = await insert(tx, checked)
    await use(tx, 'funnels', 1)
    return { funnel }
  })
}

/** Inserts a funnel; the caller counts it. **Emits** `funnel.created`. **Throws** NO_SUBDOMAIN if the account has none. */
export async function insert(
  tx: Ctx,
  fields: Pick<Funnel, 'name' | 'type'> & Partial<Pick<Funnel, 'confirmationEmailId'>>,
): Promise<Funnel> {
  const { subdomain } = await ownAccount(tx)
  if (!subdomain) throw refuse('NO_SUBDOMAIN')
  const now = tx.clock.now()
  const funnel = await tx.db.funnel.create({
    data: { ...fields, accountId: tx.accountId, createdAt: now, updatedAt: now },
  })
  await emit(tx, 'funnel.created', { funnelId: funnel.id })
  return funnel
}

/**
 * Updates a funnel. Null and absent fields stay unchanged. **Emits** `funnel.updated`. **Throws** NOT_FOUND and VALIDATION_ERROR.
 */
export async function update(
  ctx: Ctx,
  input: { id: string | number; name?: string | null | undefined; type?: Funnel['type'] | null | undefined },
): Promise<{ funnel: Funnel }> {
  const { id, ...rest } = input
  const data = sent(check(FunnelChange, sent(rest)))
  return inTransaction(ctx, async (tx) => {
    const before = await lock(tx, id)
    if (Object.keys(data).length === 0) return { funnel: before }
    const where = { accountId_id: { accountId: tx.accountId, id: before.id } }
    await emit(tx, 'funnel.updated', { funnelId: before.id })
    return { funnel: await tx.db.funnel.update({ where, data: { ...data, updatedAt: tx.clock.now() } }) }
  })
}

/**
 * Deletes a funnel with its steps, their content and its confirmation e-mail. Forms with submissions are archived, and orders are
 * kept. A job deletes the visits. **Emits** `funnel.deleted`, and the events of `retireStepForms`. **Throws** NOT_FOUND.
 */
export async function remove(ctx: Ctx, input: { id: string | number }): Promise<{ databaseId: number }> {
  return inTransaction(ctx, async (tx) => {
    const { id, confirmationEmailId } = await lock(tx, input.id)
    const formIds = await formsOf(tx, id)
    await tx.db.funnel.delete({ where: { accountId_id: { accountId: tx.accountId, id } } })
    if (confirmationEmailId !== null) await emails.remove(tx, [confirmationEmailId])
    await emit(tx, 'funnel.deleted', { funnelId: id })
    await forms.retireStepForms(tx, formIds)
    await enqueueVisitCleanUp(tx, { funnelId: id })
    await use(tx, 'funnels', -1)
    await announcePageChange(tx)
    return { databaseId: id }
  })
}
