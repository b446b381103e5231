import { consents, contactList, contacts } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { inTransaction } from '../../db/transaction.ts'
import { applyTypedFields } from '../../forms/index.ts'
import { refuse } from '../../kernel/errors.ts'
import { applyOptIn } from './opt-in.ts'

/** An opt-in for which a confirmation was requested. */
export interface Confirmation {
  readonly contactId: number
  readonly email: string
  /** Language tag of the contact. Empty if unknown. */
  readonly locale: string
  readonly accountName: string
  readonly isConfirmed: boolean
  /** Time at which its latest message was sent. Null if none was, or if that is not known yet. */
  readonly sentAt: Date | null
  /** Whether the account lets the page confirm by itself. */
  readonly isOneClick: boolean
  /** Whether the visitor consented to marketing e-mail, which the confirmation then grants. Otherwise it proves the address. */
  readonly hasConsent: boolean
}

/** Finds the confirmation of a submission. Returns undefined if it was deleted. */
export async function findConfirmation(ctx: Ctx, submissionId: number): Promise<Confirmation | undefined> {
  const [confirmation] = await ctx.sql<Confirmation>`
    SELECT w.contact_id AS "contactId", c.email, c.locale, a.name AS "accountName", w.confirmed_at IS NOT NULL AS "isConfirmed",
      w.text <> '' AS "hasConsent", greatest(w.sent_at, w.reminded_at) AS "sentAt", a.one_click_confirmation AS "isOneClick"
    FROM confirmation w JOIN contact c ON c.account_id = w.account_id AND c.id = w.contact_id
    JOIN account a ON a.id = w.account_id
    WHERE w.account_id = ${ctx.sql.account} AND w.submission_id = ${submissionId}::int`
  return confirmation
}

/**
 * Confirms the address of a submission: grants the consent to marketing e-mail that the visitor gave, with its text, copies the
 * typed values to the contact, and applies the opt-in of the step. Without a consent in the submission, none is granted.
 * Idempotent.
 *
 * **Emits** the events of these changes, and `funnel.opt_in`. **Throws** NOT_FOUND if the confirmation was deleted.
 */
export async function confirm(
  ctx: Ctx,
  input: { submissionId: number; consentText: string; ip: string },
): Promise<void> {
  const { submissionId, consentText, ip } = input
  await inTransaction(ctx, async (tx) => {
    const confirmation = await findConfirmation(tx, submissionId)
    if (!confirmation) throw refuse('NOT_FOUND', 'The confirmation was deleted.')
    const contact = await contactList.lock(tx, { id: confirmation.contactId })
    const [confirmed] = await tx.sql<{ formId: number; source: string; text: string }>`
      UPDATE confirmation w SET confirmed_at = ${tx.clock.now()}::timestamptz, remind_at = NULL FROM submission s
      WHERE w.account_id = ${tx.sql.account} AND w.submission_id = ${submissionId}::int AND w.confirmed_at IS NULL
        AND s.account_id = w.account_id AND s.id = w.submission_id
      RETURNING s.form_id AS "formId", w.source, w.text`
    if (!confirmed) return
    const { formId, source } = confirmed
    if (confirmation.hasConsent) {
      const consent = { source, text: `${confirmed.text}\n${consentText}`, ip }
      if (contact.emailMarketing) await consents.record(tx, contact.id, { EMAIL_MARKETING: true }, consent)
      else await contacts.update(tx, { contact: { id: contact.id }, emailMarketing: true, consent })
    }
    await applyTypedFields(tx, submissionId, contact.id)
    await applyOptIn(tx, { formId, contactId: contact.id, isStranger: false })
  })
}
