import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { buildConfirmation, buildNotice, type OutgoingMessage, ownNameLine } from '../../mail/index.ts'
import { confirmationLink } from './confirmation-link.ts'

/** A confirmation whose message is sent. */
export interface PendingConfirmation {
  readonly submissionId: number
  readonly contactId: number
  readonly email: string
  /** Language tag of the contact. Empty if unknown. */
  readonly locale: string
  readonly askedAt: Date
  /** The e-mail that the form has, or else its funnel. Null for the message of the server. */
  readonly emailId: number | null
  /** Whether the confirmation grants a consent to marketing e-mail. */
  readonly hasConsent: boolean
}

/** The columns of a pending confirmation `w` of the contact `c`. */
export const pendingColumns: Sql = sql`
  w.submission_id AS "submissionId", w.contact_id AS "contactId", c.email, c.locale, w.asked_at AS "askedAt", w.text <> '' AS "hasConsent", coalesce(
    (SELECT f.confirmation_email_id FROM form f WHERE f.account_id = w.account_id AND f.id = w.form_id),
    (SELECT n.confirmation_email_id FROM funnel_step p JOIN funnel n ON n.account_id = p.account_id AND n.id = p.funnel_id
      WHERE p.account_id = w.account_id AND p.form_id = w.form_id)) AS "emailId"`

/**
 * Sends the message of a confirmation. Returns false if the mail server refused it for good. Throws on a temporary error of the
 * mail server and on an unverified sender domain, so that the job runs again.
 */
export async function sendConfirmationMessage(
  ctx: Ctx,
  confirmation: PendingConfirmation,
  kind: 'confirm' | 'confirm-again',
): Promise<boolean> {
  const message = (await ownMessage(ctx, confirmation, kind)) ?? (await serverMessage(ctx, confirmation, kind))
  try {
    await ctx.services.mail.send(message)
    return true
  } catch (error) {
    const { responseCode } = error as { responseCode?: number }
    if (responseCode === undefined || responseCode < 500) throw error
    ctx.log.warn({ err: error, accountId: ctx.accountId }, 'the mail server rejected a confirmation e-mail')
    return false
  }
}

/** Builds the message that the account wrote. Undefined if there is none, or if it cannot be sent. */
async function ownMessage(
  ctx: Ctx,
  { emailId, contactId, ...confirmation }: PendingConfirmation,
  kind: string,
): Promise<OutgoingMessage | undefined> {
  if (emailId === null) return undefined
  const confirmUrl = confirmationLink(ctx, confirmation)
  return buildConfirmation(ctx, { emailId, contactId, confirmUrl, id: [kind, confirmation.submissionId] })
}

async function serverMessage(
  ctx: Ctx,
  { email, locale, hasConsent, ...confirmation }: PendingConfirmation,
  kind: string,
): Promise<OutgoingMessage> {
  const { language, text } = textsIn(locale)
  const account = await ownNameLine(ctx)
  return buildNotice(ctx, {
    ...{ to: email, language },
    subject: text(hasConsent ? 'confirmation.mail.subject' : 'confirmation.mail.ownSubject', { account }),
    introduction: text('confirmation.mail.text', { account }),
    link: confirmationLink(ctx, confirmation),
    action: text('confirmation.mail.button'),
    footer: text('confirmation.mail.footer'),
    id: [kind, confirmation.submissionId],
  })
}
