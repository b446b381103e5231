import { invalid, type Refusal } from '../kernel/errors.ts'
import { truncate } from './truncate.ts'

const message = 'must not contain the character NUL or half of a surrogate pair'

/** Name of the input with the text of a CSV file. The import reports unstorable text by line, so it is not checked here. */
const fileVariable = 'csv'

/**
 * Checks variables for text that PostgreSQL cannot store unchanged, including the keys of JSON objects. Returns the
 * VALIDATION_ERROR, or undefined if all text can be stored.
 */
export function findUnstorableText(variables: Readonly<Record<string, unknown>>): Refusal | undefined {
  const path = pathTo(variables)
  if (path === undefined) return undefined
  const isInput = path[0] === 'input' && path.length > 1
  // Operations name fields without the argument `input` of the mutation.
  const refusal = invalid({ [path.slice(isInput ? 1 : 0).join('.')]: [message] })
  return isInput ? refusal.within('input') : refusal
}

/** Returns the path to the first such text. Uses a list instead of recursion, because JSON can be nested to any depth. */
function pathTo(variables: unknown): readonly string[] | undefined {
  const waiting: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: variables, path: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && !isStorable(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, each] of Object.entries(value)) {
      if (!isStorable(key)) return [...path, '(a key)']
      // The path is truncated, which limits the memory for deep values.
      if (key === fileVariable && typeof each === 'string') continue
      if (typeof each === 'string' || typeof each === 'object')
        waiting.push({ value: each, path: [...path, truncate(key, 50)].slice(0, 8) })
    }
  }
  return undefined
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
