import { z } from 'zod'
import { type AttributionKey, attributionKeys, postedNames, textFields } from '../../contacts/index.ts'
import { invalid } from '../../kernel/errors.ts'
import { check } from '../../kernel/values/check.ts'
import { readGlobalId, smallId } from '../../kernel/values/ids.ts'
import { readFields, readJson } from '../../kernel/values/storable-text.ts'
import type { AnswerInput } from '../answers/answer-merge.ts'
import type { Question } from '../form/question-list.ts'
import type { ContactField } from '../form/question-types.ts'
import { proofName } from '../sign-ups/challenge.ts'
import { passName } from '../visitors/pass-name.ts'
import { toAttributionText } from '../visitors/visitor.ts'
import { honeypotName } from './html/control.ts'

/** A parsed post to a form, before its values are matched with the questions. */
export interface FormPost {
  /** Values by the name of the field, in the order of the post. */
  readonly values: ReadonlyMap<string, readonly AnswerScalar[]>
  /** Whether each name must belong to a question. HTML forms of other sites can contain other fields. */
  readonly isStrict: boolean
  readonly clientSubmissionId?: string | undefined
  readonly complete: boolean
  readonly attribution?: readonly { key: AttributionKey; value: string }[] | undefined
  /** The question that our own page showed; absent for other posts. */
  readonly questionId?: number | undefined
  /** The version of that question which the page showed, if it is a consent or terms. */
  readonly version?: number | undefined
  /** Whether the visitor starts a new submission. */
  readonly isRestart: boolean
  /** Whether the honeypot field has a value, so that the post comes from a bot. */
  readonly isTrapped: boolean
  /** Pass of the page, which names the visitor if the browser sent no cookies. */
  readonly pass?: string | undefined
  /** Proof of work, which a flooded form requires. */
  readonly proof?: string | undefined
}

type AnswerScalar = string | number | boolean | null

/** Parses a body of the type `application/x-www-form-urlencoded`. **Throws** VALIDATION_ERROR. */
export function parseFields(body: Uint8Array): FormPost {
  const fields = readFields(body)
  const values = new Map<string, string[]>()
  for (const [name, value] of fields) {
    // Browsers send CRLF and programs LF. Equal answers must be equal texts.
    const text = value.replaceAll('\r\n', '\n')
    const earlier = values.get(name)
    if (earlier) earlier.push(text)
    else values.set(name, [text])
  }
  const attribution = Object.fromEntries(attributionKeys.map((key) => [key, fields.get(key) ?? '']))
  const numberOf = (name: string) => {
    const text = fields.get(name)
    return text !== null && /^\d{1,10}$/.test(text) ? Number(text) : undefined
  }
  return {
    values,
    isStrict: false,
    clientSubmissionId: fields.get('client_submission_id') || undefined,
    complete: !['false', '0', 'no', 'off'].includes(fields.get('complete') ?? ''),
    attribution: toAttributionPairs(attribution),
    questionId: numberOf('at'),
    version: numberOf('version'),
    isRestart: fields.has('again'),
    isTrapped: (fields.get(honeypotName) ?? '') !== '',
    pass: fields.get(passName) ?? undefined,
    proof: fields.get(proofName) ?? undefined,
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
  [proofName]: z.string('must be text').nullish(),
})

/** Parses a JSON body. **Throws** SyntaxError if the body is not a JSON object, and VALIDATION_ERROR. */
export function parseJson(body: Uint8Array): FormPost {
  const json = readJson(body)
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new SyntaxError('The body is not a JSON object.')
  const { answers = {}, ...rest } = check(Body, json)
  const pairs = Array.isArray(answers)
    ? answers.map(({ question_id, answer }): [string, unknown] => [question_id, answer])
    : Object.entries(answers)
  const values = toAnswerValues(pairs)
  const trap = rest[honeypotName]
  return {
    values,
    isStrict: true,
    clientSubmissionId: rest.client_submission_id ?? undefined,
    complete: rest.complete ?? true,
    attribution: rest.attribution ? toAttributionPairs(rest.attribution) : undefined,
    isRestart: false,
    isTrapped: trap !== undefined && trap !== null && trap !== '',
    proof: rest[proofName] ?? undefined,
  }
}

