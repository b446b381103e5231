import { describe, expect, it } from 'vitest'
import type { Named, World } from '../support/world.ts'
import { stageDelete, stageUpdate } from './documents.ts'
import {
  contactsOfEvents,
  enrolVariants,
  newContacts,
  newStages,
  newWorlds,
  runJob,
  type Scale,
  type Variant,
} from './large.ts'

const Archive = `mutation ($id: ID!, $endEnrolments: Boolean) {
  sequenceArchive(input: { id: $id, endEnrolments: $endEnrolments }) { sequence { id } } }`
const TypeChange = 'mutation ($id: ID!) { sequenceUpdate(input: { id: $id, type: INVERTED }) { sequence { type } } }'

const change = (world: World, stage: Named, input: object) =>
  world.run(stageUpdate, { input: { id: stage.id, ...input } })

/** The stages of a sequence with four of them. */
type Four = readonly [Named, Named, Named, Named]

/** Enrolments at different stages. Those at the second one without a due time wait for their message. */
function variantsOf([a, b, c, d]: Four): Variant[] {
  const start = "timestamptz '2026-01-01'"
  const after = (done: readonly Named[], next: Named, dueAt: string, position = done.length): Variant => ({
    enrolled_at: start,
    anchor_date: "timestamptz '2040-01-01'",
    position: String(position),
    done_stage_ids: `'{${done.map(({ databaseId }) => databaseId).join()}}'`,
    last_stage_id: String(done.at(-1)?.databaseId ?? 'NULL'),
    last_done_at: done.length > 0 ? `${start} + interval '1 month'` : 'NULL',
    next_stage_id: String(next.databaseId),
    due_at: dueAt,
  })
  const later = "now() + interval '1 month'"
  return [
    after([], a, later),
    after([a], b, later),
    after([a, b], c, later),
    after([a, b, c], d, later),
    after([b], c, later, 2),
    after([a], b, 'NULL'),
    after([a], b, "date_trunc('day', now() - interval '1 day')"),
    { ...after([], a, later), anchor_date: 'NULL' },
  ]
}

/** Adds the messages that enrolments wait for: in the queue, or sent if their enrolment is due again. */
async function addMessages(world: World, { databaseId }: Named): Promise<void> {
  await world.rows(
    `INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, state, created_at)
     SELECT account_id, sequence_id, next_stage_id, id, contact_id,
       (CASE WHEN due_at IS NULL THEN 'QUEUED' ELSE 'SENT' END)::recipient_state, now()
     FROM enrolment WHERE account_id = $1 AND sequence_id = $2 AND (due_at IS NULL OR due_at < now())`,
    [world.accountId, databaseId],
  )
}

/** Reads what is stored of the enrolments of a sequence by contact, with the names of stages instead of their ids. */
async function readAll(world: World, { databaseId }: Named): Promise<unknown[]> {
  const rows = await world.rows<{ row: unknown }>(
    `SELECT jsonb_build_array(e.state, e.position, n.name, e.due_at, e.ended_at IS NOT NULL, e.end_reason,
       (SELECT jsonb_agg(r.state || ' ' || coalesce(g.name, 'deleted') ORDER BY r.id) FROM mail_recipient r
         LEFT JOIN sequence_stage g ON g.account_id = $1 AND g.id = r.stage_id
         WHERE r.account_id = $1 AND r.enrolment_id = e.id)) AS row
     FROM enrolment e LEFT JOIN sequence_stage n ON n.account_id = $1 AND n.id = e.next_stage_id
     WHERE e.account_id = $1 AND e.sequence_id = $2 ORDER BY e.contact_id`,
    [world.accountId, databaseId],
  )
  return rows.map(({ row }) => row)
}

/** Creates a sequence with four stages, and one or many enrolments of each variant. */
async function newUnderway(world: World, contactIds: readonly number[]): Promise<{ sequence: Named; stages: Four }> {
  const { sequence, stages } = await newStages(world, 4)
  await enrolVariants(world, sequence, contactIds, variantsOf(stages as unknown as Four))
  await addMessages(world, sequence)
  return { sequence, stages: stages as unknown as Four }
}

type Changes = (world: World, sequence: Named, stages: Four) => Promise<unknown>

