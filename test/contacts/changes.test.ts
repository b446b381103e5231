import { beforeAll, describe, expect, it } from 'vitest'
import { follow } from '../events/stream.ts'
import { StepUpdate } from '../funnels/documents.ts'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { requestPage } from '../funnels/visiting.ts'
import { createSubscriber, newMailWorld, oneClickUrl } from '../mail/reading.ts'
import { report, sentMessage } from '../mail/reporting.ts'
import { newSender } from '../mail/sending.ts'
import { newSink } from '../mail/sink.ts'
import { send } from '../rest/client.ts'
import { until } from '../runtime/process.ts'
import { newServer, type Server } from '../support/server.ts'
import { settled } from '../support/settled.ts'
import { newWorld, type World } from '../support/world.ts'
import { importCsv } from './imports.ts'
import { changesOf } from './timelines.ts'

const Upsert = 'mutation ($input: ContactUpsertInput!) { contactUpsert(input: $input) { contact { id } } }'
const Update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id } } }'
const by = (name: string, field: string) =>
  `mutation ($input: ${name.replace(/^./, (letter) => letter.toUpperCase())}Input!) { ${name}(input: $input) { ${field} } }`
const TagAdd = by('contactTagAdd', 'tag { id }')
const TagRemove = by('contactTagRemove', 'tag { id }')
const FieldSet = by('contactFieldSet', 'value')

let server: Server
beforeAll(async () => {
  server = await newServer({ ROLES: 'api,worker', BOUNCES_GENERIC_KEY: 'a-key-of-sixteen-characters' })
})

