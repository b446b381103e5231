import { expect, it } from 'vitest'
import { checkFigures, type Drift, type SkippedFigure } from '../../src/figures/check.ts'
import { newFigureJobs } from '../../src/figures/jobs.ts'
import { newMetrics } from '../../src/kernel/telemetry/metrics.ts'
import { VisitRecord } from '../funnels/documents.ts'
import { unsubscribe } from '../sequences/documents.ts'
import { newBlocker } from '../support/blocker.ts'
import { newWorld, type World } from '../support/world.ts'

/** Returns what was found in the account. Other tests have injected differences into others. */
const own = <Each extends { accountId: number }>(found: readonly Each[], accountId: number) =>
  found.filter((each) => each.accountId === accountId)

/** Runs the check, and a change after each batch of rows that it reads. */
async function checkBeside(
  { server: { system }, accountId }: World,
  change: (batch: number) => Promise<unknown>,
): Promise<{ drifts: Drift[]; skipped: SkippedFigure[] }> {
  let batch = 0
  const start = () => {
    const work = system.pacing.start()
    const part = async <Result>(run: () => Promise<Result>) => {
      const result = await work.part(run)
      batch += 1
      await change(batch)
      return result
    }
    return { ...work, part }
  }
  const skipped: SkippedFigure[] = []
  const drifts = await checkFigures({ ...system, pacing: { ...system.pacing, start } }, (each) => skipped.push(each))
  return { drifts: own(drifts, accountId), skipped: own(skipped, accountId) }
}

const tagAdd = 'mutation ($input: ContactTagAddInput!) { contactTagAdd(input: $input) { tagId } }'
const tagRemove = 'mutation ($input: ContactTagRemoveInput!) { contactTagRemove(input: $input) { tagId } }'

const yesterday = new Date(Date.now() - 24 * 3_600_000).toISOString()

/** Adds to the revenue of yesterday without an order. */
const addRevenue = (world: World, value: number) =>
  world.rows(
    `INSERT INTO figure_delta (account_id, figure, object, currency, at, value) VALUES ($1, 'REVENUE', '', 'EUR', $2, $3)`,
    [world.accountId, yesterday, value],
  )

it('finds no difference in states that change after each batch of rows', async () => {
  const world = await newWorld()
  const [sequence, tag] = [await world.sequence(), await world.tag()]
  await world.stage(sequence, { active: true, timeValue: 9 })
  const contacts: { id: string }[] = []
  for (let n = 0; n < 30; n += 1) {
    const contact = await world.contact()
    await world.run(tagAdd, { input: { contact: { id: contact.id }, tagId: tag.id } })
    await world.subscribe(contact, sequence)
    contacts.push(contact)
  }
  const change = async () => {
    const contact = contacts.pop()
    if (!contact) throw new Error('All contacts were changed.')
    await world.run(tagRemove, { input: { contact: { id: contact.id }, tagId: tag.id } })
    await world.run(unsubscribe, { contact: { id: contact.id }, sequenceId: sequence.id })
  }
  expect(await checkBeside(world, change)).toEqual({ drifts: [], skipped: [] })
  expect(contacts.length).toBeLessThan(28)
})

it('reports the present difference of a state of each object', async () => {
  const world = await newWorld()
  const [first, second] = [await world.sequence(), await world.sequence()]
  for (const sequence of [first, second]) await world.stage(sequence, { active: true, timeValue: 9 })
  const contact = await world.contact()
  for (const sequence of [first, second]) await world.subscribe(contact, sequence)
  await world.rows(
    `INSERT INTO figure_part_delta (account_id, figure, object, part, at, value)
     VALUES ($1, 'ENROLMENTS', $2, 'COMPLETED:', 'epoch', 2)`,
    [world.accountId, `Sequence:${second.databaseId}`],
  )
  const { drifts, skipped } = await checkBeside(world, async () => undefined)
  const object = `Sequence:${second.databaseId}`
  expect(drifts).toMatchObject([{ figure: 'ENROLMENTS', object, rows: '0', figures: '2' }])
  expect(skipped).toEqual([])
})

it('reports a difference of a past day when it stays the same, and skips figures that change all the time', async () => {
  const world = await newWorld()
  await world.order({ status: 'COMPLETED', createdAt: yesterday })
  await world.other()
  const changing = await checkBeside(world, (batch) => addRevenue(world, batch))
  expect(changing).toEqual({
    drifts: [],
    skipped: [{ accountId: world.accountId, figure: 'order', object: '' }],
  })
  const [sum] = await world.rows<{ value: string }>(
    `SELECT sum(value)::text AS value FROM figure_delta WHERE account_id = $1 AND figure = 'REVENUE'`,
    [world.accountId],
  )
  let isFirst = true
  const { drifts, skipped } = await checkBeside(world, async () => {
    if (isFirst) await addRevenue(world, 1)
    isFirst = false
  })
  expect(drifts).toMatchObject([{ figure: 'REVENUE', figures: String(Number(sum?.value) + 1) }])
  expect(skipped).toEqual([])
})

it('skips a funnel whose visitors it cannot compare in 5 seconds, and reports that', { timeout: 30_000 }, async () => {
  const world = await newWorld({ subdomain: 'slow' })
  const funnel = await world.funnel()
  const step = await world.step(funnel)
  await world.run(VisitRecord, { input: { stepId: step.id, visitorId: 'v' } })
  const blocker = await newBlocker(world)
  await blocker.query('LOCK TABLE step_visitor IN ACCESS EXCLUSIVE MODE')
  const logged: SkippedFigure[] = []
  const { system } = world.server
  const log = { ...system.log, warn: (each: SkippedFigure) => logged.push(each) }
  const metrics = newMetrics()
  await newFigureJobs(metrics)['figures:check']?.({ ...system, log: log as never }, undefined as never)
  const skipped = { accountId: world.accountId, figure: 'step_visitor', object: `Funnel:${funnel.databaseId}` }
  expect(own(logged, world.accountId)).toEqual([skipped, skipped])
  expect(await metrics.text()).toContain('campanile_figure_skipped{figure="step_visitor"} 2')
})
