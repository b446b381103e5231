/** Safe HTML: text in it was escaped. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

/**
 * A value in an `html` template. Text is escaped, HTML is inserted unchanged, lists are concatenated, and null,
 * undefined and false insert nothing.
 */
export type Part = string | number | Html | readonly Part[] | null | undefined | false

/**
 * Creates HTML from a template. All values except Html are escaped by default. Attribute values must be quoted. URLs
 * need a separate check, because escaping does not prevent `javascript:`.
 */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] as string
  for (const [index, part] of parts.entries()) text += htmlOf(part) + strings[index + 1]
  return new Html(text)
}

/** Marks text as safe HTML. The text must come from a sanitiser or from our own code. */
export function trusted(text: string): Html {
  return new Html(text)
}

/** Escapes text for an HTML element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

function htmlOf(part: Part): string {
  if (part === null || part === undefined || part === false) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'string') return escapeHtml(part)
  return typeof part === 'number' ? String(part) : part.map(htmlOf).join('')
}
