import { createHash } from 'node:crypto'
import { renderControl, renderHoneypot } from '../../../forms/rendering.ts'
import { type Texts, textsIn } from '../../../kernel/texts/texts.ts'
import { type Properties, propertiesOf, textOf } from '../styles/properties.ts'
import { commonAttributes, type Draft } from './draft.ts'
import { type Field, fieldsOf } from './form-fields.ts'
import { filled, formSlot, type Markup, markup, passSlot, staticLink } from './markup.ts'
import type { BoxName, FormBox, FormOnPage, Product } from './model.ts'

/** Submitted values and error messages by field name, for a form that is shown again. */
export interface FormValues {
  readonly answers?: ReadonlyMap<string, readonly string[]> | undefined
  readonly faults?: ReadonlyMap<string, string> | undefined
}

/** Minimum number of visible fields for which the script shows the form in steps. */
const minFieldsForSteps = 6

/** Renders the form of the step, with all questions or those that the element names. */
export function form(draft: Draft, element: Properties): Markup | null {
  const asked = fieldsOf(draft, element['fields'])
  return addForm(draft, element, asked, { product: null, head: null, button: draft.texts.text('page.send') })
}

/** Renders an order form. Returns null if the product has no name or no valid formatPrice. */
export function orderForm(draft: Draft, element: Properties): Markup | null {
  const product = parseProduct(element['product'])
  if (!product) return null
  const asked = fieldsOf(draft, element['fields'], ['email', 'first_name', 'last_name']).map(
    // A sale must not depend on a consent to marketing e-mail.
    (field) =>
      field.question.type === 'CONSENT' ? { ...field, question: { ...field.question, required: false } } : field,
  )
  const head = markup`<p class="offer"><span>${product.name}</span> <strong>${formatPrice(draft.language, product)}</strong></p>`
  return addForm(draft, element, asked, { product, head, button: draft.texts.text('page.buy') })
}

/** Adds a form to the draft and returns its slot. Returns null if the draft already has the form. */
function addForm(
  draft: Draft,
  element: Properties,
  asked: readonly Field[],
  { product, head, button }: { product: Product | null; head: Markup | null; button: string },
): Markup | null {
  const key = draft.formKeys.get(element)
  if (key === undefined || draft.forms.has(key)) return null
  const boxes = boxesOf(element, product !== null)
  const isLong = asked.filter(({ question }) => question.type !== 'HIDDEN').length >= minFieldsForSteps
  if (isLong) draft.needsScript = true
  const inputs = asked.filter(({ question }) => question.type !== 'STATEMENT')
  draft.forms.set(key, {
    key,
    fields: inputs.map(({ name, questionId, question }) => ({
      name,
      questionId,
      contactField: question.contactField ?? null,
      required: question.required,
    })),
    boxes,
    shown:
      boxes.length === 0 ? null : createHash('sha256').update(JSON.stringify(boxes)).digest('base64url').slice(0, 22),
    action: staticLink(element['action']) || null,
    product,
    postsTo: draft.source.action,
    language: draft.language,
    isLong,
    face: commonAttributes(draft, element, 'form'),
    head,
    asked,
    words: filled(textOf(element['buttonText']).trim() || button),
  })
  return formSlot(key)
}

/** Renders a form with the submitted values and error messages of one visitor. */
export function renderForm(form: FormOnPage, { answers, faults }: FormValues): Markup {
  const { key, postsTo, isLong, face, head, asked, boxes, shown, words } = form
  const texts = textsIn(form.language)
  // Two forms can have the same fields, so all HTML ids begin with the key of the form.
  const scope = `${key}-`
  const fieldNames = new Set([...asked, ...boxes].map(({ name }) => name))
  return markup`<form id="${key}" method="post" action="${postsTo}"${
    isLong && markup` data-steps`
  }${face}><input type="hidden" name="form" value="${key}">${
    shown !== null && markup`<input type="hidden" name="shown" value="${shown}">`
  }${passSlot()}${faults && alert(texts, faults, fieldNames)}${head}<div class="fields">${asked.map(
    ({ name, question }) =>
      renderControl(texts, { ...question, name }, { scope, values: answers?.get(name), fault: faults?.get(name) }),
  )}</div>${renderHoneypot(texts)}<div class="closing">${boxes.map((box) =>
    renderBox(scope, box, { answers, faults }),
  )}<button type="submit" class="q-button large wide">${words}</button></div></form>`
}

/** Renders the error messages without a visible field above the form, and announces them to screen readers. */
function alert(texts: Texts, faults: ReadonlyMap<string, string>, fieldNames: ReadonlySet<string>): Markup | null {
  if (faults.size === 0) return null
  const others = [...faults].filter(([name, words]) => words !== '' && !fieldNames.has(name)).map(([, words]) => words)
  const words = others.length > 0 ? others : [texts.text('fault.fields')]
  return markup`<div class="alert" role="alert" tabindex="-1" autofocus>${words.map((each) => markup`<p>${each}</p>`)}</div>`
}

/** Returns the checkboxes that an element declares. No buyer has to consent to marketing e-mail. */
function boxesOf(element: Properties, isOrder: boolean): FormBox[] {
  const declared: [BoxName, unknown, boolean][] = [
    ['terms', element['termsText'], true],
    ['consent', element['marketingConsentText'], !isOrder],
  ]
  return declared.flatMap(([name, value, required]) => {
    const text = textOf(value).trim()
    return text === '' ? [] : { name, text, required }
  })
}

/** Renders a checkbox. The text is shown exactly as it is stored, without merge fields. */
function renderBox(scope: string, { name, text, required }: FormBox, { answers, faults }: FormValues): Markup {
  const fault = faults?.get(name)
  const id = `${scope}${name}`
  const state = fault !== undefined && markup` aria-invalid="true" aria-describedby="${id}-fault"`
  const isChecked = answers?.get(name)?.includes('yes') === true && markup` checked`
  return markup`<div class="q"><label class="q-consent"><input type="checkbox" id="${id}" name="${name}" value="yes"${required && markup` required`}${isChecked}${state}><span class="q-text">${text}</span></label>${
    fault !== undefined && markup`<p class="q-fault" id="${id}-fault">${fault}</p>`
  }</div>`
}

function parseProduct(value: unknown): Product | null {
  const { name, amount, currency } = propertiesOf(value)
  const words = textOf(name).trim()
  const sum = textOf(amount).trim()
  if (words === '' || !/^\d{1,12}(?:\.\d{1,4})?$/.test(sum)) return null
  return {
    name: words,
    amount: sum,
    currency: /^[A-Za-z]{3}$/.test(textOf(currency)) ? textOf(currency).toUpperCase() : null,
  }
}

function formatPrice(language: string, { amount, currency }: Product): string {
  if (currency === null) return amount
  // A string is formatted exactly. A number would lose digits of large amounts.
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(amount as Intl.StringNumericLiteral)
}
