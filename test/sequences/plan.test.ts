import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { movedPosition, type PlannedStage, type Progress, planOf } from '../../src/sequences/planning/plan.ts'

const day = 86_400
const start = new Date('2026-03-01T10:00:00Z')
const at = (days: number) => new Date(start.getTime() + days * day * 1000)

/** Stages ordered by step, with their delays in days. A negative number is an inactive stage. */
function stagesOf(...days: number[]): PlannedStage[] {
  return days.map((value, index) => ({
    id: 101 + index,
    step: index + 1,
    active: value >= 0,
    timeValue: Math.abs(value),
    timeType: day,
  }))
}

function progress(more: Partial<Progress> = {}): Progress {
  const none = { position: 0, doneStageIds: [], lastDoneAt: null, nextStageId: null, dueAt: null, anchorDate: null }
  return { enrolledAt: start, ...none, ...more }
}

describe('the plan of a normal sequence', () => {
  const plan = (stages: PlannedStage[], more?: Partial<Progress>) =>
    planOf('NORMAL', stages, progress(more), { now: start, zone: 'UTC' })

  it('counts the first stage from the enrolment and each other from the previous one', () => {
    expect(plan(stagesOf(1, 2))).toEqual({ nextStageId: 101, dueAt: at(1) })
    const done = { position: 1, doneStageIds: [101], lastDoneAt: at(5) }
    expect(plan(stagesOf(1, 2), done)).toEqual({ nextStageId: 102, dueAt: at(7) })
  })

  it('supports a delay of 0, hours and weeks', () => {
    expect(plan(stagesOf(0))).toEqual({ nextStageId: 101, dueAt: start })
    const [stage] = stagesOf(3) as [PlannedStage]
    expect(plan([{ ...stage, timeType: 3_600 }])).toEqual({ nextStageId: 101, dueAt: at(3 / 24) })
    expect(plan([{ ...stage, timeType: 604_800 }])).toEqual({ nextStageId: 101, dueAt: at(21) })
  })

  it('skips inactive stages with their delay', () => {
    expect(plan(stagesOf(-9, 2))).toEqual({ nextStageId: 102, dueAt: at(2) })
  })

  it('waits if only inactive stages are left or the sequence is empty', () => {
    expect(plan(stagesOf(-1, -2))).toBe('waiting')
    expect(plan(stagesOf(1, -2), { position: 1, doneStageIds: [101], lastDoneAt: at(1) })).toBe('waiting')
    expect(plan([])).toBe('waiting')
    expect(plan([], { position: 3, doneStageIds: [1], lastDoneAt: at(1) })).toBe('waiting')
  })

  it('is completed if no stages are left', () => {
    expect(plan(stagesOf(1), { position: 1, doneStageIds: [101], lastDoneAt: at(1) })).toBe('completed')
  })

  it('never repeats a stage that was moved', () => {
    expect(plan(stagesOf(1, 2), { position: 0, doneStageIds: [101], lastDoneAt: at(1) })).toMatchObject({
      nextStageId: 102,
    })
    expect(plan(stagesOf(1, 2), { position: 1, doneStageIds: [102], lastDoneAt: at(1) })).toBe('completed')
  })
})

describe('the plan of an inverted sequence', () => {
  const anchorDate = at(10)
  const plan = (stages: PlannedStage[], more: Partial<Progress> = {}, now = start) =>
    planOf('INVERTED', stages, progress({ anchorDate, ...more }), { now, zone: 'UTC' })

  it('counts each stage back from the anchor date, the earliest first, whatever its step', () => {
    expect(plan(stagesOf(7, 3, 1))).toEqual({ nextStageId: 101, dueAt: at(3) })
    expect(plan(stagesOf(1, 3, 7))).toEqual({ nextStageId: 103, dueAt: at(3) })
    const done = { doneStageIds: [103], position: 3, lastDoneAt: at(3) }
    expect(plan(stagesOf(1, 3, 7), done, at(3))).toEqual({ nextStageId: 102, dueAt: at(7) })
  })

  it('skips past stages, and is completed if all are in the past', () => {
    expect(plan(stagesOf(11, 3))).toEqual({ nextStageId: 102, dueAt: at(7) })
    expect(plan(stagesOf(11, 12))).toBe('completed')
    expect(plan(stagesOf(0), {}, at(10))).toEqual({ nextStageId: 101, dueAt: at(10) })
  })

  it('keeps the next stage while it is due and not done', () => {
    const planned = { nextStageId: 101, dueAt: at(3) }
    expect(plan(stagesOf(7, 3), planned, at(4))).toEqual(planned)
    expect(plan(stagesOf(8, 3), planned, at(4))).toEqual({ nextStageId: 102, dueAt: at(7) })
  })

  it('waits for inactive stages in the future, not for past ones', () => {
    expect(plan(stagesOf(-3))).toBe('waiting')
    expect(plan(stagesOf(-11))).toBe('completed')
  })

  it('runs like a normal one without an anchor date', () => {
    expect(plan(stagesOf(2), { anchorDate: null })).toEqual({ nextStageId: 101, dueAt: at(2) })
  })
})

describe('movedPosition', () => {
  it('equals removing and inserting the stage', () => {
    const step = fc.integer({ min: 1, max: 8 })
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8 }), step, step, (position, from, to) => {
        const steps = Array.from({ length: 8 }, (_, index) => index + 1)
        // A marker follows the last passed step, and stays there while a step is removed and inserted.
        const marked = [...steps.slice(0, position), 0, ...steps.slice(position)]
        const rest = marked.filter((each) => each !== from)
        const order = rest.filter((each) => each !== 0)
        order.splice(to - 1, 0, from)
        const passed = rest.slice(0, rest.indexOf(0))
        const expected = passed.length + (to <= passed.length ? 1 : 0)
        expect(movedPosition(position, from, to)).toBe(expected)
        // No later stage is lost, except the moved one.
        const ahead = order.slice(movedPosition(position, from, to))
        expect(steps.slice(position).every((each) => each === from || ahead.includes(each))).toBe(true)
      }),
    )
  })

  it('decreases if an earlier stage is deleted, and stays for a new stage at the end', () => {
    expect([0, 1, 2, 3].map((position) => movedPosition(position, 2, 0))).toEqual([0, 1, 1, 2])
    expect([0, 1, 2, 3].map((position) => movedPosition(position, 0, 4))).toEqual([0, 1, 2, 3])
  })
})
