import { looks } from '../../content/index.ts'
import { referencesIn } from '../../content/rendering.ts'
import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { runBatches } from '../../db/jobs/jobs.ts'
import { empty, type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { Refusal, refuse } from '../../kernel/errors.ts'
import { partSize } from '../../kernel/work/pacing.ts'
import { ports } from '../ports.ts'
import { type CheckedBody, checkBody, noConditions } from './body-input.ts'
import { byId, setContent } from './emails.ts'
import { enqueueRecompilation, recompilationJob } from './recompilation-job.ts'

// The brand and reusable blocks are in the HTML of messages. When they change, messages are compiled again.

/** Maximum number of e-mails that one transaction of the job stores. Each may have 256 KiB of blocks. */
const batchSize = 10

/** How often an e-mail is compiled for a campaign that starts. More than one change of the brand in this time is unlikely. */
const maxAttempts = 3

/** A stale e-mail, compiled or with the reason why it cannot be. */
interface Recompilation {
  readonly emailId: number
  /** Differs after each change of the row. */
  readonly version: string
  readonly look: string
  readonly reusableBlockIds: readonly number[]
  readonly result: CheckedBody | { readonly error: string }
}

/**
 * Marks the e-mails of blocks that are not fixed as stale, and enqueues the job that compiles them. With the id of a reusable
 * block, only those that contain it.
 */
export async function markStale(tx: Ctx, reusableBlockId?: number): Promise<void> {
  const hasBlock =
    reusableBlockId === undefined
      ? empty
      : sql`AND m.id IN (SELECT u.email_id FROM reusable_block_use u
          WHERE u.account_id = ${tx.sql.account} AND u.reusable_block_id = ${reusableBlockId})`
  const marked = await tx.sql<{ id: number }>`
    UPDATE email m SET is_stale = true
    WHERE m.account_id = ${tx.sql.account} AND m.content_document_id IS NOT NULL AND NOT m.is_stale
      AND m.id IN (${ports.unfixedEmails(tx)}) ${hasBlock} RETURNING m.id`
  if (marked.length > 0) await enqueueRecompilation(tx)
}

/** Marks an e-mail as stale whose content is no longer fixed. */
export async function unfix(tx: Ctx, emailId: number): Promise<void> {
  const marked = await tx.sql<{ id: number }>`
    UPDATE email m SET is_stale = true
    WHERE m.account_id = ${tx.sql.account} AND m.id = ${emailId} AND m.content_document_id IS NOT NULL RETURNING m.id`
  if (marked.length > 0) await enqueueRecompilation(tx)
}

/**
 * Runs work whose transaction fixes the content of an e-mail. A stale one is compiled before the transaction. `fix` stores it in
 * the transaction; it must be called before the row of the e-mail is locked.
 *
 * **Throws** RATE_LIMITED if too much content is waiting to be compiled, or if the brand is changed again and again.
 */
export async function withCurrentContent<Result>(
  ctx: Ctx,
  emailId: number,
  work: (fix: (tx: Ctx) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const compiled = await compileStale(ctx, sql`m.id = ${emailId}`, 1)
    const fix = async (tx: Ctx) => {
      await storeRecompiled(tx, compiled)
      if ((await tx.load(byId, emailId))?.isStale) throw new ContentChanged()
    }
    try {
      return await work(fix)
    } catch (error) {
      if (!(error instanceof ContentChanged)) throw error
      if (attempt >= maxAttempts)
        throw refuse('RATE_LIMITED', 'What the message shows is being changed. Try again in a few seconds.')
    }
  }
}

/** What an e-mail shows was changed after it was compiled, and before the transaction that fixes it. */
class ContentChanged extends Error {}

/** The background jobs of e-mails. */
export const emailJobs = {
  /** Compiles the stale e-mails of an account that are not fixed. What a killed run has not stored stays stale. */
  [recompilationJob]: async (system: System, { accountId }: { readonly accountId: number }): Promise<void> =>
    runBatches(system, accountId, { next: recompileNext, enqueueNext: enqueueRecompilation }),
}

/** Compiles the next stale e-mails. Returns true if none are left. */
async function recompileNext({ work, ...ctx }: Ctx): Promise<boolean> {
  // What was loaded before a change must not be used after it.
  const fresh = { ...newCtx(ctx, ctx), ...(work && { work }) }
  const all = await compileStale(fresh, sql`m.id IN (${ports.unfixedEmails(fresh)})`, partSize(work, batchSize))
  if (all.length === 0) return true
  await inTransaction(fresh, async (tx) => {
    const unfixed = new Set(
      await ports.keepUnfixed(
        tx,
        all.map(({ emailId }) => emailId),
      ),
    )
    const stored = await storeRecompiled(
      tx,
      all.filter(({ emailId }) => unfixed.has(emailId)),
    )
    if (stored.length > 0) await ports.announceContent(tx, stored)
  })
  return false
}

/** Compiles stale e-mails outside of a transaction, one after another. */
async function compileStale(ctx: Ctx, condition: Sql, limit: number): Promise<Recompilation[]> {
  const rows = await ctx.sql<{ emailId: number; version: string; content: string }>`
    SELECT m.id AS "emailId", m.xmin::text AS version, convert_from(d.body, 'UTF8') AS content
    FROM email m JOIN document d ON d.account_id = m.account_id AND d.id = m.content_document_id
    WHERE m.account_id = ${ctx.sql.account} AND m.is_stale AND ${condition} ORDER BY m.id LIMIT ${limit}::int`
  const all: Recompilation[] = []
  for (const { emailId, version, content } of rows) {
    const references = referencesIn(JSON.parse(content))
    const { version: look } = await looks.lookOf(ctx, references)
    const reusableBlockIds = references.map(looks.idOfReference)
    all.push({ emailId, version, look, reusableBlockIds, result: await compileOrFail(ctx, content) })
  }
  return all
}

async function compileOrFail(ctx: Ctx, content: string): Promise<Recompilation['result']> {
  try {
    // Not with the scopes of the caller, who changes nothing: those of the conditions were needed to set the content.
    return await checkBody(newCtx(ctx, { accountId: ctx.accountId }), { content })
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'VALIDATION_ERROR') throw error
    return {
      error: Object.values(error.details ?? {})
        .flat()
        .join('; ')
        .slice(0, 500),
    }
  }
}

