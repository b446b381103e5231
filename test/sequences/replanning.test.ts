// @module-tag rows
import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { advance } from '../../src/sequences/index.ts'
import { type Fault, type Named, newWorld, type World } from '../support/world.ts'
import { enrolmentRead, stageDelete, stageUpdate } from './documents.ts'

const day = 86_400_000
/** A time zone in which each day has 24 hours. */
const utc = { timezone: 'UTC' }

/** Creates a sequence with delays of one, two and three days and two contacts: one at the start, one after the first stage. */
async function underway() {
  const world = await newWorld(utc)
  const sequence = await world.sequence()
  const stages: Named[] = []
  for (const timeValue of [1, 2, 3]) stages.push(await world.stage(sequence, { timeValue, active: true }))
  const [fresh, second] = [
    await world.subscribe(await world.contact(), sequence),
    await world.subscribe(await world.contact(), sequence),
  ]
  await done(world, second, stages[0] as Named)
  return { world, sequence, stages: stages as [Named, Named, Named], fresh, second }
}

async function done(world: World, enrolment: Named, stage: Named): Promise<void> {
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  expect(await advance(ctx, { enrolmentId: enrolment.databaseId, stageId: stage.databaseId })).toBe(true)
}

/** The next stage, and its delay in days after the previous one. */
async function next(world: World, enrolment: Named): Promise<[number | undefined, number | undefined]> {
  const { node } = await world.run(enrolmentRead, enrolment)
  if (!node.nextStage) return [undefined, undefined]
  return [node.nextStage.databaseId, (Date.parse(node.dueAt) - Date.parse(node.lastDoneAt ?? node.enrolledAt)) / day]
}

const change = (world: World, stage: Named, input: object) =>
  world.run(stageUpdate, { input: { id: stage.id, ...input } })

describe('active enrolments are replanned when', () => {
  it('a delay changes', async () => {
    const { world, stages, fresh, second } = await underway()
    await change(world, stages[1], { timeValue: 5 })
    expect(await next(world, fresh)).toEqual([stages[0].databaseId, 1])
    expect(await next(world, second)).toEqual([stages[1].databaseId, 5])
    await change(world, stages[1], { timeType: 'WEEKS' })
    expect(await next(world, second)).toEqual([stages[1].databaseId, 35])
  })

  it('a stage is deactivated and activated', async () => {
    const { world, stages, fresh, second } = await underway()
    await change(world, stages[1], { active: false })
    expect(await next(world, fresh)).toEqual([stages[0].databaseId, 1])
    expect(await next(world, second)).toEqual([stages[2].databaseId, 3])
    await change(world, stages[2], { active: false })
    expect(await next(world, second)).toEqual([undefined, undefined])
    expect((await world.run(enrolmentRead, second)).node.state).toBe('ACTIVE')
    await change(world, stages[1], { active: true })
    expect(await next(world, second)).toEqual([stages[1].databaseId, 2])
  })

  it('a stage is added, for enrolments without a next stage', async () => {
    const { world, sequence, stages, second } = await underway()
    await done(world, second, stages[1])
    await change(world, stages[2], { active: false })
    await world.run(stageDelete, { id: stages[1].id })
    const added = await world.stage(sequence, { timeValue: 9, active: true })
    expect(await next(world, second)).toEqual([added.databaseId, 9])
  })

  it('an earlier or later stage is deleted, and are completed when the last one is', async () => {
    const { world, stages, fresh, second } = await underway()
    await world.run(stageDelete, { id: stages[0].id })
    expect(await next(world, fresh)).toEqual([stages[1].databaseId, 2])
    expect(await next(world, second)).toEqual([stages[1].databaseId, 2])
    expect((await world.run(enrolmentRead, second)).node.lastStage).toBeNull()
    await world.run(stageDelete, { id: stages[1].id })
    expect(await next(world, second)).toEqual([stages[2].databaseId, 3])
    await world.run(stageDelete, { id: stages[2].id })
    // An empty sequence does not complete its enrolments.
    expect((await world.run(enrolmentRead, second)).node.state).toBe('ACTIVE')
    expect(await world.announced('sequence.completed')).toEqual([])
  })

  it('the last open stage is deleted', async () => {
    const { world, stages, fresh, second } = await underway()
    await done(world, second, stages[1])
    await world.run(stageDelete, { id: stages[2].id })
    expect((await world.run(enrolmentRead, second)).node).toMatchObject({
      state: 'COMPLETED',
      endedAt: expect.any(String),
    })
    expect(await next(world, fresh)).toEqual([stages[0].databaseId, 1])
    expect(await world.announced('sequence.completed')).toHaveLength(1)
  })

  it('stages are moved, without repeating or losing one', async () => {
    const { world, stages, fresh, second } = await underway()
    await change(world, stages[0], { step: 3 })
    expect(await next(world, fresh)).toEqual([stages[1].databaseId, 2])
    expect(await next(world, second)).toEqual([stages[1].databaseId, 2])
    await done(world, second, stages[1])
    await done(world, second, stages[2])
    expect((await world.run(enrolmentRead, second)).node.state).toBe('COMPLETED')
    await change(world, stages[2], { step: 1 })
    expect(await next(world, fresh)).toEqual([stages[2].databaseId, 3])
  })

  it('the type changes', async () => {
    const { world, sequence, stages } = await underway()
    const anchorDate = new Date(Date.now() + 10 * day).toISOString()
    const enrolment = await world.subscribe(await world.contact(), sequence, { anchorDate })
    expect(await next(world, enrolment)).toEqual([stages[0].databaseId, 1])
    await world.run(
      'mutation ($id: ID!) { sequenceUpdate(input: { id: $id, type: INVERTED }) { sequence { id } } }',
      sequence,
    )
    const { node } = await world.run(enrolmentRead, enrolment)
    expect(node.nextStage.databaseId).toBe(stages[2].databaseId)
    expect(Date.parse(anchorDate) - Date.parse(node.dueAt)).toBe(3 * day)
  })
})

