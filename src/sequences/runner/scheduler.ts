import { type Ctx, newCtx, type System } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { queue, queueSources } from '../../mail/index.ts'
import { type Enrolment, enrolmentTable, stagesOf } from '../planning/progress.ts'
import { catchUp } from '../planning/revisions.ts'
import { advanceAll } from './advancing.ts'
import { isRemoteCall, retryAt, runStage, type StageOptions, type StageTask } from './stage-runner.ts'

/** Maximum number of enrolments that one transaction claims. */
const batchSize = 500

/** Maximum number of actions of one account that run at a time. */
const maxParallelActions = 4

/** Maximum number of calls to other servers that a process has open at a time. */
const maxCalls = 20

/** Delay until a stage is due again that found no free call. */
const callRetryMs = 2_000

/** Runs the sequences of a process. */
interface SequenceScheduler {
  /** Runs a batch of due stages of each account. Returns whether there were any: more may be due. */
  run(): Promise<boolean>
  /** Waits for open calls to other servers. */
  stop(): Promise<void>
}

/**
 * Creates the scheduler that runs the due stages of all accounts, a batch of each in turn. Any number of processes may have
 * one. It adds e-mails to the queue, one per enrolment and stage; the stage is done when its message is. It runs actions
 * itself, and does not wait for calls to other servers. With `only`, it serves that account alone.
 */
export function newSequenceScheduler(system: System, options: StageOptions, only?: number): SequenceScheduler {
  const calls = new Set<Promise<void>>()
  const runTask = async (ctx: Ctx, task: StageTask) => {
    await runStage(ctx, task, options).catch((error: unknown) =>
      system.log.error({ err: error, enrolment: task.enrolmentId }, 'sequence stage failed; it will be retried'),
    )
  }
  const startCall = (ctx: Ctx, task: StageTask) => {
    const call = runTask(ctx, task).finally(() => calls.delete(call))
    calls.add(call)
  }
  const runAccount = async (accountId: number): Promise<boolean> => {
    const ctx = newCtx(system, { accountId })
    const { count, tasks } = await claimDue(ctx, maxCalls - calls.size)
    for (const task of tasks) if (isRemoteCall(task.stage)) startCall(ctx, task)
    const actions = tasks.filter(({ stage }) => !isRemoteCall(stage))
    while (actions.length > 0) {
      const batch = actions.splice(0, maxParallelActions)
      await Promise.all(batch.map((task) => runTask(newCtx(system, { accountId }), task)))
    }
    return count > 0
  }
  return {
    run: async () => {
      let isMore = false
      for (const accountId of only === undefined ? await accountsWithDue(system) : [only]) {
        try {
          if (await runAccount(accountId)) isMore = true
        } catch (error) {
          system.log.error({ err: error, account: accountId }, 'running the due sequence stages of an account failed')
        }
      }
      return isMore
    },
    stop: async () => {
      await Promise.all(calls)
    },
  }
}

/** Reads the accounts that have due enrolments. It skips along the index from account to account. */
async function accountsWithDue(system: System): Promise<number[]> {
  const rows = await system.db.$unscoped<{ id: number }>(
    'the scheduler serves all accounts',
    sql`WITH RECURSIVE live AS (
        (SELECT account_id AS id FROM enrolment WHERE state = 'ACTIVE' AND due_at IS NOT NULL ORDER BY account_id LIMIT 1)
        UNION ALL
        SELECT (SELECT e.account_id FROM enrolment e WHERE e.state = 'ACTIVE' AND e.due_at IS NOT NULL
          AND e.account_id > live.id ORDER BY e.account_id LIMIT 1) FROM live WHERE live.id IS NOT NULL
      )
      SELECT id FROM live WHERE EXISTS (SELECT FROM enrolment e WHERE e.account_id = live.id AND e.state = 'ACTIVE'
        AND e.due_at <= ${system.clock.now()}::timestamptz)`,
  )
  return rows.map(({ id }) => id)
}

/** What a claimed batch of enrolments requires. */
interface Batch {
  /** E-mails to add to the queue. */
  readonly messages: queue.StageMessage[]
  /** Stages that the scheduler runs itself. */
  readonly tasks: StageTask[]
  /** Enrolments that become due again later. */
  readonly postponed: PostponedEnrolment[]
}

interface PostponedEnrolment {
  readonly id: number
  readonly dueAt: Date
  readonly attempts: number
}

/**
 * Claims a batch of the due enrolments of an account: adds their e-mails to the queue, and returns the tasks to run. An
 * enrolment with a task becomes due again later, so that the task is retried if this process dies before it is done.
 */
