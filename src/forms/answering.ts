import { invalid } from '../kernel/errors.ts'
import { idOf } from '../kernel/ids.ts'
import { readValues } from './answer-value.ts'
import type { NewAnswer } from './answers.ts'
import { notFound, type Question } from './question-list.ts'
import { takesAnswer } from './question-types.ts'
import { pointsOf } from './scoring.ts'

/** An answer as clients give it: one value, or several for a multiple choice; none takes it away. */
export interface GivenAnswer {
  questionId: string | number
  value?: string | null | undefined
  values?: readonly string[] | null | undefined
}

/** What is answered by now: the words are those that were asked. */
export interface Answered {
  readonly questionId: number
  readonly label: string
  readonly values: readonly string[]
  readonly score: string
}

/** The answers of a submission with new ones laid over them. */
export interface Merged {
  /** Those that are new, other than before, or taken away. */
  readonly changed: readonly NewAnswer[]
  /** All that there are then, by question. */
  readonly answered: ReadonlyMap<number, Answered>
}

/**
 * Lays new answers over those that are there. One that says the same as before changes nothing, whatever the question has
 * become since. Fails with NOT_FOUND for what is no question of the form, and with VALIDATION_ERROR naming each that its
 * question does not take.
 */
export function mergeAnswers(
  questions: readonly Question[],
  before: readonly Answered[],
  given: readonly GivenAnswer[],
): Merged {
  const asked = new Map(questions.map((question) => [question.id, question]))
  const answered = new Map(before.map((answer) => [answer.questionId, answer]))
  const changed = new Map<number, NewAnswer>()
  const faults: [number, string][] = []
  for (const each of given) {
    const question = asked.get(idOf('Question', each.questionId, 'answers.questionId'))
    if (!question) throw notFound()
    if (changed.has(question.id)) faults.push([question.id, 'is answered twice'])
    if (each.value != null && each.values != null) faults.push([question.id, 'takes value or values, not both'])
    const read = readValues(question, each.values ?? (each.value == null ? [] : [each.value]))
    if ('fault' in read) {
      faults.push([question.id, read.fault])
      continue
    }
    const score = pointsOf(question.points, read.values).toFixed()
    changed.set(question.id, { questionId: question.id, version: question.version, values: read.values, score })
  }
  if (faults.length > 0) throw invalid(faultsOf(faults))
  for (const [id, { values }] of changed) {
    if (isSame(values, answered.get(id)?.values ?? [])) changed.delete(id)
  }
  for (const [id, { values, score }] of changed) {
    const label = asked.get(id)?.label ?? ''
    if (values.length === 0) answered.delete(id)
    else answered.set(id, { questionId: id, label, values, score })
  }
  return { changed: [...changed.values()], answered }
}

/** The questions that a submission must answer before it is complete and does not, with what each lacks. */
export function missingOf(
  questions: readonly Question[],
  answered: ReadonlyMap<number, Pick<Answered, 'values'>>,
): [number, string][] {
  return questions.flatMap(({ id, type, required }): [number, string][] => {
    if (!required || !takesAnswer(type)) return []
    const [value] = answered.get(id)?.values ?? []
    if (value === undefined) return [[id, 'is required']]
    return type === 'CONSENT' && value !== 'true' ? [[id, 'must be agreed to']] : []
  })
}

/** The details of a VALIDATION_ERROR on answers: `answers.<questionId>` to what is wrong with each. */
export function faultsOf(faults: readonly (readonly [number, string])[]): Record<string, string[]> {
  const byQuestion = Map.groupBy(faults, ([questionId]) => `answers.${questionId}`)
  return Object.fromEntries([...byQuestion].map(([field, each]) => [field, each.map(([, fault]) => fault)]))
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index])
}