describe('planning', () => {
  it('includes contacts that are enrolled while the stages change', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const stage = await world.stage(sequence, { timeValue: 1, active: true })
    const contacts = await Promise.all(Array.from({ length: 20 }, () => world.contact()))
    const delays = Array.from({ length: 10 }, (_, index) => index + 2)
    await Promise.all([
      ...contacts.map((contact) => world.subscribe(contact, sequence)),
      ...delays.map((timeValue) => change(world, stage, { timeValue })),
    ])
    const rows = await world.rows<{ days: number; now: number }>(
      `SELECT extract(epoch FROM e.due_at - e.enrolled_at)::int / 86400 AS days, g.time_value AS now
       FROM enrolment e JOIN sequence_stage g ON g.account_id = e.account_id AND g.id = e.next_stage_id WHERE e.account_id = $1`,
      [world.accountId],
    )
    expect(rows).toHaveLength(20)
    expect(rows.filter(({ days, now }) => days !== now)).toEqual([])
  })

  it('leaves no enrolment in a sequence that is deleted while contacts are enrolled', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    const contacts = await Promise.all(Array.from({ length: 10 }, () => world.contact()))
    const document = `mutation ($id: ID!, $sequence: ID!) {
      sequenceEnrol(input: { contact: { id: $id }, sequenceId: $sequence }) { contactDatabaseId } }`
    const replies = await Promise.all([
      ...contacts.map(({ id }) => world.ask(document, { id, sequence: sequence.id })),
      world.ask('mutation ($id: ID!) { sequenceDelete(input: { id: $id }) { deletedSequenceId } }', sequence),
    ])
    const codes = replies.flatMap(({ body }) => (body.errors ?? []).map((error: Fault) => error.extensions.code))
    expect(codes.every((code) => code === 'NOT_FOUND')).toBe(true)
    expect(await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])).toEqual([])
    const [joined, left] = [
      await world.announced('sequence.subscribed'),
      await world.announced('sequence.unsubscribed'),
    ]
    expect(joined).toHaveLength(10 - codes.length)
    expect(left).toHaveLength(joined.length)
  })

  it('keeps steps without gaps if stages are moved and deleted concurrently', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const stages: Named[] = []
    for (let count = 0; count < 8; count += 1) stages.push(await world.stage(sequence))
    await Promise.all([
      ...stages.slice(0, 3).map(({ id }) => world.run(stageDelete, { id })),
      ...stages.slice(3).map((stage, index) => change(world, stage, { step: (index % 4) + 1 })),
      world.stage(sequence),
    ])
    const rows = await world.rows<{ step: number }>(
      'SELECT step FROM sequence_stage WHERE account_id = $1 ORDER BY step',
      [world.accountId],
    )
    expect(rows.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('writes only changed rows, and plans thousands in one operation', async () => {
    const world = await newWorld(utc)
    const sequence = await world.sequence()
    const [first, last] = [await world.stage(sequence, { active: true }), await world.stage(sequence, { active: true })]
    await world.rows(
      `INSERT INTO contact (account_id, email, created_at, updated_at) SELECT $1, n || '@x.io', now(), now() FROM generate_series(1, 5000) n`,
      [world.accountId],
    )
    // Otherwise the foreign keys are checked with a plan from when the table was almost empty.
    await world.rows('ANALYZE contact')
    await world.rows(
      `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids) SELECT account_id, id, $2, now(), '{}' FROM contact WHERE account_id = $1`,
      [world.accountId, sequence.databaseId],
    )
    await change(world, first, { timeValue: 4 })
    const planned = `SELECT count(*)::int AS n, count(DISTINCT xmin::text)::int AS writes FROM enrolment
      WHERE account_id = $1 AND next_stage_id = $2 AND due_at = enrolled_at + interval '4 days'`
    expect(await world.rows(planned, [world.accountId, first.databaseId])).toEqual([{ n: 5_000, writes: 1 }])
    const written = () =>
      world.rows('SELECT max(xmin::text::bigint)::text AS at FROM enrolment WHERE account_id = $1', [world.accountId])
    const before = await written()
    await change(world, last, { timeValue: 4 })
    expect(await written()).toEqual(before)
  })
})
