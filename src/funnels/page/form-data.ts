import { NewContact, postedNames, type TextKey, type TextName, textFields } from '../../contacts/index.ts'
import { type AnswerInput, faultText, type Question, type VisitorDetails } from '../../forms/index.ts'
import type { Texts } from '../../kernel/texts/texts.ts'
import type { BoxName, PageForm } from '../html/elements/model.ts'

/** Submitted values by field name. A field can have several values. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** Name of the honeypot field. It is hidden, so only bots fill it. */
const honeypot = 'website_url'

/** Why a value is invalid: the message of a rule, such as `must be a number`, and the label of a field that is not shown. */
export interface Fault {
  readonly problem: string
  readonly label?: string
}

/** The invalid values of a form, by field name. The empty name is the whole form. */
export type Faults = ReadonlyMap<string, Fault>

/** Values of a submitted form, assigned to its questions and contact fields. */
export interface PageFormData {
  readonly answers: readonly AnswerInput[]
  readonly person: Omit<VisitorDetails, 'consent' | 'observed'>
  /** The checkboxes that are ticked, also those that the form does not have. */
  readonly ticked: ReadonlySet<BoxName>
  readonly faults: Faults
}

/** Why a checkbox that is not ticked is a fault. */
const boxProblems: Readonly<Record<BoxName, string>> = { terms: 'must be accepted', consent: 'must be agreed to' }
const boxNames = Object.keys(boxProblems) as BoxName[]

/** Values of a checkbox that is ticked, as forms and programs send them. */
const tickedValues: readonly string[] = ['yes', 'true', 'on', '1']

/** Whether the honeypot field is filled. */
export function isHoneypotFilled(fields: Fields): boolean {
  return fields.get(honeypot)?.some((value) => value !== '') ?? false
}

/**
 * Parses the values of a submitted form: answers are named `q<id>`, and contact fields have plain names. A contact field
 * answers the question that asks for it. Contact fields that neither a question nor the form asks for are ignored, so that a
 * client cannot set other fields of the contact.
 */
export function parseFormData(
  fields: Fields,
  questions: readonly Question[],
  form: PageForm | undefined,
): PageFormData {
  const answers: AnswerInput[] = []
  const person: Partial<Record<TextKey, string>> = {}
  const faults = new Map<string, Fault>()
  const questionByDetail = new Map<TextName, Question>()
  for (const question of questions) {
    const detail = question.contactField ?? (question.type === 'EMAIL' ? 'EMAIL' : undefined)
    if (detail !== undefined && !questionByDetail.has(detail)) questionByDetail.set(detail, question)
    const values = fields.get(nameOf(question.id))
    if (values) answers.push({ questionId: question.id, values })
  }
  for (const detail of Object.keys(textFields) as TextName[]) {
    const { key } = textFields[detail]
    const name = postedNames(textFields[detail]).find((each) => fields.has(each))
    const value = name === undefined ? undefined : fields.get(name)?.find((each) => each.trim() !== '')
    if (name === undefined || value === undefined) continue
    const question = questionByDetail.get(detail)
    if (question) {
      if (!fields.has(nameOf(question.id))) answers.push({ questionId: question.id, values: [value] })
      continue
    }
    if (!form?.fields.some((field) => field.questionId === null && field.contactField === detail)) continue
    const checked = NewContact.shape[key].safeParse(value.trim())
    if (checked.success) person[key] = checked.data as string
    else faults.set(name, { problem: checked.error.issues[0]?.message ?? 'is invalid' })
  }
  for (const { name, questionId, contactField, required } of form?.fields ?? []) {
    if (!required) continue
    const isAnswered =
      questionId === null
        ? (fields.get(name) ?? []).some((value) => value.trim() !== '') || hasDetail(person, contactField)
        : answers.some(
            (answer) => answer.questionId === questionId && answer.values?.some((value) => value.trim() !== ''),
          )
    if (isAnswered || faults.has(name)) continue
    const isTerms = questions.some(({ id, type }) => id === questionId && type === 'TERMS')
    faults.set(name, { problem: isTerms ? boxProblems.terms : 'is required' })
  }
  const ticked = new Set(boxNames.filter((name) => fields.get(name)?.some((value) => tickedValues.includes(value))))
  for (const { name, required } of form?.boxes ?? []) {
    if (required && !ticked.has(name)) faults.set(name, { problem: boxProblems[name] })
  }
  return { answers, person, ticked, faults }
}

/** Returns the field name of a question. */
export function nameOf(questionId: number): string {
  return `q${questionId}`
}

/** Returns a fault as an English sentence, for programs. */
export function sentenceOf({ label = 'This', problem }: Fault): string {
  return `${label} ${problem}.`
}

/** Returns a fault as a visitor reads it. */
export function shownFault(texts: Texts, { label, problem }: Fault): string {
  const text = faultText(texts, problem)
  return label === undefined ? text : `${label}: ${text}`
}

function hasDetail(person: PageFormData['person'], field: Question['contactField']): boolean {
  return field !== null && person[textFields[field].key] !== undefined
}
