import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

const isoMicroseconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

describe.each(gateways)('contacts, %s', (gateway) => {
  check('CON-CREATE/success', 'sets defaults for absent fields of a new contact', async () => {
    const world = await newWorld(servers, gateway)
    const created = await world.call('POST', '/v1/contact', { body: { email: 'ada@example.com' } })
    expect(created).toMatchObject({ status: 201, body: { success: true, data: { id: expect.any(Number) } } })
    const { body } = await world.call('GET', '/v1/contact', { query: { email: 'ada@example.com' } })
    expect(body).toEqual({
      success: true,
      data: {
        id: created.body.data.id,
        email: 'ada@example.com',
        first_name: '',
        last_name: '',
        email_marketing: false,
        gdpr: false,
        created_at: expect.stringMatching(isoMicroseconds),
        tags: [],
        sequences: [],
        custom_fields: [],
        subscriptions: [],
      },
    })
  })

  check('CON-CREATE/success', 'accepts all fields, adds known tags and skips unknown ones', async () => {
    const world = await newWorld(servers, gateway)
    const [vip, lead] = [await world.tag('vip'), await world.tag('lead')]
    const fields = { first_name: 'Ada', last_name: 'Lovelace 🧮', email_marketing: true, gdpr: true }
    const lists = { tag_ids: `${vip.id}, ${lead.id},999999,0,-1,99999999999999999999`, sequence_ids: '1,2' }
    const { id } = await world.contact({ email: 'Ada@Example.com', ...fields, ...lists })
    const { data } = (await world.call('GET', '/v1/contact', { query: { contact_id: id } })).body
    expect(data).toMatchObject({ id, email: 'Ada@Example.com', ...fields })
    expect(data.tags.toSorted()).toEqual([vip.id, lead.id].toSorted())
    expect(data.sequences).toEqual([])
  })

  check('CON-CREATE/CONTACT_EXISTS', 'for an address that the account has in another case', async () => {
    const world = await newWorld(servers, gateway)
    await world.contact({ email: 'ada@example.com' })
    expectError(await world.call('POST', '/v1/contact', { body: { email: 'ADA@example.com' } }), 409, 'CONTACT_EXISTS')
    const other = await newWorld(servers, gateway)
    expect((await other.call('POST', '/v1/contact', { body: { email: 'ada@example.com' } })).status).toBe(201)
  })

  check('CON-CREATE/CONTACT_EXISTS', 'for all but one of twenty concurrent requests', async () => {
    const world = await newWorld(servers, gateway)
    const body = { email: 'ada@example.com' }
    const responses = await Promise.all(Array.from({ length: 20 }, () => world.call('POST', '/v1/contact', { body })))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1)
    const rest = responses.filter(({ status }) => status !== 201)
    expect(rest).toHaveLength(19)
    for (const answer of rest) expectError(answer, 409, 'CONTACT_EXISTS')
    expect((await world.announced()).filter((type) => type === 'contact.created')).toHaveLength(1)
  })

  for (const [id, method] of [
    ['CON-CREATE', 'POST'],
    ['CON-PUT', 'PUT'],
  ] as const) {
    check(`${id}/VALIDATION_ERROR`, 'for an invalid e-mail address', async () => {
      const world = await newWorld(servers, gateway)
      for (const email of [
        '',
        'ada',
        'ada@',
        '@example.com',
        'a b@example.com',
        'ada@example',
        5,
        null,
        ['a@example.com'],
      ]) {
        expectError(await world.call(method, '/v1/contact', { body: { email } }), 422, 'VALIDATION_ERROR', ['email'])
      }
    })

    check(`${id}/VALIDATION_ERROR`, 'for a field of the wrong type, including null', async () => {
      const world = await newWorld(servers, gateway)
      const email = 'ada@example.com'
      const wrong = [
        ['first_name', 5],
        ['first_name', null],
        ['last_name', 'a\0b'],
        ['last_name', '\ud800'],
        ['last_name', 'x'.repeat(256)],
        ['email_marketing', 'true'],
        ['email_marketing', 1],
        ['gdpr', null],
      ] as const
      for (const [field, value] of wrong) {
        const response = await world.call(method, '/v1/contact', { body: { email, [field]: value } })
        expectError(response, 422, 'VALIDATION_ERROR', [field])
      }
      const many = await world.call(method, '/v1/contact', { body: { first_name: 1, gdpr: 'no', tag_ids: 'x' } })
      expectError(many, 422, 'VALIDATION_ERROR', ['email', 'first_name', 'gdpr'])
      const both = { email: 'ada@example', last_name: 'x'.repeat(256), sequence_ids: 'x' }
      expectError(await world.call(method, '/v1/contact', { body: both }), 422, 'VALIDATION_ERROR', [
        'email',
        'last_name',
      ])
      expect((await world.call('GET', '/v1/contacts')).body.meta.total).toBe(0)
    })

    check(`${id}/VALIDATION_ERROR-400`, 'without details for malformed tag_ids or sequence_ids', async () => {
      const world = await newWorld(servers, gateway)
      for (const field of ['tag_ids', 'sequence_ids']) {
        for (const value of ['abc', '1,', ',1', '1,,2', '1;2', '1.5', '1 2', [1, 2], 5, null, { 0: 1 }, true]) {
          const answer = await world.call(method, '/v1/contact', { body: { email: 'ada@example.com', [field]: value } })
          expectError(answer, 400, 'VALIDATION_ERROR')
        }
      }
      expect((await world.call('GET', '/v1/contacts')).body.meta.total).toBe(0)
    })
  }

  check('CON-PUT/success', 'creates a contact, then updates only the fields that are sent', async () => {
    const world = await newWorld(servers, gateway)
    const [vip, lead] = [await world.tag('vip'), await world.tag('lead')]
    const first = { email: 'ada@example.com', first_name: 'Ada', gdpr: true, tag_ids: String(vip.id) }
    const created = await world.call('PUT', '/v1/contact', { body: first })
    expect(created).toMatchObject({ status: 200, body: { success: true, data: { id: expect.any(Number) } } })
    const then = { email: 'ADA@EXAMPLE.COM', last_name: 'Lovelace', email_marketing: true, tag_ids: String(lead.id) }
    const updated = await world.call('PUT', '/v1/contact', { body: then })
    expect(updated).toMatchObject({ status: 200, body: created.body })
    const { data } = (await world.call('GET', '/v1/contact', { query: { contact_id: created.body.data.id } })).body
    expect(data).toMatchObject({
      email: 'ada@example.com',
      first_name: 'Ada',
      last_name: 'Lovelace',
      gdpr: true,
      email_marketing: true,
    })
    expect(data.tags).toHaveLength(2)
  })

  check('CON-CREATE/success', 'accepts addresses of any script, and names of 255 characters', async () => {
    const world = await newWorld(servers, gateway)
    for (const email of ['ada+tag@example.com', "o'hara@sub.example.co.uk", 'grüße@bücher.example', '用户@例子.测试']) {
      const { id } = await world.contact({ email, first_name: '🧮'.repeat(255) })
      expect((await world.call('GET', '/v1/contact', { query: { email } })).body.data).toMatchObject({ id, email })
    }
  })

  check('CON-PUT/success', 'creates one contact for concurrent requests', async () => {
    const world = await newWorld(servers, gateway)
    const body = { email: 'ada@example.com' }
    const answers = await Promise.all(Array.from({ length: 10 }, () => world.call('PUT', '/v1/contact', { body })))
    expect(new Set(answers.map((answer) => `${answer.status} ${answer.body.data.id}`)).size).toBe(1)
  })

  check('CON-LIST/success', 'paginates newest first, and returns the position of the page', async () => {
    const world = await newWorld(servers, gateway)
    const ids: number[] = []
    for (let index = 0; index < 7; index += 1) ids.unshift((await world.contact()).id)
    const list = async (query: Record<string, number>) => (await world.call('GET', '/v1/contacts', { query })).body
    const idsOf = (body: { data: { id: number }[] }) => body.data.map(({ id }) => id)

    const all = await list({})
    expect(all.meta).toEqual({ current_page: 1, last_page: 1, per_page: 50, total: 7 })
    expect(idsOf(all)).toEqual(ids)
    const second = await list({ page: 2, per_page: 3 })
    expect(second.meta).toEqual({ current_page: 2, last_page: 3, per_page: 3, total: 7 })
    expect(idsOf(second)).toEqual(ids.slice(3, 6))
    expect(idsOf(await list({ page: 3, per_page: 3 }))).toEqual(ids.slice(6))
    for (const page of [4, 21_474_837, 2_147_483_647]) {
      const past = await list({ page, per_page: 100 })
      expect(past).toMatchObject({ data: [], meta: { current_page: page, last_page: 1, per_page: 100, total: 7 } })
    }
  })

  check('CON-LIST/success', 'returns one empty page if there are no contacts', async () => {
    const world = await newWorld(servers, gateway)
    expect((await world.call('GET', '/v1/contacts')).body).toEqual({
      success: true,
      data: [],
      meta: { current_page: 1, last_page: 1, per_page: 50, total: 0 },
    })
  })

  check('CON-LIST/success', 'filters by the day of creation', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.contact()
    await world.rows(`UPDATE contact SET created_at = '2026-02-10T12:00:00.123Z' WHERE account_id = $1`, [
      world.accountId,
    ])
    const today = await world.contact()
    const list = async (query: Record<string, string>) => {
      const { data } = (await world.call('GET', '/v1/contacts', { query })).body
      return data.map((row: { id: number }) => row.id)
    }
    expect(await list({ period: 'today' })).toEqual([today.id])
    expect(await list({ period: 'yesterday' })).toEqual([])
    expect(await list({ period: 'between', range: '2026-02-10to2026-02-10' })).toEqual([id])
    expect(await list({ period: 'all' })).toEqual([today.id, id])
    const count = await world.call('GET', '/v1/contact-count', {
      query: { period: 'between', range: '2026-01-01to2026-02-28' },
    })
    expect(count.body).toEqual({ success: true, data: { count: 1 } })
    const { data } = (await world.call('GET', '/v1/contact', { query: { contact_id: id } })).body
    expect(data.created_at).toBe('2026-02-10T12:00:00.123000Z')
  })

  check('CON-COUNT/INVALID_PERIOD', 'if the period is missing', async () => {
    const world = await newWorld(servers, gateway)
    expectError(await world.call('GET', '/v1/contact-count'), 400, 'INVALID_PERIOD')
  })

  check('CON-DELETE/success', 'deletes a contact', async () => {
    const world = await newWorld(servers, gateway)
    const { email } = await world.contact()
    const answer = await world.call('DELETE', '/v1/contact', { body: { email } })
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: { deleted: true } } })
    expectError(await world.call('DELETE', '/v1/contact', { body: { email } }), 404, 'NOT_FOUND')
  })

  check('CON-DELETE/VALIDATION_ERROR', 'if the body is missing', async () => {
    const world = await newWorld(servers, gateway)
    expectError(await world.call('DELETE', '/v1/contact'), 422, 'VALIDATION_ERROR', ['email', 'contact_id'])
  })

  check('CON-UNSUBSCRIBE/success', 'unsubscribes a contact, and can be repeated', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.contact({ email_marketing: true })
    for (let time = 0; time < 2; time += 1) {
      const answer = await world.call('POST', '/v1/contact-unsubscribe', { body: { contact_id: id } })
      expect(answer).toMatchObject({ status: 200, body: { success: true, data: { contact_id: id } } })
    }
    const { data } = (await world.call('GET', '/v1/contact', { query: { contact_id: id } })).body
    expect(data.email_marketing).toBe(false)
    expect((await world.announced()).filter((type) => type === 'contact.unsubscribed')).toHaveLength(1)
  })

  check('CON-PUT/success', 'with email_marketing false ends the sequences only of a contact with consent', async () => {
    const world = await newWorld(servers, gateway)
    const sequence = await world.sequence()
    await world.stage(sequence.id)
    const fields = { sequence_ids: String(sequence.id) }
    const [agreed, never] = [await world.contact({ ...fields, email_marketing: true }), await world.contact(fields)]
    for (const { email } of [agreed, never]) {
      await world.call('PUT', '/v1/contact', { body: { email, email_marketing: false } })
    }
    const sequencesOf = async (contact_id: number) =>
      (await world.call('GET', '/v1/contact', { query: { contact_id } })).body.data.sequences
    expect([await sequencesOf(agreed.id), await sequencesOf(never.id)]).toEqual([[], [sequence.id]])

    await world.call('POST', '/v1/contact-unsubscribe', { body: { contact_id: never.id } })
    expect(await sequencesOf(never.id)).toEqual([])
    await world.call('POST', '/v1/contact-sequence', { body: { contact_id: never.id, sequence_id: sequence.id } })
    await world.order({ customer: { email: never.email } })
    const { data } = (await world.call('DELETE', '/v1/contact', { body: { contact_id: never.id } })).body
    expect([data.deleted, await sequencesOf(never.id)]).toEqual([false, []])
  })

  check('CON-CREATE/success', 'trims white space around an e-mail address in every route', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.contact({ email: ' Ada@Example.com\n' })
    const { data } = (await world.call('GET', '/v1/contact', { query: { email: '\tada@example.com ' } })).body
    expect(data).toMatchObject({ id, email: 'Ada@Example.com' })
    const put = await world.call('PUT', '/v1/contact', { body: { email: ' ada@example.com ', first_name: 'Ada' } })
    expect(put.body.data).toEqual({ id })
    const again = await world.call('POST', '/v1/contact', { body: { email: 'ada@example.com\u00a0' } })
    expectError(again, 409, 'CONTACT_EXISTS')
    const unsubscribed = await world.call('POST', '/v1/contact-unsubscribe', { body: { email: ' ada@example.com ' } })
    expect(unsubscribed.body.data).toEqual({ contact_id: id })
    expectError(await world.call('GET', '/v1/contact', { query: { email: ' ' } }), 422, 'VALIDATION_ERROR', ['email'])
    const sender = await world.call('POST', '/v1/campaign', { body: { name: 'x', from_email: ' ada@example.com ' } })
    expect(sender.body.data.from_email).toBe('ada@example.com')
  })

  check('CON-CREATE/FORBIDDEN', 'if the contact quota is exceeded, with the name of the quota', async () => {
    const world = await newWorld(servers, gateway, { limits: { contacts: 1 } })
    await world.contact()
    const answer = await world.call('POST', '/v1/contact', { body: { email: 'one@example.com' } })
    expectError(answer, 403, 'FORBIDDEN')
    expect(answer.body.error.message).toMatch(/contacts/i)
    expectError(await world.call('PUT', '/v1/contact', { body: { email: 'one@example.com' } }), 403, 'FORBIDDEN')
  })

  check('CON-CREATE/success', 'with a key that has only write scopes', async () => {
    const world = await newWorld(servers, gateway)
    const key = await world.keyWith(['contacts:write'])
    expect((await world.call('POST', '/v1/contact', { key, body: { email: 'ada@example.com' } })).status).toBe(201)
    expectError(await world.call('GET', '/v1/contacts', { key }), 403, 'FORBIDDEN')
  })

  check('CON-CREATE/idempotency', 'runs a write once per Idempotency-Key, and distinguishes other input', async () => {
    const world = await newWorld(servers, gateway)
    const headers = { 'idempotency-key': 'order-4711' }
    const body = { email: 'ada@example.com' }
    const first = await world.call('POST', '/v1/contact', { body, headers })
    const second = await world.call('POST', '/v1/contact', { body, headers })
    expect(second).toMatchObject({ status: 201, body: first.body })
    const other = await world.call('POST', '/v1/contact', { body: { email: 'bob@example.com' }, headers })
    expectError(other, 422, 'VALIDATION_ERROR', ['idempotency_key'])
    for (const key of ['', 'x'.repeat(256), 'schlüssel', 'a b']) {
      const answer = await world.call('POST', '/v1/contact', { body, headers: { 'idempotency-key': key } })
      expectError(answer, 422, 'VALIDATION_ERROR', ['idempotency_key'])
    }
  })
})
