import { describe, expect, it } from 'vitest'
import { settableClock } from '../../src/kernel/clock.ts'
import { message } from '../mail/support.ts'
import { send } from '../rest/client.ts'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'
import { ada, createHistory, deleteContact } from './deletion.ts'
import { download, Export, exportContact } from './export.ts'

const customer = { email: ada.email, firstName: ada.firstName, lastName: ada.lastName }

describe('contactExport', () => {
  it('contains everything that is held about the person, as JSON and as CSV', async () => {
    const { world, person, other } = await createHistory()
    const tag = await world.tag('vip')
    await world.run('mutation ($input: ContactTagAddInput!) { contactTagAdd(input: $input) { tag { id } } }', {
      input: { contact: { id: person.id }, tagId: tag.id },
    })
    const order = await world.order({ customer })
    await world.transaction({ orderId: order.id })
    const invoice = await world.invoice({ customer, lines: [{ name: '=1+1', unitPrice: '10.00', vatRate: '20' }] })
    await world.creditNote(invoice)
    await world.subscription({ customer })
    await world.run(
      'mutation { suppressionAdd(input: { email: "AUGUSTA.ada@people.example" }) { suppression { id } } }',
    )
    const { url, parts, omittedParts, contactDatabaseId } = await exportContact(world, { email: ada.email })
    expect(contactDatabaseId).toBe(person.databaseId)
    expect(omittedParts).toEqual([])
    const { json, csv } = await download(url)
    expect(Object.keys(csv)).toEqual(parts.map((name: string) => `${name}.csv`))
    expect(json).toMatchObject({
      omitted_parts: [],
      contact: [{ id: person.databaseId, email: ada.email, first_name: ada.firstName, email_marketing: true }],
      tags: [{ name: 'vip' }],
      custom_fields: [{ value: 'Ada wrote this' }],
      consents: [
        { kind: 'EMAIL_MARKETING', granted: true, ip: '203.0.113.77' },
        { kind: 'GDPR', granted: true },
      ],
      messages: [{ subject: null, sent_at: expect.any(String), opened_at: expect.any(String) }, {}],
      opens: [{ is_bot: false, times: 1 }],
      clicks: [],
      suppressions: [{ email: 'AUGUSTA.ada@people.example', reason: 'MANUAL' }],
      enrolments: [{ state: 'ACTIVE', anchor_date: expect.stringContaining('1985-12-10') }],
      customers: [{ email: ada.email, last_name: ada.lastName }],
      orders: [{ amount: '12.0000', currency: 'EUR' }],
      transactions: [{ order_id: order.databaseId }],
      invoices: [{ id: invoice.databaseId, buyer: { email: ada.email }, lines: [{ name: '=1+1' }] }],
      credit_notes: [{ invoice_id: invoice.databaseId }],
      subscriptions: [{ name: 'Monthly' }],
      submissions: [
        {
          score: '0.00',
          answers: expect.arrayContaining([expect.objectContaining({ label: 'Tell us', answer: ['Ada wrote this'] })]),
        },
        {},
      ],
      visits: [{ visitor_id: 'browser of one' }, {}],
      browsers: [{ id: 'browser of one' }],
    })
    expect(csv['contact.csv']).toMatch(/^id,email,first_name,/)
    expect(csv['contact.csv']).toContain(`"'${ada.phone}"`.replaceAll('"', ''))
    expect(csv['messages.csv']?.trimEnd().split('\r\n')).toHaveLength(3)
    expect(csv['clicks.csv']).toBe('message_id,url,is_bot,times,created_at\r\n')
    const everything = JSON.stringify(json) + Object.values(csv).join()
    expect(everything).not.toContain('stays@people.example')
    expect(json.messages.every(({ id }: { id: number }) => id !== other.databaseId)).toBe(true)
  })

  it('leaves out the parts that the key may not read, and says which', async () => {
    const { world, person } = await createHistory()
    const key = await world.key({ scopes: ['contacts:read', 'mail:read'] })
    const { url, parts, omittedParts } = await exportContact(world, { id: person.id }, { key })
    expect(parts).toContain('messages')
    expect(omittedParts).toEqual(expect.arrayContaining(['customers', 'orders', 'submissions', 'visits', 'enrolments']))
    const { json, csv } = await download(url)
    expect(json.omitted_parts).toEqual(omittedParts)
    expect(Object.keys(csv)).toEqual(parts.map((name: string) => `${name}.csv`))
    expect(json).not.toHaveProperty('submissions')
  })

  it('throws FORBIDDEN without contacts:read, VALIDATION_ERROR, and NOT_FOUND also for contacts of other accounts', async () => {
    const world = await newWorld()
    const foreign = await (await world.other()).contact()
    const code = async (contact: object, options = {}) =>
      (await world.fault(Export, { input: { contact } }, options)).extensions.code
    expect(await code({ id: foreign.id })).toBe('NOT_FOUND')
    expect(await code({ email: foreign.email })).toBe('NOT_FOUND')
    expect(await code({ id: 'nobody' })).toBe('VALIDATION_ERROR')
    const { id } = await world.contact()
    expect(await code({ id }, { key: await world.key({ scopes: ['mail:read'] }) })).toBe('FORBIDDEN')
  })

  it('serves no link that expired, was changed, or whose contact or key does not exist', async () => {
    const clock = settableClock(new Date())
    const world = await newWorld({ server: await newServer({}, { clock }) })
    const person = await world.contact()
    const key = await world.key()
    const byKey = (await exportContact(world, person && { id: person.id }, { key })).url
    const { url, expiresAt } = await exportContact(world, { id: person.id })
    const status = async (link: string) => (await fetch(link)).status
    expect([await status(url), await status(byKey)]).toEqual([200, 200])
    expect(await status(`${url.slice(0, -4)}AAAA`)).toBe(404)
    await world.rows(
      'UPDATE api_key SET disabled_at = now() WHERE account_id = $1 AND id = (SELECT max(id) FROM api_key)',
      [world.accountId],
    )
    expect(await status(byKey)).toBe(404)
    clock.set(new Date(Date.parse(expiresAt) + 1))
    expect(await status(url)).toBe(404)
    const later = (await exportContact(world, { id: person.id })).url
    await deleteContact(world, person)
    expect(await status(later)).toBe(404)
    expect(await send(world.server.url, 'GET', '/v1/contacts', { key: world.mainKey })).toMatchObject({ status: 200 })
  })

  it('exports 100,000 opens page by page', async () => {
    const world = await newWorld()
    const person = await world.contact()
    await message(world, person)
    await world.rows(
      `WITH sent AS (INSERT INTO mail_recipient (account_id, contact_id, state, created_at, sent_at)
         SELECT $1, $2, 'SENT', now(), now() FROM generate_series(1, 5000) RETURNING id)
       INSERT INTO mail_open (account_id, created_at, recipient_id, is_bot)
       SELECT $1, now(), sent.id, false FROM sent CROSS JOIN generate_series(1, 20)`,
      [world.accountId, person.databaseId],
    )
    await world.rows('ANALYZE mail_recipient, mail_open')
    const { url } = await exportContact(world, { id: person.id })
    const { json, csv } = await download(url)
    expect(json.opens).toHaveLength(100_000)
    expect(new Set(json.opens.map(({ message_id }: { message_id: number }) => message_id)).size).toBe(5_000)
    expect(csv['opens.csv']?.trimEnd().split('\r\n')).toHaveLength(100_001)
    expect(json.messages).toHaveLength(5_001)
  })
})
