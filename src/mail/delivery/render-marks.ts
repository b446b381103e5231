import type { System } from '../../db/context.ts'
import { sql } from '../../db/sql.ts'
import type { EmailRow } from '../messages/email-templates.ts'
import type { RenderWatch } from '../messages/messages.ts'

/**
 * Size of a body from which an e-mail is marked while it is rendered, in bytes. The messages of a smaller one cannot take much
 * memory or time, and a mark takes two statements.
 */
const markedBytes = 20_000

/** Age of a lease from which its worker may have ended, in seconds. A live worker renews it more often. */
const overdueSeconds = 8

/** Marks of the large e-mails that a worker renders, stored with its lease before their bodies are loaded. */
export interface RenderMarks {
  /** Returns the watch of one batch of messages of an account. */
  watch(accountId: number): RenderWatch
}

/**
 * If a process ends while it renders, its marks remain, and are counted when its lease expires (`countEndedRenderings`). Until
 * then no worker renders the e-mails, because a process that is started again would end again. E-mails that were rendered when
 * a process ended are rendered one after another, so that the next end shows which one is the cause.
 */
export function newRenderMarks(system: System, workerId: () => number): RenderMarks {
  const marked = new Map<object, readonly { accountId: number; emailId: number }[]>()
  const store = latestOnly(async () => {
    const rendering = JSON.stringify([...marked.values()].flat())
    const rows = await system.db.$unscoped(
      'a worker serves all accounts',
      sql`UPDATE mail_worker SET rendering = ${rendering}::jsonb WHERE id = ${workerId()} RETURNING id`,
    )
    // Without a lease, the end of this process would not be noticed.
    if (rows.length === 0 && marked.size > 0) throw new Error('The lease of this worker has expired.')
  })
  const lock = newLock()
  return {
    watch: (accountId) => {
      const batch = {}
      let unlock: (() => void) | undefined
      return {
        begin: async (emails) => {
          const large = emails.filter(({ bytes }) => bytes >= markedBytes)
          if (large.length === 0) return new Set()
          const undecided = await findUndecided(system, workerId(), accountId, large)
          const mine = large.filter(({ id }) => !undecided.has(id))
          if (mine.some(({ isSuspect }) => isSuspect)) unlock = await lock()
          marked.set(
            batch,
            mine.map(({ id }) => ({ accountId, emailId: id })),
          )
          await store()
          return undecided
        },
        end: () => {
          unlock?.()
          unlock = undefined
          if (!marked.delete(batch)) return
          store().catch((error: unknown) => system.log.warn({ err: error }, 'a mark could not be removed'))
        },
      }
    },
  }
}

/** Returns those of the e-mails that a worker rendered of which is not known whether it has ended. */
async function findUndecided(
  system: System,
  workerId: number,
  accountId: number,
  emails: readonly EmailRow[],
): Promise<ReadonlySet<number>> {
  const rows = await system.db.$unscoped<{ id: number }>(
    'a worker serves all accounts',
    sql`SELECT DISTINCT x."emailId" AS id
      FROM mail_worker w, jsonb_to_recordset(w.rendering) AS x("accountId" int, "emailId" int)
      WHERE w.id <> ${workerId} AND x."accountId" = ${accountId}::int AND x."emailId" = ANY(${emails.map(({ id }) => id)}::int[])
        AND w.seen_at < greatest(now() - make_interval(secs => ${overdueSeconds}),
          (SELECT o.started_at FROM mail_worker o WHERE o.id = ${workerId}))`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Runs work so that each call resolves after a run that began after it. Calls during a run share the next one. */
function latestOnly(work: () => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve()
  let next: Promise<void> | undefined
  return () => {
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined
        current = work()
        return current
      })
    return next
  }
}

/** Returns a function that waits for its turn and resolves to the function that ends it. */
function newLock(): () => Promise<() => void> {
  let last: Promise<void> = Promise.resolve()
  return async () => {
    const turn = last
    const { promise, resolve } = Promise.withResolvers<void>()
    last = promise
    await turn
    return resolve
  }
}
