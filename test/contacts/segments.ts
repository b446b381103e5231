import { newWorld, type World } from '../support/world.ts'

export const Create = `mutation ($name: String!, $filter: ContactFilterInput!) {
  segmentCreate(input: { name: $name, filter: $filter }) { segmentId segment { id databaseId name filter contacts { totalCount } } } }`
export const Update = `mutation ($id: ID!, $name: String, $filter: ContactFilterInput) {
  segmentUpdate(input: { id: $id, name: $name, filter: $filter }) { segmentId segment { name filter contacts { totalCount } } } }`
export const Delete =
  'mutation ($id: ID!) { segmentDelete(input: { id: $id }) { deletedSegmentId deletedSegmentDatabaseId } }'
export const Contacts = 'query ($filter: ContactFilterInput) { contacts(filter: $filter) { totalCount } }'
export const All = `query ($is: ContactFilterInput, $not: ContactFilterInput, $or: ContactFilterInput) {
  is: contacts(filter: $is) { totalCount } not: contacts(filter: $not) { totalCount } or: contacts(filter: $or) { totalCount } }`
export const ContactSegments = '{ contacts { nodes { segments { name } } } }'
export const ExportLink =
  'query ($filter: ContactFilterInput!) { exportLink(list: CONTACTS, filter: { contacts: $filter }) { url } }'

export const count = async (world: World, filter: object) => (await world.run(Contacts, { filter })).contacts.totalCount
export const update = (world: World, id: string, filter: object) => world.run(Update, { id, filter })

/** Creates contacts: one with the tag a, one with a and b, one without tags. */
export async function newTaggedWorld() {
  const world = await newWorld()
  const [a, b] = [await world.tag('a'), await world.tag('b')]
  for (const [name, tags] of Object.entries({ one: [a], both: [a, b], none: [] })) {
    await world.contact({ email: `${name}@x.io`, emailMarketing: true, addTagIds: tags.map(({ id }) => id) })
  }
  return { world, a, b, ofA: { tags: { any: [a.id] } }, ofB: { tags: { any: [b.databaseId] } } }
}
