import { describe, expect, it } from 'vitest'
import { newWorld } from '../support/world.ts'
import { enrolmentRead, subscribe } from './documents.ts'

const fields = '{ sequence { id archivedAt activeContacts } }'
const Archive = `mutation ($input: SequenceArchiveInput!) { sequenceArchive(input: $input) ${fields} }`
const Restore = `mutation ($id: ID!) { sequenceRestore(input: { id: $id }) ${fields} }`
const BulkJob = 'mutation ($input: ContactsBulkInput!) { contactsBulk(input: $input) { bulkJob { id } } }'

describe('sequenceArchive and sequenceRestore', () => {
  it('keep an archived sequence from enrolling contacts, and let enrolled ones complete it', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence)
    const enrolled = await world.subscribe(await world.contact(), sequence)
    const { sequence: archived } = (await world.run(Archive, { input: { id: sequence.id } })).sequenceArchive
    expect(archived).toEqual({ id: sequence.id, archivedAt: expect.any(String), activeContacts: 1 })

    const contact = await world.contact({ addSequenceIds: [sequence.id] })
    const input = { contact: { id: contact.id }, sequenceId: sequence.id }
    const fault = await world.fault(subscribe, { input })
    expect(fault).toMatchObject({ message: expect.stringContaining('archived'), extensions: { code: 'INVALID_STATE' } })
    const bulk = { input: { contacts: { all: true }, action: { addSequenceIds: [sequence.id] } } }
    expect((await world.fault(BulkJob, bulk)).extensions.code).toBe('INVALID_STATE')
    expect((await world.run(Archive, { input: { id: sequence.id } })).sequenceArchive.sequence).toEqual(archived)
    expect((await world.run(enrolmentRead, enrolled)).node.state).toBe('ACTIVE')

    const { sequence: restored } = (await world.run(Restore, sequence)).sequenceRestore
    expect(restored).toEqual({ ...archived, archivedAt: null })
    expect((await world.run(subscribe, { input })).sequenceEnrol.enrolment.state).toBe('ACTIVE')
    await world.run(Restore, sequence)
    expect(await world.announced('sequence.updated')).toHaveLength(2)
  })

  it('end the enrolments if the input says so', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence)
    const other = await world.sequence()
    await world.stage(other)
    const contact = await world.contact()
    const enrolments = [
      await world.subscribe(contact, sequence),
      await world.subscribe(await world.contact(), sequence),
    ]
    const kept = await world.subscribe(contact, other)
    const result = await world.run(Archive, { input: { id: sequence.id, endEnrolments: true } })
    expect(result.sequenceArchive.sequence.activeContacts).toBe(0)
    for (const enrolment of enrolments) expect((await world.run(enrolmentRead, enrolment)).node.state).toBe('ENDED')
    expect((await world.run(enrolmentRead, kept)).node.state).toBe('ACTIVE')
    expect(await world.announced('sequence.unsubscribed')).toHaveLength(2)
  })

  it('return NOT_FOUND and FORBIDDEN, and filter the list, which contains both by default', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const kept = await world.sequence()
    const foreign = await (await world.other()).sequence()
    const key = await world.key({ scopes: ['sequences:read'] })
    for (const [document, variablesOf] of [
      [Archive, ({ id }: { id: string }) => ({ input: { id } })],
      [Restore, ({ id }: { id: string }) => ({ id })],
    ] as const) {
      expect((await world.fault(document, variablesOf(foreign))).extensions.code).toBe('NOT_FOUND')
      expect((await world.fault(document, variablesOf(sequence), { key })).extensions.code).toBe('FORBIDDEN')
    }
    await world.run(Archive, { input: { id: sequence.id } })
    const idsOf = async (filter: object) => {
      const document = 'query ($filter: SequenceFilterInput) { sequences(filter: $filter) { nodes { id } } }'
      return (await world.run(document, { filter })).sequences.nodes.map(({ id }: { id: string }) => id)
    }
    expect(await idsOf({})).toEqual([kept.id, sequence.id])
    expect(await idsOf({ archivedAt: { exists: true } })).toEqual([sequence.id])
    expect(await idsOf({ archivedAt: { exists: false } })).toEqual([kept.id])
  })
})
