import type { z } from 'zod'
import { invalid, type Refusal } from '../../kernel/errors.ts'
import { messageOf } from '../../kernel/values/check.ts'
import { isStorable, unstorableMessage } from '../../kernel/values/storable-text.ts'

/** Limits of a document that a client sends as JSON. */
interface JsonLimits {
  /** Maximum depth. A list directly in an object does not count as a level. */
  readonly depth: number
  /** Maximum number of values, including objects and lists. */
  readonly values: number
  /** Maximum number of bytes of the stored JSON. */
  readonly bytes: number
}

/** Maximum number of faults of one error. */
const maxFaults = 20

/**
 * Reads a document that a client sends as an object or as JSON text, and estimates its size in characters. Documents that are too
 * deep or too large must not be copied to a thread. **Throws** VALIDATION_ERROR for the input field `content`.
 */
export function readContent(input: unknown, limits: JsonLimits): { document: unknown; size: number } {
  const document = typeof input === 'string' ? parse(input, limits) : input
  const { faults, size } = inspect(document, limits)
  if (faults.length > 0) throw contentError(faults)
  return { document, size }
}

/** Returns the error for faults of a document. */
export function contentError(faults: readonly string[]): Refusal {
  return invalid({ content: faults.slice(0, maxFaults) })
}

function parse(text: string, { bytes }: JsonLimits): unknown {
  // Escapes and white space may make the text longer than the stored JSON, so the limit before parsing is twice as high.
  if (text.length > 2 * bytes) throw contentError([`must have at most ${bytes} bytes`])
  try {
    return JSON.parse(text)
  } catch {
    throw contentError(['must be an object or the JSON text of an object'])
  }
}

/** Finds values that JSON allows but PostgreSQL cannot store. Stops at the limits. */
function inspect(document: unknown, limits: JsonLimits): { faults: string[]; size: number } {
  const faults: string[] = []
  const path: string[] = []
  let values = 0
  let size = 0
  const fault = (message: string) => void faults.push(faultAt(path.join('.'), message))
  const walk = (value: unknown, depth: number, isInList: boolean): void => {
    values += 1
    size += typeof value === 'string' ? value.length : 4
    if (values === limits.values + 1) faults.push(`must have at most ${limits.values} values`)
    if (faults.length >= maxFaults || values > limits.values) return
    if (typeof value === 'string') {
      if (!isStorable(value)) fault(unstorableMessage)
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault('must be a finite number')
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value)
      const level = isList && !isInList ? depth : depth + 1
      if (level > limits.depth) {
        fault(`must have at most ${limits.depth} levels`)
        return
      }
      for (const key of Object.keys(value)) {
        if (!isStorable(key)) fault('must not have a property whose name contains characters that cannot be stored')
        else if (key === '__proto__') fault('must not have the property __proto__')
        else {
          path.push(key)
          walk((value as Record<string, unknown>)[key], level, isList)
          path.pop()
        }
        if (values > limits.values) return
      }
    }
  }
  walk(document, 0, false)
  return { faults, size }
}

/** Prefixes a message with the path of the value that it is about. */
export function faultAt(path: string, message: string): string {
  return path === '' ? message : `${path} ${message}`
}

/** Validates a document. Returns what the schema makes of it, or a fault for each invalid value, with its path. */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
): { readonly data: z.output<Schema> } | { readonly faults: readonly string[] } {
  const parsed = schema.safeParse(document, { error: messageOf, reportInput: true })
  if (parsed.success) return { data: parsed.data }
  return {
    faults: parsed.error.issues.slice(0, maxFaults).map(({ path, message }) => faultAt(path.join('.'), message)),
  }
}
