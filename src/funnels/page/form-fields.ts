import type { Question } from '../../forms/index.ts'
import { listOf, type Properties, propertiesOf, textOf } from './properties.ts'

type ContactField = NonNullable<Question['contactField']>

/** What a form on a page asks: a question, or a field of the contact that has none. */
export interface Field {
  /** The name under which it is posted. */
  readonly name: string
  readonly questionId: number | null
  readonly question: Pick<Question, 'id' | 'type' | 'label' | 'required' | 'options' | 'contactField'>
}

const contactFields: Readonly<Record<string, readonly [ContactField, Question['type'], label: string]>> = {
  email: ['EMAIL', 'EMAIL', 'E-mail address'],
  first_name: ['FIRST_NAME', 'SHORT_TEXT', 'First name'],
  last_name: ['LAST_NAME', 'SHORT_TEXT', 'Last name'],
  phone: ['PHONE', 'PHONE', 'Phone'],
  company_name: ['COMPANY_NAME', 'SHORT_TEXT', 'Company'],
  city: ['CITY', 'SHORT_TEXT', 'City'],
  country: ['COUNTRY', 'SHORT_TEXT', 'Country'],
}

/** Other ways in which editors name them. */
const aliases: Readonly<Record<string, string>> = {
  e_mail: 'email',
  mail: 'email',
  firstname: 'first_name',
  lastname: 'last_name',
  tel: 'phone',
  company: 'company_name',
  companyname: 'company_name',
}

/**
 * What a form asks, in order: first the fields of the contact in `always`, then what `fields` names, or all questions
 * where it is absent. It names questions by `q<id>`, by the contact's field that they fill, or by their label; a field of
 * the contact without a question is asked too. What must be answered, and what nobody sees, is always there: without it
 * the form could not be completed. A form that would ask nothing asks for an e-mail address.
 */
export function fieldsOf(questions: readonly Question[], fields: unknown, always: readonly string[] = []): Field[] {
  const named = [...always.map((name) => ({ name })), ...listOf(fields).map(propertiesOf)]
  const hasChoice = named.length > always.length
  const rest = questions.filter(({ required, type }) => !hasChoice || required || type === 'HIDDEN')
  const byLabel = new Map(questions.toReversed().map((question) => [question.label.toLowerCase(), question]))
  const asked = [
    ...named.flatMap((properties) => fieldOf(questions, byLabel, properties) ?? []),
    ...rest.map(ofQuestion),
  ]
  const names = new Set<string>()
  const each = asked.filter(({ name }) => !names.has(name) && names.add(name))
  return each.length > 0 ? each : fieldsOf(questions, fields, ['email'])
}

function fieldOf(
  questions: readonly Question[],
  byLabel: ReadonlyMap<string, Question>,
  properties: Properties,
): Field | undefined {
  const given = textOf(properties['name']).trim()
  const plain = given.toLowerCase().replace(/[\s-]+/g, '_')
  const name = Object.hasOwn(aliases, plain) ? (aliases[plain] as string) : plain
  const contact = Object.hasOwn(contactFields, name) ? contactFields[name] : undefined
  const question =
    questions.find(({ id }) => plain === `q${id}` || plain === String(id)) ??
    (contact && questions.find(({ contactField }) => contactField === contact[0])) ??
    byLabel.get(given.toLowerCase())
  const label = textOf(properties['label']).trim()
  const required = properties['required'] === true
  if (question)
    return ofQuestion({ ...question, label: label || question.label, required: required || question.required })
  if (!contact) return undefined
  const [contactField, type, usual] = contact
  return {
    name,
    questionId: null,
    // Nobody can be written to without an address.
    question: {
      id: 0,
      type,
      label: label || usual,
      required: required || type === 'EMAIL',
      options: null,
      contactField,
    },
  }
}

function ofQuestion(question: Question): Field {
  return { name: `q${question.id}`, questionId: question.id, question }
}