describe('the changes of a contact', () => {
  it('are recorded with old and new value and the API key, once for each field that changes', async () => {
    const world = await newWorld()
    const tag = await world.tag('vip')
    const field = await world.customField({ name: 'Size', type: 'TEXT' })
    const { id, email } = await world.contact({ firstName: 'Ada' })
    await world.run(Update, { input: { contact: { id }, firstName: 'Augusta', lastName: 'King', city: '' } })
    await world.run(Upsert, { input: { email, firstName: 'Augusta', emailMarketing: true } })
    await world.run(TagAdd, { input: { contact: { id }, tagId: tag.id } })
    await world.run(TagAdd, { input: { contact: { id }, tagId: tag.id } })
    await world.run(TagRemove, { input: { contact: { id }, tagId: tag.id } })
    for (const value of ['S', 'S', 'M', null])
      await world.run(FieldSet, { input: { contact: { id }, customFieldId: field.id, value } })
    await world.run(by('contactUnsubscribe', 'contact { id }'), { input: { contact: { id } } })
    expect(await changesOf(world, { id })).toEqual([
      'CONTACT_CREATED | API_KEY main',
      'FIELD_CHANGED | FIRST_NAME | Ada > Augusta | API_KEY main',
      'FIELD_CHANGED | LAST_NAME |  > King | API_KEY main',
      'FIELD_CHANGED | EMAIL_MARKETING | false > true | API_KEY main',
      'TAG_ADDED | vip | API_KEY main',
      'TAG_REMOVED | vip | API_KEY main',
      'CUSTOM_FIELD_CHANGED | Size | null > S | API_KEY main',
      'CUSTOM_FIELD_CHANGED | Size | S > M | API_KEY main',
      'CUSTOM_FIELD_CHANGED | Size | M > null | API_KEY main',
      'FIELD_CHANGED | EMAIL_MARKETING | true > false | API_KEY main',
    ])
  })

  it('are recorded for requests to the REST API', async () => {
    const world = await newWorld()
    const { id, databaseId, email } = await world.contact()
    const body = { id: databaseId, email, first_name: 'Grace' }
    const { status } = await send(world.server.url, 'PUT', '/v1/contact', { body, key: world.mainKey })
    expect(status).toBe(200)
    expect((await changesOf(world, { id })).at(-1)).toBe('FIELD_CHANGED | FIRST_NAME |  > Grace | API_KEY main')
  })

  it('are not recorded if the change is rolled back', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    const input = { contact: { id }, firstName: 'Ada', customFields: [{ customFieldId: 99_999, value: 'x' }] }
    expect((await world.fault(Update, { input })).extensions.code).toBe('NOT_FOUND')
    expect(await changesOf(world, { id })).toEqual(['CONTACT_CREATED | API_KEY main'])
  })

  it('by a job have the API key that started it', async () => {
    const world = await newWorld({ server })
    const tag = await world.tag('vip')
    const { id } = await world.contact()
    await world.run(by('contactBulkTag', 'queued'), { input: { contactIds: [id], tagId: tag.id } })
    await until(async () => (await changesOf(world, { id })).length === 2)
    expect((await changesOf(world, { id })).at(-1)).toBe('TAG_ADDED | vip | API_KEY main')
  })

  it('by an import have the import, and one entry for a new contact', async () => {
    const world = await newWorld({ server })
    await world.customField({ name: 'Size', type: 'TEXT' })
    const { id, email } = await world.contact({ firstName: 'Ada', emailMarketing: true })
    const csv = `email,first_name,email_marketing,tags,Size\n${email},Augusta,no,vip,M\nnew@example.com,Bob,yes,vip,L\n`
    await importCsv(world, csv, { fileName: 'people.csv', updateExisting: true })
    expect((await changesOf(world, { id })).slice(1).sort()).toEqual([
      'CUSTOM_FIELD_CHANGED | Size | null > M | IMPORT people.csv',
      'FIELD_CHANGED | EMAIL_MARKETING | true > false | IMPORT people.csv',
      'FIELD_CHANGED | FIRST_NAME | Ada > Augusta | IMPORT people.csv',
      'TAG_ADDED | vip | IMPORT people.csv',
    ])
    expect(await changesOf(world, { email: 'new@example.com' })).toEqual(['CONTACT_CREATED | IMPORT people.csv'])
    const added = await world.announced('contact.tag_added')
    expect(added.map(({ data }) => 'changes' in data).sort()).toEqual([false, true])
  })

  it('by a post to a funnel page have a visitor', async () => {
    const { world, path, mail, first, step } = await newOptInFunnel()
    const tag = await world.tag('bowls')
    await world.run(StepUpdate, {
      input: { id: step.id, tagIds: [tag.id] },
    })
    const form = { form: 'join', [mail]: 'ada@example.com', [first]: 'Ada', consent: 'yes', website_url: '' }
    expect((await requestPage(world.server, path, { form })).status).toBe(303)
    const changes = await changesOf(world, { email: 'ada@example.com' })
    expect(changes[0]).toBe('CONTACT_CREATED | VISITOR')
    expect(changes).toContain('TAG_ADDED | bowls | VISITOR')
    expect(changes.every((line) => line.endsWith('VISITOR'))).toBe(true)
  })

  it('by an action of a sequence have its stage', async () => {
    const sink = await newSink()
    const world = await newWorld({ server: await newSender(sink.url) })
    const [tag, contact, sequence] = [
      await world.tag('vip'),
      await world.contact({ emailMarketing: true }),
      await world.sequence(),
    ]
    for (const action of [{ addTagId: tag.id }, { unsubscribe: true }])
      await world.stage(sequence, { stageType: 'ACTION', action, active: true, timeValue: 0 })
    await world.subscribe(contact, sequence)
    await until(async () => (await changesOf(world, { id: contact.id })).length === 3)
    expect((await changesOf(world, { id: contact.id })).slice(1)).toEqual([
      'TAG_ADDED | vip | SEQUENCE_STAGE 1',
      'FIELD_CHANGED | EMAIL_MARKETING | true > false | SEQUENCE_STAGE 2',
    ])
  })

  it('by the unsubscribe link of an e-mail have a visitor', async () => {
    const { world, send: deliver } = await newMailWorld()
    const contact = await createSubscriber(world)
    const [received] = await deliver({ html: '<p>Hello</p>' })
    await fetch(oneClickUrl(received as never), {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    })
    expect((await changesOf(world, { id: contact.id })).at(-1)).toBe(
      'FIELD_CHANGED | EMAIL_MARKETING | true > false | VISITOR',
    )
  })

  it('by a complaint have the mail provider', async () => {
    const sent = await sentMessage({ world: await newWorld({ server }) })
    const complaint = { type: 'complaint', message_id: sent.messageId }
    await report(sent.world, 'generic', complaint, { authorization: 'Bearer a-key-of-sixteen-characters' })
    expect((await changesOf(sent.world, { id: sent.contact.id })).at(-1)).toBe(
      'FIELD_CHANGED | EMAIL_MARKETING | true > false | MAIL_PROVIDER',
    )
  })

  it('are deleted with the contact', async () => {
    const world = await newWorld()
    const { id } = await world.contact()
    const count = async () =>
      (await world.rows('SELECT 1 FROM contact_change WHERE account_id = $1', [world.accountId])).length
    await world.run(Update, { input: { contact: { id }, firstName: 'Ada' } })
    expect(await count()).toBe(2)
    await world.run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { deleted } }', { id })
    expect(await count()).toBe(0)
  })

  it('are written with a constant number of statements for a batch', async () => {
    const world = await newWorld({ server })
    const fields = await Promise.all(['A', 'B'].map((name) => world.customField({ name, type: 'TEXT' })))
    const { id } = await world.contact()
    const set = (count: number, value: string) =>
      world.run(Update, {
        input: {
          contact: { id },
          customFields: fields.slice(0, count).map((field) => ({ customFieldId: field.id, value: `${value}${count}` })),
        },
      })
    const statements = async (work: () => Promise<unknown>) => world.statements(work)
    const values = Array.from({ length: 9 }, (_, turn) => `value ${turn}`)
    const next = () => values.pop() as string
    const one = await statements(() => set(1, next()))
    const two = await statements(() => set(2, next()))
    expect(two).toBe(one)
  })
})

