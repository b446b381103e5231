// @module-tag rows
import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { compactFigures } from '../../src/figures/compaction.ts'
import { settableClock } from '../../src/kernel/clock.ts'
import { importCsv } from '../contacts/imports.ts'
import { VisitRecord } from '../funnels/documents.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { newSegment, seriesOf, seriesOfNode } from './documents.ts'

const mutation = (name: string, field: string) =>
  `mutation ($input: ${name.replace(/^./, (letter) => letter.toUpperCase())}Input!) { ${name}(input: $input) { ${field} } }`
const [tagAdd, tagRemove] = [mutation('contactTagAdd', 'tagId'), mutation('contactTagRemove', 'tagId')]
const range = { range: { from: '2026-10-01', to: '2026-10-04' } }

/** Returns the values of a figure of an object on the days of the range. */
async function daysOf(world: World, object: readonly [string, { id: string }], figure: string): Promise<number[]> {
  return (await seriesOfNode(world, object, figure, range)).points.map(({ value }) => Number(value))
}

/** Returns an account whose clock can be set. */
async function newMonth(settings: Record<string, string> = {}) {
  const clock = settableClock(new Date('2026-10-01T09:00:00Z'))
  const world = await newWorld({ server: await newServer(settings, { clock }) })
  return { world, setDay: (day: number) => clock.set(new Date(Date.UTC(2026, 9, day, 9))) }
}

describe('the contacts of a tag over time', () => {
  it('are those that have the tag at the end of each day', async () => {
    const { world, setDay } = await newMonth()
    const tag = await world.tag('vip')
    const [one, two, three, four] = [
      await world.contact(),
      await world.contact(),
      await world.contact(),
      await world.contact(),
    ]
    const link = (contact: { id: string }) => ({ input: { contact: { id: contact.id }, tagId: tag.id } })
    for (const contact of [one, two, three, four]) await world.run(tagAdd, link(contact))
    await world.run(tagAdd, link(one))
    setDay(2)
    await world.run(tagRemove, link(one))
    await world.run(tagRemove, link(one))
    await compactFigures(world.server.system)
    setDay(3)
    await world.run(mutation('contactDelete', 'deleted'), { input: { contact: { id: two.id } } })
    setDay(4)
    const merge = { contact: { id: three.id }, into: { id: four.id } }
    await world.run(mutation('contactMerge', 'contact { id }'), { input: merge })
    expect(await daysOf(world, ['Tag', tag], 'TAG_CONTACTS')).toEqual([4, 3, 2, 1])
    const { contactsCount } = (await world.run('query ($id: ID!) { tag(id: $id) { contactsCount } }', tag)).tag
    expect(contactsCount).toBe(1)
    setDay(5)
    expect(await checkFigures(world.server.system)).toEqual([])
  })

  it('include those of imports', async () => {
    const { world, setDay } = await newMonth({ ROLES: 'api,worker' })
    const tag = await world.tag('vip')
    await importCsv(world, 'email,tags\na@example.com,vip\nb@example.com,vip\n', { fileName: 'people.csv' })
    expect(await daysOf(world, ['Tag', tag], 'TAG_CONTACTS')).toEqual([2, 2, 2, 2])
    setDay(2)
    await world.run(tagAdd, { input: { contact: { id: (await world.contact()).id }, tagId: tag.id } })
    expect(await daysOf(world, ['Tag', tag], 'TAG_CONTACTS')).toEqual([2, 3, 3, 3])
    setDay(5)
    expect(await checkFigures(world.server.system)).toEqual([])
  })
})

describe('the contacts of a segment over time', () => {
  it('are counted after its creation, after a change of its filter, and daily', async () => {
    const { world, setDay } = await newMonth({ ROLES: 'api,worker' })
    const { system } = world.server
    for (const firstName of ['Ada', 'Ada', 'Grace']) await world.contact({ firstName })
    const segment = await newSegment(world)
    const read = () => daysOf(world, ['Segment', segment], 'SEGMENT_CONTACTS')
    await until(async () => (await read()).every((value) => value === 2))
    setDay(2)
    await world.contact({ firstName: 'Ada' })
    await world.rows("SELECT graphile_worker.add_job('segments:measure-all')")
    await until(async () => (await read()).join() === '2,3,3,3')
    await compactFigures(system)
    setDay(3)
    await world.run(mutation('segmentUpdate', 'segment { id }'), {
      input: { id: segment.id, filter: { firstName: { eq: 'Grace' } } },
    })
    await until(async () => (await read()).join() === '2,3,1,1')
    setDay(5)
    expect(await checkFigures(system)).toEqual([])
  })
})

describe('the figures of an account', () => {
  it('are the sums over its forms and funnels, including those that were deleted', async () => {
    const { world } = await newMonth()
    const [form, other, funnel] = [await world.form(), await world.form(), await world.funnel()]
    const step = await world.step(funnel)
    for (const each of [form, other]) await world.submission(each as never, { complete: each === form, answers: [] })
    for (const isBot of [false, false, true])
      await world.run(VisitRecord, { input: { stepId: step.id, visitorId: 'visitor', isBot } })
    await world.run(mutation('funnelDelete', 'deletedFunnelId'), { input: { id: funnel.id } })
    const total = async (figure: string) => (await seriesOf(world, figure, range)).total
    expect(await total('SUBMISSIONS_STARTED')).toBe('2')
    expect(await total('SUBMISSIONS_COMPLETED')).toBe('1')
    expect(await total('VISITS')).toBe('2')
  })
})
