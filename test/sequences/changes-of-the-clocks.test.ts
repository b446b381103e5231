import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { advance } from '../../src/sequences/index.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld, type World, type WorldOptions } from '../support/world.ts'
import { enrolmentRead, stageUpdate } from './documents.ts'

const clock = settableClock(new Date('2027-03-01T00:00:00Z'))
const server = newServer({}, { clock })

/** Returns the world of a new account, with the clock at a time. */
async function newWorldAt(now: string, options: WorldOptions = {}): Promise<World> {
  clock.set(new Date(now))
  return newWorld({ server: await server, ...options })
}

const instant = (text: string) => new Date(text).toISOString()

/** Returns when a stage of an inverted sequence is due before an anchor date. */
async function dueBefore(world: World, anchorDate: string, stage: object): Promise<string | null> {
  const sequence = await world.sequence({ type: 'INVERTED' })
  await world.stage(sequence, { active: true, ...stage })
  const enrolment = await world.subscribe(await world.contact(), sequence, { anchorDate })
  return dueAt(world, enrolment)
}

/** Returns when the first stage of a sequence is due after an enrolment now. */
async function dueAfter(world: World, stage: object): Promise<string | null> {
  const sequence = await world.sequence()
  await world.stage(sequence, { active: true, ...stage })
  return dueAt(world, await world.subscribe(await world.contact(), sequence))
}

const dueAt = async (world: World, enrolment: Named) => (await world.run(enrolmentRead, enrolment)).node.dueAt

describe('days and weeks of a stage keep the local time of the account', () => {
  it('before an anchor date after a change of the clocks, and hours are exact', async () => {
    const world = await newWorldAt('2027-03-01T00:00:00Z')
    const anchor = '2027-03-28T18:00:00+02:00'
    expect(await dueBefore(world, anchor, { timeValue: 1, timeType: 'DAYS' })).toBe(
      instant('2027-03-27T18:00:00+01:00'),
    )
    expect(await dueBefore(world, anchor, { timeValue: 2, timeType: 'WEEKS' })).toBe(
      instant('2027-03-14T18:00:00+01:00'),
    )
    expect(await dueBefore(world, anchor, { timeValue: 24, timeType: 'HOURS' })).toBe(
      instant('2027-03-27T17:00:00+01:00'),
    )
    expect(await dueBefore(world, anchor, { timeValue: 0, timeType: 'DAYS' })).toBe(instant(anchor))
  })

  it('after an enrolment and after a stage', async () => {
    const world = await newWorldAt('2027-10-30T09:00:00+02:00')
    expect(await dueAfter(world, { timeValue: 1, timeType: 'WEEKS' })).toBe(instant('2027-11-06T09:00:00+01:00'))
    expect(await dueAfter(world, { timeValue: 48, timeType: 'HOURS' })).toBe(instant('2027-11-01T08:00:00+01:00'))
    const sequence = await world.sequence()
    const first = await world.stage(sequence, { active: true, timeValue: 0 })
    await world.stage(sequence, { active: true, timeValue: 3, timeType: 'DAYS' })
    const enrolment = await world.subscribe(await world.contact(), sequence)
    const ctx = newCtx({ ...world.server.system, clock }, { accountId: world.accountId })
    expect(await advance(ctx, { enrolmentId: enrolment.databaseId, stageId: first.databaseId })).toBe(true)
    expect(await dueAt(world, enrolment)).toBe(instant('2027-11-02T09:00:00+01:00'))
  })

  it('in the time zone of the account', async () => {
    const world = await newWorldAt('2027-03-01T00:00:00Z', { timezone: 'America/New_York' })
    const day = { timeValue: 1, timeType: 'DAYS' }
    expect(await dueBefore(world, '2027-03-14T18:00:00-04:00', day)).toBe(instant('2027-03-13T18:00:00-05:00'))
    expect(await dueBefore(world, '2027-03-28T18:00:00+02:00', day)).toBe(instant('2027-03-27T17:00:00+01:00'))
  })

  it('a time that does not exist moves on by the change, and one that exists twice is the first', async () => {
    const world = await newWorldAt('2027-03-01T00:00:00Z')
    const day = { timeValue: 1, timeType: 'DAYS' }
    expect(await dueBefore(world, '2027-03-29T02:30:00+02:00', day)).toBe(instant('2027-03-28T03:30:00+02:00'))
    expect(await dueBefore(world, '2027-11-01T02:30:00+01:00', day)).toBe(instant('2027-10-31T02:30:00+02:00'))
    clock.set(new Date('2027-03-27T02:30:00+01:00'))
    expect(await dueAfter(world, day)).toBe(instant('2027-03-28T03:30:00+02:00'))
    clock.set(new Date('2027-10-31T02:30:00+01:00'))
    expect(await dueAfter(world, { timeValue: 0, timeType: 'DAYS' })).toBe(instant('2027-10-31T02:30:00+01:00'))
  })

  it('when a unit of the same length is changed', async () => {
    const world = await newWorldAt('2027-03-01T00:00:00Z')
    const sequence = await world.sequence({ type: 'INVERTED' })
    const stage = await world.stage(sequence, { active: true, timeValue: 24, timeType: 'HOURS' })
    const anchorDate = '2027-03-28T18:00:00+02:00'
    const enrolment = await world.subscribe(await world.contact(), sequence, { anchorDate })
    await world.run(stageUpdate, { input: { id: stage.id, timeValue: 1, timeType: 'DAYS' } })
    expect(await dueAt(world, enrolment)).toBe(instant('2027-03-27T18:00:00+01:00'))
  })
})
