// @module-tag rows
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newReceiver } from '../events/receiver.ts'
import { newWebhook, whenWebhook } from '../events/webhook-world.ts'
import { sendCampaign, waitForStatus } from '../mail/sending.ts'
import { send } from '../rest/client.ts'
import { temporaryFolder } from '../runtime/process.ts'
import { newRedis } from '../support/redis.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { ada, createHistory, findPlaces, personalValues, Statistics } from './deletion.ts'
import { Erase, eraseContact, readErasure, waitForErasure } from './erasure.ts'
import { Create as CreateImport, waitForImport } from './imports.ts'

let server: Promise<Server> | undefined
let folder = ''
const commands: string[] = []
/** A server with all roles, whose files and commands to Redis the tests read. */
async function newFullServer(): Promise<Server> {
  folder ||= await temporaryFolder()
  server ??= newServer({
    ROLES: 'api,worker',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    DATA_DIR: folder,
    REDIS_URL: `redis://127.0.0.1:${await newRedis(commands)}`,
  })
  return server
}

/** Lets the contact Ada use every feature. */
async function useEverything() {
  const history = await createHistory({ server: await newFullServer() })
  const { world, person } = history
  const receiver = await newReceiver()
  const webhook = await newWebhook(world, receiver.url)
  const echo = await newReceiver(() => (response) => response.writeHead(200).end(`thanks, ${ada.email}`))
  await newWebhook(world, echo.url, { events: ['CONTACT_UPDATED'] })
  const contact = { id: person.id }
  const field = await world.customField()
  const SetField = 'mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { value } }'
  await world.run(SetField, { input: { contact, customFieldId: field.id, value: 'Ada wrote this' } })
  const Update = 'mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { id email } } }'
  await world.run(Update, {
    input: { contact, city: ada.city.toUpperCase(), idempotencyKey: 'update 1'.replace(' ', '-') },
  })
  await world.run(Update, { input: { contact, city: ada.city, idempotencyKey: `for-${ada.email}` } })
  await send(world.server.url, 'PATCH', '/v1/contact', {
    key: world.mainKey,
    body: { id: person.databaseId, company_name: ada.companyName },
    headers: { 'Idempotency-Key': 'rest-1' },
  })
  const customer = {
    email: ada.email,
    ...{ firstName: ada.firstName, lastName: ada.lastName, companyName: ada.companyName, address: ada.city },
  }
  const order = await world.order({ customer, attribution: [{ key: 'GCLID', value: 'Ada’s click' }] })
  const invoice = await world.invoice({ customer, lines: [{ name: 'Bowl', unitPrice: '10.00', vatRate: '20' }] })
  await world.creditNote(invoice, { reason: `${ada.lastName} sent it back` })
  await world.subscription({ customer })
  await world.transaction({ orderId: order.id, providerEvent: { provider: 'bank', eventId: 'event 1' } })
  const csv = `email,phone\n${ada.email},${ada.phone}\n"${ada.email} or so",1\n`
  const { contactImport } = (await world.run(CreateImport, { input: { csv, fileName: `${ada.email}.csv` } }))
    .contactImportCreate
  await waitForImport(world, contactImport.id)
  // Rows of a file that is being uploaded.
  const [waiting] = await world.rows<{ id: number }>(
    `INSERT INTO contact_import (account_id, file_name, status, options, created_at)
     VALUES ($1, '', 'UPLOADING', '{}', now()) RETURNING id`,
    [world.accountId],
  )
  await world.rows(
    `INSERT INTO contact_import_chunk VALUES ($1, $2, 0, '[[2, "stays@people.example", "1"], [3, "${ada.email}", "${ada.lastName}"]]')`,
    [world.accountId, waiting?.id],
  )
  const sent = await sendCampaign(world)
  await waitForStatus(world, sent.id, 'SENT')
  const { exportLink } = await world.run('{ exportLink(list: CONTACTS) { url } }')
  expect(await (await fetch(exportLink.url)).text()).toContain(ada.email)
  const Suppress = 'mutation ($email: String!) { suppressionAdd(input: { email: $email }) { suppression { id } } }'
  await world.run(Suppress, { email: ada.email })
  await world.run(
    'mutation ($contact: ContactRefInput!) { contactUnsubscribe(input: { contact: $contact }) { contact { id } } }',
    {
      contact,
    },
  )
  await whenWebhook(world, webhook.id, ({ deliveries }) =>
    deliveries.nodes.some(
      ({ type, status }: { type: string; status: string }) => type === 'CONTACT_UNSUBSCRIBED' && status === 'DELIVERED',
    ),
  )
  return { ...history, invoice }
}

