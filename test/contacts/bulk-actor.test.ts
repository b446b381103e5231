import { expect, it } from 'vitest'
import { bulkJobs } from '../../src/contacts/index.ts'
import { newCtx } from '../../src/db/context.ts'
import { addContacts, runBulk, waitForBulk } from './bulk.ts'
import { useImportServer } from './imports.ts'

const open = useImportServer()
const Timeline = `{ contacts(first: 1) { nodes { timeline(first: 1, types: [TAG_ADDED]) { nodes { ... on ContactChange {
  actor { kind objectId object { ... on ApiKey { name } } bulkJob { id action apiKey { id } } } } } } } } }`

it('changes of a bulk job name the job and the API key that created it', async () => {
  const world = await open()
  await addContacts(world, 1)
  const tag = await world.tag()
  const job = await runBulk(world, { all: true }, { addTagIds: [tag.id] })
  const [apiKey] = (await world.run('{ apiKeys { nodes { id name } } }')).apiKeys.nodes
  const actorOf = async (key?: string) =>
    (await world.ask(Timeline, {}, key ? { key } : {})).body.data.contacts.nodes[0].timeline.nodes[0].actor
  const bulkJob = { id: job.id, action: 'ADD_TAGS', apiKey: { id: apiKey.id } }
  expect(await actorOf()).toEqual({ kind: 'API_KEY', objectId: apiKey.id, object: { name: apiKey.name }, bulkJob })
  expect(await actorOf(await world.key({ scopes: ['contacts:read'] }))).toEqual({
    ...{ kind: 'API_KEY', objectId: apiKey.id, object: null },
    bulkJob: { ...bulkJob, apiKey: null },
  })

  await world.run('mutation ($input: ContactTagRemoveInput!) { contactTagRemove(input: $input) { contactId } }', {
    input: { contact: { email: 'p1@example.com' }, tagId: tag.id },
  })
  const ctx = newCtx(world.server.system, { accountId: world.accountId })
  const created = await bulkJobs.create(ctx, { contacts: { all: true }, action: { addTagIds: [tag.id] } })
  await waitForBulk(world, String(created.bulkJob.id))
  expect(await actorOf()).toMatchObject({ kind: 'BACKGROUND_JOB', objectId: null, bulkJob: { apiKey: null } })
})
