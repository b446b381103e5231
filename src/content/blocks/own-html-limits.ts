import { htmlFault } from '../../kernel/web/html-limits.ts'

const limits = { elements: 5_000, depth: 60, attributes: 50 }

/** Returns which limit the HTML of a block exceeds, as a message for a field. Undefined if it exceeds none. */
export function ownHtmlFault(html: string): string | undefined {
  return htmlFault(html, limits)
}
