import { consents, contactList, contacts } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import { inTransaction } from '../db/transaction.ts'
import { applyTypedFields } from '../forms/index.ts'
import { refuse } from '../kernel/errors.ts'
import { bring } from './opt-in.ts'

/** An opt-in that was asked to be confirmed. */
export interface Asked {
  readonly contactId: number
  readonly email: string
  readonly accountName: string
  readonly isConfirmed: boolean
}

/** Whom an opt-in is of, or undefined where it is gone. */
export async function askedOf(ctx: Ctx, submissionId: number): Promise<Asked | undefined> {
  const [asked] = await ctx.sql<Asked>`
    SELECT w.contact_id AS "contactId", c.email, a.name AS "accountName", w.confirmed_at IS NOT NULL AS "isConfirmed"
    FROM confirmation w JOIN contact c ON c.account_id = w.account_id AND c.id = w.contact_id
    JOIN account a ON a.id = w.account_id
    WHERE w.account_id = ${ctx.sql.account} AND w.submission_id = ${submissionId}::int`
  return asked
}

/**
 * Confirms an opt-in: the contact gets marketing e-mail from now on, the words it agreed to are recorded, its fields get
 * all that was typed, and it gets what opting in brings. Safe to repeat. Announces what happens to the contact, and `funnel.opt_in`. Fails with NOT_FOUND where
 * it is gone.
 */
export async function confirm(ctx: Ctx, given: { submissionId: number; words: string; ip: string }): Promise<void> {
  const { submissionId, words, ip } = given
  await inTransaction(ctx, async (tx) => {
    const asked = await askedOf(tx, submissionId)
    if (!asked) throw refuse('NOT_FOUND', 'There is nothing to confirm any more.')
    const contact = await contactList.lock(tx, { id: asked.contactId })
    const [confirmed] = await tx.sql<{ formId: number; source: string; text: string }>`
      UPDATE confirmation w SET confirmed_at = ${tx.clock.now()}::timestamptz FROM submission s
      WHERE w.account_id = ${tx.sql.account} AND w.submission_id = ${submissionId}::int AND w.confirmed_at IS NULL
        AND s.account_id = w.account_id AND s.id = w.submission_id
      RETURNING s.form_id AS "formId", w.source, w.text`
    if (!confirmed) return
    const { formId, source } = confirmed
    const consent = { source, text: [confirmed.text, words].filter((each) => each !== '').join('\n'), ip }
    if (contact.emailMarketing) await consents.record(tx, contact.id, { EMAIL_MARKETING: true }, consent)
    else await contacts.update(tx, { contact: { id: contact.id }, emailMarketing: true, consent })
    await applyTypedFields(tx, submissionId, contact.id)
    await bring(tx, { formId, contactId: contact.id, isStranger: false })
  })
}
