// @module-tag rows
import { describe, expect, it } from 'vitest'
import { checkFigures } from '../../src/figures/check.ts'
import { plansOf } from '../support/explain.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { importCsv } from './imports.ts'

const Count = '{ contacts { totalCount } account { contacts { totalCount } } }'
const Delete = 'mutation ($input: ContactDeleteInput!) { contactDelete(input: $input) { deleted } }'

/** Returns the total count, which must be that of the rows. */
async function totalOf(world: World): Promise<number> {
  const { contacts, account } = await world.run(Count)
  const [row] = await world.rows<{ n: number }>('SELECT count(*)::int AS n FROM contact WHERE account_id = $1', [
    world.accountId,
  ])
  expect(contacts.totalCount).toBe(row?.n)
  expect(account.contacts.totalCount).toBe(row?.n)
  return contacts.totalCount
}

describe('the total count of contacts', () => {
  it('is that of the rows after concurrent creations, deletions, failures and an import', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
    const other = await world.other()
    await other.contact()
    expect(await totalOf(world)).toBe(0)
    const contacts = await Promise.all(Array.from({ length: 20 }, () => world.contact()))
    const again = contacts.map(({ email }) =>
      world.ask('mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { id } } }', {
        input: { email },
      }),
    )
    const deleted = contacts.slice(0, 5).map(({ id }) => world.run(Delete, { input: { contact: { id } } }))
    const csv = `email\n${Array.from({ length: 30 }, (_, n) => `person${n}@example.com`).join('\n')}\n`
    await Promise.all([
      ...again,
      ...deleted,
      importCsv(world, csv),
      ...Array.from({ length: 10 }, () => world.contact()),
    ])
    expect(await totalOf(world)).toBeGreaterThanOrEqual(55)
    expect(await totalOf(other)).toBe(1)
  })

  it('is read without reading the contacts, and counted if there is a filter', async () => {
    const world = await newWorld()
    for (const firstName of ['Ada', 'Grace', 'Ada']) await world.contact({ firstName })
    await world.rows('VACUUM ANALYZE contact')
    const plans = await plansOf(world.server, () => world.run(Count))
    expect(plans.filter(({ scans }) => scans.some((scan) => / contact/.test(scan)))).toEqual([])
    const filtered = '{ contacts(filter: { firstName: { eq: "Ada" } }) { totalCount } }'
    expect((await world.run(filtered)).contacts.totalCount).toBe(2)
  })

  it('of a tag is read without reading the contacts, and counted if there is a filter', async () => {
    const world = await newWorld()
    const [vip, other] = [await world.tag('vip'), await world.tag('other')]
    for (const firstName of ['Ada', 'Grace', 'Ada']) await world.contact({ firstName, addTagIds: [vip.id] })
    await world.contact({ addTagIds: [other.id] })
    const document = (args = '') =>
      `{ tags(orderBy: { field: NAME, direction: ASC }) { nodes { contacts${args} { totalCount } } } }`
    const plans = await plansOf(world.server, () => world.run(document()))
    expect(plans.filter(({ scans }) => scans.some((scan) => / contact_(?!tag)|contact$/.test(scan)))).toEqual([])
    const totals = async (args?: string) =>
      (await world.run(document(args))).tags.nodes.map(
        (tag: { contacts: { totalCount: number } }) => tag.contacts.totalCount,
      )
    expect(await totals()).toEqual([1, 3])
    expect(await totals('(filter: { firstName: { eq: "Ada" } })')).toEqual([0, 2])
  })

  it('is compared with the rows by the job that checks figures', async () => {
    const world = await newWorld()
    await world.contact()
    expect(await checkFigures(world.server.system)).toEqual([])
    await world.rows("UPDATE quota_usage SET used = 3 WHERE account_id = $1 AND slot = 'contacts'", [world.accountId])
    const drift = { accountId: world.accountId, figure: 'contacts', object: '', currency: '', rows: '1', figures: '3' }
    expect(await checkFigures(world.server.system)).toEqual([drift])
  })
})
