import type { Ctx } from '../db/context.ts'
import { invalid } from '../kernel/errors.ts'
import { TaskError, threadTask } from '../kernel/thread-pool.ts'
import { at, type ContentValidation, maxBytes, validateContent } from './content-validation.ts'

/** How deep a document goes: objects in objects, and lists directly in lists. */
const maxDepth = 12

/** How many values a document has, all together: texts, numbers, objects, lists and so on. */
const maxValues = 100_000

/** From so many characters on a document is checked in a thread; shorter ones take 1 to 2 ms. */
const large = 4_000

/** How many faults one answer names. */
const maxFaults = 20

const checkInThread = threadTask<unknown, ContentValidation>({
  file: './page.worker',
  base: import.meta.url,
  name: 'validateContent',
})

/**
 * A page's document as it is stored: JSON, checked against the builder's schema. It comes as an object or as its JSON.
 * Properties that the schema does not know are kept as they are. Throws VALIDATION_ERROR naming each place that breaks
 * a rule, under `content`.
 */
export async function parseContent({ accountId }: Pick<Ctx, 'accountId'>, given: unknown): Promise<string> {
  const document = typeof given === 'string' ? parsed(given) : given
  // What a thread is given must be neither too deep nor too much.
  const { faults, size } = looked(document)
  if (faults.length > 0) throw refused(faults)
  const checked =
    size < large ? validateContent(document) : await checkInThread(accountId, document, size).catch(costly)
  if ('faults' in checked) throw refused(checked.faults)
  return checked.json
}

function costly(error: unknown): ContentValidation {
  if (error instanceof TaskError) return { faults: [`cannot be shown: ${error.message}`] }
  throw error
}

function parsed(text: string): unknown {
  // What is longer than this cannot be short enough, however it is written.
  if (text.length > 2 * maxBytes) throw refused([`must have ${maxBytes} bytes at most`])
  try {
    return JSON.parse(text)
  } catch {
    throw refused(['must be an object, or the JSON of one'])
  }
}

/**
 * Finds what JSON allows and a database or a browser does not, and about how many characters a document has as JSON. Goes
 * no deeper than a document may, and no further than it may be long.
 */
function looked(document: unknown): { faults: string[]; size: number } {
  const faults: string[] = []
  const path: string[] = []
  let values = 0
  let size = 0
  const fault = (message: string) => void faults.push(at(path.join('.'), message))
  const walk = (value: unknown, depth: number, isInList: boolean): void => {
    values += 1
    size += typeof value === 'string' ? value.length : 4
    if (values === maxValues + 1) faults.push(`must have ${maxValues} values at most`)
    if (faults.length >= maxFaults || values > maxValues) return
    if (typeof value === 'string') {
      if (!isStorable(value)) fault('must not contain characters that cannot be stored')
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault('must be a number that can be told from infinity')
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value)
      const level = isList && !isInList ? depth : depth + 1
      if (level > maxDepth) {
        fault(`must not go deeper than ${maxDepth} levels`)
        return
      }
      for (const key of Object.keys(value)) {
        if (!isStorable(key)) fault('has a property whose name cannot be stored')
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

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

function refused(faults: readonly string[]) {
  return invalid({ content: faults.slice(0, maxFaults) })
}
