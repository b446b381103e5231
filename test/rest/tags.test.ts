import { describe, expect } from 'vitest'
import { until } from '../runtime/process.ts'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

const plainTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

describe.each(gateways)('tags, %s', (gateway) => {
  check('TAG-CREATE/success', 'creates a tag', async () => {
    const world = await newWorld(servers, gateway)
    const response = await world.call('POST', '/v1/tag', { body: { name: 'vip' } })
    expect(response).toMatchObject({
      status: 201,
      body: { success: true, data: { id: expect.any(Number), name: 'vip' } },
    })
  })

  check('TAG-CREATE/TAG_EXISTS', 'for a name that exists', async () => {
    const world = await newWorld(servers, gateway)
    await world.tag('vip')
    expectError(await world.call('POST', '/v1/tag', { body: { name: 'vip' } }), 409, 'TAG_EXISTS')
  })

  check('TAG-UPDATE/TAG_EXISTS', 'for the name of another tag', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.tag('vip')
    await world.tag('lead')
    const body = { tag_id: id, name: 'lead' }
    expectError(await world.call('PUT', '/v1/tag', { body }), 409, 'TAG_EXISTS')
    expect((await world.call('PUT', '/v1/tag', { body: { tag_id: id, name: 'vip' } })).body).toEqual({
      success: true,
      data: { id, name: 'vip', updated: true },
    })
  })

  for (const [id, method] of [
    ['TAG-CREATE', 'POST'],
    ['TAG-UPDATE', 'PUT'],
  ] as const) {
    check(`${id}/VALIDATION_ERROR`, 'for an invalid name, or one of more than 255 characters', async () => {
      const world = await newWorld(servers, gateway)
      const tag = await world.tag('vip')
      for (const name of ['', '   ', 5, null, ['x'], 'a\0b', '\udc00', 'x'.repeat(256)]) {
        const body = { ...(method === 'PUT' && { tag_id: tag.id }), name }
        expectError(await world.call(method, '/v1/tag', { body }), 422, 'VALIDATION_ERROR', ['name'])
      }
      const longest = { ...(method === 'PUT' && { tag_id: tag.id }), name: 'x'.repeat(255) }
      expect((await world.call(method, '/v1/tag', { body: longest })).body.success).toBe(true)
    })
  }

  check('TAG-UPDATE/success', 'accepts ten concurrent renames of one tag', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.tag()
    const rename = (name: string) => world.call('PUT', '/v1/tag', { body: { tag_id: id, name } })
    const responses = await Promise.all(Array.from({ length: 10 }, (_, index) => rename(`name ${index}`)))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  })

  check('TAG-DELETE/success', 'deletes a tag and removes it from its contacts', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, tag] = [await world.contact(), await world.tag()]
    const pair = { contact_id: contact.id, tag_id: tag.id }
    await world.call('POST', '/v1/contact-tag', { body: pair })
    const answer = await world.call('DELETE', '/v1/tag', { body: { tag_id: tag.id } })
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: { id: tag.id, deleted: true } } })
    const { data } = (await world.call('GET', '/v1/contact', { query: { contact_id: contact.id } })).body
    expect(data.tags).toEqual([])
  })

  check('TAG-LIST/success', 'lists newest first', async () => {
    const world = await newWorld(servers, gateway)
    for (const name of ['a', 'c', 'b']) await world.tag(name)
    const { body } = await world.call('GET', '/v1/tags', { query: { per_page: 2 } })
    expect(body).toEqual({
      success: true,
      data: ['b', 'c'].map((name) => ({ id: expect.any(Number), name, created_at: expect.stringMatching(plainTime) })),
      meta: { current_page: 1, last_page: 2, per_page: 2, total: 3 },
    })
  })

  check('TAG-OF-CONTACT/success', "lists a contact's tags newest first", async () => {
    const world = await newWorld(servers, gateway)
    const tags = [await world.tag('a'), await world.tag('c'), await world.tag('b')]
    const { email } = await world.contact({ tag_ids: tags.map(({ id }) => id).join(',') })
    const { data } = (await world.call('GET', '/v1/contacts-tags', { query: { email } })).body
    expect(data.map(({ name }: { name: string }) => name)).toEqual(['b', 'c', 'a'])
  })

  check('TAG-CONTACTS/success', 'paginates the contacts that have a tag', async () => {
    const world = await newWorld(servers, gateway)
    const tag = await world.tag()
    const ids: number[] = []
    for (let index = 0; index < 3; index += 1) ids.unshift((await world.contact({ tag_ids: String(tag.id) })).id)
    await world.contact()
    const query = { tag_id: tag.id, page: 2, per_page: 2 }
    const { body } = await world.call('GET', '/v1/tags-contacts', { query })
    expect(body.meta).toEqual({ current_page: 2, last_page: 2, per_page: 2, total: 3 })
    expect(body.data).toEqual([{ id: ids[2], email: expect.any(String), first_name: '', last_name: '' }])
  })

  check('CON-TAG-ADD/success', 'returns both IDs, and can be read immediately', async () => {
    const world = await newWorld(servers, gateway)
    const pair = { contact_id: (await world.contact()).id, tag_id: (await world.tag()).id }
    const add = await world.call('POST', '/v1/contact-tag', { body: pair })
    expect(add).toMatchObject({ status: 200, body: { success: true, data: pair } })
    const read = async () =>
      (await world.call('GET', '/v1/contact', { query: { contact_id: pair.contact_id } })).body.data.tags
    expect(await read()).toEqual([pair.tag_id])
    const remove = await world.call('DELETE', '/v1/contact-tag', { body: pair })
    expect(remove).toMatchObject({ status: 200, body: { success: true, data: pair } })
    expect(await read()).toEqual([])
  })

  check('CON-BULK-TAG/success', 'tags in the background, and counts skipped contacts', async () => {
    const world = await newWorld(servers, gateway)
    const tag = await world.tag()
    const contacts = [await world.contact(), await world.contact()]
    const stranger = await (await newWorld(servers, gateway)).contact()
    const contact_ids = [...contacts.map(({ id }) => id), stranger.id, 2_000_000_000]
    const { status, body } = await world.call('POST', '/v1/contacts-bulk-tag', {
      body: { tag_id: tag.id, contact_ids },
    })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, data: { tag_id: tag.id, queued: 2, skipped: 2 } })
    await until(async () => {
      const { meta } = (await world.call('GET', '/v1/tags-contacts', { query: { tag_id: tag.id } })).body
      return meta.total === 2
    })
  })

  check('CON-BULK-TAG/NOT_FOUND', 'if no ID is a contact of the account', async () => {
    const world = await newWorld(servers, gateway)
    const body = { tag_id: (await world.tag()).id, contact_ids: [0, -1, 2_000_000_000] }
    expectError(await world.call('POST', '/v1/contacts-bulk-tag', { body }), 404, 'NOT_FOUND')
  })

  check('CON-BULK-TAG/VALIDATION_ERROR', 'for no IDs, more than 500, or a value that is not a list', async () => {
    const world = await newWorld(servers, gateway)
    const tag_id = (await world.tag()).id
    for (const contact_ids of [[], Array.from({ length: 501 }, (_, index) => index), '1,2', 5, null, { 0: 1 }]) {
      const answer = await world.call('POST', '/v1/contacts-bulk-tag', { body: { tag_id, contact_ids } })
      expectError(answer, 422, 'VALIDATION_ERROR', ['contact_ids'])
    }
  })
})
