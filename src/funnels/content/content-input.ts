import { contentError, readContent } from '../../content/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import { type ContentValidation, maxBytes, validateContent } from './content-validation.ts'

/** Limits of a document before it is validated. */
const limits = { depth: 12, values: 100_000, bytes: maxBytes }

/** Minimum size for validation in a thread, in characters. Shorter documents take 1 to 2 ms. */
const threadMinCharacters = 4_000

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
  const { document, size } = readContent(input, limits)
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
