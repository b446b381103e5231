import { escapeHtml } from './merge-fields.ts'

/** HTML that is ready to be shown: whatever came into it as text was escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/** What can stand in `html`: text is escaped, HTML stays, lists stand one after another, and nothing is nothing. */
export type Part = string | number | Html | readonly Part[] | null | undefined | false

/**
 * HTML from a template: each value is escaped unless it is Html itself, so that forgetting is safe. Attributes need their
 * quotes, and addresses their own check: escaping does not keep `javascript:` out.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] as string
  for (const [index, part] of parts.entries()) text += written(part) + strings[index + 1]
  return new Html(text)
}

/** HTML that is known to be safe: it came from a sanitiser, or is our own. */
export function trusted(text: string): Html {
  return new Html(text)
}

function written(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return escapeHtml(part)
  return typeof part === 'number' ? String(part) : part.map(written).join('')
}
