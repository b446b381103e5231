import { type Details, invalid, type Refusal } from '../kernel/errors.ts'
import { cut } from './cut.ts'

const message = 'must not contain the character NUL or half of a surrogate pair'

/** The text of a file, which is read line by line: each line with such text is reported by its number. */
const fileVariable = 'csv'

/**
 * The VALIDATION_ERROR for variables with text that PostgreSQL cannot store, or that would be stored as other text; undefined
 * if there is none. It is looked for once for all inputs, names of JSON objects included.
 */
export function unstorableIn(variables: Readonly<Record<string, unknown>>): Refusal | undefined {
  const path = pathTo(variables)
  if (path === undefined) return undefined
  // As the operations name fields: without the one argument that all mutations have.
  const details: Details = { [path.slice(path[0] === 'input' ? 1 : 0).join('.') || 'input']: [message] }
  return invalid(details)
}

/** The way to the first such text. Values wait in a list: JSON of any depth must not exhaust the stack. */
function pathTo(variables: unknown): readonly string[] | undefined {
  const waiting: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: variables, path: [] }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, path } = next
    if (typeof value === 'string' && !isStorable(value)) return path
    if (typeof value !== 'object' || value === null) continue
    for (const [key, each] of Object.entries(value)) {
      if (!isStorable(key)) return [...path, '(a name)']
      // Only the first names of a way are told, which also bounds what is kept of a deep one.
      if (key === fileVariable && typeof each === 'string') continue
      if (typeof each === 'string' || typeof each === 'object')
        waiting.push({ value: each, path: [...path, cut(key, 50)].slice(0, 8) })
    }
  }
  return undefined
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
