import type { Ctx } from '../../db/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { TaskError, threadTask } from '../../kernel/thread-pool.ts'
import { type BodyProblem, type BodySource, bodyLimits, type EmailBody, parseEmailBody } from './email-body.ts'

/** Number of characters from which a body is parsed in a thread. Shorter ones take 1 to 2 ms. */
const threadThreshold = 4_000

const parseInThread = threadTask<BodySource, EmailBody | BodyProblem>({
  file: './content.worker',
  base: import.meta.url,
  name: 'parseEmailBody',
})

/** Parses a body, large ones in a thread. **Throws** TaskError if that fails, and RATE_LIMITED if too many tasks wait. */
export async function parseBody(
  ctx: Pick<Ctx, 'accountId'>,
  { html, text }: BodySource,
): Promise<EmailBody | BodyProblem> {
  const source = { html, text: text ?? null }
  const size = html.length + (text?.length ?? 0)
  // A body that is far too long is refused without copying it to a thread.
  const isTooLong = size > 2 * bodyLimits.characters
  return size < threadThreshold || isTooLong ? parseEmailBody(source) : parseInThread(ctx.accountId, source, size)
}

/**
 * Validates a body before the transaction that stores it. **Throws** VALIDATION_ERROR for `html` or `text` if the body
 * exceeds `bodyLimits`, or takes too long or too much memory to process.
 */
export async function validateEmailBody(
  ctx: Pick<Ctx, 'accountId'>,
  { html, text }: { html?: string | null | undefined; text?: string | null | undefined },
): Promise<void> {
  const body = await parseBody(ctx, { html: html ?? '', text }).catch((error: unknown) => {
    if (error instanceof TaskError) return { field: 'html', problem: `cannot be sent: ${error.message}` } as const
    throw error
  })
  if ('problem' in body) throw invalid({ [body.field]: [body.problem] })
}
