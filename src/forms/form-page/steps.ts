import { missingOf } from '../answering.ts'
import type { Question } from '../question-list.ts'

/** What was answered, by question. */
export type Given = ReadonlyMap<number, { readonly values: readonly string[] }>

/** The questions that a visitor sees, one after another. */
export function shownOf(questions: readonly Question[]): Question[] {
  return questions.filter(({ type }) => type !== 'HIDDEN')
}

/** The question that stands `by` places from another one, among those that are seen; undefined beyond the ends. */
export function beside(questions: readonly Question[], id: number, by: 1 | -1): Question | undefined {
  const shown = shownOf(questions)
  const place = shown.findIndex((question) => question.id === id)
  return place < 0 ? undefined : shown[place + by]
}

/**
 * Where a visitor goes on: at the first question that must be answered and was passed by, else behind the last one that was
 * answered, and at the end once more at the last one. Undefined where nothing is seen.
 */
export function goesOnAt(questions: readonly Question[], given: Given): Question | undefined {
  const shown = shownOf(questions)
  const furthest = shown.findLastIndex(({ id }) => given.has(id))
  const [passedBy] = missingOf(shown.slice(0, furthest + 1), given)[0] ?? []
  if (passedBy !== undefined) return shown.find(({ id }) => id === passedBy)
  return shown[Math.min(furthest + 1, shown.length - 1)]
}

/** The words under which an address fills a hidden question: those of its label, in small letters, joined by `_`. */
export function slugOf(label: string): string {
  return label
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
}
