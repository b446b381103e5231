import { encoded, textOf, type Values } from '../../contacts/rendering.ts'
import { passName } from '../../forms/rendering.ts'
import { escapeHtml } from '../../kernel/web/html.ts'
import { documentOf } from './document.ts'
import { type FormValues, renderForm } from './elements/form.ts'
import { type FieldSlot, Markup, type Slot } from './elements/markup.ts'
import type { FormOnPage, PageForm, PageSource, Product } from './elements/model.ts'

/** Input of one rendering of a page. */
export interface View {
  readonly values: Values
  /** Key of the submitted form, if the page is shown again after an error. Defaults to the first form. */
  readonly form?: string | undefined
  /** Submitted values of the form, by field name. */
  readonly answers?: ReadonlyMap<string, readonly string[]> | undefined
  /** Error messages by field name. The empty name is the whole form. */
  readonly faults?: ReadonlyMap<string, string> | undefined
  /** Pass of the visitor, which the forms post. Only for an isolated page. */
  readonly pass?: string | undefined
  /** Time at which the visitor's countdowns started. Only for an isolated page. */
  readonly start?: Date | undefined
}

/** A page that is ready to render. */
export interface CompiledPage {
  /** BCP 47 language tag. */
  readonly language: string
  /** Content-Security-Policy of the page. */
  readonly csp: string
  /** Length of the HTML in characters. */
  readonly size: number
  /** Whether the page has merge fields or a form. Such a page can differ between visitors. */
  readonly isPersonal: boolean
  /** Whether the page has countdowns that start at the first visit. */
  readonly hasTimer: boolean
  /** Products of the order forms, by form key. */
  readonly products: ReadonlyMap<string, Product>
  /** All forms by key, including order forms. */
  readonly forms: ReadonlyMap<string, PageForm>
  render(view: View): string
}

/** A compiled page as plain data, which a thread can return. */
export interface PageData {
  readonly csp: string
  /** BCP 47 language tag. */
  readonly language: string
  readonly parts: Markup['parts']
  readonly forms: readonly FormOnPage[]
}

/** Maximum number of merge fields of a page. Further merge fields show their fallback. */
export const maxMergeFields = 5_000

/** Builds the HTML of a page with slots for merge fields and forms. Invalid parts of the document are left out. */
export function buildPageData(source: PageSource): PageData {
  const { draft, markup, csp } = documentOf(source)
  let fields = 0
  const parts = markup.parts.map((part) => {
    if (typeof part === 'string' || !isField(part)) return part
    fields += 1
    return fields > maxMergeFields && 'fallback' in part ? part.fallback : part
  })
  return { csp, language: draft.language, parts, forms: [...draft.forms.values()] }
}

/**
 * Compiles a page once, so that rendering only joins strings. Never throws: invalid parts of the document are left out.
 */
export function compilePage(source: PageSource): CompiledPage {
  return pageOf(buildPageData(source))
}

/** Creates a page that is ready to render from its data. */
export function pageOf(data: PageData): CompiledPage {
  const forms = new Map(data.forms.map((form) => [form.key, restoreMarkup(form)]))
  const show = (key: string, typed: FormValues) => {
    const form = forms.get(key)
    return form && renderForm(form, typed)
  }
  const initialParts = insertForms(data.parts, (key) => show(key, {}))
  const html = initialParts.map((part) => (typeof part === 'string' ? part : part.fallback)).join('')
  const isStatic = initialParts.every((part) => typeof part === 'string' || !isField(part))
  const [first] = forms.keys()
  const products = [...forms.values()].flatMap(({ key, product }) => (product ? [[key, product] as const] : []))
  return {
    language: data.language,
    csp: data.csp,
    size: html.length,
    isPersonal: !isStatic || forms.size > 0,
    hasTimer: initialParts.some((part) => typeof part === 'object' && part.kind === 'start'),
    products: new Map(products),
    forms,
    render: ({ values, form = first, answers, faults, pass, start }) => {
      const isResubmission = (answers !== undefined || faults !== undefined) && form !== undefined
      if (isStatic && !isResubmission && pass === undefined && start === undefined) return html
      const parts = isResubmission
        ? insertForms(data.parts, (key) => show(key, key === form ? { answers, faults } : {}))
        : initialParts
      return fillSlots(parts, { values, pass, start })
    },
  }
}

/** Restores the `Markup` instances of a form, because the transfer from a thread returns plain objects. */
function restoreMarkup({ face, head, words, ...form }: FormOnPage): FormOnPage {
  return { ...form, face: new Markup(face.parts), head: head && new Markup(head.parts), words: new Markup(words.parts) }
}

type FilledSlot = Exclude<Slot, { kind: 'form' }>

function isField({ kind }: Slot): boolean {
  return kind === 'text' || kind === 'address'
}

/**
 * Maximum sizes of a rendered page. Forms that would make it longer are left out: each contains all questions, so that a page
 * with many forms is many times as long as its document. Merge fields show their fallback if the values together are longer.
 */
export const pageLimits = { characters: 2_000_000, valueBytes: 100_000 } as const

/** Replaces the slots of forms with their markup. Slots of merge fields remain. */
function insertForms(all: Markup['parts'], show: (key: string) => Markup | undefined): (string | FilledSlot)[] {
  const parts: (string | FilledSlot)[] = []
  let length = 0
  const add = (part: string | FilledSlot) => {
    length += typeof part === 'string' ? part.length : 0
    const last = parts.at(-1)
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
    else parts.push(part)
  }
  const addInner = (part: string | Slot) => {
    if (typeof part === 'string' || part.kind !== 'form') add(part)
  }
  for (const part of all) {
    if (typeof part === 'string' || part.kind !== 'form') add(part)
    else if (length < pageLimits.characters) for (const inner of show(part.key)?.parts ?? []) addInner(inner)
  }
  return parts
}

/** Replaces the slots of merge fields in one pass, so that merge fields within values are not replaced. */
function fillSlots(parts: readonly (string | FilledSlot)[], view: Pick<View, 'values' | 'pass' | 'start'>): string {
  const values = limitedValues(view.values)
  let html = ''
  for (const part of parts) html += typeof part === 'string' ? part : fillSlot(part, { ...view, values })
  return html
}

/** Returns values that are encoded once for each kind of slot, and are empty from where they have too many bytes together. */
function limitedValues(values: Values): Readonly<Record<FieldSlot['kind'], Values>> {
  let bytes = 0
  const limited = (all: Values): Values => {
    const withinLimit = (name: string) => {
      const value = all(name)
      bytes += Buffer.byteLength(value)
      return bytes > pageLimits.valueBytes ? '' : value
    }
    return Object.assign(withinLimit, { isKnown: all.isKnown })
  }
  return {
    text: limited(encoded(values, escapeHtml)),
    // encodeURIComponent throws for lone surrogates.
    address: limited(encoded(values, (value) => escapeHtml(encodeURIComponent(value.toWellFormed())))),
  }
}

function fillSlot(
  slot: FilledSlot,
  { values, pass, start }: Pick<View, 'pass' | 'start'> & { values: ReturnType<typeof limitedValues> },
): string {
  if (slot.kind === 'text' || slot.kind === 'address') return textOf(slot, values[slot.kind])
  if (slot.kind === 'pass') return pass === undefined ? '' : `<input type="hidden" name="${passName}" value="${pass}">`
  return start === undefined ? '' : ` data-start="${start.getTime()}"`
}
