import { z } from 'zod'
import { email, text } from '../../kernel/values/check.ts'
import { type ConsentKey, consentFields, type DetailTextKey, detailTexts } from './fields.ts'

type DetailRules = { [Key in DetailTextKey]: z.ZodString } & { [Key in ConsentKey]: z.ZodBoolean }

const rules = Object.fromEntries([
  ...detailTexts.map(({ key, maxLength }) => [key, text(maxLength)]),
  ...Object.values(consentFields).map(({ key }) => [key, z.boolean()]),
]) as DetailRules

/** Schema of the fields of a contact besides its address. All are optional. */
export const ContactDetails = z.object(rules).partial()

/** Validated fields of a contact besides its address. */
export type Details = z.output<typeof ContactDetails>

/** Schema of a new contact. */
export const NewContact = ContactDetails.extend({ email })
export type NewContact = z.output<typeof NewContact>

/** Schema of a change of a contact. */
export const ContactChange = ContactDetails.extend({ email: email.optional() })
export type ContactChange = z.output<typeof ContactChange>