/** Collects the values of answers: one value, or a list. **Throws** VALIDATION_ERROR for other JSON values. */
function toAnswerValues(pairs: readonly (readonly [string, unknown])[]): Map<string, AnswerScalar[]> {
  const values = new Map<string, AnswerScalar[]>()
  const invalidNames = new Set<string>()
  for (const [name, answer] of pairs) {
    const list = Array.isArray(answer) ? answer : [answer ?? null]
    const earlier = values.get(name)
    if (!list.every(isScalar)) invalidNames.add(name)
    else if (earlier) for (const each of list) earlier.push(each)
    else values.set(name, [...list])
  }
  if (invalidNames.size > 0)
    throw answerProblem([...invalidNames], 'must be text, a number, true or false, or a list of them')
  return values
}

function isScalar(value: unknown): value is AnswerScalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

/** Contact fields by the names that other sites' forms use. */
const fieldByName = new Map<string, ContactField>(
  (Object.keys(textFields) as ContactField[]).flatMap((field) =>
    postedNames(textFields[field]).map((name) => [name, field] as const),
  ),
)

/**
 * Matches posted values with questions. A name is the ID of a question, also as `q12` or `answers[12]`, or a contact field.
 *
 * **Throws** VALIDATION_ERROR for a name that belongs to no question, if `isStrict`.
 */
export function readAnswers(questions: readonly Question[], { values, isStrict }: FormPost): AnswerInput[] {
  const answers = new Map<number, string[]>()
  const unknown: string[] = []
  const questionById = new Map(questions.map((question) => [question.id, question]))
  for (const [name, posted] of values) {
    const question = findQuestion(questions, questionById, name)
    if (question) answers.set(question.id, (answers.get(question.id) ?? []).concat(toTexts(question, posted)))
    else if (isStrict) unknown.push(name)
  }
  if (unknown.length > 0) throw answerProblem(unknown, 'is not a question of this form')
  return [...answers].map(([questionId, each]) => ({ questionId, values: each }))
}

function findQuestion(
  questions: readonly Question[],
  questionById: ReadonlyMap<number, Question>,
  name: string,
): Question | undefined {
  const [, number] = /^(?:q|answers[.[])?([1-9]\d{0,9})\]?(?:\[\])?$/.exec(name) ?? []
  const global = number === undefined && name.length < 40 ? readGlobalId(name) : undefined
  const id = number === undefined ? (global?.type === 'Question' ? smallId(global.id) : undefined) : Number(number)
  if (id !== undefined) return questionById.get(id)
  const field = fieldByName.get(name)
  if (field === undefined) return undefined
  const filling = questions.find(({ contactField }) => contactField === field)
  return filling ?? (field === 'EMAIL' ? questions.find(({ type }) => type === 'EMAIL') : undefined)
}

/** Converts JSON values to texts: `true` to `yes` for a YES_NO question, and null to no value. */
function toTexts({ type }: Question, values: readonly AnswerScalar[]): string[] {
  return values.flatMap((each) => {
    if (each === null) return []
    if (typeof each === 'boolean' && type === 'YES_NO') return [each ? 'yes' : 'no']
    return [String(each)]
  })
}

function toAttributionPairs(
  attribution: Partial<Record<AttributionKey, string | null | undefined>>,
): FormPost['attribution'] {
  const pairs = attributionKeys.flatMap((key) => {
    const text = toAttributionText(attribution[key] ?? '')
    return text === '' ? [] : [{ key, value: text }]
  })
  return pairs.length > 0 ? pairs : undefined
}

/** Builds a VALIDATION_ERROR with the same problem for several answers. Contains at most 20 details. */
function answerProblem(names: readonly string[], problem: string) {
  return invalid(
    Object.fromEntries(names.slice(0, 20).map((name) => [`answers.${toAttributionText(name)}`, [problem]])),
  )
}
