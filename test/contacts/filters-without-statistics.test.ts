import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { addContacts } from './bulk.ts'

/** Alone in its file: the statistics of other accounts would change the plan. */
describe('a filter of an account that is newer than the statistics', () => {
  it('is answered within its time limit', {
    timeout: 60_000,
  }, async () => {
    const world = await newWorld()
    const fill = async (of: World, people: number) => {
      await addContacts(of, people)
      const field = await of.customField({ type: 'TEXT' })
      await of.rows(
        `INSERT INTO contact_field (account_id, contact_id, custom_field_id, value, updated_at)
         SELECT c.account_id, c.id, $2, 'x', now() FROM contact c WHERE c.account_id = $1`,
        [of.accountId, field.databaseId],
      )
      return field.id
    }
    for (let each = 0; each < 4; each += 1) await fill(await newWorld(), 20_000)
    // Autovacuum could make new statistics at any moment.
    await world.rows('ALTER TABLE contact SET (autovacuum_enabled = false)')
    await world.rows('ALTER TABLE contact_field SET (autovacuum_enabled = false)')
    await world.rows('ANALYZE contact, contact_field')
    const id = await fill(world, 40_000)
    expect(await count(world, [{ id, text: { eq: 'x' } }])).toBe(40_000)
  })
})

async function count(world: World, customFields: readonly object[]): Promise<number> {
  const query = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'
  return (await world.run(query, { filter: { customFields } })).contacts.totalCount
}
