import { findByName, textFields } from '../../../contacts/rendering.ts'
import type { Question } from '../../../forms/index.ts'
import { isTextKey, type Texts } from '../../../kernel/texts/texts.ts'
import { listOf, type Properties, propertiesOf, textOf } from '../styles/properties.ts'

type ContactField = NonNullable<Question['contactField']>

/** A field of a form: a question, or a contact field without a question. */
export interface Field {
  /** Name of the submitted field. */
  readonly name: string
  readonly questionId: number | null
  readonly question: Pick<Question, 'id' | 'type' | 'label' | 'required' | 'options' | 'contactField'>
}

/** Types of the questions for contact fields. Others are SHORT_TEXT. */
const questionTypes: Readonly<Partial<Record<ContactField, Question['type']>>> = { EMAIL: 'EMAIL', PHONE: 'PHONE' }

/**
 * Returns the fields of a form in order: first the contact fields in `always`, then those that `fields` names, or all
 * questions if it is empty or absent. `fields` names a question by `q<id>`, by its contact field, or by its label. It can also
 * name a contact field without a question. Required questions and hidden questions are always included, because the form
 * cannot be completed without them. If there are no fields, the form asks for an e-mail address.
 */
export function fieldsOf(
  { source, texts }: { readonly source: { readonly questions: readonly Question[] }; readonly texts: Texts },
  fields: unknown,
  always: readonly string[] = [],
): Field[] {
  const { questions } = source
  const named = [...always.map((name) => ({ name })), ...listOf(fields).map(propertiesOf)]
  const hasNamedFields = named.length > always.length
  const rest = questions.filter(({ required, type }) => !hasNamedFields || required || type === 'HIDDEN')
  const byLabel = new Map(questions.toReversed().map((question) => [question.label.toLowerCase(), question]))
  const fieldsInOrder = [
    ...named.flatMap((properties) => fieldOf({ questions, byLabel, texts }, properties) ?? []),
    ...rest.map(ofQuestion),
  ]
  const names = new Set<string>()
  const uniqueFields = fieldsInOrder.filter(({ name }) => !names.has(name) && names.add(name))
  return uniqueFields.length > 0 ? uniqueFields : fieldsOf({ source, texts }, fields, ['email'])
}

function fieldOf(
  {
    questions,
    byLabel,
    texts,
  }: { questions: readonly Question[]; byLabel: ReadonlyMap<string, Question>; texts: Texts },
  properties: Properties,
): Field | undefined {
  const rawName = textOf(properties['name']).trim()
  const plain = rawName.toLowerCase().replace(/[\s-]+/g, '_')
  const contactField = findByName(textFields, rawName)
  const question =
    questions.find(({ id }) => plain === `q${id}` || plain === String(id)) ??
    questions.find((each) => contactField !== undefined && each.contactField === contactField) ??
    byLabel.get(rawName.toLowerCase())
  const label = textOf(properties['label']).trim()
  const required = properties['required'] === true
  if (question)
    return ofQuestion({ ...question, label: label || question.label, required: required || question.required })
  if (contactField === undefined) return undefined
  const { column, label: english } = textFields[contactField]
  const key = `field.${contactField}`
  const type = questionTypes[contactField] ?? 'SHORT_TEXT'
  return {
    name: column,
    questionId: null,
    // The address is always required, because no e-mail can be sent without it.
    question: {
      id: 0,
      type,
      // A field that is new has its English name until there is a text.
      label: label || (isTextKey(key) ? texts.text(key) : english),
      required: required || type === 'EMAIL',
      options: null,
      contactField,
    },
  }
}

function ofQuestion(question: Question): Field {
  return { name: `q${question.id}`, questionId: question.id, question }
}