/** Returns the files of the server that contain one of the texts. */
async function findFiles(texts: readonly string[]): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of names.filter((each) => each.isFile())) {
    const content = (await readFile(join(entry.parentPath, entry.name))).toString('latin1').toLowerCase()
    if (texts.some((text) => content.includes(text))) found.push(entry.name)
  }
  return found
}

/** Deletes the rows of the other contact, which only these tests let contain Ada's values. */
async function removeOthers({ rows, accountId }: World): Promise<void> {
  await rows('DELETE FROM mail_recipient WHERE account_id = $1 AND NOT is_redacted', [accountId])
  await rows("DELETE FROM visit WHERE account_id = $1 AND visitor_id = 'browser of another'", [accountId])
  await rows("DELETE FROM visitor WHERE account_id = $1 AND id = 'browser of another'", [accountId])
}

describe('contactErase', () => {
  it('leaves no personal value in any table, file or command to Redis after the person used everything', async () => {
    const { world, person, ids } = await useEverything()
    const before = await world.run(Statistics, ids)
    expect((await findPlaces(world, personalValues, [])).length).toBeGreaterThan(20)
    expect(await findFiles(personalValues)).not.toEqual([])
    const erasure = await eraseContact(world, { id: person.id }, { redactSales: true })
    expect(await waitForErasure(world, erasure.id)).toMatchObject({ status: 'COMPLETED', redactSales: true })
    expect(await world.run(Statistics, ids)).toEqual(before)
    await removeOthers(world)
    expect(await findPlaces(world, personalValues, [])).toEqual([])
    expect(await findFiles(personalValues)).toEqual([])
    expect(commands.filter((word) => personalValues.some((text) => word.toLowerCase().includes(text)))).toEqual([])
    expect(commands.length).toBeGreaterThan(0)
  })
})

