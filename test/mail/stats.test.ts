import { describe, expect, it } from 'vitest'
import { countRows } from '../support/count-rows.ts'
import { newWorld } from '../support/world.ts'
import { message } from './support.ts'

const figures = 'sent opened clicked unsubscribed bounced openRate clickRate unsubscribeRate'
const none = {
  sent: 0,
  opened: 0,
  clicked: 0,
  unsubscribed: 0,
  bounced: 0,
  openRate: 0,
  clickRate: 0,
  unsubscribeRate: 0,
}

describe('statistics', () => {
  it('of a contact count each message once, from campaigns and sequences', async () => {
    const world = await newWorld()
    const [ada, grace, nobody] = [await world.contact(), await world.contact(), await world.contact()]
    const sequence = await world.sequence()
    const stage = await world.stage(sequence)
    await message(world, ada, { campaignId: 1, opened: true, clicked: true })
    await message(world, ada, { campaignId: 2, opened: true })
    await message(world, ada, { sequenceId: sequence.databaseId, stageId: stage.databaseId, enrolmentId: 1 })
    await message(world, ada, { campaignId: 3, sent: false, opened: true })
    await message(world, ada, { campaignId: 4, sent: false, state: 'BOUNCED' })
    await message(world, grace, { campaignId: 1, unsubscribed: true })

    const { contacts } = await world.run(
      `{ contacts(orderBy: { field: CREATED_AT, direction: ASC }) { nodes { databaseId stats { ${figures} } } } }`,
    )
    expect(contacts.nodes).toEqual([
      {
        databaseId: ada.databaseId,
        stats: { ...none, sent: 3, opened: 2, clicked: 1, bounced: 1, openRate: 2 / 3, clickRate: 1 / 3 },
      },
      { databaseId: grace.databaseId, stats: { ...none, sent: 1, unsubscribed: 1, unsubscribeRate: 1 } },
      { databaseId: nobody.databaseId, stats: none },
    ])
  })

  it('of a sequence include those of its stages and deleted stages', async () => {
    const world = await newWorld()
    const [sequence, other] = [await world.sequence(), await world.sequence()]
    const [a, b] = [await world.stage(sequence), await world.stage(sequence)]
    const contacts = [await world.contact(), await world.contact(), await world.contact()]
    for (const [index, contact] of contacts.entries()) {
      const of = { sequenceId: sequence.databaseId, enrolmentId: index }
      await message(world, contact, { ...of, stageId: a.databaseId, opened: index < 2, clicked: index < 1 })
      await message(world, contact, { ...of, stageId: b.databaseId, sent: index < 1 })
    }
    await countRows(world, ['mail_recipient'])
    const document = `query ($id: ID!) { sequence(id: $id) { stats { ${figures} } stages { stats { ${figures} } } } }`
    const read = async (id: string) => (await world.run(document, { id })).sequence
    expect(await read(sequence.id)).toEqual({
      stats: { ...none, sent: 4, opened: 2, clicked: 1, openRate: 0.5, clickRate: 0.25 },
      stages: [
        { stats: { ...none, sent: 3, opened: 2, clicked: 1, openRate: 2 / 3, clickRate: 1 / 3 } },
        { stats: { ...none, sent: 1 } },
      ],
    })
    await world.run('mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId } }', a)
    expect((await read(sequence.id)).stats.sent).toBe(4)
    expect(await read(other.id)).toEqual({ stats: none, stages: [] })
  })
})
