import { type Html, html } from '../../kernel/html.ts'
import type { Question } from '../question-list.ts'
import { type ContactField, lengths, possibleAnswers } from '../question-types.ts'

/** A question, as far as it is shown. */
export type Asked = Pick<Question, 'id' | 'type' | 'label' | 'required' | 'options'> & {
  readonly contactField?: ContactField | null | undefined
  /** The name under which its answer is posted, where that is not `controlName`. */
  readonly name?: string | undefined
}

/** How a question stands with its visitor. */
export interface Shown {
  /** What was answered, also where that was refused. */
  readonly values?: readonly string[] | undefined
  /** What is wrong with the answer, in words for people. */
  readonly fault?: string | undefined
  /** Whether the visitor can type at once. */
  readonly isFocused?: boolean | undefined
  /** What comes before every id, where a page shows the same question twice. */
  readonly scope?: string | undefined
}

/** The field that people do not see: what is in it was written by a machine. */
export const honeypotName = 'website_url'

/** The name under which the answer to a question is posted. */
export function controlName(questionId: number): string {
  return `q${questionId}`
}

/**
 * One question as a visitor answers it: label, control, and what is wrong. A choice also posts an empty value, which says
 * that it was shown: no other value beside it takes the answer away. It looks as `controlCss` says.
 */
export function control(question: Asked, shown: Shown = {}): Html {
  switch (question.type) {
    case 'HIDDEN':
      return html`<input type="hidden" name="${nameOf(question)}" value="${shown.values?.[0]}">`
    case 'STATEMENT':
      return html`<div class="q"><p class="q-label">${question.label}</p></div>`
    case 'CONSENT':
      return consent(question, shown)
    case 'SINGLE_CHOICE':
    case 'MULTIPLE_CHOICE':
    case 'YES_NO':
    case 'RATING':
    case 'OPINION_SCALE':
      return choice(question, shown)
    default:
      return field(question, shown)
  }
}

/** A field that people neither see nor reach: programs that fill all there is fill it too. */
export function honeypot(): Html {
  return html`<div class="q-trap" aria-hidden="true"><label>Leave this empty <input name="${honeypotName}"
    tabindex="-1" autocomplete="off"></label></div>`
}

/** What browsers know of people, by the field of a contact. */
const autocomplete: Readonly<Record<ContactField, string>> = {
  EMAIL: 'email',
  FIRST_NAME: 'given-name',
  LAST_NAME: 'family-name',
  PHONE: 'tel',
  COMPANY_NAME: 'organization',
  CITY: 'address-level2',
  COUNTRY: 'country-name',
}

interface Input {
  readonly type: string
  readonly inputmode?: string
  readonly autocomplete?: string
  readonly placeholder?: string
}

/** How free text of each type is typed; the others are plain text. */
const inputs: Readonly<Partial<Record<Question['type'], Input>>> = {
  EMAIL: { type: 'email', inputmode: 'email', autocomplete: 'email', placeholder: 'name@example.com' },
  PHONE: { type: 'tel', inputmode: 'tel', autocomplete: 'tel' },
  URL: { type: 'url', inputmode: 'url', autocomplete: 'url', placeholder: 'https://' },
  NUMBER: { type: 'text', inputmode: 'decimal', autocomplete: 'off' },
  DATE: { type: 'date' },
}

function field(question: Asked, shown: Shown): Html {
  const { label, required } = question
  const id = idOf(question, shown)
  return html`<div class="q${shown.fault !== undefined && ' q-wrong'}"><label class="q-label" for="${id}">${label}${
    required ? null : optional
  }</label>${typed(question, shown)}${faultOf(id, shown)}</div>`
}

function typed(question: Asked, shown: Shown): Html {
  const { type, options, required, contactField } = question
  const id = idOf(question, shown)
  const [value = ''] = shown.values ?? []
  const common = html`class="q-input" id="${id}" name="${nameOf(question)}"${flag('required', required)}${state(id, shown)}${flag(
    'autofocus',
    shown.isFocused === true,
  )}`
  const most = html`${attribute('maxlength', lengths[type])}`
  // Browsers leave out the line break that follows a tag at once: one of our own keeps the visitor's.
  if (type === 'LONG_TEXT') return html`<textarea ${common}${most} rows="4">\n${value}</textarea>`
  if (type === 'DROPDOWN') {
    return html`<select ${common}><option value="">Please choose</option>${(options ?? []).map(
      (option) => html`<option value="${option}"${flag('selected', option === value)}>${option}</option>`,
    )}</select>`
  }
  const { type: kind, ...input }: Input = inputs[type] ?? { type: 'text' }
  const known = contactField == null ? input.autocomplete : autocomplete[contactField]
  return html`<input type="${kind}" ${common}${most}${attribute('inputmode', input.inputmode)}${attribute(
    'autocomplete',
    known,
  )}${attribute('placeholder', input.placeholder)}${attribute('value', value || undefined)}>`
}

