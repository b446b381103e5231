import { NewContact, postedNames, type TextKey, type TextName, textFields } from '../../contacts/index.ts'
import type { AnswerInput, Question, VisitorDetails } from '../../forms/index.ts'
import type { PageForm } from '../html/elements/model.ts'

/** Submitted values by field name. A field can have several values. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** Name of the honeypot field. It is hidden, so only bots fill it. */
const honeypot = 'website_url'

/** Values of a submitted form, assigned to its questions and contact fields. */
export interface PageFormData {
  readonly answers: readonly AnswerInput[]
  readonly person: Omit<VisitorDetails, 'consent'>
  readonly isAgreed: boolean
  /** Messages for invalid values, by field name. The empty name is the whole form. */
  readonly faults: ReadonlyMap<string, string>
}

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
  const faults = new Map<string, string>()
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
    else faults.set(name, sentence(checked.error.issues[0]?.message ?? 'is invalid'))
  }
  for (const { name, questionId, contactField, required } of form?.fields ?? []) {
    if (!required) continue
    const isAnswered =
      questionId === null
        ? (fields.get(name) ?? []).some((value) => value.trim() !== '') || hasDetail(person, contactField)
        : answers.some(
            (answer) => answer.questionId === questionId && answer.values?.some((value) => value.trim() !== ''),
          )
    if (!isAnswered && !faults.has(name)) faults.set(name, sentence('is required'))
  }
  const isAgreed = (fields.get('consent') ?? []).some((value) => ['yes', 'true', 'on', '1'].includes(value))
  if (form?.consentText && !isAgreed) faults.set('consent', sentence('must be agreed to'))
  return { answers, person, isAgreed, faults }
}

/** Returns the field name of a question. */
export function nameOf(questionId: number): string {
  return `q${questionId}`
}

/** Converts the message of a rule, such as `must be a number`, to a sentence. */
export function sentence(fault: string): string {
  return `This ${fault}.`
}

function hasDetail(person: PageFormData['person'], field: Question['contactField']): boolean {
  return field !== null && person[textFields[field].key] !== undefined
}
