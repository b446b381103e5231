import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { stageUpdate } from './documents.ts'

const Activation = `query ($id: ID!, $stageIds: [ID!]) { sequence(id: $id) { activation(stageIds: $stageIds) {
  hasMore stages { stage { name } dueNow dueLater } } } }`
const UpdateAll = `mutation ($input: SequenceStagesActiveSetInput!) {
  sequenceStagesActiveSet(input: $input) { sequence { id stages { name active waiting } } } }`
const AddStage = 'mutation ($input: SequenceStageCreateInput!) { sequenceStageCreate(input: $input) { stage { id } } }'

/** Creates an inactive text message. Without a text, it cannot be activated. */
async function addMessage(world: World, sequenceId: string, name: string, timeValue: number, smsText?: string) {
  const input = { sequenceId, stageType: 'SEND_SMS', name, timeValue, timeType: 'HOURS', ...(smsText && { smsText }) }
  return (await world.run(AddStage, { input })).sequenceStageCreate.stage as { id: string }
}

describe('Sequence.activation and sequenceStagesActiveSet', () => {
  it('count what waiting contacts would get now and later, and change nothing', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    const now = await addMessage(world, sequence.id, 'Now', 0, 'now')
    const later = await addMessage(world, sequence.id, 'Later', 5, 'later')
    for (let each = 0; each < 3; each += 1) await world.subscribe(await world.contact(), sequence)
    const read = async (stageIds?: string[]) => (await world.run(Activation, { id: sequence.id, stageIds })).sequence
    expect((await read()).activation).toEqual({
      hasMore: false,
      stages: [{ stage: { name: 'Now' }, dueNow: 3, dueLater: 0 }],
    })
    expect((await read([later.id])).activation.stages).toEqual([{ stage: { name: 'Later' }, dueNow: 0, dueLater: 3 }])
    await world.run(stageUpdate, { input: { id: later.id, active: true } })
    expect((await read([later.id])).activation.stages).toEqual([])
    expect((await read([now.id])).activation.stages).toEqual([{ stage: { name: 'Now' }, dueNow: 3, dueLater: 0 }])
    const other = await world.sequence()
    expect((await world.run(Activation, { id: other.id, stageIds: [now.id] })).sequence.activation).toBeNull()
    const fault = await world.fault(Activation, { id: sequence.id, stageIds: ['x'] })
    expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { stageIds: [expect.any(String)] } })
  })

  it('activate all stages or none, and deactivate them', async () => {
    const world = await newWorld()
    const sequence = await world.sequence()
    await addMessage(world, sequence.id, 'Whole', 0, 'text')
    const half = await addMessage(world, sequence.id, 'Half', 1)
    const mail = (await world.run(AddStage, { input: { sequenceId: sequence.id, name: 'Mail' } })).sequenceStageCreate
    await world.subscribe(await world.contact(), sequence)
    const set = (active: boolean) => ({ input: { sequenceId: sequence.id, active } })
    const { extensions } = await world.fault(UpdateAll, set(true))
    expect(extensions.details).toEqual({
      'input.sequenceId': [
        'smsText is required for the active stage “Half”',
        'subject is required for the active stage “Mail”',
        'html is required for the active stage “Mail”',
      ],
    })
    const stages = async () =>
      (await world.run('query ($id: ID!) { sequence(id: $id) { stages { name active waiting } } }', sequence)).sequence
        .stages
    expect((await stages()).map(({ active }: { active: boolean }) => active)).toEqual([false, false, false])
    expect(await world.announced('sequence_stage.updated')).toEqual([])

    await world.run(stageUpdate, { input: { id: half.id, smsText: 'whole' } })
    await world.run('mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId } }', {
      id: mail.stage.id,
    })
    const before = (await world.announced('sequence_stage.updated')).length
    const result = (await world.run(UpdateAll, set(true))).sequenceStagesActiveSet.sequence
    expect(result).toEqual({
      id: sequence.id,
      stages: [
        { name: 'Whole', active: true, waiting: 1 },
        { name: 'Half', active: true, waiting: 0 },
      ],
    })
    expect(await world.announced('sequence_stage.updated')).toHaveLength(before + 2)
    await world.run(UpdateAll, set(true))
    expect(await world.announced('sequence_stage.updated')).toHaveLength(before + 2)
    const off = (await world.run(UpdateAll, set(false))).sequenceStagesActiveSet.sequence.stages
    expect(off.map(({ active, waiting }: { active: boolean; waiting: number }) => [active, waiting])).toEqual([
      [false, 0],
      [false, 0],
    ])
  })
})
