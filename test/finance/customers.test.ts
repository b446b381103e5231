import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { OrderRecord } from './documents.ts'

const Delete = `mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) {
  deleted reason contact { emailMarketing } } }`
const record = async (world: World, customer: object, more: object = {}) =>
  (await world.run(OrderRecord, { input: { idOrder: `${Math.random()}`, amount: '1', customer, ...more } })).orderRecord
    .order.customer

describe('a customer', () => {
  it('is found by case-insensitive e-mail address, and absent fields stay', async () => {
    const world = await newWorld()
    const first = await record(world, { email: 'Ada@Example.com', firstName: 'Ada', companyName: 'Engines' })
    const second = await record(world, { email: 'ada@example.COM', lastName: 'Lovelace', companyName: null })
    expect(second).toMatchObject({
      id: first.id,
      email: 'Ada@Example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
      companyName: 'Engines',
    })
    expect((await record(world, { email: 'ada@example.com', companyName: '' })).companyName).toBe('')
  })

  it('is created once by concurrent orders', async () => {
    const world = await newWorld()
    const all = await Promise.all(
      Array.from({ length: 15 }, (_, n) =>
        record(world, { email: n % 2 ? 'a@example.com' : 'A@example.com' }, { createContact: true }),
      ),
    )
    expect(new Set(all.map(({ id }) => id)).size).toBe(1)
    expect(await world.announced('contact.created')).toHaveLength(1)
  })

  it('is linked to the contact with its e-mail address when a sale is recorded', async () => {
    const world = await newWorld()
    const contact = await world.contact({ email: 'Ada@example.com' })
    expect((await record(world, { email: 'ada@example.com' })).contact).toEqual({ email: 'Ada@example.com' })
    expect((await record(world, { email: 'late@example.com' })).contact).toBeNull()
    await world.contact({ email: 'late@example.com' })
    expect((await record(world, { email: 'late@example.com' })).contact).toEqual({ email: 'late@example.com' })
    await world.run(
      'mutation ($id: ID) { contactUpdate(input: { contact: { id: $id }, email: "new@example.com" }) { contact { id } } }',
      contact,
    )
    expect((await record(world, { email: 'ada@example.com' })).contact).toEqual({ email: 'new@example.com' })
    expect((await record(world, { email: 'new@example.com' })).contact).toEqual({ email: 'new@example.com' })
    const document =
      'query ($id: ID!) { contact(ref: { id: $id }) { customers { nodes { email } } orders { totalCount nodes { customer { email } } } } }'
    const { contact: found } = await world.run(document, contact)
    expect(found.customers.nodes.map(({ email }: { email: string }) => email)).toEqual([
      'new@example.com',
      'ada@example.com',
    ])
    expect(found.orders.totalCount).toBe(3)
  })

  it('gets a contact with its names if createContact is true', async () => {
    const world = await newWorld()
    await record(world, { email: 'new@example.com', firstName: 'Grace', companyName: 'Navy' }, { createContact: true })
    const { contact } = await world.run(
      '{ contact(ref: { email: "new@example.com" }) { firstName companyName emailMarketing } }',
    )
    expect(contact).toEqual({ firstName: 'Grace', companyName: 'Navy', emailMarketing: false })
    expect((await world.announced()).map(({ type }) => type)).toEqual(['contact.created', 'order.created'])
  })

  it('is recorded without a contact if the quota of contacts is used up', async () => {
    const world = await newWorld({ limits: { contacts: 1 } })
    const all = await Promise.all(
      ['a', 'b', 'c'].map((name) => record(world, { email: `${name}@example.com` }, { createContact: true })),
    )
    expect(all.filter(({ contact }) => contact !== null)).toHaveLength(1)
    expect(
      await world.run('{ orders { totalCount } contacts { totalCount } account { quota { contacts { used } } } }'),
    ).toEqual({
      orders: { totalCount: 3 },
      contacts: { totalCount: 1 },
      account: { quota: { contacts: { used: 1 } } },
    })
    expect((await world.announced()).map(({ type }) => type).sort()).toEqual([
      'contact.created',
      'order.created',
      'order.created',
      'order.created',
      'quota.reached',
    ])
  })
})

describe('contactDelete', () => {
  it.each([
    ['orders', (world: World, email: string) => world.order({ customer: { email } })],
    ['transactions', (world: World, email: string) => world.transaction({ customer: { email } })],
  ])('keeps and unsubscribes a contact that has %s', async (what, buy) => {
    const world = await newWorld()
    const contact = await world.contact({ emailMarketing: true })
    await buy(world, contact.email)
    expect((await world.run(Delete, contact)).contactDelete).toEqual({
      deleted: false,
      reason: expect.stringContaining(what),
      contact: { emailMarketing: false },
    })
    expect(await world.announced('contact.unsubscribed')).toHaveLength(1)
    expect(await world.announced('contact.deleted')).toEqual([])
  })

  it('deletes a contact without orders and transactions, and keeps its customer', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    await world.subscription({ customer: { email: contact.email } })
    expect((await world.run(Delete, contact)).contactDelete.deleted).toBe(true)
    const { nodes } = (await world.run('{ customers { nodes { email contact { id } } } }')).customers
    expect(nodes).toEqual([{ email: contact.email, contact: null }])
  })

  it('deletes the contact before a concurrent order is recorded, or keeps it because of the order', async () => {
    const world = await newWorld()
    const contacts = await Promise.all(Array.from({ length: 25 }, () => world.contact()))
    const outcomes = await Promise.all(
      contacts.map(async (contact) => {
        const [removed, customer] = await Promise.all([
          world.run(Delete, contact),
          record(world, { email: contact.email }),
        ])
        return [removed.contactDelete.deleted, customer.contact === null]
      }),
    )
    for (const [deleted, alone] of outcomes) expect(alone).toBe(deleted)
  })

  it('does the same for a concurrent transaction of a subscription', async () => {
    const world = await newWorld()
    const contacts = await Promise.all(Array.from({ length: 25 }, () => world.contact()))
    const plans = await Promise.all(contacts.map(({ email }) => world.subscription({ customer: { email } })))
    await Promise.all(
      contacts.map(async (contact, n) => {
        const pay = world.transaction({ subscriptionId: plans[n]?.id })
        const [removed, transaction] = await Promise.all([world.run(Delete, contact), pay])
        const document = 'query ($id: ID!) { transaction(id: $id) { contact { id } } }'
        const { contact: left } = (await world.run(document, transaction)).transaction
        expect(left === null).toBe(removed.contactDelete.deleted)
      }),
    )
  })
})