const cases: readonly (readonly [string, Changes])[] = [
  ['a delay changes', (world, _, [, b]) => change(world, b, { timeValue: 9 })],
  ['a stage is deactivated', (world, _, [, b]) => change(world, b, { active: false })],
  [
    'a stage is deactivated and activated again',
    async (world, _, [, b]) => {
      await change(world, b, { active: false })
      await change(world, b, { active: true })
    },
  ],
  ['a stage is moved to the end', (world, _, [, b]) => change(world, b, { step: 4 })],
  ['a stage is moved to the beginning', (world, _, [, , , d]) => change(world, d, { step: 1 })],
  ['a stage is deleted', (world, _, [, b]) => world.run(stageDelete, { id: b.id })],
  [
    'a stage is inserted',
    async (world, sequence) => {
      const stage = await world.stage(sequence, { timeValue: 7, active: true })
      await change(world, stage, { step: 2 })
    },
  ],
  [
    'the last stage is deleted, and another one is added',
    async (world, sequence, [, , , d]) => {
      await world.run(stageDelete, { id: d.id })
      await world.stage(sequence, { timeValue: 3, active: true })
    },
  ],
  ['the type changes', (world, sequence) => world.run(TypeChange, { id: sequence.id })],
  [
    'the type changes, and then a delay and the order',
    async (world, sequence, [a, b]) => {
      await world.run(TypeChange, { id: sequence.id })
      await change(world, b, { timeValue: 30 })
      await change(world, a, { step: 3 })
    },
  ],
  ['it is archived and its enrolments end', (world, { id }) => world.run(Archive, { id, endEnrolments: true })],
]

/** Changes sequences that have many enrolments. */
export function describeChanges(scale: Scale): void {
  const newWorld = newWorlds(scale)
  const { people } = scale
  describe('a change of a sequence with many enrolments', { timeout: 120_000 }, () => {
    it.each(cases)('plans them by a job as it plans few of them at once: %s', async (_, apply) => {
      const world = await newWorld()
      const contacts = await newContacts(world, people)
      const [few, many] = [await newUnderway(world, contacts.slice(0, 8)), await newUnderway(world, contacts)]
      await apply(world, few.sequence, few.stages)
      const expected = await readAll(world, few.sequence)

      const before = await readAll(world, many.sequence)
      await apply(world, many.sequence, many.stages)
      const untilPlanned = (row: unknown) => JSON.stringify((row as unknown[]).toSpliced(2, 1).slice(0, 5))
      expect((await readAll(world, many.sequence)).map(untilPlanned)).toEqual(before.map(untilPlanned))
      await runJob(world, many.sequence)
      const planned = await readAll(world, many.sequence)
      expect(planned).toHaveLength(people)
      expect(planned.slice(0, 8)).toEqual(expected)
      expect(planned.filter((row, index) => JSON.stringify(row) !== JSON.stringify(expected[index % 8]))).toEqual([])

      const over = (state: string) => contacts.filter((__, index) => (planned[index] as unknown[])[0] === state)
      expect(await contactsOfEvents(world, 'sequence.completed', many.sequence)).toEqual(over('COMPLETED'))
      expect(await contactsOfEvents(world, 'sequence.unsubscribed', many.sequence)).toEqual(over('ENDED'))
      expect(await world.rows('SELECT FROM sequence_revision WHERE account_id = $1', [world.accountId])).toEqual([])
    })

    it('changes no other account, and announces once that the job is done', async () => {
      const world = await newWorld()
      const other = await world.other()
      const [ours, theirs] = [
        await newUnderway(world, await newContacts(world, people)),
        await newUnderway(other, await newContacts(other, people)),
      ]
      const before = await readAll(other, theirs.sequence)
      await change(other, theirs.stages[3], { name: 'Last' })
      await change(world, ours.stages[0], { timeValue: 9 })
      await change(world, ours.stages[1], { timeValue: 9 })
      await runJob(world, ours.sequence)
      await runJob(other, theirs.sequence)
      expect(await readAll(other, theirs.sequence)).toEqual(
        before.map((row) =>
          (row as unknown[]).with(2, (row as unknown[])[2] === 'Step 4' ? 'Last' : (row as unknown[])[2]),
        ),
      )
      expect(await world.announced('sequence.updated')).toHaveLength(1)
      expect(await other.announced('sequence.updated')).toEqual([])
    })
  })
}
