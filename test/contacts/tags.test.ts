import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const Create = 'mutation ($name: String!) { tagCreate(input: { name: $name }) { tag { id name } } }'
const Update = 'mutation ($id: ID!, $name: String!) { tagUpdate(input: { id: $id, name: $name }) { tag { id name } } }'
const Delete = 'mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }'
const Add = `mutation ($contact: ContactRefInput!, $tagId: ID!) { contactTagAdd(input: { contact: $contact, tagId: $tagId }) {
  contact { id tags { name } } tag { id contacts { totalCount } } } }`
const Remove = `mutation ($contact: ContactRefInput!, $tagId: ID!) { contactTagRemove(input: { contact: $contact, tagId: $tagId }) {
  contact { tags { name } } tag { contacts { totalCount } } } }`
const Bulk = `mutation ($ids: [ID!]!, $tagId: ID!) { contactBulkTag(input: { contactIds: $ids, tagId: $tagId }) {
  tag { id } queued skipped } }`

const tagNames = async (world: World, id: string) =>
  (await world.run('query ($id: ID!) { contact(ref: { id: $id }) { tags { name } } }', { id })).contact.tags.map(
    ({ name }: { name: string }) => name,
  )

describe('tagCreate and tagUpdate', () => {
  it('return TAG_EXISTS for a name that exists, case-sensitive', async () => {
    const world = await newWorld()
    const vip = await world.tag('vip')
    await world.tag('VIP')
    expect((await world.fault(Create, { name: ' vip ' })).extensions.code).toBe('TAG_EXISTS')
    expect((await world.fault(Update, { id: vip.id, name: 'VIP' })).extensions.code).toBe('TAG_EXISTS')
    expect((await world.run(Update, { id: vip.id, name: 'vip' })).tagUpdate.tag).toEqual({ id: vip.id, name: 'vip' })
    expect((await world.run(Update, { id: vip.databaseId, name: 'gold' })).tagUpdate.tag).toEqual({
      id: vip.id,
      name: 'gold',
    })
  })

  it.each(['', '   ', 'x'.repeat(256)])('return VALIDATION_ERROR for the name %j', async (name) => {
    const world = await newWorld()
    const { id } = await world.tag()
    for (const fault of [await world.fault(Create, { name }), await world.fault(Update, { id, name })]) {
      expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'input.name': expect.any(Array) } })
    }
  })

  it('accept a name of 255 characters of any script', async () => {
    const world = await newWorld()
    const name = '名'.repeat(255)
    expect((await world.run(Create, { name })).tagCreate.tag.name).toBe(name)
  })

  it('return NOT_FOUND for an unknown tag', async () => {
    const world = await newWorld()
    expect((await world.fault(Update, { id: 99_999_999, name: 'x' })).extensions.code).toBe('NOT_FOUND')
    expect((await world.fault(Delete, { id: 99_999_999 })).extensions.code).toBe('NOT_FOUND')
  })
})

describe('tagDelete', () => {
  it('removes the tag from all contacts', async () => {
    const world = await newWorld()
    const [deleted, kept] = [await world.tag('deleted'), await world.tag('kept')]
    const contact = await world.contact({ addTagIds: [deleted.id, kept.id] })
    expect((await world.run(Delete, { id: deleted.id })).tagDelete).toEqual({ deletedTagId: deleted.id })
    expect(await tagNames(world, contact.id)).toEqual(['kept'])
  })
})

describe('contactTagAdd and contactTagRemove', () => {
  it('are idempotent and emit one event', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.contact({ email: 'ada@example.com' })
    const vip = await world.tag('vip')
    const data = { contactId: databaseId, tagId: vip.databaseId, changes: [expect.any(String)] }
    for (const contact of [{ email: 'ADA@example.com' }, { id }, { id: databaseId }]) {
      expect((await world.run(Add, { contact, tagId: vip.id })).contactTagAdd).toEqual({
        contact: { id, tags: [{ name: 'vip' }] },
        tag: { id: vip.id, contacts: { totalCount: 1 } },
      })
    }
    expect(await world.announced('contact.tag_added')).toEqual([{ type: 'contact.tag_added', data }])
    for (const contact of [{ id }, { email: 'ada@example.com' }]) {
      expect((await world.run(Remove, { contact, tagId: vip.databaseId })).contactTagRemove).toEqual({
        contact: { tags: [] },
        tag: { contacts: { totalCount: 0 } },
      })
    }
    expect(await world.announced('contact.tag_removed')).toEqual([{ type: 'contact.tag_removed', data }])
  })

  it('return NOT_FOUND for an unknown contact or tag', async () => {
    const world = await newWorld()
    const contact = await world.contact()
    const tag = await world.tag()
    for (const document of [Add, Remove]) {
      expect((await world.fault(document, { contact: { id: contact.id }, tagId: 99_999_999 })).extensions.code).toBe(
        'NOT_FOUND',
      )
      expect((await world.fault(document, { contact: { id: 99_999_999 }, tagId: tag.id })).extensions.code).toBe(
        'NOT_FOUND',
      )
    }
  })

  it('return VALIDATION_ERROR for the 1,001st tag of a contact', async () => {
    const world = await newWorld()
    const { id, databaseId } = await world.contact()
    await world.rows(
      `WITH made AS (INSERT INTO tag (account_id, name, created_at) SELECT $1, 't' || n, now() FROM generate_series(1, 1000) n RETURNING *)
       INSERT INTO contact_tag SELECT account_id, $2, id, now() FROM made`,
      [world.accountId, databaseId],
    )
    const tag = await world.tag('one more')
    expect((await world.fault(Add, { contact: { id }, tagId: tag.id })).extensions.code).toBe('VALIDATION_ERROR')
    expect(await tagNames(world, id)).toHaveLength(1_000)
    expect(await world.announced('contact.tag_added')).toHaveLength(0)
  })
})

