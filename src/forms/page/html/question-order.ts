import { findMissingAnswers } from '../../answers/answer-merge.ts'
import type { Question } from '../../form/question-list.ts'

/** Answers by question ID. */
export type AnswerMap = ReadonlyMap<number, { readonly values: readonly string[] }>

/** Returns the questions that the visitor sees, in order. */
export function visibleQuestions(questions: readonly Question[]): Question[] {
  return questions.filter(({ type }) => type !== 'HIDDEN')
}

/** Returns the visible question before (-1) or after (1) a question; undefined if there is none. */
export function adjacentQuestion(questions: readonly Question[], id: number, offset: 1 | -1): Question | undefined {
  const visible = visibleQuestions(questions)
  const index = visible.findIndex((question) => question.id === id)
  return index < 0 ? undefined : visible[index + offset]
}

/**
 * Returns the question at which a visitor continues: the first skipped required question, or else the question after the last
 * answered one, or else the last question. Undefined if the form has no visible questions.
 */
export function findResumeQuestion(questions: readonly Question[], answers: AnswerMap): Question | undefined {
  const visible = visibleQuestions(questions)
  const lastAnswered = visible.findLastIndex(({ id }) => answers.has(id))
  const [skippedId] = findMissingAnswers(visible.slice(0, lastAnswered + 1), answers)[0] ?? []
  if (skippedId !== undefined) return visible.find(({ id }) => id === skippedId)
  return visible[Math.min(lastAnswered + 1, visible.length - 1)]
}

/** Returns the query parameter that fills a hidden question: its label in lower case, with words joined by `_`. */
export function slugOf(label: string): string {
  return label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}
