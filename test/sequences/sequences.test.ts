import { describe, expect, it } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { newWorld } from '../support/world.ts'
import { sequenceRead } from './documents.ts'

const create = 'mutation ($input: SequenceCreateInput!) { sequenceCreate(input: $input) { sequence { id name type } } }'
const update = 'mutation ($input: SequenceUpdateInput!) { sequenceUpdate(input: $input) { sequence { name type } } }'
const remove = 'mutation ($id: ID!) { sequenceDelete(input: { id: $id }) { deletedSequenceId } }'

describe('a sequence', () => {
  it('defaults to NORMAL, without stages and contacts', async () => {
    const world = await newWorld()
    const { sequence } = (await world.run(create, { input: { name: '  Welcome ' } })).sequenceCreate
    expect(sequence).toMatchObject({ name: 'Welcome', type: 'NORMAL' })
    expect((await world.run(sequenceRead, { id: sequence.id })).sequence).toMatchObject({
      activeContacts: 0,
      stagesCount: 0,
      stages: [],
    })
    const inverted = await world.run(create, { input: { name: 'Event', type: 'INVERTED' } })
    expect(inverted.sequenceCreate.sequence.type).toBe('INVERTED')
  })

  it('rejects an empty and a too long name', async () => {
    const world = await newWorld()
    for (const name of ['', ' ', 'x'.repeat(256)]) {
      const { extensions } = await world.fault(create, { input: { name } })
      expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'input.name': [expect.any(String)] } })
    }
    const { id } = await world.sequence()
    expect((await world.fault(update, { input: { id, name: '' } })).extensions.code).toBe('VALIDATION_ERROR')
  })

  it('is renamed, and absent fields stay', async () => {
    const world = await newWorld()
    const { id } = await world.sequence({ name: 'A', type: 'INVERTED' })
    const { sequenceUpdate } = await world.run(update, { input: { id, name: 'B' } })
    expect(sequenceUpdate.sequence).toEqual({ name: 'B', type: 'INVERTED' })
    expect((await world.run(update, { input: { id } })).sequenceUpdate.sequence.name).toBe('B')
  })

  it('is deleted with its stages, e-mails, documents and enrolments', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence, { active: true })
    await world.stage(sequence, { stageType: 'SEND_SMS' })
    const contacts = [await world.contact(), await world.contact()]
    const other = await world.sequence()
    await world.stage(other)
    for (const contact of contacts) {
      await world.subscribe(contact, sequence)
      await world.subscribe(contact, other)
    }
    await world.rows(
      `INSERT INTO mail_recipient (account_id, sequence_id, stage_id, enrolment_id, contact_id, state, created_at)
       SELECT e.account_id, e.sequence_id, g.id, e.id, e.contact_id, (ARRAY['QUEUED', 'SENT'])[g.step]::recipient_state, now()
       FROM enrolment e JOIN sequence_stage g ON g.account_id = e.account_id AND g.sequence_id = e.sequence_id
       WHERE e.account_id = $1 AND e.sequence_id = $2 AND e.contact_id = $3 ORDER BY g.step`,
      [world.accountId, sequence.databaseId, contacts[0]?.databaseId],
    )

    expect((await world.run(remove, sequence)).sequenceDelete.deletedSequenceId).toBe(sequence.id)

    expect((await world.run(sequenceRead, sequence)).sequence).toBeNull()
    const left = async (table: string) =>
      (await world.rows(`SELECT FROM ${table} WHERE account_id = $1`, [world.accountId])).length
    expect([await left('sequence'), await left('sequence_stage'), await left('enrolment')]).toEqual([1, 1, 2])
    expect([await left('email'), await left('document')]).toEqual([1, 0])
    const queue = await world.rows('SELECT state FROM mail_recipient WHERE account_id = $1 ORDER BY id', [
      world.accountId,
    ])
    expect(queue).toEqual([{ state: 'SKIPPED' }, { state: 'SENT' }])
    expect(await world.announced('sequence.unsubscribed')).toEqual(
      contacts.map(({ databaseId }) => ({
        type: 'sequence.unsubscribed',
        data: { contactId: databaseId, sequenceId: sequence.databaseId },
      })),
    )
    expect((await world.fault(remove, sequence)).extensions.code).toBe('NOT_FOUND')
  })

  it('emits one event per contact when it is deleted', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence)
    await world.rows(
      `INSERT INTO contact (account_id, email, created_at, updated_at) SELECT $1, n || '@x.io', now(), now() FROM generate_series(1, 5000) n`,
      [world.accountId],
    )
    await world.rows(
      `INSERT INTO enrolment (account_id, contact_id, sequence_id, enrolled_at, done_stage_ids) SELECT account_id, id, $2, now(), '{}' FROM contact WHERE account_id = $1`,
      [world.accountId, sequence.databaseId],
    )
    await countRows(world, ['enrolment_parts'])
    expect((await world.run(sequenceRead, sequence)).sequence.activeContacts).toBe(5000)
    await world.run(remove, sequence)
    expect(await world.announced('sequence.unsubscribed')).toHaveLength(5000)
  })
})

describe('sequences', () => {
  it('are listed newest first or by name, and filtered by name and type', async () => {
    const world = await newWorld()
    for (const name of ['b_1', 'A', 'c']) await world.sequence({ name, type: name === 'A' ? 'INVERTED' : 'NORMAL' })
    const names = async (args: string) => {
      const { sequences } = await world.run(`{ sequences${args} { nodes { name } totalCount } }`)
      return sequences.nodes.map(({ name }: { name: string }) => name)
    }
    expect(await names('')).toEqual(['c', 'A', 'b_1'])
    expect(await names('(orderBy: { field: NAME, direction: ASC })')).toEqual(['A', 'b_1', 'c'])
    expect(await names('(filter: { search: "B_" })')).toEqual(['b_1'])
    expect(await names('(filter: { search: "a", type: INVERTED })')).toEqual(['A'])
    expect(await names('(filter: { search: "a", type: NORMAL })')).toEqual([])
    expect((await world.run('{ account { sequences { totalCount } } }')).account.sequences.totalCount).toBe(3)
  })
})
