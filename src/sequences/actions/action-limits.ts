import type { Ctx } from '../../db/context.ts'
import { type Sql, sql } from '../../db/sql.ts'
import { PermanentError } from '../ports.ts'
import type { StageAction } from './stage-action.ts'

/** Least time from an enrolment of a contact in a sequence to the next one by a stage, in minutes. */
const intervalMinutes = 10

/** Maximum number of actions and SMS messages of all sequences for a contact in an hour. */
const maxActions = 100

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Why something was held back, and how often in this process. */
const heldBack = { enrolment_interval: 0, actions_per_hour: 0 }

const messages: Readonly<Record<keyof typeof heldBack, string>> = {
  enrolment_interval: `The contact was enrolled in the sequence less than ${intervalMinutes} minutes before.`,
  actions_per_hour: `The limit of ${maxActions} automated actions per contact and hour was reached.`,
}

/** An action was not done, so that sequences that start one another do not run without end. It is not done later. */
class HeldBackAction extends PermanentError {
  override name = 'HeldBackAction'
}

/** Returns how often actions were held back in this process, by reason. */
export function readHeldBack(): readonly { labels: { reason: string }; value: number }[] {
  return Object.entries(heldBack).map(([reason, value]) => ({ labels: { reason }, value }))
}

function holdBack(reason: keyof typeof heldBack): HeldBackAction {
  heldBack[reason] += 1
  return new HeldBackAction(messages[reason])
}

/**
 * Throws a permanent error if the sequences did too much for a contact in the last hour. An action that only ends something is
 * never held back. If the row of the contact is not locked, actions that run at the same time may exceed the limit by their
 * number.
 */
export async function mayAct(ctx: Ctx, contactId: number, action: StageAction | null): Promise<void> {
  if (action?.kind === 'UNSUBSCRIBE' || action?.kind === 'UNENROL') return
  const start = hourBefore(ctx)
  // Each part has an index. The enrolments of a contact can be many.
  const [done] = await ctx.sql<{ actions: number }>`
    SELECT coalesce(sum(g.actions), 0)::int AS actions FROM (
      SELECT e.actions, e.actions_since FROM enrolment e
      WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = ${contactId} AND e.state = 'ACTIVE'
      UNION ALL SELECT e.actions, e.actions_since FROM enrolment e
      WHERE e.account_id = ${ctx.sql.account} AND e.contact_id = ${contactId} AND e.ended_at > ${start}::timestamptz) g
    WHERE g.actions_since > ${start}::timestamptz`
  if ((done?.actions ?? 0) >= maxActions) throw holdBack('actions_per_hour')
}

/** The change of an enrolment whose stage was tried: it is one action more in its hour. For UPDATE … SET. */
export function countingAction(ctx: Ctx): Sql {
  const isSameHour = sql`actions_since > ${hourBefore(ctx)}::timestamptz`
  return sql`actions = CASE WHEN ${isSameHour} THEN least(actions + 1, ${2 * maxActions}::int) ELSE 1 END,
    actions_since = CASE WHEN ${isSameHour} THEN actions_since ELSE ${ctx.clock.now()}::timestamptz END`
}

/** Throws a permanent error if a contact was enrolled in a sequence in the last ten minutes, and its enrolment is over. */
export async function mayEnrolAgain(tx: Ctx, contactId: number, sequenceId: number): Promise<void> {
  const start = new Date(tx.clock.now().getTime() - intervalMinutes * minuteMs)
  const recent = await tx.sql`
    SELECT FROM enrolment e
    WHERE e.account_id = ${tx.sql.account} AND e.contact_id = ${contactId} AND e.enrolled_at > ${start}::timestamptz
      AND e.sequence_id = ${sequenceId}
    GROUP BY e.sequence_id HAVING bool_and(e.state <> 'ACTIVE')`
  if (recent.length > 0) throw holdBack('enrolment_interval')
}

function hourBefore({ clock }: Ctx): Date {
  return new Date(clock.now().getTime() - hourMs)
}
