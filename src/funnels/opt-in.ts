import { contactList, contactTags } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inSavepoint } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import type { CompletedSubmission } from '../forms/index.ts'
import { Refusal } from '../kernel/errors.ts'
import { enrolments } from '../sequences/index.ts'
import { askToConfirm } from './confirm-asking.ts'
import { byForm } from './step-list.ts'

/**
 * What follows when a form is completed: the contact gets what the step of the form brings, at once, or after it has
 * confirmed by e-mail that it wants to where its address is yet to be proven. A submission of nobody brings nothing.
 */
export async function optIn(tx: Ctx, done: CompletedSubmission): Promise<void> {
  const { formId, contactId, isStranger } = done
  if (contactId === null) return
  if (!done.isUnproven) return bring(tx, { formId, contactId, isStranger })
  // Who has agreed to nothing, on a form that brings nothing, has nothing to confirm.
  if (done.consent || (await tx.load(byForm, formId))) await askToConfirm(tx, { ...done, contactId })
}

/**
 * Gives a contact what opting in on a form brings: the tags of its step and a place in its sequences, those that are still
 * there. A stranger, whose address was not proven, does not bring a contact that gets marketing e-mail back into a
 * sequence that it was taken out of. A form of no step brings nothing. A contact who can take no more of them keeps what it has: visitors are not
 * refused for that.
 *
 * Announces `funnel.opt_in` after what it brought.
 */
export async function bring(
  tx: Ctx,
  { formId, contactId, isStranger }: { formId: number; contactId: number; isStranger: boolean },
): Promise<void> {
  const step = await tx.load(byForm, formId)
  if (!step) return
  const contact = await contactList.lock(tx, { id: contactId })
  const left = isStranger && contact.emailMarketing ? await enrolments.leftAmong(tx, contactId, step.sequenceIds) : []
  const sequenceIds = step.sequenceIds.filter((id) => !left.includes(id))
  await orNot(tx, (inner) => contactTags.addAll(inner, [contactId], step.tagIds))
  await orNot(tx, (inner) => enrolments.enrol(inner, contactId, sequenceIds))
  await emit(tx, 'funnel.opt_in', { funnelId: step.funnelId, stepId: step.id, contactId })
}

/** Does what a rule may refuse, or nothing of it. */
async function orNot(tx: Ctx, work: (inner: Ctx) => Promise<void>): Promise<void> {
  try {
    await inSavepoint(tx, work)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    tx.log.warn({ accountId: tx.accountId, code: error.code }, 'an opt-in could not bring all that its step says')
  }
}
