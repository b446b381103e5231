import { describe, expect, it } from 'vitest'
import { newWorld, type World } from '../support/world.ts'

const fields =
  'id databaseId email firstName lastName phone companyName city country emailMarketing gdpr createdAt updatedAt'
const Create = `mutation ($input: ContactCreateInput!) { contactCreate(input: $input) { contact { ${fields} tags { name } customFields { label value } } } }`
const Upsert = `mutation ($input: ContactUpsertInput!) { contactUpsert(input: $input) { created contact { ${fields} tags { name } } } }`
const Update = `mutation ($input: ContactUpdateInput!) { contactUpdate(input: $input) { contact { ${fields} tags { name } customFields { label value } } } }`
const Delete =
  'mutation ($input: ContactDeleteInput!) { contactDelete(input: $input) { deletedContactId deleted reason contact { id } } }'
const Unsubscribe =
  'mutation ($input: ContactUnsubscribeInput!) { contactUnsubscribe(input: $input) { contact { emailMarketing gdpr } } }'
const Read = `query ($ref: ContactRefInput!) { contact(ref: $ref) { ${fields} } }`

const eventTypes = async (world: World) => (await world.announced()).map(({ type }) => type)
const count = async (world: World) =>
  (await world.rows('SELECT FROM contact WHERE account_id = $1', [world.accountId])).length

const ada = {
  email: 'Ada@Example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  phone: '+33 1 23',
  companyName: 'Engines',
  city: 'Paris',
  country: 'France',
  emailMarketing: true,
  gdpr: true,
}

describe('contactCreate', () => {
  it('creates a contact with tags and custom field values and emits the events', async () => {
    const world = await newWorld()
    const vip = await world.tag('vip')
    const news = await world.tag('news')
    const size = await world.customField({ name: 'Size' })
    const input = {
      ...ada,
      addTagIds: [vip.databaseId, news.id, vip.id, 2_000_000_000],
      customFields: [{ customFieldId: size.id, value: 'L' }],
    }
    const { contact } = (await world.run(Create, { input })).contactCreate
    expect(contact).toMatchObject({
      ...ada,
      tags: [{ name: 'news' }, { name: 'vip' }],
      customFields: [{ label: 'Size', value: 'L' }],
    })
    expect((await world.run(Read, { ref: { email: 'ADA@example.COM' } })).contact).toMatchObject({
      ...ada,
      id: contact.id,
    })
    expect((await eventTypes(world)).sort()).toEqual([
      'contact.created',
      'contact.field_updated',
      'contact.tag_added',
      'contact.tag_added',
    ])
    expect((await eventTypes(world))[0]).toBe('contact.created')
    expect(await world.announced('contact.created')).toEqual([
      { type: 'contact.created', data: { contactId: contact.databaseId, changes: [expect.any(String)] } },
    ])
  })

  it('uses empty fields and no consent for absent and null input', async () => {
    const world = await newWorld()
    const nulls = Object.fromEntries(Object.keys(ada).map((name) => [name, null]))
    const { contact } = (
      await world.run(Create, {
        input: { ...nulls, email: 'a@example.com', addTagIds: null, customFields: null, consent: null },
      })
    ).contactCreate
    expect(contact).toMatchObject({
      firstName: '',
      phone: '',
      country: '',
      emailMarketing: false,
      gdpr: false,
      tags: [],
      customFields: [],
    })
    expect(contact.createdAt).toBe(contact.updatedAt)
  })

  it('returns CONTACT_EXISTS for an address of the account in another case', async () => {
    const world = await newWorld()
    await world.contact({ email: 'ada@example.com' })
    const fault = await world.fault(Create, { input: { email: 'ADA@EXAMPLE.com' } })
    expect(fault.extensions).toMatchObject({ code: 'CONTACT_EXISTS', fields: [{ path: 'input.email', code: 'TAKEN' }] })
    expect(await eventTypes(world)).toEqual(['contact.created'])
  })

  it.each([
    'nobody',
    '',
    'a@b',
    'a b@example.com',
    'a@example..com',
    '.a@example.com',
    'a@-example.com',
    'a@exam\nple.com',
    `${'x'.repeat(65)}@example.com`,
    `a@${'x'.repeat(250)}.com`,
    'a@example.com, b@example.com',
  ])('returns VALIDATION_ERROR for the address %j', async (email) => {
    const world = await newWorld()
    const fault = await world.fault(Create, { input: { email } })
    expect(fault.extensions).toMatchObject({ code: 'VALIDATION_ERROR', details: { 'input.email': expect.any(Array) } })
    expect(await count(world)).toBe(0)
  })

  it.each([
    "o'brien+tag@example.co.uk",
    'jörg@müller.example',
    'a@xn--bcher-kva.example',
    '1@2.example',
    `${'x'.repeat(64)}@example.com`,
  ])('accepts the address %s', async (email) => {
    const world = await newWorld()
    expect((await world.contact({ email })).email).toBe(email)
  })

  it('lists every invalid field', async () => {
    const world = await newWorld()
    const input = { email: 'nobody', firstName: 'x'.repeat(256), phone: 'x'.repeat(65), city: 'x'.repeat(256) }
    const fault = await world.fault(Create, { input })
    expect(Object.keys(fault.extensions.details ?? {}).sort()).toEqual(
      ['city', 'email', 'firstName', 'phone'].map((field) => `input.${field}`),
    )
  })

  it.each(['a\0', 'a\ud800'])('returns VALIDATION_ERROR for text that cannot be stored: %j', async (city) => {
    const world = await newWorld()
    const fault = await world.fault(Create, { input: { email: 'a@example.com', city } })
    expect(fault.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'input.city': [expect.any(String)] },
    })
    const search = await world.fault('query ($text: String!) { contacts(filter: { search: $text }) { totalCount } }', {
      text: city,
    })
    expect(search.extensions).toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { 'filter.search': [expect.any(String)] },
    })
  })

  it('changes nothing and emits nothing if one part fails', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const number = await world.customField({ type: 'NUMBER' })
    const input = {
      email: 'a@example.com',
      gdpr: true,
      addTagIds: [tag.id],
      customFields: [{ customFieldId: number.id, value: 'many' }],
    }
    expect((await world.fault(Create, { input })).extensions.code).toBe('VALIDATION_ERROR')
    expect(await count(world)).toBe(0)
    expect(await eventTypes(world)).toEqual([])
    expect((await world.run('{ account { quota { contacts { used } } } }')).account.quota.contacts.used).toBe(0)
  })
})

