import { describe, expect, it } from 'vitest'
import { newSequenceScheduler } from '../../src/sequences/index.ts'
import { StepUpdate } from '../funnels/documents.ts'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { requestPage } from '../funnels/visiting.ts'
import { type Named, newWorld, type World } from '../support/world.ts'

/** Runs all stages that are due without a delay. Returns the number of runs, at most 60. */
async function runAll(world: World): Promise<number> {
  const scheduler = newSequenceScheduler(world.server.system, {}, world.accountId)
  for (let runs = 0; runs < 60; runs += 1) if (!(await scheduler.run())) return runs
  return 60
}

/** Makes everything about enrolments this much older, in minutes. */
const age = (world: World, minutes: number) =>
  world.rows(
    `UPDATE enrolment SET enrolled_at = enrolled_at - $2 * interval '1 minute', ended_at = ended_at - $2 * interval '1 minute',
       actions_since = actions_since - $2 * interval '1 minute' WHERE account_id = $1`,
    [world.accountId, minutes],
  )

async function enrolmentsOf(world: World, contact: Named) {
  const document = `query ($id: ID!) { contact(ref: { id: $id }) { enrolments(first: 100) {
    totalCount nodes { state failure sequence { databaseId } } } } }`
  return (await world.run(document, contact)).contact.enrolments
}

const stageOf = (world: World, sequence: Named, action: object) =>
  world.stage(sequence, { stageType: 'ACTION', timeValue: 0, action, active: true })

/** Creates two sequences that enrol a contact in each other. */
async function newCircle(world: World) {
  const [one, other] = [await world.sequence(), await world.sequence()]
  await stageOf(world, one, { addSequenceId: other.id })
  await stageOf(world, other, { addSequenceId: one.id })
  return { one, other }
}

const heldBack = async (world: World, reason: string) => {
  const text = await (await fetch(`${world.server.url}/metrics`)).text()
  return Number(new RegExp(`^campanile_automation_held_back\\{reason="${reason}"\\} (\\d+)`, 'm').exec(text)?.[1])
}

describe('an enrolment by a stage', () => {
  it('is held back if the contact was enrolled in the sequence in the last ten minutes, with a reason and a count', async () => {
    const world = await newWorld()
    const { one, other } = await newCircle(world)
    const contact = await world.contact()
    const before = await heldBack(world, 'enrolment_interval')
    await world.subscribe(contact, one)
    expect(await runAll(world)).toBeLessThan(5)
    const { nodes } = await enrolmentsOf(world, contact)
    expect(nodes).toEqual([
      {
        state: 'COMPLETED',
        failure: 'The contact was enrolled in the sequence less than 10 minutes before.',
        sequence: { databaseId: other.databaseId },
      },
      { state: 'COMPLETED', failure: null, sequence: { databaseId: one.databaseId } },
    ])
    expect(await heldBack(world, 'enrolment_interval')).toBe(before + 1)
    // A person or a program may enrol the contact again.
    await world.subscribe(contact, one)
    await runAll(world)
    expect((await enrolmentsOf(world, contact)).totalCount).toBe(3)
  })

  it('is made after ten minutes', async () => {
    const world = await newWorld()
    const { one } = await newCircle(world)
    const contact = await world.contact()
    await world.subscribe(contact, one)
    await runAll(world)
    await age(world, 11)
    await world.subscribe(contact, one)
    await runAll(world)
    expect((await enrolmentsOf(world, contact)).totalCount).toBe(4)
  })
})

describe('what stages do to a contact', () => {
  it('is held back after 100 actions in an hour, except the withdrawal of its consent', async () => {
    const world = await newWorld()
    const tag = await world.tag('x')
    const sequence = await world.sequence()
    for (let count = 0; count < 4; count += 1) await stageOf(world, sequence, { addTagId: tag.id })
    await stageOf(world, sequence, { removeTagId: tag.id })
    await stageOf(world, sequence, { unsubscribe: true })
    const [contact, other] = [await world.contact({ emailMarketing: true }), await world.contact()]
    await world.subscribe(contact, sequence)
    await world.rows('UPDATE enrolment SET actions = 98, actions_since = now() WHERE account_id = $1', [
      world.accountId,
    ])
    await world.subscribe(other, sequence)
    const before = await heldBack(world, 'actions_per_hour')
    const scheduler = newSequenceScheduler(world.server.system, {}, world.accountId)
    const failures: (string | null)[] = []
    for (let stage = 0; stage < 5; stage += 1) {
      await scheduler.run()
      failures.push((await enrolmentsOf(world, contact)).nodes[0].failure)
    }
    const limit = 'The limit of 100 automated actions per contact and hour was reached.'
    expect(failures).toEqual([null, null, limit, limit, limit])
    expect((await enrolmentsOf(world, other)).nodes[0].failure).toBeNull()
    await runAll(world)
    const ref = 'query ($id: ID!) { contact(ref: { id: $id }) { emailMarketing tags { name } } }'
    expect((await world.run(ref, contact)).contact).toEqual({ emailMarketing: false, tags: [{ name: 'x' }] })
    expect((await world.run(ref, other)).contact.tags).toEqual([])
    expect(await heldBack(world, 'actions_per_hour')).toBe(before + 3)

    await age(world, 61)
    await world.subscribe(contact, sequence)
    await scheduler.run()
    expect((await enrolmentsOf(world, contact)).nodes[0].failure).toBeNull()
  })
})

describe('an opt-in', () => {
  it('enrols a contact again in a sequence that it completed, at any time: a person asks for it', async () => {
    const { world, step, path, mail } = await newOptInFunnel()
    const sequence = await world.sequence()
    await stageOf(world, sequence, { addTagId: (await world.tag('y')).id })
    await world.run(StepUpdate, { input: { id: step.id, sequenceIds: [sequence.id] } })
    const optIn = async () => {
      const form = { form: 'join', [mail]: 'ada@example.com', consent: 'yes' }
      expect((await requestPage(world.server, path, { form })).status).toBe(303)
      await runAll(world)
      return (await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])).length
    }
    expect([await optIn(), await optIn()]).toEqual([1, 2])
  })
})
