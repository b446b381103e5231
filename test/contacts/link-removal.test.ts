import { describe, expect, it } from 'vitest'
import { contactJobs } from '../../src/contacts/index.ts'
import { newWorld, type World } from '../support/world.ts'
import { addContacts } from './bulk.ts'

/** Contacts whose links are deleted in several batches of 10,000. */
const people = 21_000

const countLinks = async (world: World, table: string) =>
  (
    await world.rows<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`, [world.accountId])
  )[0]?.n

const Count = `query ($filter: ContactFilterInput) { contacts(filter: $filter, first: 1) {
  totalCount nodes { tags { name } customFields { value } } } }`
const count = async (world: World, filter: object) => (await world.run(Count, { filter })).contacts.totalCount

/** Runs the job that the deletion has enqueued, more often than it enqueues itself on a busy machine. */
async function runJob(world: World, object: { type: 'Tag' | 'CustomField'; id: number }): Promise<void> {
  const payload = { accountId: world.accountId, ...object }
  for (let run = 0; run < 10; run += 1) await contactJobs['contacts:remove_links'](world.server.system, payload)
}

describe('the deletion of an object that many contacts have', { timeout: 120_000 }, () => {
  it('hides a tag at once and removes its links in batches', async () => {
    const world = await newWorld()
    await addContacts(world, people)
    const [tag, other] = [await world.tag(), await world.tag()]
    await world.rows(
      `INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at)
       SELECT c.account_id, c.id, $2, now() FROM contact c WHERE c.account_id = $1`,
      [world.accountId, tag.databaseId],
    )
    expect(await count(world, { tags: { any: [tag.id] } })).toBe(people)
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: tag.id })
    expect(await countLinks(world, 'contact_tag')).toBe(people - 10_000)
    for (const tags of [{ any: [tag.id] }, { any: [tag.id, other.id] }, { all: [tag.id] }, { exists: true }])
      expect([tags, await count(world, { tags })]).toEqual([tags, 0])
    expect(await count(world, { tags: { exists: false } })).toBe(people)
    const { nodes } = (await world.run(Count, { filter: {} })).contacts
    expect(nodes).toEqual([{ tags: [], customFields: [] }])
    await runJob(world, { type: 'Tag', id: tag.databaseId })
    expect(await countLinks(world, 'contact_tag')).toBe(0)
  })

  it('hides a custom field at once and removes its values in batches', async () => {
    const world = await newWorld()
    await addContacts(world, people)
    const field = await world.customField({ type: 'TEXT' })
    await world.rows(
      `INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, updated_at)
       SELECT c.account_id, c.id, $2, 'x', now() FROM contact c WHERE c.account_id = $1`,
      [world.accountId, field.databaseId],
    )
    const customFields = [{ id: field.id, text: { eq: 'x' } }]
    expect(await count(world, { customFields })).toBe(people)
    await world.run('mutation ($id: ID!) { customFieldDelete(input: { id: $id }) { deletedCustomFieldId } }', {
      id: field.id,
    })
    expect(await countLinks(world, 'contact_field')).toBe(people - 10_000)
    expect(await count(world, { customFields })).toBe(0)
    expect(await count(world, { customFields: [{ id: field.id, exists: true }] })).toBe(0)
    const { nodes } = (await world.run(Count, { filter: {} })).contacts
    expect(nodes).toEqual([{ tags: [], customFields: [] }])
    await runJob(world, { type: 'CustomField', id: field.databaseId })
    expect(await countLinks(world, 'contact_field')).toBe(0)
  })

  it('takes less time than their creation in an account that is newer than the statistics', async () => {
    const [world, old] = [await newWorld(), await newWorld()]
    const tagAll = async (account: World, contacts: number) => {
      await addContacts(account, contacts)
      const tag = await account.tag()
      await account.rows(
        `INSERT INTO contact_tag (account_id, contact_id, tag_id, created_at)
         SELECT c.account_id, c.id, $2, now() FROM contact c WHERE c.account_id = $1`,
        [account.accountId, tag.databaseId],
      )
      return tag
    }
    await tagAll(old, 1_000)
    await world.rows('ANALYZE contact_tag')
    const startedAt = performance.now()
    const tag = await tagAll(world, 100_000)
    const createdAt = performance.now()
    await world.run('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id: tag.id })
    expect(performance.now() - createdAt).toBeLessThan(createdAt - startedAt)
  })
})
