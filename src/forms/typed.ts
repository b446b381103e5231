import { customFields } from '../contacts/index.ts'
import type { Ctx } from '../db/context.ts'
import type { Person as MergePerson } from '../kernel/merge-fields.ts'
import type { GivenAnswer } from './answering.ts'
import type { Question } from './question-list.ts'
import type { Person } from './submission-contact.ts'

/** What was typed of a contact, as merge fields speak of it. Its values are the visitor's own words: nothing stored. */
export type TypedFields = Partial<Omit<MergePerson, 'createdAt' | 'fields'>> & {
  readonly fields?: Readonly<Record<string, string>>
}

/** The same as a cookie keeps it. */
export interface Typed extends TypedFields {
  /** Time at which the address was first typed, in milliseconds; absent if none was. */
  readonly at?: number
}

const columns = {
  EMAIL: 'email',
  FIRST_NAME: 'firstName',
  LAST_NAME: 'lastName',
  PHONE: 'phone',
  COMPANY_NAME: 'companyName',
  CITY: 'city',
  COUNTRY: 'country',
} as const

export type TypedName = keyof typeof columns

/** What is typed of a contact, by the columns of a contact, as pairs. */
export function typedFields(typed: Readonly<Record<string, string>>): { field: TypedName; value: string }[] {
  return (Object.entries(columns) as [TypedName, string][]).flatMap(([field, column]) => {
    const value = typed[column]
    return value === undefined ? [] : [{ field, value }]
  })
}

/** How many characters of each value, and of all of them as JSON, a cookie keeps: browsers and servers bound headers. */
const longestValue = 100
const longestTyped = 900

/** What answers, and what a page asked beside them, say of the visitor. Custom fields go by their names. */
export async function typedOf(
  ctx: Ctx,
  questions: readonly Question[],
  answers: readonly GivenAnswer[],
  person: Person = {},
): Promise<TypedFields> {
  const { consent: _consent, ...typed } = person
  const said = questions.flatMap((question) => {
    const answer = answers.find(({ questionId }) => questionId === question.id)
    const values = answer?.values ?? (answer?.value == null ? [] : [answer.value])
    const value = values.flatMap((each) => each.trim() || []).join(', ')
    return value === '' ? [] : [{ question, value }]
  })
  const fields: Record<string, string> = {}
  await Promise.all(
    said.map(async ({ question: { type, contactField, customFieldId }, value }) => {
      const field = contactField ?? (type === 'EMAIL' ? 'EMAIL' : null)
      if (field !== null) Object.assign(typed, { [columns[field]]: value })
      const definition = customFieldId === null ? undefined : await ctx.load(customFields.byId, customFieldId)
      if (definition) fields[definition.name] = value
    }),
  )
  return Object.keys(fields).length === 0 ? typed : { ...typed, fields }
}

/**
 * Lays what was typed now over what was typed before; another address begins anew. `isWhole` is false if a value was cut or
 * left out for want of room.
 */
export function addTyped(before: Typed | null, now: TypedFields, at: Date): { typed: Typed | null; isWhole: boolean } {
  const isSame = now.email === undefined || now.email.toLowerCase() === (before?.email ?? now.email).toLowerCase()
  const base: Typed = isSame && before ? before : {}
  const all: Typed = { ...base, ...now, fields: { ...base.fields, ...now.fields } }
  let isWhole = true
  let typed: Typed = all.email === undefined ? {} : { at: base.at ?? at.getTime() }
  const add = (more: Typed) => {
    const next = { ...typed, ...more }
    if (JSON.stringify(next).length <= longestTyped) typed = next
    else isWhole = false
  }
  const cut = (value: string) => {
    const letters = [...value.toWellFormed()]
    if (letters.length > longestValue) isWhole = false
    return letters.slice(0, longestValue).join('')
  }
  for (const column of Object.values(columns)) {
    const value = all[column]
    if (value) add({ [column]: cut(value) })
  }
  for (const [name, value] of Object.entries(all.fields ?? {})) {
    add({ fields: { ...typed.fields, [name]: cut(value) } })
  }
  return { typed: Object.keys(typed).length === 0 ? null : typed, isWhole }
}