describe('contactBulkTag', () => {
  it('tags each contact once in the background, even if the job is repeated', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
    const vip = await world.tag('vip')
    const contacts = [await world.contact({ addTagIds: [vip.id] }), await world.contact(), await world.contact()]
    const foreign = await (await world.other()).contact()
    const ids = [...contacts.map(({ id }) => id), contacts[0]?.databaseId, 99_999_999, foreign.id]
    const result = (await world.run(Bulk, { ids, tagId: vip.id })).contactBulkTag
    expect(result).toEqual({ tag: { id: vip.id }, queued: 3, skipped: 2 })
    const events = () => world.announced('contact.tag_added')
    await expect.poll(async () => (await events()).length).toBe(3)

    const payload = {
      accountId: world.accountId,
      tagId: vip.databaseId,
      contactIds: contacts.map(({ databaseId }) => databaseId),
    }
    const jobCount = async () => (await world.rows('SELECT FROM graphile_worker.jobs')).length
    await world.rows("SELECT graphile_worker.add_job('contacts:bulk_tag', $1::json)", [JSON.stringify(payload)])
    await expect.poll(jobCount).toBe(0)
    expect(await events()).toHaveLength(3)
    for (const { id } of contacts) expect(await tagNames(world, id)).toEqual(['vip'])

    // The job succeeds although the tag and a contact were deleted.
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', {
      id: contacts[2]?.id,
    })
    await world.run(Delete, { id: vip.id })
    await world.rows("SELECT graphile_worker.add_job('contacts:bulk_tag', $1::json)", [JSON.stringify(payload)])
    await expect.poll(jobCount).toBe(0)
    expect(await tagNames(world, contacts[0]?.id ?? '')).toEqual([])
    expect(world.server.errors).toEqual([])
  })

  it('requires 1 to 500 ids and at least one existing contact', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
    for (const ids of [[], numbers(501)]) {
      const fault = await world.fault(Bulk, { ids, tagId: tag.id })
      expect(fault.extensions).toMatchObject({
        code: 'VALIDATION_ERROR',
        details: { 'input.contactIds': expect.any(Array) },
      })
    }
    expect((await world.fault(Bulk, { ids: [99_999_999], tagId: tag.id })).extensions.code).toBe('NOT_FOUND')
    const { id } = await world.contact()
    expect((await world.fault(Bulk, { ids: [id], tagId: 99_999_999 })).extensions.code).toBe('NOT_FOUND')
    expect(
      await world.rows("SELECT FROM graphile_worker._private_jobs WHERE payload::jsonb->>'accountId' = $1", [
        String(world.accountId),
      ]),
    ).toHaveLength(0)
  })
})

describe('the job that deletes idempotency keys', () => {
  it('deletes only keys that are older than a day, in all accounts', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'api,worker' }) })
    const other = await world.other()
    for (const each of [world, other]) {
      for (const key of ['old', 'new']) {
        await each.run(`mutation { tagCreate(input: { name: "${key}", idempotencyKey: "${key}" }) { tag { id } } }`)
      }
    }
    await world.rows("UPDATE idempotency_key SET created_at = now() - interval '24 hours 1 second' WHERE key = 'old'")
    await world.rows("SELECT graphile_worker.add_job('idempotency:forget')")
    const kept = async () =>
      (await world.rows<{ key: string }>('SELECT key FROM idempotency_key')).map(({ key }) => key)
    await expect.poll(kept).toEqual(['new', 'new'])
  })
})

describe('Tag.contactsCount', () => {
  it('counts the contacts that have the tag', async () => {
    const world = await newWorld()
    const [tag, empty] = [await world.tag(), await world.tag()]
    const contacts = [await world.contact(), await world.contact()]
    for (const { id } of contacts) {
      await world.run('mutation ($input: ContactTagAddInput!) { contactTagAdd(input: $input) { contact { id } } }', {
        input: { contact: { id }, tagId: tag.id },
      })
    }
    const counts = async () => (await world.run('{ tags { nodes { databaseId contactsCount } } }')).tags.nodes
    const row = ({ databaseId }: { databaseId: number }, contactsCount: number) => ({ databaseId, contactsCount })
    expect(await counts()).toEqual([row(empty, 0), row(tag, 2)])
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', {
      id: contacts[0]?.id,
    })
    expect(await counts()).toEqual([row(empty, 0), row(tag, 1)])
  })
})