async function claimDue(ctx: Ctx, freeCalls: number): Promise<{ count: number; tasks: StageTask[] }> {
  return inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const locked = await enrolmentTable.select(
      tx,
      sql`AND e.state = 'ACTIVE' AND e.due_at <= ${now}::timestamptz
        ORDER BY e.due_at, e.id LIMIT ${batchSize}::int FOR NO KEY UPDATE SKIP LOCKED`,
    )
    const due = (await catchUp(tx, locked)).filter(({ dueAt }) => dueAt !== null && dueAt <= now)
    const { messages, tasks, postponed } = await sortBatch(tx, due, freeCalls, now)
    await postpone(tx, postponed)
    await enqueue(tx, due, messages)
    return { count: locked.length, tasks }
  })
}

/** Decides for each due enrolment what its next stage requires. */
async function sortBatch(tx: Ctx, due: readonly Enrolment[], freeCalls: number, now: Date): Promise<Batch> {
  const stages = await Promise.all(due.map(({ sequenceId }) => tx.load(stagesOf, sequenceId)))
  const batch: Batch = { messages: [], tasks: [], postponed: [] }
  let callsLeft = freeCalls
  for (const [index, { id, contactId, sequenceId, nextStageId, attempts }] of due.entries()) {
    const stage = stages[index]?.find((each) => each.id === nextStageId)
    if (!stage) continue
    const message = { enrolmentId: id, stageId: stage.id, sequenceId, contactId, emailId: stage.emailId }
    if (stage.stageType === 'SEND_EMAIL') batch.messages.push(message)
    else if (isRemoteCall(stage) && callsLeft <= 0) {
      batch.postponed.push({ id, dueAt: new Date(now.getTime() + callRetryMs), attempts })
    } else {
      if (isRemoteCall(stage)) callsLeft -= 1
      batch.tasks.push({ ...message, stage, attempts: attempts + 1 })
      batch.postponed.push({ id, dueAt: retryAt(attempts + 1, now), attempts: attempts + 1 })
    }
  }
  return batch
}

async function postpone(tx: Ctx, enrolments: readonly PostponedEnrolment[]): Promise<void> {
  if (enrolments.length === 0) return
  await tx.sql`
    UPDATE enrolment e SET due_at = x."dueAt", attempts = x.attempts
    FROM jsonb_to_recordset(${JSON.stringify(enrolments)}::jsonb) AS x(id int, "dueAt" timestamptz, attempts int)
    WHERE e.account_id = ${tx.sql.account} AND e.id = x.id`
}

/** Adds e-mails to the queue. Enrolments whose message is done already advance; the others wait for their message. */
async function enqueue(tx: Ctx, due: readonly Enrolment[], messages: readonly queue.StageMessage[]): Promise<void> {
  const byId = new Map(due.map((enrolment) => [enrolment.id, enrolment]))
  const { done = [], waiting = [] } = Object.groupBy(await queue.enqueue(tx, messages), ({ isDone }) =>
    isDone ? 'done' : 'waiting',
  )
  await advanceAll(
    tx,
    done.map(({ enrolmentId, stageId }) => ({ before: byId.get(enrolmentId) as Enrolment, stageId })),
  )
  await awaitMessages(
    tx,
    waiting.map(({ enrolmentId }) => enrolmentId),
  )
}

/** Removes the due time of enrolments until their message is done. */
async function awaitMessages(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.sql`UPDATE enrolment SET due_at = NULL WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])`
  // Last, because a worker that claims messages waits for this row until the commit.
  await queueSources.open(tx)
}

/**
 * The statement that makes enrolments due whose message is done, so that the scheduler plans them; mail delivery runs it as
 * part of its own statement. The cast keeps the planner from the partial indexes of active enrolments, whose size it
 * underestimates.
 */
export function continueEnrolments(done: Sql, now: Date): Sql {
  return sql`UPDATE enrolment e SET due_at = ${now}::timestamptz FROM (${done}) d
    WHERE e.account_id = d.account_id AND e.id = d.enrolment_id AND e.state::text = 'ACTIVE' AND e.next_stage_id = d.stage_id`
}

/**
 * The expression that decides whether the message `r` of a stage may be sent; mail delivery evaluates it in its own statement.
 * After a change of a large sequence, a job removes messages from the queue. Until then, those of a deleted stage or of an
 * enrolment that the change ended are skipped, and those of a stage that the change deactivated wait.
 */
export function stageVerdict(): Sql {
  return sql`coalesce((
    SELECT CASE WHEN v.ends THEN 'SKIPPED' WHEN v.ends IS NULL OR g.active THEN 'SENDING' ELSE 'QUEUED' END
    FROM sequence_stage g JOIN enrolment e ON e.account_id = g.account_id AND e.id = r.enrolment_id CROSS JOIN LATERAL (
      SELECT bool_or(v.stages IS NULL) AS ends FROM sequence_revision v
      WHERE v.account_id = e.account_id AND v.sequence_id = e.sequence_id AND v.revision > e.revision) v
    WHERE g.account_id = r.account_id AND g.id = r.stage_id), 'SKIPPED')`
}
