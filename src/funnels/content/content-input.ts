import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { isStorable, unstorableMessage } from '../../kernel/values/storable-text.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import { type ContentValidation, faultAt, maxBytes, validateContent } from './content-validation.ts'

/** Maximum depth of a document. A list directly in an object does not count as a level. */
const maxDepth = 12

/** Maximum number of values of a document, including objects and lists. */
const maxValues = 100_000

/** Minimum size for validation in a thread, in characters. Shorter documents take 1 to 2 ms. */
const threadMinCharacters = 4_000

/** Maximum number of faults of one error. */
const maxFaults = 20

const validateInThread = threadTask<unknown, ContentValidation>({
  file: './page.worker',
  base: import.meta.url,
  name: 'validateContent',
})

/**
 * Validates a page document, given as an object or as JSON text, and returns the JSON to store. Unknown properties are kept.
 * **Throws** VALIDATION_ERROR with the path of each invalid value under `content`.
 */
export async function parseContent({ accountId }: Pick<Ctx, 'accountId'>, input: unknown): Promise<string> {
  const document = typeof input === 'string' ? parseJson(input) : input
  // Documents that are too deep or too large must not be copied to a thread.
  const { faults, size } = inspectValues(document)
  if (faults.length > 0) throw contentError(faults)
  const checked =
    size < threadMinCharacters
      ? validateContent(document)
      : await validateInThread(accountId, document, size).catch(faultOfTask)
  if ('faults' in checked) throw contentError(checked.faults)
  return checked.json
}

function faultOfTask(error: unknown): ContentValidation {
  if (error instanceof TaskError) return { faults: [`cannot be rendered: ${error.message}`] }
  throw error
}

function parseJson(text: string): unknown {
  // Escapes and white space may make the text longer than the stored JSON, so the limit before parsing is twice as high.
  if (text.length > 2 * maxBytes) throw contentError([`must have at most ${maxBytes} bytes`])
  try {
    return JSON.parse(text)
  } catch {
    throw contentError(['must be an object or the JSON text of an object'])
  }
}

/**
 * Finds values that JSON allows but PostgreSQL cannot store, and estimates the size of the document in characters. Stops at
 * the limits of depth and number of values.
 */
function inspectValues(document: unknown): { faults: string[]; size: number } {
  const faults: string[] = []
  const path: string[] = []
  let values = 0
  let size = 0
  const fault = (message: string) => void faults.push(faultAt(path.join('.'), message))
  const walk = (value: unknown, depth: number, isInList: boolean): void => {
    values += 1
    size += typeof value === 'string' ? value.length : 4
    if (values === maxValues + 1) faults.push(`must have at most ${maxValues} values`)
    if (faults.length >= maxFaults || values > maxValues) return
    if (typeof value === 'string') {
      if (!isStorable(value)) fault(unstorableMessage)
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault('must be a finite number')
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value)
      const level = isList && !isInList ? depth : depth + 1
      if (level > maxDepth) {
        fault(`must have at most ${maxDepth} levels`)
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
        if (values > maxValues) return
      }
    }
  }
  walk(document, 0, false)
  return { faults, size }
}

function contentError(faults: readonly string[]) {
  return invalid({ content: faults.slice(0, maxFaults) })
}
