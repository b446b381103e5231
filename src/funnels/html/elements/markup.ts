import { type MergeField, mergeParts } from '../../../contacts/rendering.ts'
import { escapeHtml, Html } from '../../../kernel/web/html.ts'
import { isLink } from './links.ts'

/** A merge field with its escaped fallbacks. */
export type FieldSlot = Omit<MergeField, 'index' | 'length'> & { readonly kind: 'text' | 'address' }

/**
 * A part of the HTML that differs between visitors: a merge field with its escaped fallback, a form, the hidden field with the
 * pass of the visitor, or the attribute with the start of the visitor's countdowns.
 */
export type Slot =
  | FieldSlot
  | { readonly kind: 'form'; readonly key: string }
  | { readonly kind: 'pass' | 'start'; readonly fallback: '' }

/** HTML with slots. All text in it is escaped. */
export class Markup {
  readonly parts: readonly (string | Slot)[]
  constructor(parts: readonly (string | Slot)[]) {
    this.parts = parts
  }
}

/**
 * Value of a `markup` template. Text is escaped, HTML and markup are not, lists are concatenated, and null, undefined and false
 * are omitted.
 */
type Piece = string | number | Html | Markup | readonly Piece[] | null | undefined | false

/** Creates markup from a template. Values are escaped unless they are HTML or markup. */
export function markup(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const parts: (string | Slot)[] = [strings[0] as string]
  for (const [index, piece] of pieces.entries()) {
    append(parts, piece)
    append(parts, new Html(strings[index + 1] as string))
  }
  return new Markup(parts)
}

/** Creates the slot of a form. A form is rendered per visitor if it is shown again with submitted values. */
export function formSlot(key: string): Markup {
  return new Markup([{ kind: 'form', key }])
}

/** Creates the slot of the hidden field that names the visitor in a page without cookies of its own. */
export function passSlot(): Markup {
  return new Markup([{ kind: 'pass', fallback: '' }])
}

/** Creates the slot of the attribute with the start of the visitor's countdowns, in a page without storage of its own. */
export function startSlot(): Markup {
  return new Markup([{ kind: 'start', fallback: '' }])
}

/** Creates markup from an author's text with merge fields, for the content of an element or a quoted attribute. */
export function filled(text: string): Markup {
  return new Markup(mergeParts(text).map((part) => (typeof part === 'string' ? escapeHtml(part) : textSlot(part))))
}

/** Like `filled`, but with `<br>` for each line break of the text. */
export function linesOf(text: string): Markup {
  const parts = text.trim().split(/\r\n?|\n/)
  return markup`${parts.map((line, index) => [index > 0 && new Html('<br>'), filled(line)])}`
}

/**
 * Creates the value of a link attribute from an author's link. Returns undefined if the link is invalid or empty. Merge fields
 * are filled only after `?` or `#`, because before them a value of the visitor could change the target of the link. Merge
 * fields before them are replaced with their fallback.
 */
export function address(link: unknown): Markup | undefined {
  const parts = addressParts(link)
  return parts && new Markup(parts)
}

/** Replaces the merge fields of a link with their fallbacks. Returns undefined if the link is invalid. */
export function staticLink(link: unknown): string | undefined {
  if (typeof link !== 'string') return undefined
  const plain = replaceWithFallbacks(link)
  return isLink(plain) ? plain : undefined
}

/**
 * Replaces the merge fields of a link before `?` or `#` with their fallbacks, and keeps those after them. Returns undefined if
 * the link is invalid.
 */
export function linkWithStaticPath(link: string): string | undefined {
  if (staticLink(link) === undefined) return undefined
  const [head, tail] = splitAtQuery(link)
  return replaceWithFallbacks(head) + tail
}

function addressParts(link: unknown): (string | Slot)[] | undefined {
  const checkedLink = typeof link === 'string' ? linkWithStaticPath(link) : undefined
  if (!checkedLink) return undefined
  const [head, tail] = splitAtQuery(checkedLink)
  return [
    escapeHtml(head),
    ...mergeParts(tail).map((part) => (typeof part === 'string' ? escapeHtml(part) : addressSlot(part))),
  ]
}

/** Splits a link at its first `?` or `#`. Ignores those within merge fields, because a fallback can contain them. */
function splitAtQuery(link: string): [string, string] {
  const at = /^(?:\{\{[^{}]*\}\}|[^?#])*/.exec(link)?.[0].length ?? 0
  return [link.slice(0, at), link.slice(at)]
}

function replaceWithFallbacks(text: string): string {
  return mergeParts(text)
    .map((part) => (typeof part === 'string' ? part : part.fallback))
    .join('')
}

const textSlot = (field: MergeField) => slotOf('text', field)
const addressSlot = (field: MergeField) => slotOf('address', field)

function slotOf(kind: FieldSlot['kind'], { name, fallback, longer }: MergeField): FieldSlot {
  return {
    ...{ kind, name, fallback: escapeHtml(fallback) },
    ...(longer && { longer: longer.map((each) => ({ ...each, fallback: escapeHtml(each.fallback) })) }),
  }
}

/** Appends a value. Adjacent texts are merged, so that rendering joins few strings. */
function append(parts: (string | Slot)[], piece: Piece): void {
  if (piece === null || piece === undefined || piece === false) return
  if (piece instanceof Markup) {
    for (const part of piece.parts) {
      if (typeof part === 'string') add(parts, part)
      else parts.push(part)
    }
  } else if (piece instanceof Html) add(parts, piece.text)
  else if (typeof piece === 'string') add(parts, escapeHtml(piece))
  else if (typeof piece === 'number') add(parts, String(piece))
  else for (const each of piece) append(parts, each)
}

function add(parts: (string | Slot)[], text: string): void {
  const last = parts.at(-1)
  if (typeof last === 'string') parts[parts.length - 1] = last + text
  else parts.push(text)
}
