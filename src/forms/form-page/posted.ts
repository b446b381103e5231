import { z } from 'zod'
import { type AttributionKey, attributionKeys } from '../../kernel/attribution.ts'
import { check } from '../../kernel/check.ts'
import { invalid } from '../../kernel/errors.ts'
import { readGlobalId } from '../../kernel/ids.ts'
import type { GivenAnswer } from '../answering.ts'
import type { Question } from '../question-list.ts'
import type { ContactField } from '../question-types.ts'
import { shortened } from '../visitor.ts'
import { honeypotName } from './control.ts'

/** What was posted to a form, read but not yet laid beside its questions. */
export interface Posted {
  /** Values by the name of their question, in the order in which they were sent. */
  readonly values: ReadonlyMap<string, readonly Value[]>
  /** Whether each name must be that of a question: what else a page of HTML sends is not ours to judge. */
  readonly isStrict: boolean
  readonly clientSubmissionId?: string | undefined
  readonly complete: boolean
  readonly attribution?: readonly { key: AttributionKey; value: string }[] | undefined
  /** The question that was shown, where our own page posts. */
  readonly at?: number | undefined
  /** Whether the visitor begins anew. */
  readonly isAgain: boolean
  /** Whether the field is filled that people do not see. */
  readonly isTrapped: boolean
}

type Value = string | number | boolean | null

/** Reads a body of `application/x-www-form-urlencoded`. Fails with VALIDATION_ERROR. */
export function readFields(body: string): Posted {
  const fields = new URLSearchParams(body)
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) {
    // Browsers end a line with two characters, programs with one: an answer is the same however it came.
    const text = value.replaceAll('\r\n', '\n')
    const all = values.get(name)
    if (all) all.push(text)
    else values.set(name, [text])
  }
  const given = Object.fromEntries(attributionKeys.map((key) => [key, fields.get(key) ?? '']))
  const at = fields.get('at')
  return {
    values,
    isStrict: false,
    clientSubmissionId: fields.get('client_submission_id') || undefined,
    complete: !['false', '0', 'no', 'off'].includes(fields.get('complete') ?? ''),
    attribution: pairsOf(given),
    at: at !== null && /^\d{1,10}$/.test(at) ? Number(at) : undefined,
    isAgain: fields.has('again'),
    isTrapped: (fields.get(honeypotName) ?? '') !== '',
  }
}

const Body = z.looseObject({
  answers: z
    .union(
      [z.record(z.string(), z.unknown()), z.array(z.object({ question_id: z.coerce.string(), answer: z.unknown() }))],
      'must be an object of question ids with their answers, or a list of {question_id, answer}',
    )
    .optional(),
  client_submission_id: z.string('must be text').nullish(),
  complete: z.boolean('must be true or false').nullish(),
  attribution: z
    .partialRecord(z.enum(attributionKeys), z.string('must be text').nullish(), 'must be an object of attribution keys')
    .nullish(),
  [honeypotName]: z.unknown().optional(),
})

/** Reads a body of JSON. Throws a SyntaxError for what is no JSON, and fails with VALIDATION_ERROR. */
export function readJson(body: string): Posted {
  const json: unknown = JSON.parse(body)
  if (typeof json !== 'object' || json === null || Array.isArray(json)) throw new SyntaxError('no object')
  const { answers = {}, ...rest } = check(Body, json)
  const pairs = Array.isArray(answers)
    ? answers.map(({ question_id, answer }): [string, unknown] => [question_id, answer])
    : Object.entries(answers)
  const values = valuesOf(pairs)
  const trap = rest[honeypotName]
  return {
    values,
    isStrict: true,
    clientSubmissionId: rest.client_submission_id ?? undefined,
    complete: rest.complete ?? true,
    attribution: rest.attribution ? pairsOf(rest.attribution) : undefined,
    isAgain: false,
    isTrapped: trap !== undefined && trap !== null && trap !== '',
  }
}

/** The values of answers as JSON has them: one, or a list. Fails with VALIDATION_ERROR naming each that is something else. */
function valuesOf(pairs: readonly (readonly [string, unknown])[]): Map<string, Value[]> {
  const values = new Map<string, Value[]>()
  const strange = new Set<string>()
  for (const [name, answer] of pairs) {
    const given = Array.isArray(answer) ? answer : [answer ?? null]
    if (given.every(isValue)) values.set(name, [...(values.get(name) ?? []), ...given])
    else strange.add(name)
  }
  if (strange.size > 0) throw faulty([...strange], 'must be text, a number, true or false, or a list of them')
  return values
}

function isValue(value: unknown): value is Value {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Names that pages of others give to their fields, by what they fill of a contact. */
const plainNames: ReadonlyMap<string, ContactField> = new Map([
  ['email', 'EMAIL'],
  ['first_name', 'FIRST_NAME'],
  ['firstname', 'FIRST_NAME'],
  ['last_name', 'LAST_NAME'],
  ['lastname', 'LAST_NAME'],
  ['phone', 'PHONE'],
  ['company_name', 'COMPANY_NAME'],
  ['city', 'CITY'],
  ['country', 'COUNTRY'],
])

/**
 * The answers among what was posted. A question is named by its id, also as `q12` or `answers[12]`, or by the field of a
 * contact that it fills. Fails with VALIDATION_ERROR naming what is no question of the form, where all must be.
 */
export function answersOf(questions: readonly Question[], { values, isStrict }: Posted): GivenAnswer[] {
  const answers = new Map<number, string[]>()
  const unknown: string[] = []
  for (const [name, given] of values) {
    const question = questionOf(questions, name)
    if (question) answers.set(question.id, [...(answers.get(question.id) ?? []), ...textsOf(question, given)])
    else if (isStrict) unknown.push(name)
  }
  if (unknown.length > 0) throw faulty(unknown, 'is no question of this form')
  return [...answers].map(([questionId, each]) => ({ questionId, values: each }))
}

function questionOf(questions: readonly Question[], name: string): Question | undefined {
  const [, number] = /^(?:q|answers[.[])?([1-9]\d{0,9})\]?(?:\[\])?$/.exec(name) ?? []
  const global = number === undefined && name.length < 40 ? readGlobalId(name) : undefined
  const id = number === undefined ? (global?.type === 'Question' ? global.id : undefined) : Number(number)
  if (id !== undefined) return questions.find((question) => question.id === id)
  const field = plainNames.get(name)
  if (field === undefined) return undefined
  const filling = questions.find(({ contactField }) => contactField === field)
  return filling ?? (field === 'EMAIL' ? questions.find(({ type }) => type === 'EMAIL') : undefined)
}

/** JSON has its own words for yes, no and nothing. */
function textsOf({ type }: Question, given: readonly Value[]): string[] {
  return given.flatMap((each) => {
    if (each === null) return []
    if (typeof each === 'boolean' && type === 'YES_NO') return [each ? 'yes' : 'no']
    return [String(each)]
  })
}

function pairsOf(given: Partial<Record<AttributionKey, string | null | undefined>>): Posted['attribution'] {
  const pairs = attributionKeys.flatMap((key) => {
    const text = shortened(given[key] ?? '')
    return text === '' ? [] : [{ key, value: text }]
  })
  return pairs.length > 0 ? pairs : undefined
}

/** The same fault of several answers, of which a few are named. */
function faulty(names: readonly string[], fault: string) {
  return invalid(Object.fromEntries(names.slice(0, 20).map((name) => [`answers.${shortened(name)}`, [fault]])))
}
