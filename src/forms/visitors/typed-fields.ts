import { customFields, type TextKey, type TextName, textFields } from '../../contacts/index.ts'
import type { Ctx } from '../../db/context.ts'
import { addressKey } from '../../kernel/values/address-key.ts'
import type { AnswerInput } from '../answers/answer-merge.ts'
import type { Question } from '../form/question-list.ts'
import type { VisitorDetails } from './contact-details.ts'

/** Contact data that the visitor typed. Contains no stored data of the contact. */
export type TypedFields = { readonly [Key in TextKey]?: string } & {
  /** Values of custom fields, by name. */
  readonly fields?: Readonly<Record<string, string>>
}

/** Typed contact data as stored in the visitor cookie. */
export interface RememberedFields extends TypedFields {
  /** Time at which the address was first typed, in milliseconds since 1970; absent without an address. */
  readonly at?: number
}

/** Returns typed values by key as pairs of contact field and value. */
export function listTypedFields(typed: Readonly<Record<string, string>>): { field: TextName; value: string }[] {
  return (Object.keys(textFields) as TextName[]).flatMap((field) => {
    const value = typed[textFields[field].key]
    return value === undefined ? [] : [{ field, value }]
  })
}

/** Limits in characters, because browsers and servers limit the size of headers. */
const maxValueLength = 100
const maxCookieJsonLength = 900

/** Returns the contact data in answers and in the other fields of a page. Custom fields are keyed by name. */
export async function readTypedFields(
  ctx: Ctx,
  questions: readonly Question[],
  answers: readonly AnswerInput[],
  visitorDetails: VisitorDetails = {},
): Promise<TypedFields> {
  const { consent: _consent, ...typed } = visitorDetails
  const values = questions.flatMap((question) => {
    const answer = answers.find(({ questionId }) => questionId === question.id)
    const parts = answer?.values ?? (answer?.value == null ? [] : [answer.value])
    const value = parts.flatMap((each) => each.trim() || []).join(', ')
    return value === '' ? [] : [{ question, value }]
  })
  const fields: Record<string, string> = {}
  await Promise.all(
    values.map(async ({ question: { type, contactField, customFieldId }, value }) => {
      const field = contactField ?? (type === 'EMAIL' ? 'EMAIL' : null)
      if (field !== null) Object.assign(typed, { [textFields[field].key]: value })
      const definition = customFieldId === null ? undefined : await ctx.load(customFields.byId, customFieldId)
      if (definition) fields[definition.name] = value
    }),
  )
  return Object.keys(fields).length === 0 ? typed : { ...typed, fields }
}

/**
 * Merges newly typed values into earlier ones. A different address discards the earlier values. `isWhole` is false if a value
 * was truncated or omitted because of the limits.
 */
export function mergeTypedFields(
  before: RememberedFields | null,
  now: TypedFields,
  at: Date,
): { typed: RememberedFields | null; isWhole: boolean } {
  const isSame = now.email === undefined || addressKey(now.email) === addressKey(before?.email ?? now.email)
  const base: RememberedFields = isSame && before ? before : {}
  const all: RememberedFields = { ...base, ...now, fields: { ...base.fields, ...now.fields } }
  let isWhole = true
  let typed: RememberedFields = all.email === undefined ? {} : { at: base.at ?? at.getTime() }
  const add = (more: RememberedFields) => {
    const next = { ...typed, ...more }
    if (JSON.stringify(next).length <= maxCookieJsonLength) typed = next
    else isWhole = false
  }
  const truncate = (value: string) => {
    const characters = [...value.toWellFormed()]
    if (characters.length > maxValueLength) isWhole = false
    return characters.slice(0, maxValueLength).join('')
  }
  for (const { key } of Object.values(textFields)) {
    const value = all[key]
    if (value) add({ [key]: truncate(value) })
  }
  for (const [name, value] of Object.entries(all.fields ?? {})) {
    add({ fields: { ...typed.fields, [name]: truncate(value) } })
  }
  return { typed: Object.keys(typed).length === 0 ? null : typed, isWhole }
}