describe('contactUpsert', () => {
  it('creates a contact, then updates only the fields that are sent', async () => {
    const world = await newWorld()
    const vip = await world.tag('vip')
    const first = (await world.run(Upsert, { input: ada })).contactUpsert
    expect(first).toMatchObject({ created: true, contact: ada })
    const second = (
      await world.run(Upsert, { input: { email: 'ada@example.com', city: 'London', phone: null, addTagIds: [vip.id] } })
    ).contactUpsert
    expect(second).toMatchObject({
      created: false,
      contact: { ...ada, id: first.contact.id, city: 'London', tags: [{ name: 'vip' }] },
    })
    expect(await eventTypes(world)).toEqual(['contact.created', 'contact.updated', 'contact.tag_added'])
  })

  it('emits nothing if nothing changes', async () => {
    const world = await newWorld()
    const first = (await world.run(Upsert, { input: ada })).contactUpsert
    expect((await world.run(Upsert, { input: ada })).contactUpsert).toEqual({ ...first, created: false })
    expect(await eventTypes(world)).toEqual(['contact.created'])
  })
})

describe('contactUpdate', () => {
  it('updates only the fields that are sent and sets updatedAt', async () => {
    const world = await newWorld()
    const { contact } = (await world.run(Create, { input: ada })).contactCreate
    await world.rows("UPDATE contact SET updated_at = '2026-01-01Z' WHERE account_id = $1", [world.accountId])
    const ref = { id: contact.id }
    const changed = (await world.run(Update, { input: { contact: ref, lastName: 'King', firstName: null } }))
      .contactUpdate.contact
    expect(changed).toMatchObject({ ...ada, lastName: 'King', createdAt: contact.createdAt })
    expect(changed.updatedAt > '2026-02').toBe(true)
    expect((await world.run(Update, { input: { contact: ref, city: '' } })).contactUpdate.contact.city).toBe('')
    expect(await eventTypes(world)).toEqual(['contact.created', 'contact.updated', 'contact.updated'])
  })

  it('emits nothing if nothing changes', async () => {
    const world = await newWorld()
    const { contact } = (await world.run(Create, { input: ada })).contactCreate
    const same = (await world.run(Update, { input: { contact: { id: contact.id }, ...ada } })).contactUpdate.contact
    expect(same).toEqual(contact)
    expect(await eventTypes(world)).toEqual(['contact.created'])
  })

  it('emits events if the consent to e-mail marketing is withdrawn and given again', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ emailMarketing: true })
    for (const emailMarketing of [false, true]) await world.run(Update, { input: { contact: { id }, emailMarketing } })
    expect(await eventTypes(world)).toEqual([
      'contact.created',
      'contact.updated',
      'contact.unsubscribed',
      'contact.updated',
      'contact.resubscribed',
    ])
  })

  it('changes the address unless another contact has it', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ email: 'ada@example.com' })
    await world.contact({ email: 'bob@example.com' })
    expect(
      (await world.fault(Update, { input: { contact: { id }, email: 'BOB@example.com', city: 'Paris' } })).extensions
        .code,
    ).toBe('CONTACT_EXISTS')
    expect((await world.run(Read, { ref: { id } })).contact).toMatchObject({ email: 'ada@example.com', city: '' })
    const { contact } = (await world.run(Update, { input: { contact: { id }, email: 'ADA@example.com' } }))
      .contactUpdate
    expect(contact.email).toBe('ADA@example.com')
    expect(await eventTypes(world)).toEqual(['contact.created', 'contact.created', 'contact.updated'])
  })

  it('finds a contact by id, by address, or by both if they match', async () => {
    const world = await newWorld()
    const { id, databaseId, email } = await world.contact({ email: 'ada@example.com' })
    const bob = await world.contact({ email: 'bob@example.com' })
    for (const contact of [
      { id },
      { id: databaseId },
      { id: String(databaseId) },
      { email: 'ADA@example.com' },
      { idAndEmail: { id, email } },
    ]) {
      expect((await world.run(Update, { input: { contact } })).contactUpdate.contact.id).toBe(id)
    }
    for (const contact of [
      { idAndEmail: { id, email: bob.email } },
      { email: 'eve@example.com' },
      { id: 2_000_000_000 },
    ]) {
      expect((await world.fault(Update, { input: { contact } })).extensions.code).toBe('NOT_FOUND')
      expect((await world.run(Read, { ref: contact })).contact).toBeNull()
    }
    for (const contact of [{}, { id: null }, { id, email }]) {
      const message = expect.stringContaining('ContactRefInput')
      for (const fault of [
        await world.fault(Update, { input: { contact } }),
        await world.fault(Read, { ref: contact }),
      ]) {
        expect(fault).toMatchObject({ extensions: { code: 'BAD_REQUEST' } })
        if (!('id' in contact && contact.id === null)) expect(fault).toMatchObject({ message })
      }
    }
    for (const [ref, path] of [
      [{ id: 'x' }, 'id'],
      [{ email: 'x'.repeat(300) }, 'email'],
      [{ idAndEmail: { id: 'x', email } }, 'idAndEmail.id'],
    ] as const) {
      expect((await world.fault(Read, { ref })).extensions).toMatchObject({ fields: [{ path: `ref.${path}` }] })
      const fault = await world.fault(Update, { input: { contact: ref } })
      expect(fault.extensions).toMatchObject({ fields: [{ path: `input.contact.${path}` }] })
    }
  })

  it('changes nothing if one part fails', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ city: 'Paris' })
    const input = { contact: { id }, city: 'London', customFields: [{ customFieldId: 99_999_999, value: 'x' }] }
    expect((await world.fault(Update, { input })).extensions.code).toBe('NOT_FOUND')
    expect((await world.run(Read, { ref: { id } })).contact.city).toBe('Paris')
    expect(await eventTypes(world)).toEqual(['contact.created'])
  })
})

