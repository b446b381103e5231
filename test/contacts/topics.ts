import { randomUUID } from 'node:crypto'
import type { Named, World } from '../support/world.ts'

const Create = 'mutation ($input: TopicCreateInput!) { topicCreate(input: $input) { topic { id databaseId name } } }'

/** Creates a topic: of everyone, unless the input says otherwise. */
export async function newTopic(world: World, input: Record<string, unknown> = {}): Promise<Named & { name: string }> {
  const details = { name: `topic ${randomUUID()}`, audience: 'EVERYONE', ...input }
  return (await world.run(Create, { input: details })).topicCreate.topic
}

/** Lets a contact join or leave a topic. */
export async function decide(
  world: World,
  decision: 'Join' | 'Leave',
  contact: Pick<Named, 'id'>,
  topic: Pick<Named, 'id'>,
  consent: Record<string, unknown> = {},
) {
  const document = `mutation ($input: ContactTopic${decision}Input!) { contactTopic${decision}(input: $input) {
    contact { id topics { topic { name } receives state } } } }`
  const input = { contact: { id: contact.id }, topicId: topic.id, consent }
  return (await world.run(document, { input }))[`contactTopic${decision}`].contact
}
