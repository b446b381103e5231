import { z } from 'zod'
import { email, text } from '../../kernel/values/check.ts'
import { zoneMessage } from '../../kernel/values/period.ts'
import { canonicalLocale, canonicalZone, localeMessage } from '../../kernel/values/regions.ts'
import { type ConsentKey, consentFields, type DetailTextKey, detailTexts, regionalFields } from './fields.ts'

type DetailRules = { [Key in DetailTextKey]: z.ZodString } & { [Key in ConsentKey]: z.ZodBoolean }

/** Schema of a text that is stored in its canonical form. An empty text removes the value. */
const canonical = (maxLength: number, toCanonical: (value: string) => string | undefined, message: string) =>
  text(maxLength)
    .trim()
    .refine((value) => value === '' || toCanonical(value) !== undefined, { message, params: { code: 'INVALID_VALUE' } })
    .transform((value) => toCanonical(value) ?? '')

/** Schemas of the time zone and the language of a contact. */
const regional = {
  timeZone: canonical(regionalFields.TIME_ZONE.maxLength, canonicalZone, zoneMessage),
  locale: canonical(regionalFields.LOCALE.maxLength, canonicalLocale, localeMessage),
}

/** Schema of what the browser of a contact reported. What is invalid is ignored. */
const Observed = z.object({
  timeZone: regional.timeZone.optional().catch(undefined),
  locale: regional.locale.optional().catch(undefined),
})

const rules = Object.fromEntries([
  ...detailTexts.map(({ key, maxLength }) => [key, text(maxLength)]),
  ...Object.values(consentFields).map(({ key }) => [key, z.boolean()]),
]) as DetailRules

/** Schema of the fields of a contact besides its address. All are optional. */
export const ContactDetails = z.object({ ...rules, ...regional, observed: Observed }).partial()

/** Validated fields of a contact besides its address. */
export type Details = z.output<typeof ContactDetails>

/** Schema of a new contact. */
export const NewContact = ContactDetails.extend({ email })
export type NewContact = z.output<typeof NewContact>

/** Schema of a change of a contact. */
export const ContactChange = ContactDetails.extend({ email: email.optional() })
export type ContactChange = z.output<typeof ContactChange>
