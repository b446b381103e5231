import { describe, expect, it } from 'vitest'
import { globalId } from '../../src/kernel/values/ids.ts'
import { newSequenceScheduler } from '../../src/sequences/index.ts'
import { newSink } from '../mail/sink.ts'
import { until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { type Named, newWorld as newWorldOf, type World } from '../support/world.ts'
import { enrolmentRead, stageDelete, stageUpdate, subscribe } from './documents.ts'
import { contactsOfEvents, enrolVariants, newContacts, newStages, newWorlds, runJob, type Scale } from './large.ts'
import { hold, lockOf, waiting } from './locks.ts'

const Archive =
  'mutation ($id: ID!) { sequenceArchive(input: { id: $id, endEnrolments: true }) { sequence { archivedAt } } }'
const Restore = 'mutation ($id: ID!) { sequenceRestore(input: { id: $id }) { sequence { id } } }'
const Delete = 'mutation ($id: ID!) { sequenceDelete(input: { id: $id }) { deletedSequenceId } }'

const Merge = `mutation ($from: ID!, $into: ID!) {
  contactMerge(input: { contact: { id: $from }, into: { id: $into } }) { contact { id } } }`

const change = (world: World, stage: Named, input: object) =>
  world.run(stageUpdate, { input: { id: stage.id, ...input } })

/** Enrols contacts at the first stage of a sequence, which is due after a day. */
async function enrolAtFirst(world: World, sequence: Named, stages: readonly Named[], contacts: readonly number[]) {
  await enrolVariants(world, sequence, contacts, [
    {
      ...{ enrolled_at: 'now()', done_stage_ids: "'{}'", next_stage_id: String(stages[0]?.databaseId) },
      due_at: "now() + interval '1 day'",
    },
  ])
}

/** Lets two days pass for the enrolment of a contact. */
const age = (world: World, contactId: number) =>
  world.rows(
    `UPDATE enrolment SET enrolled_at = enrolled_at - interval '2 days', last_done_at = last_done_at - interval '2 days',
       due_at = due_at - interval '2 days' WHERE account_id = $1 AND contact_id = $2 AND state = 'ACTIVE'`,
    [world.accountId, contactId],
  )

const runDue = (world: World) => newSequenceScheduler(world.server.system, {}, world.accountId).run()

/** Creates a sequence of many contacts whose stages add a tag each, without a delay. */
async function newTagging(
  world: World,
  people: number,
): Promise<{
  sequence: Named
  stages: Named[]
  contacts: number[]
  tagsOf: (contactId: number) => Promise<string[]>
}> {
  const sequence = await world.sequence()
  const stages: Named[] = []
  for (const name of ['a', 'b', 'c', 'd']) {
    const action = { addTagId: (await world.tag(name)).id }
    stages.push(await world.stage(sequence, { stageType: 'ACTION', timeValue: 1, action, active: true }))
  }
  const contacts = await newContacts(world, people)
  await enrolAtFirst(world, sequence, stages, contacts)
  const tagsOf = async (contactId: number) =>
    (
      await world.rows<{ name: string }>(
        `SELECT t.name FROM outbox_event o JOIN tag t ON t.account_id = $1 AND t.id = (o.data->>'tagId')::int
         WHERE o.account_id = $1 AND o.type = 'contact.tag_added' AND (o.data->>'contactId')::int = $2 ORDER BY o.id`,
        [world.accountId, contactId],
      )
    ).map(({ name }) => name)
  return { sequence, stages, contacts, tagsOf }
}

/** Runs sequences while many enrolments are planned or deleted. */
export function describeRuns(scale: Scale): void {
  const newWorld = newWorlds(scale)
  const { people, batch } = scale
  describe('enrolments that are due before the job planned them', { timeout: 120_000 }, () => {
    it('run the stages of the changed sequence, each once', async () => {
      const world = await newWorld()
      const { sequence, stages, contacts, tagsOf } = await newTagging(world, people)
      const [a, b, , d] = stages as [Named, Named, Named, Named]
      const [first, second, last] = [contacts[0], contacts[people / 2], contacts.at(-1)] as [number, number, number]

      const run = async (...contactIds: number[]) => {
        for (const id of contactIds) await age(world, id)
        await runDue(world)
      }
      await run(first)
      expect(await tagsOf(first)).toEqual(['a'])
      await world.run(stageDelete, { id: a.id })
      await run(second)
      expect(await tagsOf(second)).toEqual(['b'])
      await change(world, d, { step: 1 })
      await change(world, b, { active: false })
      await run(first, last)
      await run(first, last)
      await run(first, last)
      expect([await tagsOf(first), await tagsOf(last)]).toEqual([
        ['a', 'd', 'c'],
        ['d', 'c'],
      ])

      await runJob(world, sequence)
      await change(world, b, { active: true })
      await runJob(world, sequence)
      const other = contacts[1] as number
      for (let stage = 0; stage < 4; stage += 1) await run(first, second, last, other)
      expect(await Promise.all([first, second, last, other].map(tagsOf))).toEqual([
        ['a', 'd', 'c'],
        ['b', 'c'],
        ['d', 'c'],
        ['d', 'b', 'c'],
      ])
      expect(await contactsOfEvents(world, 'sequence.completed', sequence)).toEqual([first, other, second, last])
    })

    it('do not continue after a change has ended them, and contacts can be enrolled again', async () => {
      const world = await newWorld()
      const { sequence, contacts, tagsOf } = await newTagging(world, people)
      const [first, second] = contacts as [number, number]
      await world.run(Archive, sequence)
      await age(world, first)
      await runDue(world)
      expect(await tagsOf(first)).toEqual([])
      await world.run(Restore, sequence)
      const input = { contact: { id: second }, sequenceId: sequence.id }
      const again = (await world.run(subscribe, { input })).sequenceEnrol.enrolment
      await runJob(world, sequence)
      expect((await world.run(enrolmentRead, again)).node.state).toBe('ACTIVE')
      expect(await contactsOfEvents(world, 'sequence.unsubscribed', sequence)).toEqual(contacts)
    })
  })

  describe('while a job plans many enrolments', { timeout: 120_000 }, () => {
    it('neither the change nor a subscription waits for it', async () => {
      const world = await newWorld({ timezone: 'UTC' })
      const { sequence, stages } = await newStages(world, 2)
      const contacts = await newContacts(world, people)
      await enrolAtFirst(world, sequence, stages, contacts)
      const release = await hold(world, lockOf(world, contacts[Math.floor(people * 0.66)] as number))
      await change(world, stages[0] as Named, { timeValue: 5 })
      const job = runJob(world, sequence)
      await until(async () => (await waiting(world)).length > 0)
      const subscribed = await world.subscribe(await world.contact(), sequence)
      const { node } = await world.run(enrolmentRead, subscribed)
      expect(Date.parse(node.dueAt) - Date.parse(node.enrolledAt)).toBe(5 * 86_400_000)
      await change(world, stages[1] as Named, { timeValue: 6 })
      await release()
      await job
      const rows = await world.rows(
        `SELECT count(*)::int AS n, count(*) FILTER (WHERE due_at = enrolled_at + interval '5 days')::int AS planned
       FROM enrolment WHERE account_id = $1`,
        [world.accountId],
      )
      expect(rows).toEqual([{ n: people + 1, planned: people + 1 }])
    })

    it('an enrolment that a merge moves to an earlier contact is planned too', async () => {
      const world = await newWorld()
      const { sequence, stages, contacts, tagsOf } = await newTagging(world, people)
      const [into, from] = [contacts[0], contacts.at(-1)] as [number, number]
      await age(world, from)
      await runDue(world)
      await change(world, stages[3] as Named, { step: 1 })
      const release = await hold(world, lockOf(world, contacts[Math.floor(people * 0.66)] as number))
      const job = runJob(world, sequence)
      await until(async () => (await waiting(world)).length > 0)
      await world.run(Merge, { from, into })
      await release()
      await job
      const merged = await world.rows(
        "SELECT position, next_stage_id AS next FROM enrolment WHERE account_id = $1 AND contact_id = $2 AND state = 'ACTIVE'",
        [world.accountId, into],
      )
      expect(merged).toEqual([{ position: 2, next: stages[1]?.databaseId }])
      expect(await tagsOf(from)).toEqual(['a'])
    })

    it('no message is sent that the change removes from the queue', async () => {
      const sink = await newSink()
      const world = await newWorldOf({ server: await newServer({}, { maxRowsAtOnce: batch }) })
      await world.rows("UPDATE account SET sender_email = 'ada@example.com' WHERE id = $1", [world.accountId])
      const content = { timeValue: 1 }
      const [ended, deactivated, deleted, kept] = [
        await newStages(world, 2, content),
        await newStages(world, 2, content),
        await newStages(world, 2, content),
        await newStages(world, 2, content),
      ]
      const contacts = await newContacts(world, people)
      await world.rows('UPDATE contact SET email_marketing = true WHERE account_id = $1', [world.accountId])
      const reader = contacts.at(-1) as number
      for (const { sequence, stages } of [ended, deactivated, deleted, kept]) {
        await enrolAtFirst(world, sequence, stages, contacts)
        await world.rows(
          `WITH waiting AS (
           UPDATE enrolment SET due_at = NULL WHERE account_id = $1 AND sequence_id = $2 AND contact_id = $3 RETURNING *
         ) INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, email_id, created_at, due_at)
           SELECT w.account_id, w.sequence_id, g.id, w.id, w.contact_id, g.email_id, now(), now()
           FROM waiting w JOIN sequence_stage g ON g.account_id = w.account_id AND g.id = w.next_stage_id`,
          [world.accountId, sequence.databaseId, reader],
        )
      }
      await world.rows('INSERT INTO mail_source (account_id, campaign_id, due_at) VALUES ($1, 0, now())', [
        world.accountId,
      ])
      await world.run(Archive, ended.sequence)
      await change(world, deactivated.stages[0] as Named, { active: false })
      await world.run(stageDelete, { id: deleted.stages[0]?.id })
      await change(world, kept.stages[0] as Named, { timeValue: 4 })
      // The job waits for the first contact.
      const release = await hold(world, lockOf(world, contacts[0] as number))
      await newServer(
        { ROLES: 'api,worker', MAIL_URL: sink.url, DATABASE_URL: world.server.databaseUrl },
        { maxRowsAtOnce: batch },
      )
      const statesOf = async ({ sequence }: { sequence: Named }) =>
        world.rows(
          "SELECT state::text, due_at > now() + interval '30 seconds' AS later FROM mail_recipient WHERE account_id = $1 AND sequence_id = $2",
          [world.accountId, sequence.databaseId],
        )
      const laterOnly = [{ state: 'QUEUED', later: true }]
      await until(async () => JSON.stringify(await statesOf(deactivated)) === JSON.stringify(laterOnly))
      await until(async () => (await statesOf(kept))[0]?.['state' as never] === 'SENT')
      expect(await statesOf(ended)).toEqual([{ state: 'SKIPPED', later: false }])
      expect(await statesOf(deleted)).toEqual([{ state: 'SKIPPED', later: false }])
      expect(sink.taken).toHaveLength(1)
      await release()
      await until(async () => (await statesOf(deactivated)).length === 0)
      await until(
        async () =>
          (await world.rows('SELECT FROM sequence_revision WHERE account_id = $1', [world.accountId])).length === 0,
      )
      expect(sink.taken).toHaveLength(1)
      // The message of the sequence whose delay changed was sent meanwhile, so its enrolment continues at once.
      await until(async () => {
        const [row] = await world.rows<{ next: number }>(
          'SELECT next_stage_id AS next FROM enrolment WHERE account_id = $1 AND sequence_id = $2 AND contact_id = $3',
          [world.accountId, kept.sequence.databaseId, reader],
        )
        return row?.next === kept.stages[1]?.databaseId
      })
    })
  })

  describe('the deletion of a sequence with many enrolments', { timeout: 120_000 }, () => {
    it('hides them at once and removes them by a job', async () => {
      const world = await newWorld()
      const activeCount = Math.floor(people * 0.85)
      const { sequence, stages } = await newStages(world, 2)
      const kept = await newStages(world, 1)
      const contacts = await newContacts(world, people)
      await enrolAtFirst(world, sequence, stages, contacts)
      await enrolAtFirst(world, kept.sequence, kept.stages, contacts.slice(-3))
      await world.rows(
        `UPDATE enrolment SET state = 'COMPLETED', ended_at = now(), next_stage_id = NULL, due_at = NULL
       WHERE account_id = $1 AND sequence_id = $2 AND contact_id > $3`,
        [world.accountId, sequence.databaseId, contacts[activeCount - 1]],
      )
      const reader = contacts[activeCount - 2] as number
      const [enrolment] = await world.rows<{ id: number }>(
        `INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, created_at)
       SELECT account_id, sequence_id, next_stage_id, id, contact_id, now() FROM enrolment
       WHERE account_id = $1 AND sequence_id = $2 AND contact_id = $3 RETURNING enrolment_id AS id`,
        [world.accountId, sequence.databaseId, reader],
      )
      const Read = `query ($contact: ContactRefInput!, $enrolment: ID!, $any: ContactFilterInput) {
      sequences(first: 9) { nodes { id } }
      contact(ref: $contact) { sequences { id } enrolments(first: 9) { totalCount nodes { state } } timeline(first: 9) { nodes { __typename } } }
      contacts(first: 1, filter: $any) { totalCount }
      node(id: $enrolment) { id } }`
      const enrolmentId = globalId('Enrolment', enrolment?.id ?? 0)
      const variables = { contact: { id: reader }, enrolment: enrolmentId, any: { sequences: { exists: true } } }
      expect((await world.run(Read, variables)).contact.sequences).toEqual([{ id: sequence.id }])
      await world.run(Delete, sequence)
      const left = await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])
      expect(left).toHaveLength(people + 3 - batch)
      const { timeline, ...contact } = (await world.run(Read, variables)).contact
      expect(contact).toEqual({ sequences: [], enrolments: { totalCount: 0, nodes: [] } })
      expect(timeline.nodes.filter((node: { __typename: string }) => node.__typename === 'EnrolmentEntry')).toEqual([])
      const read = await world.run(Read, variables)
      expect([read.sequences.nodes, read.contacts.totalCount, read.node]).toEqual([[{ id: kept.sequence.id }], 3, null])
      await runDue(world)
      await runJob(world, sequence)
      expect(await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])).toHaveLength(3)
      expect(await contactsOfEvents(world, 'sequence.unsubscribed', sequence)).toEqual(contacts.slice(0, activeCount))
      expect(
        await world.rows('SELECT state::text FROM mail_recipient WHERE account_id = $1', [world.accountId]),
      ).toEqual([{ state: 'SKIPPED' }])
      expect(await world.announced('sequence.deleted')).toHaveLength(1)
    })

    it('lets contacts be merged and deleted while the job has not run', async () => {
      const world = await newWorld()
      const { sequence, stages } = await newStages(world, 1)
      const contacts = await newContacts(world, people)
      await enrolAtFirst(world, sequence, stages, contacts)
      await world.run(Delete, sequence)
      const [from, into] = contacts.slice(-2) as [number, number]
      await world.run(Merge, { from, into })
      const deleted = contacts.at(-3) as number
      await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deletedContactId } }', {
        id: deleted,
      })
      await runJob(world, sequence)
      expect(await world.rows('SELECT FROM enrolment WHERE account_id = $1', [world.accountId])).toEqual([])
      // The deletion of a contact implies the end of its enrolments.
      const announced = await contactsOfEvents(world, 'sequence.unsubscribed', sequence)
      expect(announced).toEqual(contacts.filter((id) => id !== deleted))
    })
  })
}
