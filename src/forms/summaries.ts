import { countThisMonth, usedThisMonth } from '../account/index.ts'
import type { Ctx } from '../db/context.ts'
import { enqueue } from '../db/jobs.ts'
import { inTransaction } from '../db/transaction.ts'
import { emit } from '../events/index.ts'
import { ofSubmission } from './answers.ts'
import { byId as formById } from './form-list.ts'
import { byId, type Submission } from './submission-list.ts'
import { messagesFor } from './summary-prompt.ts'
import type { Provider, Verdict } from './summary-provider.ts'

/** The job that has a submission summarised. */
export const summaryJob = 'forms:summarise'

export interface SummaryJob {
  readonly accountId: number
  readonly submissionId: number
  /** How often it was put off, because the provider said when to come again. */
  readonly delays?: number
}

/** The most characters of a summary. */
const longest = 2_000

/** How often a job is tried, with pauses that grow to some hours together, and how often it is put off besides. */
const mostAttempts = 10
const mostDelays = 20

/** The longest that a provider can put us off, in seconds. */
const longestDelay = 3_600

/** How far back completions of an account count, and how many of them. */
const recent = { milliseconds: 10 * 60 * 1_000, most: 500 }

/**
 * Asks for a summary of a completed submission, to be made once this transaction has committed. The summaries of an account
 * are made one after another, and the more of its submissions were completed just before, the more those of others go
 * first: a crowd at one account's form keeps nobody else waiting.
 */
export async function request(tx: Ctx, submissionId: number): Promise<void> {
  const since = new Date(tx.clock.now().getTime() - recent.milliseconds)
  const [row] = await tx.sql<{ n: number }>`
    SELECT count(*)::int AS n FROM (SELECT FROM submission s
      WHERE s.account_id = ${tx.sql.account} AND s.updated_at >= ${since}::timestamptz LIMIT ${recent.most}::int) busy`
  await put(tx, { accountId: tx.accountId, submissionId }, { priority: row?.n ?? 0 })
}

/** Has a conversation with the model. */
export type Ask = (messages: ReturnType<typeof messagesFor>) => Promise<Verdict>

/**
 * Makes the summary of a submission, unless there is one, and announces `form_submission.updated`. What the provider used is
 * counted; over the account's allowance for the month it is not asked, and the submission stays without a summary, as it
 * does where the provider refuses. Throws where it is to be tried again.
 */
export async function summarise(ctx: Ctx, job: SummaryJob, provider: Provider, ask: Ask): Promise<void> {
  const submission = await ctx.load(byId, job.submissionId)
  if (submission?.status !== 'COMPLETED' || submission.aiSummary !== null) return
  if ((await usedThisMonth(ctx, 'ai_tokens')) >= provider.tokensPerMonth) {
    tellOnce(ctx)
    return
  }
  const verdict = await ask(messagesFor(await materialOf(ctx, submission)))
  const told = { accountId: ctx.accountId, submissionId: submission.id }
  switch (verdict.is) {
    case 'answered':
      return keep(ctx, submission, verdict)
    case 'refused':
      ctx.log.warn({ ...told, reason: verdict.reason }, 'the AI provider refused; a submission stays without a summary')
      return undefined
    case 'busy': {
      const { reason, retryAfterSeconds: seconds } = verdict
      const delays = (job.delays ?? 0) + 1
      if (seconds === undefined || delays > mostDelays) throw new Error(`The AI provider did not answer: ${reason}`)
      const runAt = new Date(Date.now() + Math.min(Math.max(seconds, 1), longestDelay) * 1_000)
      ctx.log.info({ ...told, seconds }, 'the AI provider is busy; a summary is asked for later')
      return inTransaction(ctx, (tx) => put(tx, { ...job, delays }, { runAt }))
    }
  }
}

async function put(tx: Ctx, job: SummaryJob, when: { priority?: number; runAt?: Date }): Promise<void> {
  await enqueue(tx, summaryJob, job, { ...when, queue: `summaries of ${job.accountId}`, mostAttempts })
}

async function materialOf(ctx: Ctx, { id, formId, score, bucket, outcomeTitle }: Submission) {
  const [form, answers] = await Promise.all([ctx.load(formById, formId), ctx.load(ofSubmission, id)])
  return { form: form?.name ?? '', score, bucket, outcome: outcomeTitle, answers }
}

/**
 * A job may run twice, where a process is killed between answer and row: whoever comes second changes nothing. A summary of
 * someone who was deleted meanwhile is not stored.
 */
async function keep(
  ctx: Ctx,
  { id, formId, contactId }: Submission,
  answer: { text: string; tokens: number },
): Promise<void> {
  const summary = plain(answer.text)
  if (summary === '') ctx.log.warn({ accountId: ctx.accountId, submissionId: id }, 'the AI provider said nothing')
  await inTransaction(ctx, async (tx) => {
    const made =
      summary === '' || !(await isThere(tx, contactId))
        ? []
        : await tx.sql`
            UPDATE submission s SET ai_summary = ${summary}, updated_at = ${tx.clock.now()}::timestamptz
            WHERE s.account_id = ${tx.sql.account} AND s.id = ${id} AND s.ai_summary IS NULL RETURNING 1`
    if (made.length > 0) await emit(tx, 'form_submission.updated', { submissionId: id, formId })
    await countThisMonth(tx, 'ai_tokens', answer.tokens)
  })
}

/** Whether the contact of a submission exists, and will until the transaction ends; true if it has none. */
async function isThere(tx: Ctx, contactId: number | null): Promise<boolean> {
  if (contactId === null) return true
  const rows = await tx.sql`
    SELECT FROM contact c WHERE c.account_id = ${tx.sql.account} AND c.id = ${contactId}::int FOR KEY SHARE`
  return rows.length > 0
}

/** A summary as it is kept: text that can be stored, without what a model thought before it spoke. */
function plain(text: string): string {
  const said = text.toWellFormed().replace(/^\s*<think>.*?<\/think>/is, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const storable = said.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim()
  const characters = [...storable]
  return characters.length > longest ? `${characters.slice(0, longest - 1).join('')}…` : storable
}

/** Accounts of which the log knows that they have used up a month. */
const toldOf = new Set<string>()

function tellOnce(ctx: Ctx): void {
  const month = `${ctx.accountId} ${ctx.clock.now().toISOString().slice(0, 7)}`
  if (toldOf.has(month)) return
  if (toldOf.size > 10_000) toldOf.clear()
  toldOf.add(month)
  ctx.log.warn(
    { accountId: ctx.accountId },
    'AI_TOKENS_PER_MONTH is used up: no more summaries for this account this month',
  )
}