describe('contactDelete', () => {
  it('deletes a contact with its tags, values and consents', async () => {
    const world = await newWorld()
    const tag = await world.tag()
    const field = await world.customField()
    const { id, databaseId } = await world.contact({
      gdpr: true,
      addTagIds: [tag.id],
      customFields: [{ customFieldId: field.id, value: 'x' }],
    })
    const result = (await world.run(Delete, { input: { contact: { id } } })).contactDelete
    expect(result).toEqual({ deletedContactId: id, deleted: true, reason: null, contact: null })
    for (const table of ['contact', 'contact_tag', 'contact_field', 'contact_consent']) {
      expect(await world.rows(`SELECT FROM ${table} WHERE account_id = $1`, [world.accountId]), table).toHaveLength(0)
    }
    expect((await world.fault(Delete, { input: { contact: { id } } })).extensions.code).toBe('NOT_FOUND')
    expect(await world.announced('contact.deleted')).toEqual([
      { type: 'contact.deleted', data: { contactId: databaseId } },
    ])
  })
})

describe('contactUnsubscribe', () => {
  it('is idempotent', async () => {
    const world = await newWorld()
    const { id } = await world.contact({ emailMarketing: true, gdpr: true })
    for (let time = 0; time < 3; time += 1) {
      const result = await world.run(Unsubscribe, { input: { contact: { id } } })
      expect(result.contactUnsubscribe.contact).toEqual({ emailMarketing: false, gdpr: true })
    }
    expect(await eventTypes(world)).toEqual(['contact.created', 'contact.updated', 'contact.unsubscribed'])
    expect((await world.fault(Unsubscribe, { input: { contact: { id: 99_999_999 } } })).extensions.code).toBe(
      'NOT_FOUND',
    )
  })
})
