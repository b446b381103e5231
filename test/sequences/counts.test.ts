import { describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { advance } from '../../src/sequences/index.ts'
import { countRows } from '../support/count-rows.ts'
import { newWorld } from '../support/world.ts'
import { unsubscribe } from './documents.ts'

const none = { active: 0, completed: 0, removed: 0, unsubscribed: 0, contactDeleted: 0, merged: 0 }
const Counts = `query ($id: ID!) { sequence(id: $id) {
  enrolmentCounts { ${Object.keys(none).join(' ')} } stages { waiting }
  enrolments(orderBy: { direction: ASC }) { nodes { state endReason } } } }`

describe('enrolments of a sequence', () => {
  it('without a next stage are in progress, and are counted apart too', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence)
    await world.subscribe(await world.contact({ emailMarketing: true }), sequence)
    await countRows(world, ['enrolment_parts'])
    const { sequence: found } = await world.run(
      `query ($id: ID!) { sequence(id: $id) { activeContacts enrolmentCounts { active waiting }
        enrolments(filter: { state: [ACTIVE] }) { totalCount nodes { nextStage { id } } } } }`,
      sequence,
    )
    expect(found).toEqual({
      activeContacts: 1,
      enrolmentCounts: { active: 1, waiting: 1 },
      enrolments: { totalCount: 1, nodes: [{ nextStage: null }] },
    })
  })

  it('are counted by the reason of their end, and active ones by their next stage', async () => {
    const world = await newWorld()
    const [sequence, empty] = [await world.sequence(), await world.sequence()]
    const [first, second] = [
      await world.stage(sequence, { active: true }),
      await world.stage(sequence, { active: true }),
    ]
    const contacts = await Promise.all(Array.from({ length: 7 }, () => world.contact({ emailMarketing: true })))
    const enrolments: Awaited<ReturnType<typeof world.subscribe>>[] = []
    for (const contact of contacts) enrolments.push(await world.subscribe(contact, sequence))
    const ctx = newCtx(world.server.system, { accountId: world.accountId })
    const done = async (index: number, stage: typeof first) =>
      advance(ctx, { enrolmentId: enrolments[index]?.databaseId as number, stageId: stage.databaseId })
    await done(1, first)
    await done(2, first)
    await done(2, second)
    await world.run(unsubscribe, { contact: { id: contacts[3]?.id }, sequenceId: sequence.id })
    const ofContact = (name: string, select: string) =>
      `mutation ($id: ID!) { ${name}(input: { contact: { id: $id } }) { ${select} } }`
    await world.run(ofContact('contactUnsubscribe', 'contact { id }'), { id: contacts[4]?.id })
    await world.run(ofContact('contactDelete', 'deleted'), { id: contacts[5]?.id })
    await world.run(ofContact('contactDelete', 'deleted'), { id: contacts[3]?.id })
    const MergeContacts = `mutation ($id: ID!, $into: ID!) {
      contactMerge(input: { contact: { id: $id }, into: { id: $into } }) { contact { id } } }`
    await world.run(MergeContacts, { id: contacts[6]?.id, into: contacts[0]?.id })
    await countRows(world, ['enrolment_parts'])

    const { sequence: found } = await world.run(Counts, sequence)
    expect(found.enrolmentCounts).toEqual({
      active: 2,
      completed: 1,
      removed: 1,
      unsubscribed: 1,
      contactDeleted: 1,
      merged: 1,
    })
    expect(found.stages).toEqual([{ waiting: 1 }, { waiting: 1 }])
    expect(found.enrolments.nodes.map((row: { endReason: string | null }) => row.endReason)).toEqual([
      ...[null, null, null, 'REMOVED', 'UNSUBSCRIBED', 'CONTACT_DELETED', 'MERGED'],
    ])
    const filtered = `query ($id: ID!) { sequence(id: $id) {
      enrolments(filter: { endReason: [REMOVED, UNSUBSCRIBED] }) { totalCount } } }`
    expect((await world.run(filtered, sequence)).sequence.enrolments.totalCount).toBe(2)
    expect((await world.run(Counts, empty)).sequence).toMatchObject({ enrolmentCounts: none, stages: [] })
    expect((await (await world.other()).run(Counts, { id: sequence.databaseId })).sequence).toBeNull()
  })

  it('have a reason exactly if they ended before the last stage: the database rejects others', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await world.stage(sequence)
    await world.subscribe(await world.contact(), sequence)
    for (const change of ["state = 'ENDED'", "end_reason = 'REMOVED'", "state = 'COMPLETED', end_reason = 'REMOVED'"])
      await expect(
        world.rows(`UPDATE enrolment SET ${change} WHERE account_id = $1`, [world.accountId]),
      ).rejects.toThrow(/enrolment_end_reason_check/)
  })

  it('are not counted for a key that sees a sequence only through its contact', async () => {
    const world = await newWorld()
    const [sequence, contact] = [await world.sequence(), await world.contact()]
    await world.stage(sequence)
    await world.subscribe(contact, sequence)
    const key = await world.key({ scopes: ['contacts:read'] })
    const fault = await world.fault('{ contacts { nodes { sequences { enrolmentCounts { active } } } } }', {}, { key })
    expect(fault.extensions).toMatchObject({ code: 'FORBIDDEN', scope: 'SEQUENCES_READ' })
  })
})
