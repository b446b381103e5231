import type { Enrolment, Sequence, SequenceStage } from '../../prisma/generated/client/client.ts'

/** What of a stage decides when it comes. */
export type PlannedStage = Pick<SequenceStage, 'id' | 'step' | 'active' | 'timeValue' | 'timeType'>

/** What of an enrolment decides what comes next. */
export type Progress = Pick<
  Enrolment,
  'enrolledAt' | 'anchorDate' | 'position' | 'doneStageIds' | 'lastDoneAt' | 'nextStageId' | 'dueAt'
>

/** What comes next: a stage at its time; nothing as yet; or nothing any more. */
export type Plan = { readonly nextStageId: number; readonly dueAt: Date } | 'waiting' | 'completed'

/**
 * What comes next in an enrolment: the one place that decides it.
 *
 * Stages come in the order of their steps, each so long after the one before was done, the first after the enrolment;
 * inactive ones are passed over. In an inverted sequence each stage comes so long before the anchor date, whatever its
 * step, and those whose time has passed are left out; without an anchor date it runs like a normal one. Where only
 * inactive stages are left the contact waits for them; where there are none, it is through, unless the sequence is empty.
 */
export function planOf(type: Sequence['type'], stages: readonly PlannedStage[], progress: Progress, now: Date): Plan {
  if (stages.length === 0) return 'waiting'
  const { anchorDate } = progress
  return type === 'INVERTED' && anchorDate ? countdown(stages, progress, anchorDate, now) : oneByOne(stages, progress)
}

function oneByOne(stages: readonly PlannedStage[], progress: Progress): Plan {
  const { position, doneStageIds, lastDoneAt, enrolledAt } = progress
  const left = stages.filter(({ id, step }) => step > position && !doneStageIds.includes(id))
  const next = left.filter(({ active }) => active).toSorted((a, b) => a.step - b.step)[0]
  if (next) return { nextStageId: next.id, dueAt: later(lastDoneAt ?? enrolledAt, delayOf(next)) }
  return left.length > 0 || doneStageIds.length === 0 ? 'waiting' : 'completed'
}

function countdown(stages: readonly PlannedStage[], progress: Progress, anchorDate: Date, now: Date): Plan {
  const left = stages
    .filter(({ id }) => !progress.doneStageIds.includes(id))
    .map((stage) => ({ stage, dueAt: later(anchorDate, -delayOf(stage)) }))
    // What is due this very moment, and only not done yet, has not passed.
    .filter(
      ({ stage, dueAt }) => dueAt >= now || (stage.id === progress.nextStageId && +dueAt === Number(progress.dueAt)),
    )
    .toSorted((a, b) => +a.dueAt - +b.dueAt || a.stage.step - b.stage.step)
  const next = left.find(({ stage }) => stage.active)
  if (next) return { nextStageId: next.stage.id, dueAt: next.dueAt }
  return left.length > 0 ? 'waiting' : 'completed'
}

/** A stage's delay in milliseconds; its unit is kept in seconds. */
function delayOf({ timeValue, timeType }: PlannedStage): number {
  return timeValue * timeType * 1000
}

function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds)
}

/**
 * Where an enrolment stands after a stage was moved from one step to another: as if it had been taken out and put back.
 * A step of 0 is no step: from 0 is a new stage, to 0 a deleted one.
 */
export function movedPosition(position: number, from: number, to: number): number {
  const without = from > 0 && position >= from ? position - 1 : position
  return to > 0 && to <= without ? without + 1 : without
}
