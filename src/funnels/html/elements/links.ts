import { linkPattern, maxLinkLength } from '../../../content/rendering.ts'

/** Whether a text is a valid link of a page. Used again for links after their merge fields have been replaced. */
export function isLink(text: string): boolean {
  return text.length <= maxLinkLength && linkPattern.test(text)
}