describe('the changes of an event', () => {
  const kinds = 'changes { type field oldValue newValue tag { name } customField { name } actor { kind } }'
  const Events = `subscription ($after: String) { events(after: $after, types: [CONTACT_CREATED, CONTACT_UPDATED, CONTACT_UNSUBSCRIBED, CONTACT_TAG_ADDED, CONTACT_FIELD_UPDATED]) {
    name ... on ContactEvent { ${kinds} } ... on ContactTagEvent { ${kinds} } ... on ContactFieldEvent { ${kinds} } } }`

  it('are delivered with it', async () => {
    const world: World = await newWorld()
    const [tag, field] = [await world.tag('vip'), await world.customField({ name: 'Size', type: 'TEXT' })]
    const { email } = await world.contact({ emailMarketing: true })
    await settled(world)
    const [{ cursor: after }] = (await world.run('{ events(first: 1) { nodes { cursor } } }')).events.nodes
    const stream = await follow({ server: world.server, key: world.mainKey }, Events, { after })
    const customFields = [{ customFieldId: field.id, value: 'M' }]
    await world.run(Upsert, {
      input: { email, firstName: 'Ada', emailMarketing: false, addTagIds: [tag.id], customFields },
    })
    const actor = { kind: 'API_KEY' }
    const none = { field: null, oldValue: null, newValue: null, tag: null, customField: null, actor }
    const named = { ...none, type: 'FIELD_CHANGED', field: 'FIRST_NAME', oldValue: '', newValue: 'Ada' }
    const left = { ...none, type: 'FIELD_CHANGED', field: 'EMAIL_MARKETING', oldValue: 'true', newValue: 'false' }
    const expected = [
      { name: 'contact.updated', changes: [named, left] },
      { name: 'contact.unsubscribed', changes: [left] },
      { name: 'contact.tag_added', changes: [{ ...none, type: 'TAG_ADDED', tag: { name: 'vip' } }] },
      {
        name: 'contact.field_updated',
        changes: [{ ...none, type: 'CUSTOM_FIELD_CHANGED', newValue: 'M', customField: { name: 'Size' } }],
      },
    ]
    expect((await stream.upTo(expected.length)).map(({ data }) => data.events)).toEqual(expected)
  })
})
