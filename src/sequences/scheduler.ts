import { type Ctx, newCtx, type System } from '../db/context.ts'
import { type Sql, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { queue, queueSources } from '../mail/index.ts'
import { type Acts, doAct, isCall, retryAt, type Task } from './acts.ts'
import { advanceAll, enrolmentColumns, type Held, stagesOf } from './progress.ts'

/** How many enrolments are taken on in one transaction. */
const batch = 500

/** How many actions of one account run at a time. */
const atOnce = 4

/** How many calls to other servers one process has open at a time, and how soon what found no room is tried again. */
const mostCalls = 20
const callAgain = 2_000

/** What one turn of the clock has done. */
interface Turn {
  readonly taken: number
  readonly tasks: Task[]
}

/** The sequences' clock of a process. */
export interface SequenceClock {
  /** Does a batch of what is due in each account; answers whether there was anything: what comes next may be due as well. */
  run(): Promise<boolean>
  /** Lets calls that are open come to their end. */
  stop(): Promise<void>
}

/**
 * Does what is due in the sequences of all accounts, a batch of each in turn; any number of processes may. Messages go into
 * the queue, one per enrolment and stage; their stage is done when they are. Actions are done one by one, and calls to
 * other servers beside everything else. With `only`, it serves that account alone.
 */
export function newSequenceClock(system: System, acts: Acts, only?: number): SequenceClock {
  const calls = new Set<Promise<void>>()
  const perform = async (ctx: Ctx, task: Task) => {
    await doAct(ctx, task, acts).catch((error: unknown) =>
      system.log.error({ err: error, enrolment: task.enrolmentId }, 'a stage of a sequence failed; it is tried again'),
    )
  }
  const call = (ctx: Ctx, task: Task) => {
    const running = perform(ctx, task).finally(() => calls.delete(running))
    calls.add(running)
  }
  const serve = async (accountId: number): Promise<boolean> => {
    const ctx = newCtx(system, { accountId })
    const { taken, tasks } = await takeOn(ctx, mostCalls - calls.size)
    for (const task of tasks) if (isCall(task.stage)) call(ctx, task)
    const own = tasks.filter(({ stage }) => !isCall(stage))
    while (own.length > 0)
      await Promise.all(own.splice(0, atOnce).map((task) => perform(newCtx(system, { accountId }), task)))
    return taken > 0
  }
  return {
    run: async () => {
      let isMore = false
      for (const accountId of only === undefined ? await accountsWithDue(system) : [only]) {
        try {
          if (await serve(accountId)) isMore = true
        } catch (error) {
          system.log.error({ err: error, account: accountId }, 'what is due in the sequences of an account failed')
        }
      }
      return isMore
    },
    stop: async () => {
      await Promise.all(calls)
    },
  }
}

/** Skips from account to account along the index, however many enrolments each has. */
async function accountsWithDue(system: System): Promise<number[]> {
  const rows = await system.db.$unscoped<{ id: number }>(
    'the clock serves all accounts',
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

/**
 * Takes on a batch of what is due in an account. What is to be done beside the queue is answered, and due again a while
 * later, in case that this process ends before it is done.
 */
async function takeOn(ctx: Ctx, roomForCalls: number): Promise<Turn> {
  return inTransaction(ctx, async (tx) => {
    const now = tx.clock.now()
    const held = await tx.sql<Held>`
      SELECT ${enrolmentColumns}, s.type FROM enrolment e JOIN sequence s ON s.account_id = e.account_id AND s.id = e.sequence_id
      WHERE e.account_id = ${tx.sql.account} AND e.state = 'ACTIVE' AND e.due_at <= ${now}::timestamptz
      ORDER BY e.due_at, e.id LIMIT ${batch}::int FOR NO KEY UPDATE OF e SKIP LOCKED`
    const all = await Promise.all(
      held.map(async (before) => {
        const stages = await tx.load(stagesOf, before.sequenceId)
        return { before, stage: stages.find(({ id }) => id === before.nextStageId) }
      }),
    )
    const messages: queue.StageMessage[] = []
    const tasks: Task[] = []
    const later: Due[] = []
    let room = roomForCalls
    for (const { before, stage } of all) {
      const { id, contactId, sequenceId, attempts } = before
      if (!stage) continue
      const message = { enrolmentId: id, stageId: stage.id, sequenceId, contactId, emailId: stage.emailId }
      if (stage.stageType === 'SEND_EMAIL') messages.push(message)
      else if (isCall(stage) && room <= 0) later.push({ id, dueAt: new Date(now.getTime() + callAgain), attempts })
      else {
        if (isCall(stage)) room -= 1
        tasks.push({ ...message, stage, attempts: attempts + 1 })
        later.push({ id, dueAt: retryAt(attempts + 1, now), attempts: attempts + 1 })
      }
    }
    await postpone(tx, later)
    const queued = await queue.enqueue(tx, messages)
    const byId = new Map(held.map((before) => [before.id, before]))
    const done = queued.filter(({ isDone }) => isDone)
    await advanceAll(
      tx,
      done.map(({ enrolmentId, stageId }) => ({ before: byId.get(enrolmentId) as Held, stageId })),
    )
    await awaitMessages(
      tx,
      queued.filter(({ isDone }) => !isDone).map(({ enrolmentId }) => enrolmentId),
    )
    return { taken: held.length, tasks }
  })
}

interface Due {
  readonly id: number
  readonly dueAt: Date
  readonly attempts: number
}

async function postpone(tx: Ctx, all: readonly Due[]): Promise<void> {
  if (all.length === 0) return
  await tx.sql`
    UPDATE enrolment e SET due_at = x."dueAt", attempts = x.attempts
    FROM jsonb_to_recordset(${JSON.stringify(all)}::jsonb) AS x(id int, "dueAt" timestamptz, attempts int)
    WHERE e.account_id = ${tx.sql.account} AND e.id = x.id`
}

/** Lets enrolments wait for their messages. The source comes last: whoever claims from it waits for the commit. */
async function awaitMessages(tx: Ctx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.sql`UPDATE enrolment SET due_at = NULL WHERE account_id = ${tx.sql.account} AND id = ANY(${ids}::int[])`
  await queueSources.open(tx)
}

/**
 * The part of the mail room's statement that lets enrolments go on whose message is done with: the clock plans them. The
 * cast keeps the planner from the indexes of live enrolments, which it may take to hold few.
 */
export function goOn(done: Sql, now: Date): Sql {
  return sql`UPDATE enrolment e SET due_at = ${now}::timestamptz FROM (${done}) d
    WHERE e.account_id = d.account_id AND e.id = d.enrolment_id AND e.state::text = 'ACTIVE' AND e.next_stage_id = d.stage_id`
}
