import { describe, expect, it } from 'vitest'
import { VisitRecord } from '../funnels/documents.ts'
import { createSubscriber, newMailWorld, ownUrls, type Received } from '../mail/reading.ts'
import { newWorld, type World } from '../support/world.ts'

const person = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0' }
const scanner = { 'user-agent': 'Mimecast/1.0' }

const timeOf = async (world: World, { id }: { id: string }): Promise<string | null> =>
  (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { lastActiveAt } }', { id })).contact.lastActiveAt

describe('Contact.lastActiveAt', () => {
  it('is set by opens and clicks of people', async () => {
    const { world, send } = await newMailWorld()
    const contact = await createSubscriber(world)
    const [letter] = (await send({ html: '<p>Hello <a href="https://shop.example/">shop</a></p>' })) as [Received]
    const [pixel = ''] = ownUrls(letter, '/t/o/')
    const [link = ''] = ownUrls(letter, '/t/c/')
    for (const url of [pixel, link]) await fetch(url, { redirect: 'manual', headers: scanner })
    expect(await timeOf(world, contact)).toBeNull()
    for (const url of [pixel, link]) {
      await world.rows('UPDATE contact SET last_active_at = NULL WHERE account_id = $1', [world.accountId])
      await fetch(url, { redirect: 'manual', headers: person })
      expect(await timeOf(world, contact)).not.toBeNull()
    }
  })

  it('is set by submissions, visits and orders', async () => {
    const world = await newWorld()
    const [form, step] = [await world.form(), await world.step(await world.funnel())]
    const email = 'buyer@example.com'
    const activities: ((contact: { id: string }) => Promise<unknown>)[] = [
      (contact) => world.submission(form, { contact: { id: contact.id } }),
      (contact) => world.run(VisitRecord, { input: { stepId: step.id, visitorId: 'v', contact: { id: contact.id } } }),
      () => world.order(),
    ]
    const contact = await world.contact({ email })
    for (const record of activities) {
      await world.rows('UPDATE contact SET last_active_at = NULL WHERE account_id = $1', [world.accountId])
      await record(contact)
      expect(await timeOf(world, contact)).not.toBeNull()
    }
  })

  it('changes at most once an hour, and neither updatedAt nor an event', async () => {
    const world = await newWorld()
    const [step, contact] = [await world.step(await world.funnel()), await world.contact()]
    const visit = () =>
      world.run(VisitRecord, { input: { stepId: step.id, visitorId: 'v', contact: { id: contact.id } } })
    const set = (ago: string) =>
      world.rows('UPDATE contact SET last_active_at = now() - $2::interval WHERE account_id = $1', [
        world.accountId,
        ago,
      ])
    const rows = () =>
      world.rows('SELECT updated_at, last_active_at FROM contact WHERE account_id = $1', [world.accountId])
    const events = (await world.announced('contact.updated')).length
    await set('59 minutes')
    const before = await rows()
    await visit()
    expect(await rows()).toEqual(before)
    await set('61 minutes')
    await visit()
    const [after] = (await rows()) as [{ updated_at: Date; last_active_at: Date }]
    expect(after.last_active_at.getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect([after.updated_at]).toEqual([(before as { updated_at: Date }[])[0]?.updated_at])
    expect(await world.announced('contact.updated')).toHaveLength(events)
  })

  it('is the later one of two merged contacts', async () => {
    const world = await newWorld()
    const [early, late] = [await world.contact(), await world.contact()]
    const day = (number: number) => `2026-05-0${number}T00:00:00.000Z`
    for (const [{ databaseId }, at] of [
      [early, day(1)],
      [late, day(2)],
    ] as const)
      await world.rows('UPDATE contact SET last_active_at = $2 WHERE account_id = $1 AND id = $3', [
        world.accountId,
        at,
        databaseId,
      ])
    await world.run('mutation ($input: ContactMergeInput!) { contactMerge(input: $input) { contact { id } } }', {
      input: { contact: { id: late.id }, into: { id: early.id } },
    })
    expect(await timeOf(world, early)).toBe(day(2))
  })

  it('orders contacts, those that were never active by their creation', async () => {
    const world = await newWorld()
    const [early, late, never] = [await world.contact(), await world.contact(), await world.contact()]
    await world.rows(
      `UPDATE contact SET created_at = '2026-03-01', last_active_at = CASE id WHEN $2 THEN timestamptz '2026-05-01' WHEN $3 THEN timestamptz '2026-07-01' END
       WHERE account_id = $1`,
      [world.accountId, early.databaseId, late.databaseId],
    )
    const ids = async (args: object) =>
      (
        await world.run('query ($orderBy: [ContactOrderInput!]) { contacts(orderBy: $orderBy) { nodes { id } } }', args)
      ).contacts.nodes.map(({ id }: { id: string }) => id)
    const orderBy = { field: 'LAST_ACTIVE_AT', direction: 'DESC' }
    expect(await ids({ orderBy })).toEqual([late.id, early.id, never.id])
  })
})
