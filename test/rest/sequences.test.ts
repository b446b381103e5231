import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { data, plainTime, sent, subscribe } from './sequence.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe.each(gateways)('sequences, %s', (gateway) => {
  check('SEQ-CREATE/success', 'defaults to the type normal', async () => {
    const world = await newWorld(servers, gateway)
    const created = await world.call('POST', '/v1/sequence', { body: { name: 'Welcome' } })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({ success: true, data: { id: expect.any(Number), name: 'Welcome', type: 'normal' } })
    const body = { name: 'Event', type: 'inverted' }
    expect(await data(world, 'POST', '/v1/sequence', { body })).toEqual({ id: expect.any(Number), ...body })
  })

  check('SEQ-CREATE/VALIDATION_ERROR', 'for an invalid name or type', async () => {
    const world = await newWorld(servers, gateway)
    for (const name of ['', '   ', 5, null, 'a\0b', 'x'.repeat(256)]) {
      expectError(await world.call('POST', '/v1/sequence', { body: { name } }), 422, 'VALIDATION_ERROR', ['name'])
    }
    for (const type of ['NORMAL', '', 'other', 1, null]) {
      const body = { name: 'x', type }
      expectError(await world.call('POST', '/v1/sequence', { body }), 422, 'VALIDATION_ERROR', ['type'])
    }
  })

  check('SEQ-LIST/success', 'lists newest first', async () => {
    const world = await newWorld(servers, gateway)
    for (const name of ['a', 'c', 'b']) await world.sequence(name)
    const { body } = await world.call('GET', '/v1/sequences', { query: { per_page: 2 } })
    expect(body).toEqual({
      success: true,
      data: ['b', 'c'].map((name) => ({ id: expect.any(Number), name, created_at: expect.stringMatching(plainTime) })),
      meta: { current_page: 1, last_page: 2, per_page: 2, total: 3 },
    })
  })

  check('SEQ-GET/success', 'returns the stages in order, with their defaults', async () => {
    const world = await newWorld(servers, gateway)
    const { id, name } = await world.sequence()
    const first = await world.stage(id)
    const input = { name: 'Call', stage_type: 'send_sms', time_value: 0, time_type: 604800 }
    const second = await world.stage(id, input)
    const created_at = expect.stringMatching(plainTime)
    const usual = { name: 'Step 1', stage_type: 'send_email', time_value: 1, time_type: 86400 }
    expect(await data(world, 'GET', '/v1/sequence', { query: { sequence_id: id } })).toEqual({
      id,
      name,
      created_at,
      stages: [
        { id: first.id, step: 1, ...usual, active: false, created_at },
        { id: second.id, step: 2, ...input, active: false, created_at },
      ],
    })
  })

  check('SEQ-DELETE/success', 'deletes the stages, and ends all enrolments', async () => {
    const world = await newWorld(servers, gateway)
    const [sequence, contact] = [await world.sequence(), await world.contact()]
    const stage = await world.stage(sequence.id)
    await subscribe(world, contact.id, sequence.id)
    expect(await data(world, 'DELETE', '/v1/sequence', { body: { sequence_id: sequence.id } })).toEqual({
      deleted: true,
    })
    expect(await data(world, 'GET', '/v1/contacts-sequences', { query: { contact_id: contact.id } })).toEqual([])
    const gone = await world.call('DELETE', '/v1/sequence-stage', { body: { stage_id: stage.id } })
    expectError(gone, 404, 'NOT_FOUND')
    expect((await world.announced()).slice(-2)).toEqual(['sequence.unsubscribed', 'sequence.deleted'])
  })

  check('SEQ-STATS/success', 'lists the e-mail stages by position, with ratios to four decimals', async () => {
    const world = await newWorld(servers, gateway)
    const { id, name } = await world.sequence()
    const [a, , b] = [await world.stage(id), await world.stage(id, { stage_type: 'action' }), await world.stage(id)]
    await data(world, 'PUT', '/v1/sequence-stage-content', { body: { stage_id: a.id, html: 'x', subject: 'Hello' } })
    const contacts = [await world.contact(), await world.contact(), await world.contact()]
    for (const contact of contacts) await subscribe(world, contact.id, id)
    await data(world, 'DELETE', '/v1/contact-sequence', { body: { contact_id: contacts[0]?.id, sequence_id: id } })
    const led = [['opened', 'clicked', 'unsubscribed'], ['opened'], []]
    for (const [index, contact] of contacts.entries()) await sent(world, contact.id, id, a.id, led[index])
    expect(await data(world, 'GET', '/v1/sequence-stats', { query: { sequence_id: id } })).toEqual({
      id,
      name,
      active_contacts: 2,
      stages: [
        {
          id: a.id,
          position: 1,
          subject: 'Hello',
          sent: 3,
          opened: 2,
          clicked: 1,
          unsubscribed: 1,
          bounced: 0,
          open_rate: 0.6667,
          click_rate: 0.3333,
          unsubscribe_rate: 0.3333,
        },
        {
          id: b.id,
          position: 3,
          subject: '',
          sent: 0,
          opened: 0,
          clicked: 0,
          unsubscribed: 0,
          bounced: 0,
          open_rate: 0,
          click_rate: 0,
          unsubscribe_rate: 0,
        },
      ],
    })
  })

  check('SEQ-CONTACTS/success', 'lists the enrolled contacts, newest first', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    await world.stage(id)
    const contacts = [
      await world.contact({ first_name: 'Ada', last_name: 'L' }),
      await world.contact(),
      await world.contact(),
    ]
    for (const contact of contacts.slice(0, 2).toReversed()) await subscribe(world, contact.id, id)
    const { body } = await world.call('GET', '/v1/sequences-contacts', {
      query: { sequence_id: id, per_page: 1, page: 2 },
    })
    expect(body).toEqual({
      success: true,
      data: [{ id: contacts[0]?.id, email: contacts[0]?.email, first_name: 'Ada', last_name: 'L' }],
      meta: { current_page: 2, last_page: 2, per_page: 1, total: 2 },
    })
  })

  check('SEQ-OF-CONTACT/success', "lists a contact's sequences newest first, without those that it left", async () => {
    const world = await newWorld(servers, gateway)
    const contact = await world.contact()
    const sequences = [await world.sequence('b'), await world.sequence('c'), await world.sequence('a')]
    for (const { id } of sequences) await world.stage(id)
    for (const { id } of sequences) await subscribe(world, contact.id, id)
    await data(world, 'DELETE', '/v1/contact-sequence', {
      body: { email: contact.email, sequence_id: sequences[1]?.id },
    })
    const created_at = expect.stringMatching(plainTime)
    expect(await data(world, 'GET', '/v1/contacts-sequences', { query: { email: contact.email } })).toEqual([
      { id: sequences[2]?.id, name: 'a', created_at },
      { id: sequences[0]?.id, name: 'b', created_at },
    ])
  })
})
