/** No white space, no control characters, and no backslash, because browsers read it as a slash. */
const urlCharacter = String.raw`[^\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]`
const webUrl = `[hH][tT][tT][pP][sS]?://${urlCharacter}+`
const mailOrPhone = `(?:[mM][aA][iI][lL][tT][oO]|[tT][eE][lL]):${urlCharacter}+`
/** A URL without scheme and host: `/x`, `x`, `?x`, `#x`, or an empty string. */
const relative = `(?!//)(?![A-Za-z][A-Za-z0-9+.-]*:)${urlCharacter}*`

/** Maximum length of a link in characters. */
export const maxLinkLength = 2_048
/** The links that a page may contain: no scripts (`javascript:`), and no hosts without a scheme (`//host`). */
export const linkPattern = new RegExp(`^(?:${webUrl}|${mailOrPhone}|${relative})$`)

/** Whether a text is a valid link of a page. Used again for links after their merge fields have been replaced. */
export function isLink(text: string): boolean {
  return text.length <= maxLinkLength && linkPattern.test(text)
}
