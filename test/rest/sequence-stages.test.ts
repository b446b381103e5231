import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { data, plainTime } from './sequence.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe.each(gateways)('stages, %s', (gateway) => {
  check('STG-CREATE/success', 'creates a stage at the end', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    await world.stage(id)
    const response = await world.call('POST', '/v1/sequence-stage', { body: { sequence_id: id } })
    expect(response.status).toBe(201)
    const usual = { name: 'Step 2', stage_type: 'send_email', time_value: 1, time_type: 86400 }
    expect(response.body.data).toEqual({ id: expect.any(Number), sequence_id: id, step: 2, ...usual })
  })

  check('STG-CREATE/VALIDATION_ERROR', 'for invalid fields', async () => {
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

  check('STG-UPDATE/success', 'changes the fields that are sent, moves and activates', async () => {
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

  check('STG-UPDATE/VALIDATION_ERROR', 'if the stage is not complete, or the step does not exist', async () => {
    const world = await newWorld(servers, gateway)
    const stage = await world.stage((await world.sequence()).id)
    const change = (more: object) => world.call('PUT', '/v1/sequence-stage', { body: { stage_id: stage.id, ...more } })
    expectError(await change({ active: true }), 422, 'VALIDATION_ERROR', ['subject', 'html'])
    for (const step of [0, 2, -1, 501, '1', 1.5]) expectError(await change({ step }), 422, 'VALIDATION_ERROR', ['step'])
    for (const active of ['true', 1, null]) expectError(await change({ active }), 422, 'VALIDATION_ERROR', ['active'])
  })

  check('STG-CONTENT/success', 'stores the HTML unchanged, and returns its URL', async () => {
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

  check('STG-CONTENT/STAGE_NOT_EMAIL', 'for a stage that sends no e-mail', async () => {
    const world = await newWorld(servers, gateway)
    const { id } = await world.sequence()
    for (const stage_type of ['send_sms', 'action']) {
      const stage = await world.stage(id, { stage_type })
      const body = { stage_id: stage.id, html: '<p>x</p>' }
      expectError(await world.call('PUT', '/v1/sequence-stage-content', { body }), 422, 'STAGE_NOT_EMAIL')
    }
  })

  check('STG-CONTENT/VALIDATION_ERROR', 'for invalid content and an invalid sender', async () => {
    const world = await newWorld(servers, gateway)
    const stage = await world.stage((await world.sequence()).id)
    const wrong: [string, unknown[]][] = [
      ['html', ['', 5, null, {}]],
      ['subject', [5, null, 'a\nb', 'x'.repeat(901)]],
      ['from_name', [5, null, 'a\r\nb', 'x'.repeat(256)]],
      ['from_email', [5, null, 'nobody', 'a@b', 'a@exam\nple.com']],
    ]
    for (const [field, values] of wrong) {
      for (const value of values) {
        const body = { stage_id: stage.id, html: 'x', [field]: value }
        expectError(await world.call('PUT', '/v1/sequence-stage-content', { body }), 422, 'VALIDATION_ERROR', [field])
      }
    }
  })

  check('STG-DELETE/success', 'closes the gap in the steps', async () => {
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
