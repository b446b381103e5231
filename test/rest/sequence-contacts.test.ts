import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { data, plainTime, sent, subscribe } from './sequence.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe.each(gateways)('contacts in sequences, %s', (gateway) => {
  check('CON-SEQ-ADD/success', 'can be repeated, also concurrently', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    await world.stage(sequence.id)
    const pair = { contact_id: contact.id, sequence_id: sequence.id }
    const ask = () => world.call('POST', '/v1/contact-sequence', { body: pair })
    const responses = await Promise.all(Array.from({ length: 20 }, ask))
    for (const answer of responses) expect(answer).toMatchObject({ status: 200, body: { success: true, data: pair } })
    expect(Object.keys(responses[0]?.body.data).sort()).toEqual(['contact_id', 'sequence_id'])
    expect((await world.announced()).filter((type) => type === 'sequence.subscribed')).toHaveLength(1)
    expect(await data(world, 'GET', '/v1/contact', { query: { contact_id: contact.id } })).toMatchObject({
      sequences: [sequence.id],
    })
  })

  check('CON-SEQ-ADD/SEQUENCE_HAS_NO_STAGES', 'for a sequence without stages', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    const body = { email: contact.email, sequence_id: sequence.id }
    expectError(await world.call('POST', '/v1/contact-sequence', { body }), 422, 'SEQUENCE_HAS_NO_STAGES')
    // Leaving a sequence twice is not an error.
    expect(await data(world, 'DELETE', '/v1/contact-sequence', { body })).toEqual({
      contact_id: contact.id,
      sequence_id: sequence.id,
    })
  })

  check('CON-SEQ-ADD/success', 'accepts the anchor date of an inverted sequence', async () => {
    const world = await newWorld(servers, gateway)
    const sequence = await data(world, 'POST', '/v1/sequence', { body: { name: 'Event', type: 'inverted' } })
    await world.stage(sequence.id)
    const dates = {
      '2126-05-01': '2126-05-01T00:00:00.000Z',
      '2126-05-01 09:30:00': '2126-05-01T09:30:00.000Z',
      '2126-05-01T09:30': '2126-05-01T09:30:00.000Z',
      '2126-05-01T09:30:00.123456Z': '2126-05-01T09:30:00.123Z',
      '2126-05-01T09:30:00+02:00': '2126-05-01T07:30:00.000Z',
    }
    for (const [anchor_date, kept] of Object.entries(dates)) {
      const contact = await world.contact()
      await subscribe(world, contact.id, sequence.id, { anchor_date })
      const [row] = await world.rows<{ anchor: Date }>(
        'SELECT anchor_date AS anchor FROM enrolment WHERE contact_id = $1',
        [contact.id],
      )
      expect(row?.anchor.toISOString()).toBe(kept)
    }
    const { id } = await world.contact()
    for (const anchor_date of [
      '',
      'soon',
      '2126-02-30',
      '2126-05-01T25:00',
      '2126-05-01 09:30:00 ',
      '0001-01-01',
      5,
      null,
    ]) {
      const body = { contact_id: id, sequence_id: sequence.id, anchor_date }
      expectError(await world.call('POST', '/v1/contact-sequence', { body }), 422, 'VALIDATION_ERROR', ['anchor_date'])
    }
  })

  check('CON-CREATE/success', 'enrols in sequence_ids, and skips unknown, empty and foreign ones', async () => {
    const [world, other] = [await newWorld(servers, gateway), await newWorld(servers, gateway)]
    const [a, b, empty, foreign] = [
      await world.sequence(),
      await world.sequence(),
      await world.sequence(),
      await other.sequence(),
    ]
    for (const { id } of [a, b]) await world.stage(id)
    await other.stage(foreign.id)
    const contact = await world.contact({ sequence_ids: `${a.id}, ${empty.id},${foreign.id},999999,-1` })
    const sequences = async () =>
      (await data(world, 'GET', '/v1/contact', { query: { contact_id: contact.id } })).sequences
    expect(await sequences()).toEqual([a.id])
    await data(world, 'PUT', '/v1/contact', { body: { email: contact.email, sequence_ids: `${b.id}` } })
    expect((await sequences()).sort()).toEqual([a.id, b.id].sort())
    await data(world, 'POST', '/v1/contact-unsubscribe', { body: { email: contact.email } })
    expect(await sequences()).toEqual([])
  })

  check('CON-STATS/success', 'counts messages, and returns percentages to one decimal', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    const stats = () => data(world, 'GET', '/v1/contact-stats', { query: { email: contact.email } })
    const none = { id: contact.id, emails_sent: 0, emails_opened: 0, emails_clicked: 0, open_rate: 0, click_rate: 0 }
    expect(await stats()).toEqual(none)
    const stage = await world.stage(sequence.id)
    for (const led of [['opened', 'clicked'], ['opened'], []]) await sent(world, contact.id, sequence.id, stage.id, led)
    expect(await stats()).toEqual({
      ...none,
      emails_sent: 3,
      emails_opened: 2,
      emails_clicked: 1,
      open_rate: 66.7,
      click_rate: 33.3,
    })
  })

  check('LEG-SEQ-LIST/success', 'returns a list without an envelope, with the ID under both names', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence('Welcome')]
    const stage = await world.stage(sequence.id)
    await subscribe(world, contact.id, sequence.id)
    const legacy = async (path: string, query = {}) => {
      const response = await world.call('GET', path, { key: null, query: { api_key: world.key, ...query } })
      expect(response.status).toBe(200)
      return response.body
    }
    const created_at = expect.stringMatching(plainTime)
    const row = { id: sequence.id, sequence_id: sequence.id, name: 'Welcome', created_at, stages_count: 1 }
    expect(await legacy('/sequences')).toEqual([row])
    expect(await legacy('/contacts-sequences', { email: contact.email })).toEqual([row])
    expect(await legacy('/sequences-contacts', { sequence_id: sequence.id })).toEqual([
      { id: contact.id, contact_id: contact.id, email: contact.email, first_name: '', last_name: '' },
    ])
    const usual = { name: 'Step 1', stage_type: 'send_email', time_value: 1, time_type: 86400, active: false }
    expect(await legacy('/sequence', { sequence_id: sequence.id })).toEqual({
      ...row,
      stages: [{ id: stage.id, stage_id: stage.id, step: 1, ...usual, created_at }],
    })
    expect((await legacy('/contact', { contact_id: contact.id })).sequences).toEqual(['Welcome'])
  })
})
