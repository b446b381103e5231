import { describe, expect, it } from 'vitest'
import { newMailWorld } from '../mail/reading.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'

const LeftOut = `query ($filter: ContactFilterInput) {
  audience(filter: $filter) { total optIn leftOut { reason count } } }`

const suppress = (world: World, email: string) =>
  world.run('mutation ($email: String!) { suppressionAdd(input: { email: $email }) { suppression { id } } }', { email })

/** Suppresses an address by the hash that the erasure of its person leaves. */
async function suppressByHash(world: World, email: string) {
  await suppress(world, email)
  const { id } = await world.contact({ email })
  const Erase = 'mutation ($id: ID!) { contactErase(input: { contact: { id: $id } }) { contactErasure { id } } }'
  await world.run(Erase, { id })
  const hashes = 'SELECT FROM suppression_hash WHERE account_id = $1'
  await until(async () => (await world.rows(hashes, [world.accountId])).length > 0)
}

const Withdraw =
  'mutation ($id: ID!) { contactUpdate(input: { contact: { id: $id }, emailMarketing: false }) { contact { id } } }'

/** Creates contacts, of which one can get messages. */
async function createAll(world: World) {
  await suppressByHash(world, 'erased@example.com')
  for (const email of ['no@example.com', 'none@example.com', 'never@example.com']) await world.contact({ email })
  await suppress(world, 'never@example.com')
  await world.contact({ email: 'refused@example.com', emailMarketing: false })
  const left = await world.contact({ email: 'left@example.com', emailMarketing: true })
  await world.run(Withdraw, left)
  for (const email of ['OUT@example.com', 'erased@example.com', 'me@example.com'])
    await world.contact({ email, emailMarketing: true })
  await suppress(world, 'out@example.com')
}

describe('the contacts of an audience that get no message', () => {
  it('have one reason each, and all others get the message of a campaign', async () => {
    const { world, sink } = await newMailWorld()
    await createAll(world)
    const { audience } = await world.run(LeftOut)
    expect(audience).toEqual({
      total: 8,
      optIn: 3,
      leftOut: [
        { reason: 'NO_CONSENT', count: 4 },
        { reason: 'CONSENT_WITHDRAWN', count: 1 },
        { reason: 'ADDRESS_SUPPRESSED', count: 2 },
      ],
    })
    const { id } = await sendCampaign(world)
    await waitForStatus(world, id, 'SENT')
    expect(sink.taken.map(({ to }) => to)).toEqual(['me@example.com'])
    const Campaign = 'query ($id: ID!) { campaign(id: $id) { audience { total leftOut { count } } } }'
    const { campaign } = await world.run(Campaign, { id })
    const counts = campaign.audience.leftOut.map(({ count }: { count: number }) => count)
    expect(counts.reduce((rest: number, count: number) => rest - count, campaign.audience.total)).toBe(1)
  })

  it('are those that the filter selects, without reasons that apply to none, and none of other accounts', async () => {
    const world = await newWorld()
    const other = await world.other()
    await suppress(other, 'me@example.com')
    await other.contact({ email: 'no@example.com' })
    await world.contact({ email: 'me@example.com', emailMarketing: true })
    const leftOut = async (filter?: object) => (await world.run(LeftOut, { filter })).audience.leftOut
    expect(await leftOut()).toEqual([])
    await world.contact({ email: 'no@example.com' })
    expect(await leftOut()).toEqual([{ reason: 'NO_CONSENT', count: 1 }])
    expect(await leftOut({ emailMarketing: true })).toEqual([])
    expect(await leftOut({ email: { eq: 'no@example.com' } })).toEqual([{ reason: 'NO_CONSENT', count: 1 }])
  })

  it('are counted in one statement for all audiences of a list', async () => {
    const world = await newWorld()
    const statements = () => world.statements(() => world.run('{ tags { nodes { audience { leftOut { count } } } } }'))
    const tags = [await world.tag()]
    await world.contact({ addTagIds: [tags[0]?.id] })
    const one = await statements()
    for (let n = 0; n < 3; n += 1) await world.contact({ addTagIds: [(await world.tag()).id] })
    expect(await statements()).toBe(one)
  })
})
