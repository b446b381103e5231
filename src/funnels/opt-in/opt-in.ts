import { contactList, contactTags } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inSavepoint } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import type { CompletedSubmission } from '../../forms/index.ts'
import { Refusal } from '../../kernel/errors.ts'
import { enrolments } from '../../sequences/index.ts'
import { byForm, type FunnelStep } from '../funnel/step-list.ts'
import { requestConfirmation } from './confirmation-email.ts'

/**
 * Reads the step of a form, and returns what handles a completed submission: applies the opt-in of the step to the contact, or
 * requests a confirmation by e-mail if the address is unproven. Does nothing for a submission without a contact.
 */
export async function newOptIn(tx: Ctx, formId: number): Promise<(submission: CompletedSubmission) => Promise<void>> {
  const step = (await byForm.batch(tx, [formId])).get(formId)
  return async (submission) => {
    const { contactId, isStranger } = submission
    if (contactId === null) return
    if (!submission.isUnproven) {
      if (step) await optIn(tx, step, { contactId, isStranger })
      return
    }
    // Without a consent and without a step there is nothing to confirm.
    if (submission.consent || step) await requestConfirmation(tx, { ...submission, contactId })
  }
}

/**
 * Applies the opt-in of a form's step: adds the tags of the step to the contact and enrols it in the sequences of the step.
 * Deleted tags and sequences are ignored. If a limit rejects the tags or the enrolments, the opt-in continues without them.
 * Does nothing for a form without a step.
 *
 * `isStranger` means that the address is unproven. A stranger does not enrol a subscribed contact again in a sequence that the
 * contact left.
 *
 * **Emits** the events of the tags and enrolments, then `funnel.opt_in`.
 */
export async function applyOptIn(
  tx: Ctx,
  { formId, ...who }: { formId: number; contactId: number; isStranger: boolean },
): Promise<void> {
  const step = await tx.load(byForm, formId)
  if (step) await optIn(tx, step, who)
}

async function optIn(
  tx: Ctx,
  step: FunnelStep,
  { contactId, isStranger }: { contactId: number; isStranger: boolean },
): Promise<void> {
  const contact = await contactList.lock(tx, { id: contactId })
  const left = isStranger && contact.emailMarketing ? await enrolments.leftAmong(tx, contactId, step.sequenceIds) : []
  const sequenceIds = step.sequenceIds.filter((id) => !left.includes(id))
  await ignoreRefusal(tx, (inner) => contactTags.addAll(inner, [contactId], step.tagIds))
  await ignoreRefusal(tx, (inner) => enrolments.enrol(inner, contactId, sequenceIds, 'sequenceIds'))
  await emit(tx, 'funnel.opt_in', { funnelId: step.funnelId, stepId: step.id, contactId })
}

/** Runs `work` in a savepoint and rolls it back if a rule refuses it. */
async function ignoreRefusal(tx: Ctx, work: (inner: Ctx) => Promise<unknown>): Promise<void> {
  try {
    await inSavepoint(tx, work)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    tx.log.warn({ accountId: tx.accountId, code: error.code }, 'a rule refused the tags or enrolments of an opt-in')
  }
}
