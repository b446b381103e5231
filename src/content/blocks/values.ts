import { z } from 'zod'

// The values that blocks of messages and elements of pages have in common.

/** No white space, no control characters, and no backslash, because browsers read it as a slash. */
const urlCharacter = String.raw`[^\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]`
const webUrl = `[hH][tT][tT][pP][sS]?://${urlCharacter}+`
const mailOrPhone = `(?:[mM][aA][iI][lL][tT][oO]|[tT][eE][lL]):${urlCharacter}+`
/** A URL without scheme and host: `/x`, `x`, `?x`, `#x`, or an empty string. */
const relative = `(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:)${urlCharacter}*`
/** A merge field at the beginning, whose value is the URL or begins it. */
const mergeField = String.raw`\{\{[^{}]+\}\}${urlCharacter}*`

/** Maximum length of a link in characters. */
export const maxLinkLength = 2_048

const tooLong = `must have at most ${maxLinkLength} characters`

/** The links that a page may contain: no scripts (`javascript:`), and no hosts without a scheme (`//host`). */
export const linkPattern = new RegExp(`^(?:${webUrl}|${mailOrPhone}|${relative})$`)

/** A link of a page. */
export const pageLink = z
  .string()
  .max(maxLinkLength, tooLong)
  .regex(linkPattern, 'must be an http or https URL, mailto:, tel:, # or a path of this site')
  .describe('An http or https URL, `mailto:`, `tel:`, `#fragment`, or a path of the same site.')

/** A link of a message, which is read outside of any site. It may be empty until it is known. */
export const messageLink = z
  .string()
  .max(maxLinkLength, tooLong)
  .regex(
    new RegExp(`^(?:${webUrl}|${mailOrPhone}|${mergeField}|)$`),
    'must be an http or https URL, mailto:, tel:, or begin with a merge field',
  )
  .describe(
    'An http or https URL, `mailto:`, `tel:`, or a merge field such as `{{VIEW_URL}}`. Empty until it is known.',
  )

/** The address of a picture in a message. It may be empty until it is known. */
export const pictureUrl = z
  .string()
  .max(maxLinkLength, tooLong)
  .regex(new RegExp(`^(?:${webUrl}|${mergeField}|)$`), 'must be an http or https URL, or begin with a merge field')
  .describe('An http or https URL. Mail programs show no pictures from other places. Empty until it is known.')

export const line = z.string().max(1_000, 'must have at most 1000 characters')
export const prose = z.string().max(100_000, 'must have at most 100000 characters')
export const size = (max: number) => z.number().min(0, 'must not be negative').max(max, `must be at most ${max}`)
export const color = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1a2b3c')
  .describe('Six hexadecimal digits after `#`.')
