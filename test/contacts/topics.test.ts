import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'
import { decide, newTopic } from './topics.ts'

const Update =
  'mutation ($input: TopicUpdateInput!) { topicUpdate(input: $input) { topic { name isPublic audience } } }'
const Topics = '{ topics { name description isPublic audience archivedAt translations { language name description } } }'
const Found =
  'query ($filter: ContactFilterInput!) { contacts(filter: $filter, orderBy: [{ field: EMAIL, direction: ASC }]) { nodes { email } } }'

async function found(world: World, filter: object): Promise<string[]> {
  const { contacts } = await world.run(Found, { filter })
  return contacts.nodes.map(({ email }: { email: string }) => email.split('@')[0])
}

describe('topics', () => {
  it('have a name in several languages, and are created, changed, archived and deleted', async () => {
    const world = await newWorld()
    const translations = [{ language: 'de', name: 'Neues', description: 'Jede Woche' }]
    const news = await newTopic(world, { name: 'News', description: 'Each week', translations })
    const Restore = 'mutation ($id: ID!) { topicRestore(input: { id: $id }) { topic { archivedAt } } }'
    const Archive = 'mutation ($id: ID!) { topicArchive(input: { id: $id }) { topic { archivedAt } } }'
    const read = async () => (await world.run(Topics)).topics
    const created = { description: 'Each week', isPublic: true, audience: 'EVERYONE', archivedAt: null, translations }
    expect(await read()).toEqual([{ name: 'News', ...created }])
    const input = { id: news.id, name: 'Notes', isPublic: false, audience: 'JOINED' }
    await world.run(Update, { input })
    expect((await world.run(Archive, { id: news.id })).topicArchive.topic.archivedAt).not.toBeNull()
    await world.run(Archive, { id: news.id })
    await world.run(Restore, { id: news.id })
    const changed = { name: 'Notes', isPublic: false, audience: 'JOINED' }
    expect(await read()).toEqual([{ ...created, ...changed }])
    await world.run('mutation ($id: ID!) { topicDelete(input: { id: $id }) { deletedTopicId } }', { id: news.id })
    expect(await read()).toEqual([])
    expect((await world.announced('*')).map(({ type }) => type)).toEqual([
      ...['topic.created', 'topic.updated', 'topic.updated', 'topic.updated', 'topic.deleted'],
    ])
  })

  it('are refused if something is wrong with them', async () => {
    const world = await newWorld()
    await newTopic(world, { name: 'News' })
    const create = async (input: object) => {
      const document = 'mutation ($input: TopicCreateInput!) { topicCreate(input: $input) { topic { id } } }'
      const { extensions } = await world.fault(document, { input: { audience: 'JOINED', ...input } })
      return extensions.details
    }
    expect(await create({ name: 'nEWS' })).toEqual({ 'input.name': ['is already used by another topic'] })
    expect(Object.keys((await create({ name: ' ' })) ?? {})).toEqual(['input.name'])
    const text = { language: 'de', name: 'Neues' }
    expect(await create({ name: 'x', translations: [text, text] })).toEqual({
      'input.translations': ['must not contain a language twice'],
    })
    expect(Object.keys((await create({ name: 'x', translations: [{ ...text, language: 'a b' }] })) ?? {})).toEqual([
      'input.translations.0.language',
    ])
    const languages = Array.from({ length: 30 }, (_, n) => `x${String.fromCharCode(97 + (n % 26))}${n > 25 ? 'z' : ''}`)
    const translations = languages.map((language) => ({ language, name: 'x', description: 'é'.repeat(1_000) }))
    for (const n of [1, 2, 3, 4]) await newTopic(world, { name: `long ${n}`, translations })
    expect(await create({ name: 'long', translations })).toEqual({
      'input.translations': ['would exceed the maximum of 256 KiB of names and descriptions of all topics'],
    })
    await world.rows('DELETE FROM topic WHERE account_id = $1 AND name <> $2', [world.accountId, 'News'])
    await world.rows(
      `INSERT INTO topic (account_id, name, audience, created_at, updated_at)
       SELECT $1, 'topic ' || i, 'JOINED', now(), now() FROM generate_series(1, 99) AS i`,
      [world.accountId],
    )
    expect(await create({ name: 'one more' })).toEqual({
      'input.name': ['would exceed the maximum of 100 topics per account'],
    })
  })

  it('are joined and left with proof, which shows in the consents, the timeline, the filter and the export', async () => {
    const world = await newWorld()
    const [ada, bob, eve] = [
      await world.contact({ email: 'ada@example.com' }),
      await world.contact({ email: 'bob@example.com' }),
      await world.contact({ email: 'eve@example.com' }),
    ]
    const [news, offers] = [
      await newTopic(world, { name: 'News' }),
      await newTopic(world, { name: 'Offers', audience: 'JOINED' }),
    ]
    const consent = { source: 'shop', text: 'No more news', ip: '203.0.113.9', documentVersion: 'privacy 3' }
    await decide(world, 'Leave', ada, news, consent)
    const left = await decide(world, 'Leave', ada, news, { source: 'again' })
    const joined = await decide(world, 'Join', bob, offers)
    expect(left.topics).toEqual([
      { topic: { name: 'News' }, receives: false, state: 'LEFT' },
      { topic: { name: 'Offers' }, receives: false, state: null },
    ])
    expect(joined.topics).toEqual([
      { topic: { name: 'News' }, receives: true, state: null },
      { topic: { name: 'Offers' }, receives: true, state: 'JOINED' },
    ])
    expect(await found(world, { topics: { any: [news.id] } })).toEqual(['bob', 'eve'])
    expect(await found(world, { topics: { any: [offers.id] } })).toEqual(['bob'])
    expect(await found(world, { topics: { none: [offers.id] } })).toEqual(['ada', 'eve'])
    expect(await found(world, { topicsLeft: { any: [news.id] } })).toEqual(['ada'])
    const Person = `query ($ref: ContactRefInput!) { contact(ref: $ref) {
      consents { nodes { kind granted source text ip documentVersion topic { name } } }
      timeline(first: 5, types: [CONSENT_RECORDED]) { nodes { ... on ConsentEntry { consent { topic { name } } } } } } }`
    const { contact } = await world.run(Person, { ref: { id: ada.id } })
    expect(contact.consents.nodes).toEqual([{ kind: 'TOPIC', granted: false, ...consent, topic: { name: 'News' } }])
    expect(contact.timeline.nodes).toEqual([{ consent: { topic: { name: 'News' } } }])
    const events = (await world.announced()).filter(({ type }) => type.startsWith('contact.topic'))
    expect(events).toEqual([
      { type: 'contact.topic_left', data: { contactId: ada.databaseId, topicId: news.databaseId } },
      { type: 'contact.topic_joined', data: { contactId: bob.databaseId, topicId: offers.databaseId } },
    ])
    // Who deletes a topic keeps the proof.
    await world.run('mutation ($id: ID!) { topicDelete(input: { id: $id }) { deletedTopicId } }', { id: news.id })
    const after = (await world.run(Person, { ref: { id: ada.id } })).contact
    expect(after.consents.nodes).toMatchObject([{ kind: 'TOPIC', topic: null }])
    expect(await found(world, { topicsLeft: { any: [news.id] } })).toEqual([])
    expect(await found(world, { topics: { any: [eve.id] } }).catch(() => 'refused')).toBe('refused')
  })

  it('of two contacts that are merged are those of the later decision', async () => {
    const world = await newWorld()
    const [source, target] = [await world.contact(), await world.contact()]
    const [first, second] = [await newTopic(world, { name: '1' }), await newTopic(world, { name: '2' })]
    await decide(world, 'Join', target, first)
    await decide(world, 'Leave', source, first)
    await decide(world, 'Leave', source, second)
    await decide(world, 'Join', target, second)
    const Merge = `mutation ($input: ContactMergeInput!) { contactMerge(input: $input) {
      contact { topics { topic { name } state } consents { totalCount } } } }`
    const input = { contact: { id: source.id }, into: { id: target.id } }
    const { contact } = (await world.run(Merge, { input })).contactMerge
    expect(contact.topics.map(({ state }: { state: string }) => state)).toEqual(['LEFT', 'JOINED'])
    expect(contact.consents.totalCount).toBe(4)
  })
})
