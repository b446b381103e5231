import type { Enrolment, Sequence, SequenceStage } from '../../../prisma/generated/client/client.ts'
import { daysAfter } from '../../kernel/values/local-time.ts'

/** The fields of a stage that decide when it is due. */
export type PlannedStage = Pick<SequenceStage, 'id' | 'step' | 'active' | 'timeValue' | 'timeType'>

/** The fields of an enrolment that decide its next stage. */
export type Progress = Pick<
  Enrolment,
  'enrolledAt' | 'anchorDate' | 'position' | 'doneStageIds' | 'lastDoneAt' | 'nextStageId' | 'dueAt'
>

/** The time at which enrolments are planned, and the time zone of the days and weeks of their stages. */
interface ZonedTime {
  readonly now: Date
  readonly zone: string
}

/** The next stage and its due time; `waiting` if no stage is due yet; `completed` if no stage is left. */
export type Plan = { readonly nextStageId: number; readonly dueAt: Date } | 'waiting' | 'completed'

/**
 * Computes the next stage of an enrolment. No other code decides this.
 *
 * In a normal sequence, active stages run in the order of their steps. Each is due its delay after the previous one was
 * done, the first after the enrolment. In an inverted sequence, each stage is due its delay before the anchor date, whatever
 * its step, and stages whose time has passed are skipped; without an anchor date it runs like a normal one. If only inactive
 * stages are left, the enrolment waits for them. If no stages are left, it is completed, unless the sequence is empty.
 *
 * A delay in days or weeks keeps the local time of the zone over a change of the clocks, as people count days. Hours are exact.
 */
export function planOf(
  type: Sequence['type'],
  stages: readonly PlannedStage[],
  progress: Progress,
  { now, zone }: ZonedTime,
): Plan {
  if (stages.length === 0) return 'waiting'
  const { anchorDate } = progress
  return type === 'INVERTED' && anchorDate
    ? planInverted(stages, progress, anchorDate, { now, zone })
    : planNormal(stages, progress, zone)
}

/** A change of a sequence for which its active enrolments are planned. */
export interface Revision {
  readonly type: Sequence['type']
  /** The stages after the change. Null if the change ended the enrolments. */
  readonly stages: readonly PlannedStage[] | null
  /** The old and the new step of the stage that moved; 0 means none. */
  readonly movedFrom: number
  readonly movedTo: number
  /** The stages that were deleted or deactivated. */
  readonly closedStageIds: readonly number[]
  /** Time of the change, at which enrolments are planned. */
  readonly createdAt: Date
}

/** An active enrolment while it is planned for changes of its sequence. */
export interface Replan {
  readonly progress: Progress
  /** The message of the next stage, if it is in the queue or was sent. */
  readonly message: { readonly isDone: boolean } | undefined
  /** How and when the enrolment ended. */
  readonly over?: { readonly state: 'COMPLETED' | 'ENDED'; readonly at: Date }
}

/**
 * Plans an active enrolment for a change of its sequence, as at the time of the change. If the next stage stays the same and has
 * a message, the due time stays: it is null until the message is done.
 */
export function replanned({ progress, message, over }: Replan, revision: Revision, zone: string): Replan {
  const { type, stages, movedFrom, movedTo, createdAt: at } = revision
  if (over) return { progress, message, over }
  if (!stages) return { progress, message, over: { state: 'ENDED', at } }
  const moved = { ...progress, position: movedPosition(progress.position, movedFrom, movedTo) }
  const plan = planOf(type, stages, moved, { now: at, zone })
  if (plan === 'completed') return { progress: moved, message, over: { state: 'COMPLETED', at } }
  const next = plan === 'waiting' ? { nextStageId: null, dueAt: null } : plan
  if (!message || next.nextStageId !== progress.nextStageId)
    return { progress: { ...moved, ...next }, message: undefined }
  return { progress: { ...moved, dueAt: progress.dueAt ?? (message.isDone ? at : null) }, message }
}

function planNormal(stages: readonly PlannedStage[], progress: Progress, zone: string): Plan {
  const { position, doneStageIds, lastDoneAt, enrolledAt } = progress
  const left = stages.filter(({ id, step }) => step > position && !doneStageIds.includes(id))
  const next = left.filter(({ active }) => active).toSorted((a, b) => a.step - b.step)[0]
  if (next) return { nextStageId: next.id, dueAt: delayed(lastDoneAt ?? enrolledAt, next, 1, zone) }
  return left.length > 0 || doneStageIds.length === 0 ? 'waiting' : 'completed'
}

function planInverted(
  stages: readonly PlannedStage[],
  progress: Progress,
  anchorDate: Date,
  { now, zone }: ZonedTime,
): Plan {
  const left = stages
    .filter(({ id }) => !progress.doneStageIds.includes(id))
    .map((stage) => ({ stage, dueAt: delayed(anchorDate, stage, -1, zone) }))
    // The stage that is planned next stays planned while it waits to run, although its time has passed.
    .filter(
      ({ stage, dueAt }) => dueAt >= now || (stage.id === progress.nextStageId && +dueAt === Number(progress.dueAt)),
    )
    .toSorted((a, b) => +a.dueAt - +b.dueAt || a.stage.step - b.stage.step)
  const next = left.find(({ stage }) => stage.active)
  if (next) return { nextStageId: next.stage.id, dueAt: next.dueAt }
  return left.length > 0 ? 'waiting' : 'completed'
}

const secondsPerDay = 86_400

/** Returns the time a stage's delay after another one, or before it. `timeType` is the length of the unit in seconds. */
function delayed(time: Date, { timeValue, timeType }: PlannedStage, direction: 1 | -1, zone: string): Date {
  const delay = direction * timeValue * timeType
  return timeType < secondsPerDay
    ? new Date(time.getTime() + delay * 1000)
    : daysAfter(time, delay / secondsPerDay, zone)
}

/**
 * The position of an enrolment after a stage moved from one step to another, as if the stage were removed and inserted
 * again. Step 0 means none: a new stage moves from 0, a deleted one to 0.
 */
export function movedPosition(position: number, from: number, to: number): number {
  const without = from > 0 && position >= from ? position - 1 : position
  return to > 0 && to <= without ? without + 1 : without
}
