import { renderControl, renderHoneypot } from '../../forms/rendering.ts'
import { commonAttributes, type Draft } from './draft.ts'
import { type Field, fieldsOf } from './form-fields.ts'
import { filled, formSlot, type Markup, markup, staticLink } from './markup.ts'
import type { FormOnPage, Product } from './model.ts'
import { type Properties, propertiesOf, textOf } from './properties.ts'

/** What a form shows again after it was refused. */
export interface FormValues {
  readonly answers?: ReadonlyMap<string, readonly string[]> | undefined
  readonly faults?: ReadonlyMap<string, string> | undefined
}

/** From so many questions on, the script shows them in steps. */
const manyFields = 6

/** The step's own form: all of its questions, or those that the element names. */
export function form(draft: Draft, element: Properties): Markup | null {
  const asked = fieldsOf(draft.source.questions, element['fields'])
  return made(draft, element, asked, { product: null, head: null, button: 'Send' })
}

/** A form to buy on. One without a price, or with nothing to sell, is left out. */
export function orderForm(draft: Draft, element: Properties): Markup | null {
  const product = productOf(element['product'])
  if (!product) return null
  const asked = fieldsOf(draft.source.questions, element['fields'], ['email', 'first_name', 'last_name'])
  const head = markup`<p class="offer"><span>${product.name}</span> <strong>${price(draft.language, product)}</strong></p>`
  return made(draft, element, asked, { product, head, button: 'Buy now' })
}

function made(
  draft: Draft,
  element: Properties,
  asked: readonly Field[],
  { product, head, button }: { product: Product | null; head: Markup | null; button: string },
): Markup | null {
  const key = draft.formKeys.get(element)
  if (key === undefined || draft.forms.has(key)) return null
  const consentText = textOf(element['consentText']).trim() || null
  const isLong = asked.filter(({ question }) => question.type !== 'HIDDEN').length >= manyFields
  if (isLong) draft.needsScript = true
  const answered = asked.filter(({ question }) => question.type !== 'STATEMENT')
  draft.forms.set(key, {
    key,
    fields: answered.map(({ name, questionId, question }) => ({
      name,
      questionId,
      contactField: question.contactField ?? null,
      required: question.required,
    })),
    consentText,
    action: staticLink(element['action']) || null,
    product,
    postsTo: draft.source.action,
    isLong,
    face: commonAttributes(draft, element, 'form'),
    head,
    asked,
    words: filled(textOf(element['buttonText']).trim() || button),
  })
  return formSlot(key)
}

/** A form as one visitor sees it, with what was typed. */
export function renderForm(form: FormOnPage, { answers, faults }: FormValues): Markup {
  const { key, postsTo, isLong, face, head, asked, consentText, words } = form
  // A second form may ask the same: every id begins with its form.
  const scope = `${key}-`
  const places = new Set([...asked.map(({ name }) => name), ...(consentText === null ? [] : ['consent'])])
  return markup`<form id="${key}" method="post" action="${postsTo}"${
    isLong && markup` data-steps`
  }${face}><input type="hidden" name="form" value="${key}">${faults && alert(faults, places)}${head}<div class="fields">${asked.map(
    ({ name, question }) =>
      renderControl({ ...question, name }, { scope, values: answers?.get(name), fault: faults?.get(name) }),
  )}</div>${renderHoneypot()}<div class="closing">${
    consentText !== null && consent(scope, consentText, { answers, faults })
  }<button type="submit" class="q-button large wide">${words}</button></div></form>`
}

/** What is wrong with all of it, or stands nowhere else, said first and to those who only hear it too. */
function alert(faults: ReadonlyMap<string, string>, places: ReadonlySet<string>): Markup | null {
  if (faults.size === 0) return null
  const others = [...faults].filter(([name, words]) => words !== '' && !places.has(name)).map(([, words]) => words)
  const words = others.length > 0 ? others : ['Please look again at what is marked.']
  return markup`<div class="alert" role="alert" tabindex="-1" autofocus>${words.map((each) => markup`<p>${each}</p>`)}</div>`
}

/** What is agreed to is shown as it is kept: word by word. */
function consent(scope: string, text: string, { answers, faults }: FormValues): Markup {
  const fault = faults?.get('consent')
  const id = `${scope}consent`
  const state = fault !== undefined && markup` aria-invalid="true" aria-describedby="${id}-fault"`
  const isChecked = answers?.get('consent')?.includes('yes') === true && markup` checked`
  return markup`<div class="q"><label class="q-consent"><input type="checkbox" id="${id}" name="consent" value="yes" required${isChecked}${state}><span class="q-text">${text}</span></label>${
    fault !== undefined && markup`<p class="q-fault" id="${id}-fault">${fault}</p>`
  }</div>`
}

function productOf(given: unknown): Product | null {
  const { name, amount, currency } = propertiesOf(given)
  const words = textOf(name).trim()
  const sum = textOf(amount).trim()
  if (words === '' || !/^\d{1,12}(?:\.\d{1,4})?$/.test(sum)) return null
  return {
    name: words,
    amount: sum,
    currency: /^[A-Za-z]{3}$/.test(textOf(currency)) ? textOf(currency).toUpperCase() : null,
  }
}

function price(language: string, { amount, currency }: Product): string {
  if (currency === null) return amount
  // Given as text it is formatted digit by digit, and never by way of a number.
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount as Intl.StringNumericLiteral)
}
