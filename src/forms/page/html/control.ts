import { textFields } from '../../../contacts/rendering.ts'
import type { Texts } from '../../../kernel/texts/texts.ts'
import { type Html, html } from '../../../kernel/web/html.ts'
import type { Question } from '../../form/question-list.ts'
import { type ContactField, maxAnswerLengths, possibleAnswers } from '../../form/question-types.ts'

/** The properties of a question that its control depends on. */
type ControlQuestion = Pick<Question, 'id' | 'type' | 'label' | 'required' | 'options'> & {
  readonly contactField?: ContactField | null | undefined
  /** Name of the field in the post. Defaults to `controlName`. */
  readonly name?: string | undefined
}

/** State of a control. */
interface ControlState {
  /** Current values, including rejected ones. */
  readonly values?: readonly string[] | undefined
  /** Validation message for the visitor. */
  readonly fault?: string | undefined
  /** Whether the control gets the focus when the page opens. */
  readonly isFocused?: boolean | undefined
  /** Prefix of all element IDs, for pages that show the same question twice. */
  readonly scope?: string | undefined
}

/** Name of the honeypot field. Only bots fill it, because people do not see it. */
export const honeypotName = 'website_url'

/** Returns the name of the field for the answer to a question. */
export function controlName(questionId: number): string {
  return `q${questionId}`
}

/**
 * Renders a question: label, control and validation message. A choice also posts an empty value, so that deselecting all
 * options removes the answer. Styled by `controlCss`.
 */
export function renderControl(texts: Texts, question: ControlQuestion, state: ControlState = {}): Html {
  switch (question.type) {
    case 'HIDDEN':
      return html`<input type="hidden" name="${nameOf(question)}" value="${state.values?.[0]}">`
    case 'STATEMENT':
      return html`<div class="q"><p class="q-label">${question.label}</p></div>`
    case 'CONSENT':
    case 'TERMS':
      return renderConsent(texts, question, state)
    case 'SINGLE_CHOICE':
    case 'MULTIPLE_CHOICE':
    case 'YES_NO':
    case 'RATING':
    case 'OPINION_SCALE':
      return renderChoice(texts, question, state)
    default:
      return renderField(texts, question, state)
  }
}

/** Renders the honeypot field, which people can neither see nor reach. */
export function renderHoneypot(texts: Texts): Html {
  return html`<div class="q-trap" aria-hidden="true"><label>${texts.text('form.trap')} <input name="${honeypotName}"
    tabindex="-1" autocomplete="off"></label></div>`
}

interface Input {
  readonly type: string
  readonly inputmode?: string
  readonly autocomplete?: string
  readonly placeholder?: string
}

/** Inputs of free-text types. Types that are not listed use a plain text input. */
const inputs: Readonly<Partial<Record<Question['type'], Input>>> = {
  EMAIL: { type: 'email', inputmode: 'email', autocomplete: 'email', placeholder: 'name@example.com' },
  PHONE: { type: 'tel', inputmode: 'tel', autocomplete: 'tel' },
  // A browser refuses an address without a scheme in a field of the type `url`.
  URL: { type: 'text', inputmode: 'url', autocomplete: 'url', placeholder: 'https://' },
  NUMBER: { type: 'text', inputmode: 'decimal', autocomplete: 'off' },
  DATE: { type: 'date' },
}

function renderField(texts: Texts, question: ControlQuestion, state: ControlState): Html {
  const { label, required } = question
  const id = idOf(question, state)
  return html`<div class="q${state.fault !== undefined && ' q-wrong'}"><label class="q-label" for="${id}">${label}${
    required ? null : renderOptional(texts)
  }</label>${renderInput(texts, question, state)}${renderFault(id, state)}</div>`
}

function renderInput(texts: Texts, question: ControlQuestion, state: ControlState): Html {
  const { type, options, required, contactField } = question
  const id = idOf(question, state)
  const [value = ''] = state.values ?? []
  const common = html`class="q-input" id="${id}" name="${nameOf(question)}"${flag('required', required)}${validityAttributes(id, state)}${flag(
    'autofocus',
    state.isFocused === true,
  )}`
  const maxlength = html`${attribute('maxlength', maxAnswerLengths[type])}`
  // Browsers ignore a line break directly after the tag. The additional one preserves the visitor's.
  if (type === 'LONG_TEXT') return html`<textarea ${common}${maxlength} rows="4">\n${value}</textarea>`
  if (type === 'DROPDOWN') {
    return html`<select ${common}><option value="">${texts.text('form.choose')}</option>${(options ?? []).map(
      (option) => html`<option value="${option}"${flag('selected', option === value)}>${option}</option>`,
    )}</select>`
  }
  const { type: kind, ...input }: Input = inputs[type] ?? { type: 'text' }
  const autocompleteValue = contactField == null ? input.autocomplete : textFields[contactField].autocomplete
  return html`<input type="${kind}" ${common}${maxlength}${attribute('inputmode', input.inputmode)}${attribute(
    'autocomplete',
    autocompleteValue,
  )}${attribute('placeholder', input.placeholder)}${attribute('value', value || undefined)}>`
}

