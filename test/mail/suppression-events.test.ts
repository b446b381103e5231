import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { settled } from '../support/settled.ts'
import { newWorld, type World } from '../support/world.ts'
import { report, sentMessage } from './reporting.ts'

const Add = 'mutation ($email: String!) { suppressionAdd(input: { email: $email }) { suppression { id } } }'
const Remove = 'mutation ($email: String!) { suppressionRemove(input: { email: $email }) { email } }'
const Events = `{ events(filter: { types: [SUPPRESSION_CREATED, SUPPRESSION_UPDATED, SUPPRESSION_DELETED] }) { nodes {
  name ... on SuppressionChangeEvent { suppressionId suppression { id reason } contactDatabaseId contact { email } } } } }`

/** Returns the types of the events of suppressions, and the contacts that they name, oldest first. */
async function announcedOf(world: World): Promise<unknown[]> {
  const all = await world.announced('*')
  return all.filter(({ type }) => type.startsWith('suppression.')).map(({ type, data }) => [type, data['contactId']])
}

describe('the events of suppressions', () => {
  it('name the contact that has the address in any spelling, once for each change', async () => {
    const world = await newWorld()
    const bob = await world.contact({ email: 'bob@bücher.example' })
    for (const email of ['BOB@xn--bcher-kva.example', 'bob@bücher.example', 'nobody@example.com'])
      await world.run(Add, { email })
    await world.run(Remove, { email: 'bob@bücher.example' })
    await world.fault(Remove, { email: 'bob@bücher.example' })
    expect(await announcedOf(world)).toEqual([
      ['suppression.created', bob.databaseId],
      ['suppression.created', null],
      ['suppression.deleted', bob.databaseId],
    ])
  })

  it('contain the suppression as it is at delivery, and its ID after its removal', async () => {
    const world = await newWorld()
    await world.contact({ email: 'bob@example.com' })
    const { id } = (await world.run(Add, { email: 'bob@example.com' })).suppressionAdd.suppression
    const read = async () => {
      await settled(world)
      return (await world.run(Events)).events.nodes
    }
    const contact = { contactDatabaseId: expect.any(Number), contact: { email: 'bob@example.com' } }
    expect(await read()).toEqual([
      { name: 'suppression.created', suppressionId: id, suppression: { id, reason: 'MANUAL' }, ...contact },
    ])
    await world.run(Remove, { email: 'bob@example.com' })
    expect(await read()).toEqual(
      ['suppression.deleted', 'suppression.created'].map((name) => ({
        ...{ name, suppressionId: id, suppression: null },
        ...contact,
      })),
    )
  })

  it('announce a bounce, a complaint after it, and no repeated report', async () => {
    const key = 'a-key-of-sixteen-characters'
    const server = await newServer({ BOUNCES_GENERIC_KEY: key })
    const sent = await sentMessage({ world: await newWorld({ server }), email: 'bob@example.com' })
    for (const type of ['bounce', 'bounce', 'complaint', 'complaint'])
      await report(sent.world, 'generic', { type, message_id: sent.messageId }, { authorization: `Bearer ${key}` })
    expect(await announcedOf(sent.world)).toEqual([
      ['suppression.created', sent.contact.databaseId],
      ['suppression.updated', sent.contact.databaseId],
    ])
  })

  it('announce that a merge suppresses the address of the target', async () => {
    const world = await newWorld()
    const [from, into] = [await world.contact({ email: 'bob@example.com' }), await world.contact()]
    await world.run(Add, { email: 'bob@example.com' })
    await world.run('mutation ($input: ContactMergeInput!) { contactMerge(input: $input) { contact { id } } }', {
      input: { contact: { id: from.id }, into: { id: into.id } },
    })
    expect(await announcedOf(world)).toEqual([
      ['suppression.created', from.databaseId],
      ['suppression.created', into.databaseId],
    ])
  })

  it('announce an erasure without the address, and not the removal of the hash that it leaves', async () => {
    const world = await newWorld()
    const bob = await world.contact({ email: 'bob@example.com' })
    await world.run(Add, { email: 'bob@example.com' })
    await world.run(
      'mutation ($id: ID!) { contactErase(input: { contact: { id: $id } }) { contactErasure { id } } }',
      bob,
    )
    expect(await announcedOf(world)).toEqual([
      ['suppression.created', bob.databaseId],
      ['suppression.deleted', null],
    ])
    await world.run(Remove, { email: 'bob@example.com' })
    expect(await announcedOf(world)).toHaveLength(2)
    expect(JSON.stringify(await world.announced('*'))).not.toContain('bob@')
  })
})
