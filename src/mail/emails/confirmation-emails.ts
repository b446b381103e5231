import { ownAccount } from '../../account/index.ts'
import { examplePerson, mapTexts, mergeFieldNames, mergeValuesOf, type Person } from '../../contacts/index.ts'
import type { Values } from '../../contacts/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { zoneOf } from '../../db/zone.ts'
import { textsIn } from '../../kernel/texts/texts.ts'
import { exampleConfirmUrl, withConfirmUrl } from '../messages/message-links.ts'
import type { CheckedBody } from './body-input.ts'
import type { EmailMeta } from './email-meta.ts'
import { create, type Email, setContent, update } from './emails.ts'

/** Returns the subject of a confirmation e-mail that has no other one. */
async function confirmationSubject(ctx: Ctx): Promise<string> {
  const { name } = await ownAccount(ctx)
  return textsIn('en').text('confirmation.mail.subject', { account: name.replace(/\s+/g, ' ') })
}

/**
 * Sets the given parts of a confirmation e-mail. Creates it if `emailId` is null, with the subject of the server's own message.
 * **Throws** VALIDATION_ERROR and NOT_FOUND.
 */
export async function setConfirmationEmail(
  tx: Ctx,
  emailId: number | null,
  { body, meta }: { body: CheckedBody; meta: EmailMeta },
): Promise<Email> {
  const id = emailId ?? (await create(tx, { subject: await confirmationSubject(tx) }, true)).id
  // The content first: it waits for a change of the brand, which locks e-mails.
  await setContent(tx, id, body)
  return update(tx, id, meta)
}

/**
 * Returns the values of merge fields in a confirmation e-mail: its link, the address and dates. Other data of the contact is left
 * out, because anyone can have typed it, and could so send words of their own to any address.
 */
export function confirmationValues(
  { email, createdAt, locale }: Pick<Person, 'email' | 'createdAt' | 'locale'>,
  { now, confirmUrl, ...writing }: { now: Date; zone: string; language: string; confirmUrl: string },
): Values {
  const person = { ...mapTexts(() => ''), email, createdAt, locale, fields: {}, fieldTypes: {} }
  return withConfirmUrl(confirmUrl, mergeValuesOf(person, now, writing))
}

/** Returns the merge fields that a confirmation e-mail has, with their values for the example contact. */
export async function confirmationExample(ctx: Ctx): Promise<Record<string, string>> {
  const options = { now: ctx.clock.now(), zone: await zoneOf(ctx), language: '', confirmUrl: exampleConfirmUrl(ctx) }
  const values = confirmationValues(examplePerson, options)
  const names = [...mergeFieldNames, 'CONFIRM_URL'].filter((name) => values(name) !== '')
  return Object.fromEntries(names.map((name) => [name, values(name)]))
}
