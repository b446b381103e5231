import type { z } from 'zod'
import type { AnswerInput, Question, VisitorDetails } from '../forms/index.ts'
import { email, text } from '../kernel/check.ts'
import type { PageForm } from './page/model.ts'

/** What was posted, by name: each with all its values. */
export type Fields = ReadonlyMap<string, readonly string[]>

/** The field that people do not see: what is in it was written by a machine. */
const trap = 'website_url'

/** Fields of a contact: their rules, and how forms of others call them. */
const details = {
  EMAIL: { key: 'email', rule: email, names: ['email'] },
  FIRST_NAME: { key: 'firstName', rule: text(255), names: ['first_name', 'firstname'] },
  LAST_NAME: { key: 'lastName', rule: text(255), names: ['last_name', 'lastname'] },
  PHONE: { key: 'phone', rule: text(64), names: ['phone'] },
  COMPANY_NAME: { key: 'companyName', rule: text(255), names: ['company_name'] },
  CITY: { key: 'city', rule: text(255), names: ['city'] },
  COUNTRY: { key: 'country', rule: text(255), names: ['country'] },
} as const

type Detail = keyof typeof details

/** What a post says, as the form of its page takes it. */
export interface PageFormData {
  readonly answers: readonly AnswerInput[]
  readonly person: Omit<VisitorDetails, 'consent'>
  readonly isAgreed: boolean
  /** What is wrong so far, by the name of the field; '' is the form as a whole. */
  readonly faults: ReadonlyMap<string, string>
}

/** Whether a machine has filled what people do not see. */
export function isHoneypotFilled(fields: Fields): boolean {
  return fields.get(trap)?.some((value) => value !== '') ?? false
}

/**
 * Reads what was posted for a form of a page: answers under `q<id>`, and fields of a contact under plain names, which
 * answer the questions that ask for them. One that neither a question nor the form asks for is left out: nobody shall set
 * more of a contact than its form shows.
 */
export function parseFormData(
  fields: Fields,
  questions: readonly Question[],
  form: PageForm | undefined,
): PageFormData {
  const answers: AnswerInput[] = []
  const person: Partial<Record<(typeof details)[Detail]['key'], string>> = {}
  const faults = new Map<string, string>()
  const asking = new Map<Detail, Question>()
  for (const question of questions) {
    const detail = question.contactField ?? (question.type === 'EMAIL' ? 'EMAIL' : undefined)
    if (detail !== undefined && !asking.has(detail)) asking.set(detail, question)
    const values = fields.get(nameOf(question.id))
    if (values) answers.push({ questionId: question.id, values })
  }
  for (const [detail, { key, rule, names }] of Object.entries(details) as [Detail, (typeof details)[Detail]][]) {
    const name = names.find((each) => fields.has(each))
    const value = name === undefined ? undefined : fields.get(name)?.find((each) => each.trim() !== '')
    if (name === undefined || value === undefined) continue
    const question = asking.get(detail)
    if (question) {
      if (!fields.has(nameOf(question.id))) answers.push({ questionId: question.id, values: [value] })
      continue
    }
    if (!form?.fields.some((field) => field.questionId === null && field.contactField === detail)) continue
    const read = (rule as z.ZodType<string>).safeParse(value.trim())
    if (read.success) person[key] = read.data
    else faults.set(name, sentence(read.error.issues[0]?.message ?? 'is not right'))
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

/** The name under which a question is answered. */
export function nameOf(questionId: number): string {
  return `q${questionId}`
}

/** What is wrong, as a sentence for people: rules say `must be a number`. */
export function sentence(fault: string): string {
  return `This ${fault}.`
}

function hasDetail(person: Readonly<Record<string, string | undefined>>, field: string | null): boolean {
  const detail = field === null ? undefined : details[field as Detail]
  return detail !== undefined && person[detail.key] !== undefined
}