/** CSS classes of the options by question type. */
const optionLayouts: Readonly<Partial<Record<Question['type'], string>>> = {
  YES_NO: 'q-options q-pair',
  RATING: 'q-stars',
  OPINION_SCALE: 'q-scale',
}

function renderChoice(texts: Texts, question: ControlQuestion, state: ControlState): Html {
  const { type, label, required, options } = question
  const [id, name] = [idOf(question, state), nameOf(question)]
  const isMultiple = type === 'MULTIPLE_CHOICE'
  const group = isMultiple ? null : html` role="radiogroup"${flag('aria-required="true"', required)}`
  const values = possibleAnswers(type, options) ?? []
  const focused = values.find((value) => state.values?.includes(value)) ?? values[0]
  return html`<fieldset class="q${state.fault !== undefined && ' q-wrong'}" id="${id}"${group}${
    isMultiple ? describedBy(id, state) : validityAttributes(id, state)
  }><legend class="q-label">${label}${isMultiple ? renderMultipleHint(texts, required) : required ? null : renderOptional(texts)}</legend><input type="hidden" name="${name}" value=""><div class="${optionLayouts[type] ?? 'q-options'}">${values.map(
    (value) =>
      html`<label class="q-choice"><input type="${isMultiple ? 'checkbox' : 'radio'}" name="${name}" value="${value}"${flag(
        'checked',
        state.values?.includes(value) === true,
      )}${flag('required', required && !isMultiple)}${isMultiple && validityAttributes(id, state)}${flag(
        'autofocus',
        state.isFocused === true && value === focused,
      )}>${renderOptionLabel(texts, type, value, values.length)}</label>`,
  )}</div>${type === 'OPINION_SCALE' && renderEnds(texts)}${renderFault(id, state)}</fieldset>`
}

function renderEnds({ text }: Texts): Html {
  return html`<p class="q-ends" aria-hidden="true"><span>${text('form.least')}</span><span>${text('form.most')}</span></p>`
}

function renderOptionLabel({ text }: Texts, type: ControlQuestion['type'], value: string, count: number): Html {
  if (type === 'YES_NO') return html`<span class="q-text">${text(value === 'yes' ? 'form.yes' : 'form.no')}</span>`
  if (type === 'RATING') {
    return html`<span class="q-star" aria-hidden="true">★</span><span class="q-sr">${text('form.star', { value, count })}</span>`
  }
  return html`<span class="q-text">${value}</span>`
}

function renderConsent(texts: Texts, question: ControlQuestion, state: ControlState): Html {
  const { label, required } = question
  const [id, name] = [idOf(question, state), nameOf(question)]
  return html`<div class="q${state.fault !== undefined && ' q-wrong'}"><input type="hidden" name="${name}" value=""><label
    class="q-consent"><input type="checkbox" id="${id}" name="${name}" value="true"${flag('required', required)}${flag(
      'checked',
      state.values?.[0] === 'true',
    )}${validityAttributes(id, state)}${flag('autofocus', state.isFocused === true)}><span class="q-text">${label}${
      required ? null : renderOptional(texts)
    }</span></label>${renderFault(id, state)}</div>`
}

function renderMultipleHint({ text }: Texts, isRequired: boolean): Html {
  return html` <small class="q-hint">${text(isRequired ? 'form.chooseAll' : 'form.chooseAllOptional')}</small>`
}

function renderOptional({ text }: Texts): Html {
  return html` <small class="q-hint">${text('form.optional')}</small>`
}

function nameOf({ id, name }: ControlQuestion): string {
  return name ?? controlName(id)
}

function idOf(question: ControlQuestion, { scope = '' }: ControlState): string {
  return scope + nameOf(question)
}

function renderFault(id: string, { fault }: ControlState): Html | null {
  return fault === undefined ? null : html`<p class="q-fault" id="${id}-fault">${fault}</p>`
}

function validityAttributes(id: string, state: ControlState): Html | null {
  return state.fault === undefined ? null : html` aria-invalid="true"${describedBy(id, state)}`
}

function describedBy(id: string, { fault }: ControlState): Html | null {
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
