import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { TaskError, threadTask } from '../../kernel/thread-pool.ts'
import { type Body, type BodyFault, type BodySource, bodyLimits, bodyOf } from './email-body.ts'

/** From so many characters on a body is taken apart in a thread; shorter ones take 1 to 2 ms. */
const large = 4_000

const inThread = threadTask<BodySource, Body | BodyFault>({
  file: './content.worker',
  base: import.meta.url,
  name: 'bodyOf',
})

/** Takes a body apart, large ones in a thread. Throws TaskError if that fails, and RATE_LIMITED as the threads do. */
export async function takeApart(ctx: Pick<Ctx, 'accountId'>, { html, text }: BodySource): Promise<Body | BodyFault> {
  const source = { html, text: text ?? null }
  const size = html.length + (text?.length ?? 0)
  // What is far too long is refused without a copy of it.
  const isTooLong = size > 2 * bodyLimits.characters
  return size < large || isTooLong ? bodyOf(source) : inThread(ctx.accountId, source, size)
}

/**
 * Refuses a body that could not be sent: one that exceeds `bodyLimits`, or takes too long or too much memory to process.
 * To be called before the transaction that stores it. Throws VALIDATION_ERROR naming `html` or `text`, and the limit.
 */
export async function mustBeUsable(
  ctx: Pick<Ctx, 'accountId'>,
  { html, text }: { html?: string | null | undefined; text?: string | null | undefined },
): Promise<void> {
  const read = await takeApart(ctx, { html: html ?? '', text }).catch((error: unknown) => {
    if (error instanceof TaskError) return { field: 'html', fault: `cannot be sent: ${error.message}` } as const
    throw error
  })
  if ('fault' in read) throw invalid({ [read.field]: [read.fault] })
}
