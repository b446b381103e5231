import { countThisMonth, usedThisMonth } from '../../account/index.ts'
import type { Ctx } from '../../db/context.ts'
import { enqueue } from '../../db/jobs/jobs.ts'
import { inTransaction } from '../../db/transaction.ts'
import { emit } from '../../events/index.ts'
import { ofSubmission } from '../answers/answers.ts'
import { byId as formById } from '../form/form-list.ts'
import { byId, type Submission } from '../submissions/submission-list.ts'
import { eventDataOf } from '../submissions/submissions.ts'
import { buildMessages } from './summary-prompt.ts'
import type { CompletionResult, SummaryProvider } from './summary-provider.ts'

/** Name of the job that summarises a submission. */
export const summaryJob = 'forms:summarise'

export interface SummaryJob {
  readonly accountId: number
  readonly submissionId: number
  /** Number of times that the job was postponed because of the provider's Retry-After. */
  readonly delays?: number
}

/** In characters. */
const maxSummaryLength = 2_000

/** Attempts of a job, with growing pauses of some hours in total. Postponements do not count as attempts. */
const mostAttempts = 10
const maxDelays = 20

/** Maximum delay by a Retry-After of the provider. */
const maxDelaySeconds = 3_600

/** Recent completions of an account lower the priority of its jobs. */
const recentWindowMs = 10 * 60 * 1_000
const maxRecentCompletions = 500

/**
 * Enqueues the summary of a completed submission. The job runs after the transaction commits. Jobs of one account run one
 * after another. An account with many recent completions gets a lower priority, so that it does not delay other accounts.
 */
export async function requestSummary(tx: Ctx, submissionId: number): Promise<void> {
  const since = new Date(tx.clock.now().getTime() - recentWindowMs)
  const [row] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM (SELECT FROM submission s
      WHERE s.account_id = ${tx.sql.account} AND s.updated_at >= ${since}::timestamptz LIMIT ${maxRecentCompletions}::int) recent`
  await enqueueSummary(tx, { accountId: tx.accountId, submissionId }, { priority: row?.n ?? 0 })
}

/** Sends messages to the model. */
type CompletionRequest = (messages: ReturnType<typeof buildMessages>) => Promise<CompletionResult>

/**
 * Summarises a completed submission that has no summary, and counts the used tokens. The submission stays without a summary
 * if the monthly token allowance of the account is used up, or if the provider rejects the request.
 *
 * **Emits** `form_submission.updated`. Throws an error if the job must be retried.
 */
export async function summarise(
  ctx: Ctx,
  job: SummaryJob,
  provider: SummaryProvider,
  requestCompletion: CompletionRequest,
): Promise<void> {
  const submission = await ctx.load(byId, job.submissionId)
  if (submission?.status !== 'COMPLETED' || submission.aiSummary !== null) return
  if ((await usedThisMonth(ctx, 'ai_tokens')) >= provider.tokensPerMonth) {
    logUsedUpOnce(ctx)
    return
  }
  const result = await requestCompletion(buildMessages(await readPromptData(ctx, submission)))
  const logFields = { accountId: ctx.accountId, submissionId: submission.id }
  switch (result.status) {
    case 'completed':
      return storeSummary(ctx, submission, result)
    case 'rejected':
      ctx.log.warn(
        { ...logFields, reason: result.reason },
        'AI provider rejected the request; the submission has no summary',
      )
      return undefined
    case 'busy': {
      const { reason, retryAfterSeconds: seconds } = result
      const delays = (job.delays ?? 0) + 1
      if (seconds === undefined || delays > maxDelays) throw new Error(`AI provider request failed: ${reason}`)
      const runAt = new Date(Date.now() + Math.min(Math.max(seconds, 1), maxDelaySeconds) * 1_000)
      ctx.log.info({ ...logFields, seconds }, 'AI provider is busy; the summary is postponed')
      return inTransaction(ctx, (tx) => enqueueSummary(tx, { ...job, delays }, { runAt }))
    }
  }
}

async function enqueueSummary(tx: Ctx, job: SummaryJob, when: { priority?: number; runAt?: Date }): Promise<void> {
  await enqueue(tx, summaryJob, job, { ...when, queue: `summaries of ${job.accountId}`, mostAttempts })
}

async function readPromptData(ctx: Ctx, { id, formId, score, bucket, outcomeTitle }: Submission) {
  const [form, answers] = await Promise.all([ctx.load(formById, formId), ctx.load(ofSubmission, id)])
  return { form: form?.name ?? '', score, bucket, outcome: outcomeTitle, answers }
}

/**
 * A job can run twice if a process is killed before the commit. The second run does not replace the summary. A summary of
 * a contact that was deleted meanwhile is not stored.
 */
async function storeSummary(
  ctx: Ctx,
  submission: Submission,
  completion: { text: string; tokens: number },
): Promise<void> {
  const { id, contactId } = submission
  const summary = toPlainText(completion.text)
  if (summary === '')
    ctx.log.warn({ accountId: ctx.accountId, submissionId: id }, 'AI provider returned an empty summary')
  await inTransaction(ctx, async (tx) => {
    const updated =
      summary === '' || !(await lockContact(tx, contactId))
        ? []
        : await tx.sql`
            UPDATE submission s SET ai_summary = ${summary}, updated_at = ${tx.clock.now()}::timestamptz
            WHERE s.account_id = ${tx.sql.account} AND s.id = ${id} AND s.ai_summary IS NULL RETURNING 1`
    if (updated.length > 0) await emit(tx, 'form_submission.updated', eventDataOf(submission))
    await countThisMonth(tx, 'ai_tokens', completion.tokens)
  })
}

/** Locks the contact of a submission against deletion. Returns whether it exists; true if the submission has none. */
async function lockContact(tx: Ctx, contactId: number | null): Promise<boolean> {
  if (contactId === null) return true
  const rows = await tx.sql`
    SELECT FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id = ${contactId}::int FOR KEY SHARE`
  return rows.length > 0
}

/** Removes control characters and the reasoning of the model from a summary, and truncates it. */
function toPlainText(text: string): string {
  const answer = text.toWellFormed().replace(/^\s*<think>.*?<\/think>/is, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression removes control characters.
  const storable = answer.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim()
  const characters = [...storable]
  return characters.length > maxSummaryLength ? `${characters.slice(0, maxSummaryLength - 1).join('')}…` : storable
}

/** Accounts and months whose used-up allowance was logged, so that it is logged once a month. */
const loggedMonths = new Set<string>()

function logUsedUpOnce(ctx: Ctx): void {
  const month = `${ctx.accountId} ${ctx.clock.now().toISOString().slice(0, 7)}`
  if (loggedMonths.has(month)) return
  if (loggedMonths.size > 10_000) loggedMonths.clear()
  loggedMonths.add(month)
  ctx.log.warn(
    { accountId: ctx.accountId },
    'AI_TOKENS_PER_MONTH is used up; the account gets no more summaries this month',
  )
}
