import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers, type World } from './support.ts'

const servers = useServers()

const plainTime = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/

async function data(world: World, method: string, path: string, sent: Parameters<World['call']>[2] = {}) {
  const answer = await world.call(method, path, sent)
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ success: true })
  return answer.body.data
}

const subscribe = (world: World, contact_id: number, sequence_id: number, more = {}) =>
  data(world, 'POST', '/v1/contact-sequence', { body: { contact_id, sequence_id, ...more } })

/** A message that a stage has sent, as the queue would hold it. */
async function sent(world: World, contactId: number, sequenceId: number, stageId: number, led: string[] = []) {
  const at = (what: string) => (led.includes(what) ? new Date() : null)
  await world.rows(
    `INSERT INTO mail_recipient (account_id, contact_id, sequence_id, stage_id, state, created_at, sent_at, opened_at, clicked_at, unsubscribed_at)
     VALUES ($1, $2, $3, $4, 'SENT', now(), now(), $5, $6, $7)`,
    [world.accountId, contactId, sequenceId, stageId, at('opened'), at('clicked'), at('unsubscribed')],
  )
}

describe.each(gateways)('sequences, %s', (gateway) => {
  check('SEQ-CREATE/success', 'is normal unless asked otherwise', async () => {
    const world = await newWorld(servers, gateway)
    const made = await world.call('POST', '/v1/sequence', { body: { name: 'Welcome' } })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({ success: true, data: { id: expect.any(Number), name: 'Welcome', type: 'normal' } })
    const body = { name: 'Event', type: 'inverted' }
    expect(await data(world, 'POST', '/v1/sequence', { body })).toEqual({ id: expect.any(Number), ...body })
  })

  check('SEQ-CREATE/VALIDATION_ERROR', 'for a name or type that is none', async () => {
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

  check('SEQ-GET/success', 'shows the stages in order, with their defaults', async () => {
    const world = await newWorld(servers, gateway)
    const { id, name } = await world.sequence()
    const first = await world.stage(id)
    const given = { name: 'Call', stage_type: 'send_sms', time_value: 0, time_type: 604800 }
    const second = await world.stage(id, given)
    const created_at = expect.stringMatching(plainTime)
    const usual = { name: 'Step 1', stage_type: 'send_email', time_value: 1, time_type: 86400 }
    expect(await data(world, 'GET', '/v1/sequence', { query: { sequence_id: id } })).toEqual({
      id,
      name,
      created_at,
      stages: [
        { id: first.id, step: 1, ...usual, active: false, created_at },
        { id: second.id, step: 2, ...given, active: false, created_at },
      ],
    })
  })

  check('SEQ-DELETE/success', 'deletes the stages, and takes everybody out', async () => {
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
    expect((await world.announced()).at(-1)).toBe('sequence.unsubscribed')
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

  check('SEQ-CONTACTS/success', 'lists who is in it, newest first', async () => {
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

  check('SEQ-OF-CONTACT/success', "lists a contact's sequences newest first, without those it has left", async () => {
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

describe.each(gateways)('stages, %s', (gateway) => {
  check('STG-CREATE/success', 'stands at the end', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    await world.stage(id)
    const answer = await world.call('POST', '/v1/sequence-stage', { body: { sequence_id: id } })
    expect(answer.status).toBe(201)
    const usual = { name: 'Step 2', stage_type: 'send_email', time_value: 1, time_type: 86400 }
    expect(answer.body.data).toEqual({ id: expect.any(Number), sequence_id: id, step: 2, ...usual })
  })

  check('STG-CREATE/VALIDATION_ERROR', 'for what no stage has', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    const wrong: [string, unknown[]][] = [
      ['name', ['', ' ', 5, null, 'x'.repeat(256)]],
      ['stage_type', ['SEND_EMAIL', 'sms', '', 1, null]],
      ['time_value', [-1, 1.5, '1', null, 50_001, 2 ** 31, 1e300]],
      ['time_type', [0, 1, 60, 86_401, '86400', null, -3600]],
    ]
    for (const [field, values] of wrong) {
      for (const value of values) {
        const answer = await world.call('POST', '/v1/sequence-stage', { body: { sequence_id: id, [field]: value } })
        expectError(answer, 422, 'VALIDATION_ERROR', [field])
      }
    }
    expect((await data(world, 'GET', '/v1/sequence', { query: { sequence_id: id } })).stages).toEqual([])
  })

  check('STG-UPDATE/success', 'changes what is sent, moves and activates', async () => {
    const world = await newWorld(servers, gateway)
    const sequence = await world.sequence()
    const [stage, other] = [await world.stage(sequence.id), await world.stage(sequence.id)]
    await data(world, 'PUT', '/v1/sequence-stage-content', {
      body: { stage_id: stage.id, html: 'x', subject: 'Hello' },
    })
    const body = { stage_id: stage.id, name: 'Hi', time_value: 3, time_type: 3600, step: 2, active: true }
    expect(await data(world, 'PUT', '/v1/sequence-stage', { body })).toEqual({
      id: stage.id,
      sequence_id: sequence.id,
      step: 2,
      name: 'Hi',
      stage_type: 'send_email',
      time_value: 3,
      time_type: 3600,
      active: true,
      created_at: expect.stringMatching(plainTime),
      updated: true,
    })
    const nothing = await data(world, 'PUT', '/v1/sequence-stage', { body: { stage_id: stage.id } })
    expect(nothing).toMatchObject({ name: 'Hi', time_value: 3, active: true, updated: true })
    const { stages } = await data(world, 'GET', '/v1/sequence', { query: { sequence_id: sequence.id } })
    expect(stages.map(({ id, step }: { id: number; step: number }) => [id, step])).toEqual([
      [other.id, 1],
      [stage.id, 2],
    ])
  })

  check('STG-UPDATE/VALIDATION_ERROR', 'where it is not ready, or there is no such step', async () => {
    const world = await newWorld(servers, gateway)
    const stage = await world.stage((await world.sequence()).id)
    const change = (more: object) => world.call('PUT', '/v1/sequence-stage', { body: { stage_id: stage.id, ...more } })
    expectError(await change({ active: true }), 422, 'VALIDATION_ERROR', ['subject', 'html'])
    for (const step of [0, 2, -1, 501, '1', 1.5]) expectError(await change({ step }), 422, 'VALIDATION_ERROR', ['step'])
    for (const active of ['true', 1, null]) expectError(await change({ active }), 422, 'VALIDATION_ERROR', ['active'])
  })

  check('STG-CONTENT/success', 'stores the HTML as it is, and shows where it can be seen', async () => {
    const world = await newWorld(servers, gateway)
    const stage = await world.stage((await world.sequence()).id)
    const html = '<h1>Grüße & „Küsse“</h1>\n<p>{{FIRST_NAME:you}}</p>'
    const set = (body: object) =>
      data(world, 'PUT', '/v1/sequence-stage-content', { body: { stage_id: stage.id, ...body } })
    const first = await set({ html, subject: 'Hello', from_name: 'Ada', from_email: 'ada@example.com' })
    expect(first).toEqual({ id: stage.id, email_id: expect.any(Number), path_to_email: expect.any(String) })
    expect(await (await fetch(first.path_to_email)).text()).toBe(html)
    expect(await set({ html: '<p>2</p>' })).toEqual(first)
    expect(await (await fetch(first.path_to_email)).text()).toBe('<p>2</p>')
    const [email] = await world.rows('SELECT subject, from_name, from_email FROM email WHERE id = $1', [first.email_id])
    expect(email).toEqual({ subject: 'Hello', from_name: 'Ada', from_email: 'ada@example.com' })
  })

  check('STG-CONTENT/STAGE_NOT_EMAIL', 'for a stage that sends none', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    for (const stage_type of ['send_sms', 'action']) {
      const stage = await world.stage(id, { stage_type })
      const body = { stage_id: stage.id, html: '<p>x</p>' }
      expectError(await world.call('PUT', '/v1/sequence-stage-content', { body }), 422, 'STAGE_NOT_EMAIL')
    }
  })

  check('STG-CONTENT/VALIDATION_ERROR', 'for content that is none, and a sender that is none', async () => {
    const world = await newWorld(servers, gateway)
    const stage = await world.stage((await world.sequence()).id)
    const wrong: [string, unknown[]][] = [
      ['html', ['', 5, null, {}]],
      ['subject', [5, null, 'a\nb', 'x'.repeat(901)]],
      ['from_name', [5, null, 'a\r\nb', 'x'.repeat(256)]],
      ['from_email', [5, null, 'nobody', 'a@b', 'a@example.com\n']],
    ]
    for (const [field, values] of wrong) {
      for (const value of values) {
        const body = { stage_id: stage.id, html: 'x', [field]: value }
        expectError(await world.call('PUT', '/v1/sequence-stage-content', { body }), 422, 'VALIDATION_ERROR', [field])
      }
    }
  })

  check('STG-DELETE/success', 'closes the gap', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    const [first, second] = [await world.stage(id), await world.stage(id)]
    expect(await data(world, 'DELETE', '/v1/sequence-stage', { body: { stage_id: first.id } })).toEqual({
      deleted: true,
    })
    const { stages } = await data(world, 'GET', '/v1/sequence', { query: { sequence_id: id } })
    expect(stages).toMatchObject([{ id: second.id, step: 1, name: 'Step 2' }])
  })
})

describe.each(gateways)('contacts in sequences, %s', (gateway) => {
  check('CON-SEQ-ADD/success', 'is safe to repeat, twenty times at once', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    await world.stage(sequence.id)
    const pair = { contact_id: contact.id, sequence_id: sequence.id }
    const ask = () => world.call('POST', '/v1/contact-sequence', { body: pair })
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { success: true, data: pair } })
    expect(Object.keys(answers[0]?.body.data).sort()).toEqual(['contact_id', 'sequence_id'])
    expect((await world.announced()).filter((type) => type === 'sequence.subscribed')).toHaveLength(1)
    expect(await data(world, 'GET', '/v1/contact', { query: { contact_id: contact.id } })).toMatchObject({
      sequences: [sequence.id],
    })
  })

  check('CON-SEQ-ADD/SEQUENCE_HAS_NO_STAGES', 'for a sequence with nothing in it', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence()]
    const body = { email: contact.email, sequence_id: sequence.id }
    expectError(await world.call('POST', '/v1/contact-sequence', { body }), 422, 'SEQUENCE_HAS_NO_STAGES')
    // Leaving it is no failure.
    expect(await data(world, 'DELETE', '/v1/contact-sequence', { body })).toEqual({
      contact_id: contact.id,
      sequence_id: sequence.id,
    })
  })

  check('CON-SEQ-ADD/success', 'takes the date that an inverted sequence counts back from', async () => {
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

  check('CON-CREATE/success', 'enrols in sequence_ids; unknown, empty and foreign ones are skipped', async () => {
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

  check('CON-STATS/success', 'counts messages, and gives percentages to one decimal', async () => {
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

  check('LEG-SEQ-LIST/success', 'is bare, with the id under both its names', async () => {
    const world = await newWorld(servers, gateway)
    const [contact, sequence] = [await world.contact(), await world.sequence('Welcome')]
    const stage = await world.stage(sequence.id)
    await subscribe(world, contact.id, sequence.id)
    const legacy = async (path: string, query = {}) => {
      const answer = await world.call('GET', path, { key: null, query: { api_key: world.key, ...query } })
      expect(answer.status).toBe(200)
      return answer.body
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
