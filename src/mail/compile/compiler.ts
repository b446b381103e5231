import { looks } from '../../content/index.ts'
import { contentError, maxContentBytes, readContent, referencesIn } from '../../content/rendering.ts'
import type { Ctx } from '../../db/context.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import type { CompiledContent, ContentSource } from './compile.ts'
import { documentLimits } from './limits.ts'

const compileInThread = threadTask<ContentSource, CompiledContent | { readonly faults: readonly string[] }>({
  file: '../compile.worker',
  base: import.meta.url,
  name: 'compileContent',
})

/** Bodies, with the version of the look in which they were compiled, and the reusable blocks in them. */
interface CurrentContent extends CompiledContent {
  readonly look: string
  readonly reusableBlockIds: readonly number[]
}

/**
 * Compiles a document, given as an object or as JSON text, in the style of the account. **Throws** VALIDATION_ERROR with the path
 * of each invalid value under `content`, and RATE_LIMITED if too much work waits.
 */
export async function compile(ctx: Ctx, input: unknown): Promise<CurrentContent> {
  const { document, size } = readContent(input, documentLimits)
  const { brand, reusable, reusableBlockIds, version, isTooLarge } = await looks.lookOf(ctx, referencesIn(document))
  if (isTooLarge) throw contentError([`must have at most ${maxContentBytes} bytes with its reusable blocks`])
  const compiled = await compileInThread(ctx.accountId, { document, brand, reusable }, size).catch(faultsOfTask)
  if ('faults' in compiled) throw contentError(compiled.faults)
  return { ...compiled, reusableBlockIds, look: version }
}

function faultsOfTask(error: unknown): { readonly faults: readonly string[] } {
  if (error instanceof TaskError) return { faults: [`cannot be compiled: ${error.message}`] }
  throw error
}