/**
 * Stores compiled e-mails, unless they or the look were changed since they were compiled. An e-mail that could not be compiled
 * keeps its body, and gets the reason. Returns the ids of those whose body was set.
 */
async function storeRecompiled(tx: Ctx, all: readonly Recompilation[]): Promise<number[]> {
  if (all.length === 0) return []
  const lookOf = await looks.shareLook(
    tx,
    all.flatMap(({ reusableBlockIds }) => reusableBlockIds),
  )
  const current = all.filter(({ look, reusableBlockIds }) => lookOf(reusableBlockIds) === look)
  const rows = await tx.sql<{ id: number; version: string; hasOwnText: boolean }>`
    SELECT m.id, m.xmin::text AS version, m.has_own_text AS "hasOwnText" FROM email m
    WHERE m.account_id = ${tx.sql.account} AND m.id = ANY(${current.map(({ emailId }) => emailId)}::int[]) AND m.is_stale
    ORDER BY m.id FOR UPDATE`
  const found = new Map(rows.map((row) => [row.id, row]))
  const stored: number[] = []
  for (const { emailId, result } of current.filter((each) => found.get(each.emailId)?.version === each.version)) {
    if ('error' in result) await storeError(tx, emailId, result.error)
    else {
      await setContent(tx, emailId, found.get(emailId)?.hasOwnText ? withoutText(result) : result)
      stored.push(emailId)
    }
  }
  tx.load.clear()
  return stored
}

/** Keeps the text of a message that was set by itself, which is shown to all contacts. */
function withoutText({ text: _text, conditions = noConditions, ...result }: CheckedBody): CheckedBody {
  return { ...result, conditions: { ...conditions, text: [] } }
}

async function storeError(tx: Ctx, emailId: number, error: string): Promise<void> {
  await tx.sql`
    UPDATE email m SET is_stale = false, compile_error = ${error} WHERE m.account_id = ${tx.sql.account} AND m.id = ${emailId}`
}
