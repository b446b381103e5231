import { escapeHtml, type Values } from '../../kernel/merge-fields.ts'
import { documentOf } from './document.ts'
import { type FormValues, renderForm } from './form.ts'
import { Markup, type Slot } from './markup.ts'
import type { FormOnPage, PageForm, PageSource, Product } from './model.ts'

/** Whom a page is shown to. */
export interface View {
  readonly values: Values
  /** Which form was posted, where it is shown again; the first where absent. */
  readonly form?: string | undefined
  /** What was typed into it, by the names of its fields. */
  readonly answers?: ReadonlyMap<string, readonly string[]> | undefined
  /** What is wrong with that, by the names of its fields; '' for all of it. */
  readonly faults?: ReadonlyMap<string, string> | undefined
}

/** A page, ready to be shown to anybody. */
export interface CompiledPage {
  /** Its Content-Security-Policy. */
  readonly csp: string
  /** Characters of its HTML. */
  readonly size: number
  /** Whether it has merge fields or a form, and so may differ from visitor to visitor. */
  readonly isPersonal: boolean
  /** What its order forms sell, by their keys. */
  readonly products: ReadonlyMap<string, Product>
  /** All its forms by their keys, those to buy on among them. */
  readonly forms: ReadonlyMap<string, PageForm>
  render(view: View): string
}

/** A page taken apart: plain data, as a thread returns it. */
export interface PageData {
  readonly csp: string
  readonly parts: Markup['parts']
  readonly forms: readonly FormOnPage[]
}

/** The most merge fields of a page: each is filled for each visitor. Of those behind, the fallback is shown. */
export const maxMergeFields = 5_000

/** Builds a page's HTML, all but its merge fields and forms. What cannot be shown of a document is left out. */
export function buildPageData(source: PageSource): PageData {
  const { draft, markup, csp } = documentOf(source)
  let fields = 0
  const parts = markup.parts.map((part) => {
    if (typeof part === 'string' || part.kind === 'form') return part
    fields += 1
    return fields > maxMergeFields ? part.fallback : part
  })
  return { csp, parts, forms: [...draft.forms.values()] }
}

/**
 * Makes a page's HTML once, so that showing it is joining a few texts. Never fails: what cannot be shown of a document is
 * left out.
 */
export function compilePage(source: PageSource): CompiledPage {
  return pageOf(buildPageData(source))
}

/** The page that was taken apart, ready to be shown to anybody. */
export function pageOf(data: PageData): CompiledPage {
  const forms = new Map(data.forms.map((form) => [form.key, withMarkup(form)]))
  const show = (key: string, typed: FormValues) => {
    const form = forms.get(key)
    return form && renderForm(form, typed)
  }
  const untouched = flat(data.parts, (key) => show(key, {}))
  const html = untouched.map((part) => (typeof part === 'string' ? part : part.fallback)).join('')
  const isSame = untouched.every((part) => typeof part === 'string')
  const [first] = forms.keys()
  const products = [...forms.values()].flatMap(({ key, product }) => (product ? [[key, product] as const] : []))
  return {
    csp: data.csp,
    size: html.length,
    isPersonal: !isSame || forms.size > 0,
    products: new Map(products),
    forms,
    render: ({ values, form = first, answers, faults }) => {
      const isAgain = (answers !== undefined || faults !== undefined) && form !== undefined
      if (isSame && !isAgain) return html
      const parts = isAgain ? flat(data.parts, (key) => show(key, key === form ? { answers, faults } : {})) : untouched
      return joined(parts, values)
    },
  }
}

/** What came from a thread has lost its classes. */
function withMarkup({ face, head, words, ...form }: FormOnPage): FormOnPage {
  return { ...form, face: new Markup(face.parts), head: head && new Markup(head.parts), words: new Markup(words.parts) }
}

type FieldSlot = Exclude<Slot, { kind: 'form' }>

/** Puts the forms into their places; only merge fields stay open. */
function flat(all: Markup['parts'], show: (key: string) => Markup | undefined): (string | FieldSlot)[] {
  const parts: (string | FieldSlot)[] = []
  const add = (part: string | FieldSlot) => {
    const last = parts.at(-1)
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part
    else parts.push(part)
  }
  for (const part of all) {
    if (typeof part === 'string' || part.kind !== 'form') add(part)
    else for (const inner of flat(show(part.key)?.parts ?? [], show)) add(inner)
  }
  return parts
}

/** One pass: what a value holds is text, even where it reads like a merge field. */
function joined(parts: readonly (string | FieldSlot)[], values: Values): string {
  let html = ''
  for (const part of parts) html += typeof part === 'string' ? part : written(part, values(part.name)) || part.fallback
  return html
}

function written({ kind }: FieldSlot, value: string): string {
  if (value === '') return ''
  // An address takes no half characters.
  return kind === 'text' ? escapeHtml(value) : escapeHtml(encodeURIComponent(value.toWellFormed()))
}