describe('contactErase of one account', () => {
  it('keeps sales with their buyer by default, and deletes customers without sales', async () => {
    const world = await newWorld({ server: await newFullServer() })
    const customer = { email: ada.email, firstName: ada.firstName, lastName: ada.lastName }
    const person = await world.contact({ ...ada })
    await world.order({ customer })
    await world.rows(
      `INSERT INTO customer (account_id, email, contact_id, created_at) VALUES ($1, 'second@people.example', $2, now())`,
      [world.accountId, person.databaseId],
    )
    const { id } = await eraseContact(world, { id: person.id })
    await waitForErasure(world, id)
    const customers = (await world.run('{ customers { nodes { email lastName contact { id } } } }')).customers.nodes
    expect(customers).toEqual([{ email: ada.email, lastName: ada.lastName, contact: null }])
  })

  it('keeps an address that opted out suppressed, until suppressionRemove', async () => {
    const world = await newWorld({ server: await newFullServer() })
    const Unsubscribe =
      'mutation ($ref: ContactRefInput!) { contactUnsubscribe(input: { contact: $ref }) { contact { id } } }'
    const reach = async () => {
      const sent = await sendCampaign(world)
      await waitForStatus(world, sent.id, 'SENT')
      return (
        await world.rows<{ email: string; state: string }>(
          `SELECT c.email, r.state::text AS state FROM mail_recipient r JOIN contact c ON c.id = r.contact_id
           WHERE r.account_id = $1 AND r.campaign_id = $2 ORDER BY 1`,
          [world.accountId, sent.databaseId],
        )
      ).map(({ email, state }) => `${email} ${state}`)
    }
    for (const name of ['agreed', 'opted-out']) {
      const contact = await world.contact({ email: `${name}@people.example`, emailMarketing: true })
      if (name === 'opted-out') await world.run(Unsubscribe, { ref: { id: contact.id } })
      await waitForErasure(world, (await eraseContact(world, { id: contact.id })).id)
      await world.contact({ email: `${name.toUpperCase()}@people.example`, emailMarketing: true })
    }
    expect((await world.run('{ suppressions { totalCount } }')).suppressions.totalCount).toBe(0)
    expect(await reach()).toEqual(['AGREED@people.example SENT', 'OPTED-OUT@people.example SKIPPED'])
    const other = await world.other()
    await other.contact({ email: 'opted-out@people.example', emailMarketing: true })
    const Remove = 'mutation ($email: String!) { suppressionRemove(input: { email: $email }) { email } }'
    expect((await other.fault(Remove, { email: 'opted-out@people.example' })).extensions.code).toBe('NOT_FOUND')
    await world.run(Remove, { email: 'Opted-Out@people.example' })
    expect(await reach()).toEqual(['AGREED@people.example SENT', 'OPTED-OUT@people.example SENT'])
  })

  it('changes nothing of another account with the same address', async () => {
    const world = await newWorld({ server: await newFullServer() })
    const other = await world.other()
    const email = 'both@people.example'
    const [mine, theirs] = [await world.contact({ email }), await other.contact({ email })]
    const field = await other.customField()
    const SetField = 'mutation ($input: ContactFieldSetInput!) { contactFieldSet(input: $input) { value } }'
    const input = { contact: { id: theirs.id }, customFieldId: field.id, value: email, idempotencyKey: 'theirs' }
    await other.run(SetField, { input })
    await other.order({ customer: { email } })
    await waitForErasure(world, (await eraseContact(world, { id: mine.id }, { redactSales: true })).id)
    expect(await other.announced('contact.field_updated')).toEqual([
      { type: 'contact.field_updated', data: expect.objectContaining({ value: email }) },
    ])
    expect((await other.run(SetField, { input })).contactFieldSet.value).toBe(email)
    expect((await other.run('{ customers { nodes { email } } }')).customers.nodes).toEqual([{ email }])
  })

  it('returns the erasure again for the same idempotency key, and refuses the other keys of the person', async () => {
    const world = await newWorld({ server: await newFullServer() })
    const Create = 'mutation ($input: ContactUpsertInput!) { contactUpsert(input: $input) { contact { id } } }'
    const create = { input: { email: 'key@people.example', idempotencyKey: 'create' } }
    const { contact } = (await world.run(Create, create)).contactUpsert
    const erase = { contact: { email: 'key@people.example' }, idempotencyKey: 'erase' }
    const first = (await world.run(Erase, { input: erase })).contactErase
    await waitForErasure(world, first.contactErasure.id)
    expect((await world.run(Erase, { input: erase })).contactErase).toMatchObject({
      deletedContactId: contact.id,
      contactErasure: { id: first.contactErasure.id, status: 'COMPLETED' },
    })
    expect((await world.fault(Create, create)).extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.idempotencyKey': ['was used by a request about a person who was erased'] },
    })
    expect((await world.run('{ contacts { totalCount } }')).contacts.totalCount).toBe(0)
  })

  it('emits contact.deleted and, when it is complete, contact.erased without personal data', async () => {
    const world = await newWorld({ server: await newFullServer() })
    const contact = await world.contact()
    await waitForErasure(world, (await eraseContact(world, { id: contact.id })).id)
    const data = { contactId: contact.databaseId }
    expect(await world.announced()).toEqual([
      { type: 'contact.created', data: { ...data, changes: expect.any(Array) } },
      { type: 'contact.deleted', data },
      { type: 'contact.erased', data },
    ])
  })

  it('throws NOT_FOUND also for contacts and erasures of other accounts, VALIDATION_ERROR and FORBIDDEN', async () => {
    const world = await newWorld({ server: await newFullServer() })
    const other = await world.other()
    const foreign = await other.contact()
    const code = async (input: object, options = {}) => (await world.fault(Erase, { input }, options)).extensions.code
    expect(await code({ contact: { id: foreign.id } })).toBe('NOT_FOUND')
    expect(await code({ contact: { email: foreign.email } })).toBe('NOT_FOUND')
    expect(await code({ contact: { id: 'nothing' } })).toBe('VALIDATION_ERROR')
    const contact = { id: (await world.contact()).id }
    expect(await code({ contact }, { key: await world.key({ scopes: ['contacts:read'] }) })).toBe('FORBIDDEN')
    const key = await world.key({ scopes: ['contacts:write', 'contacts:read'] })
    expect(await code({ contact, redactSales: true }, { key })).toBe('FORBIDDEN')
    const { id } = await eraseContact(other, { id: foreign.id })
    expect(await readErasure(world, id)).toBeNull()
  })
})
