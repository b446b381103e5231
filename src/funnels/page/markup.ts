import { Html } from '../../kernel/html.ts'
import { escapeHtml, type MergeField, mergeParts } from '../../kernel/merge-fields.ts'
import { isLink } from '../page-document.ts'

/** A place that differs from visitor to visitor. Its fallback is ready to stand there. */
export type Slot =
  | { readonly kind: 'text' | 'address'; readonly name: string; readonly fallback: string }
  | { readonly kind: 'form'; readonly key: string }

/** HTML with places to be filled; whatever else came into it as text was escaped. */
export class Markup {
  readonly parts: readonly (string | Slot)[]
  constructor(parts: readonly (string | Slot)[]) {
    this.parts = parts
  }
}

/** What can stand in `markup`: text is escaped, HTML and markup stay, lists follow one another, and nothing is nothing. */
export type Piece = string | number | Html | Markup | readonly Piece[] | null | undefined | false

/** Markup from a template: each value is escaped unless it is HTML already, so that forgetting is safe. */
export function markup(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  const parts: (string | Slot)[] = [strings[0] as string]
  for (const [index, piece] of pieces.entries()) {
    append(parts, piece)
    append(parts, new Html(strings[index + 1] as string))
  }
  return new Markup(parts)
}

/** The place of a form, which is shown again with what was typed. */
export function formSlot(key: string): Markup {
  return new Markup([{ kind: 'form', key }])
}

/** An author's text with its merge fields; it can stand in an element or in a quoted attribute. */
export function filled(text: string): Markup {
  return new Markup(mergeParts(text).map((part) => (typeof part === 'string' ? escapeHtml(part) : textSlot(part))))
}

/** The same in lines: where the author began a new one, so does the page. */
export function linesOf(text: string): Markup {
  const parts = text.trim().split(/\r\n?|\n/)
  return markup`${parts.map((line, index) => [index > 0 && new Html('<br>'), filled(line)])}`
}

/**
 * An author's link as an attribute holds it; undefined where it is none, or leads nowhere. A merge field is filled only behind its `?` or
 * `#`, as one part of it: before them a visitor's own value would decide where the page leads. There the fallback stands.
 */
export function address(link: unknown): Markup | undefined {
  const parts = addressParts(link)
  return parts && new Markup(parts)
}

/** A link without anything personal: fallbacks stand for its merge fields. Undefined where it is none. */
export function staticLink(link: unknown): string | undefined {
  if (typeof link !== 'string') return undefined
  const plain = withFallbacks(link)
  return isLink(plain) ? plain : undefined
}

/** The link that stays when only its merge fields behind `?` or `#` may differ, as text; undefined where it is none. */
export function linkWithStaticPath(link: string): string | undefined {
  if (staticLink(link) === undefined) return undefined
  const [head, tail] = atQuery(link)
  return withFallbacks(head) + tail
}

function addressParts(link: unknown): (string | Slot)[] | undefined {
  const settled = typeof link === 'string' ? linkWithStaticPath(link) : undefined
  if (!settled) return undefined
  const [head, tail] = atQuery(settled)
  return [
    escapeHtml(head),
    ...mergeParts(tail).map((part) => (typeof part === 'string' ? escapeHtml(part) : addressSlot(part))),
  ]
}

/** A fallback of the path may hold a `?` too: what follows is then no place for a value either. */
function atQuery(link: string): [string, string] {
  const at = /^(?:\{\{[^{}]*\}\}|[^?#])*/.exec(link)?.[0].length ?? 0
  return [link.slice(0, at), link.slice(at)]
}

function withFallbacks(text: string): string {
  return mergeParts(text)
    .map((part) => (typeof part === 'string' ? part : part.fallback))
    .join('')
}

function textSlot({ name, fallback }: MergeField): Slot {
  return { kind: 'text', name, fallback: escapeHtml(fallback) }
}

function addressSlot({ name, fallback }: MergeField): Slot {
  return { kind: 'address', name, fallback: escapeHtml(fallback) }
}

/** Neighbouring texts become one, so that showing a page is joining few of them. */
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
