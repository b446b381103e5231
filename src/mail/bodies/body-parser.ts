import type { Ctx } from '../../db/context.ts'
import { TaskError, threadTask } from '../../kernel/work/thread-pool.ts'
import { type ContentReport, type ContentSource, checkContent } from './content-check.ts'
import { type BodyProblem, type BodySource, bodyLimits, type EmailBody, parseEmailBody } from './email-body.ts'
import { libraryPicturesOf } from './html-faults.ts'

/** Number of characters from which a body is parsed in a thread. Shorter ones take 1 to 2 ms. */
const threadThreshold = 4_000

const parseInThread = threadTask<BodySource, EmailBody | BodyProblem>({
  file: '../content.worker',
  base: import.meta.url,
  name: 'parseEmailBody',
})

const checkInThread = threadTask<ContentSource, ContentReport | BodyProblem>({
  file: '../content.worker',
  base: import.meta.url,
  name: 'checkContent',
})

const picturesInThread = threadTask<string, string[]>({
  file: '../content.worker',
  base: import.meta.url,
  name: 'libraryPicturesOf',
})

/** Parses a body, large ones in a thread. **Throws** TaskError if that fails, and RATE_LIMITED if too many tasks wait. */
export async function parseBody(
  ctx: Pick<Ctx, 'accountId'>,
  { html, text, envelope, conditional, isConfirmation }: BodySource,
): Promise<EmailBody | BodyProblem> {
  const source = { html, text: text ?? null, envelope, conditional, isConfirmation }
  const size = sizeOf(source)
  return needsThread(size) ? parseInThread(ctx.accountId, source, size) : parseEmailBody(source)
}

/**
 * Checks the content of an e-mail, long ones in a thread. A body that takes too long or too much memory has a problem.
 * **Throws** RATE_LIMITED if too many tasks wait.
 */
export async function checkContentOf(
  ctx: Pick<Ctx, 'accountId'>,
  source: ContentSource,
): Promise<ContentReport | BodyProblem> {
  const size = sizeOf(source)
  return needsThread(size) ? checkInThread(ctx.accountId, source, size).catch(problemOf) : checkContent(source)
}

/**
 * Returns the URLs of the pictures of HTML that may be in the media library, each once. Long HTML is read in a thread. **Throws**
 * TaskError if that fails, and RATE_LIMITED if too many tasks wait.
 */
export async function libraryPicturesIn(ctx: Pick<Ctx, 'accountId'>, html: string): Promise<string[]> {
  return needsThread(html.length) ? picturesInThread(ctx.accountId, html, html.length) : libraryPicturesOf(html)
}

function sizeOf({ html, text }: BodySource): number {
  return html.length + (text?.length ?? 0)
}

/** Whether a body of this size is processed in a thread. One that is far too long is refused without copying it to a thread. */
function needsThread(size: number): boolean {
  return size >= threadThreshold && size <= 2 * bodyLimits.characters
}

function problemOf(error: unknown): BodyProblem {
  if (error instanceof TaskError) return { field: 'html', problem: `cannot be sent: ${error.message}` }
  throw error
}

/** Returns why a body cannot be sent: it exceeds `bodyLimits`, or takes too long or too much memory. Undefined if it can. */
export async function problemOfBody(ctx: Pick<Ctx, 'accountId'>, body: BodySource): Promise<BodyProblem | undefined> {
  const parsed = await parseBody(ctx, body).catch(problemOf)
  return 'problem' in parsed ? parsed : undefined
}