/** How the options of a type stand together. */
const looks: Readonly<Partial<Record<Question['type'], string>>> = {
  YES_NO: 'q-options q-pair',
  RATING: 'q-stars',
  OPINION_SCALE: 'q-scale',
}

function choice(question: Asked, shown: Shown): Html {
  const { type, label, required, options } = question
  const [id, name] = [idOf(question, shown), nameOf(question)]
  const isMultiple = type === 'MULTIPLE_CHOICE'
  const group = isMultiple ? null : html` role="radiogroup"${flag('aria-required="true"', required)}`
  const all = possibleAnswers(type, options) ?? []
  const focused = all.find((value) => shown.values?.includes(value)) ?? all[0]
  return html`<fieldset class="q${shown.fault !== undefined && ' q-wrong'}" id="${id}"${group}${
    isMultiple ? describedBy(id, shown) : state(id, shown)
  }><legend class="q-label">${label}${isMultiple ? several(required) : required ? null : optional}</legend><input type="hidden" name="${name}" value=""><div class="${looks[type] ?? 'q-options'}">${all.map(
    (value) =>
      html`<label class="q-choice"><input type="${isMultiple ? 'checkbox' : 'radio'}" name="${name}" value="${value}"${flag(
        'checked',
        shown.values?.includes(value) === true,
      )}${flag('required', required && !isMultiple)}${isMultiple && state(id, shown)}${flag(
        'autofocus',
        shown.isFocused === true && value === focused,
      )}>${wordsOf(type, value, all)}</label>`,
  )}</div>${type === 'OPINION_SCALE' && ends}${faultOf(id, shown)}</fieldset>`
}

const ends = html`<p class="q-ends" aria-hidden="true"><span>Not at all</span><span>Absolutely</span></p>`

function wordsOf(type: Asked['type'], value: string, all: readonly string[]): Html {
  if (type === 'YES_NO') return html`<span class="q-text">${value === 'yes' ? 'Yes' : 'No'}</span>`
  if (type === 'RATING') {
    return html`<span class="q-star" aria-hidden="true">★</span><span class="q-sr">${value} of ${all.length}</span>`
  }
  return html`<span class="q-text">${value}</span>`
}

function consent(question: Asked, shown: Shown): Html {
  const { label, required } = question
  const [id, name] = [idOf(question, shown), nameOf(question)]
  return html`<div class="q${shown.fault !== undefined && ' q-wrong'}"><input type="hidden" name="${name}" value=""><label
    class="q-consent"><input type="checkbox" id="${id}" name="${name}" value="true"${flag('required', required)}${flag(
      'checked',
      shown.values?.[0] === 'true',
    )}${state(id, shown)}${flag('autofocus', shown.isFocused === true)}><span class="q-text">${label}${
      required ? null : optional
    }</span></label>${faultOf(id, shown)}</div>`
}

function several(isRequired: boolean): Html {
  return html` <small class="q-hint">Choose as many as you like${isRequired ? null : ' · optional'}</small>`
}

const optional = html` <small class="q-hint">Optional</small>`

function nameOf({ id, name }: Asked): string {
  return name ?? controlName(id)
}

function idOf(question: Asked, { scope = '' }: Shown): string {
  return scope + nameOf(question)
}

function faultOf(id: string, { fault }: Shown): Html | null {
  return fault === undefined ? null : html`<p class="q-fault" id="${id}-fault">${fault}</p>`
}

function state(id: string, shown: Shown): Html | null {
  return shown.fault === undefined ? null : html` aria-invalid="true"${describedBy(id, shown)}`
}

function describedBy(id: string, { fault }: Shown): Html | null {
  return fault === undefined ? null : html` aria-describedby="${id}-fault"`
}

function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : html` ${name}="${value}"`
}

function flag(name: 'required' | 'checked' | 'selected' | 'autofocus' | 'aria-required="true"', isSet: boolean) {
  return isSet ? flags[name] : null
}

const flags = {
  required: html` required`,
  checked: html` checked`,
  selected: html` selected`,
  autofocus: html` autofocus`,
  'aria-required="true"': html` aria-required="true"`,
}
