import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const Create = 'mutation ($email: String!) { contactCreate(input: { email: $email }) { contact { id } } }'
const Upsert = 'mutation ($email: String!) { contactUpsert(input: { email: $email, city: "Paris" }) { created } }'
const Delete = 'mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }'

const slot = async (world: World) =>
  (await world.run('{ account { quota { contacts { limit used remaining } } } }')).account.quota.contacts
const reached = (world: World) => world.announced('quota.reached')

describe('the quota of contacts', () => {
  it('returns QUOTA_EXCEEDED with the name of the quota and creates no contact', async () => {
    const world = await newWorld({ limits: { contacts: 2 } })
    await world.contact()
    expect(await reached(world)).toEqual([])
    await world.contact({ email: 'last@example.com' })
    expect(await reached(world)).toEqual([{ type: 'quota.reached', data: { slot: 'contacts', limit: 2, used: 2 } }])

    for (const document of [Create, Upsert]) {
      const fault = await world.fault(document, { email: 'more@example.com' })
      expect(fault.extensions).toEqual({ code: 'QUOTA_EXCEEDED' })
      expect(fault.message).toContain('contacts')
    }
    expect(await world.rows('SELECT FROM contact WHERE account_id = $1', [world.accountId])).toHaveLength(2)
    expect(await world.announced('contact.created')).toHaveLength(2)
    expect(await slot(world)).toEqual({ limit: 2, used: 2, remaining: 0 })
  })

  it('can be reached again after a deletion', async () => {
    const world = await newWorld({ limits: { contacts: 1 } })
    const { id } = await world.contact()
    await world.run(Delete, { id })
    expect(await slot(world)).toEqual({ limit: 1, used: 0, remaining: 1 })
    await world.contact()
    expect(await reached(world)).toHaveLength(2)
  })

  it('does not block updates of existing contacts', async () => {
    const world = await newWorld({ limits: { contacts: 1 } })
    await world.contact({ email: 'ada@example.com' })
    expect(await world.run(Upsert, { email: 'ADA@example.com' })).toEqual({ contactUpsert: { created: false } })
    expect((await world.fault(Create, { email: 'ada@example.com' })).extensions.code).toBe('CONTACT_EXISTS')
    expect(await reached(world)).toHaveLength(1)
  })

  it('of 0 rejects the first contact', async () => {
    const world = await newWorld({ limits: { contacts: 0 } })
    expect((await world.fault(Create, { email: 'a@example.com' })).extensions.code).toBe('QUOTA_EXCEEDED')
    expect(await slot(world)).toEqual({ limit: 0, used: 0, remaining: 0 })
  })

  it('below the number of contacts rejects creations and allows deletions', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    await world.contact()
    await world.rows('UPDATE account SET limit_contacts = 1 WHERE id = $1', [world.accountId])
    expect(await slot(world)).toEqual({ limit: 1, used: 2, remaining: 0 })
    expect((await world.fault(Create, { email: 'a@example.com' })).extensions.code).toBe('QUOTA_EXCEEDED')
    await world.run(Delete, { id })
    expect(await slot(world)).toEqual({ limit: 1, used: 1, remaining: 0 })
  })

  it('is counted for each account separately', async () => {
    const world = await newWorld({ limits: { contacts: 1 } })
    const other = await world.other({ limits: { contacts: 1 } })
    await world.contact()
    await other.contact()
    expect([await slot(world), await slot(other)]).toEqual(Array(2).fill({ limit: 1, used: 1, remaining: 0 }))
  })
})
