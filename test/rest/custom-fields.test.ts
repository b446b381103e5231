import { describe, expect } from 'vitest'
import { check } from './check.ts'
import { expectError } from './client.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe.each(gateways)('custom fields, %s', (gateway) => {
  check('FIELD-LIST/success', 'lists the definitions, with the options of a select field', async () => {
    const world = await newWorld(servers, gateway)
    await world.customField('note')
    await world.customField('size', 'SELECT', ['S', 'M', 'L'])
    expect((await world.call('GET', '/v1/custom-fields')).body).toEqual({
      success: true,
      data: [
        { id: expect.any(Number), name: 'size', type: 'select', values: 'S,M,L' },
        { id: expect.any(Number), name: 'note', type: 'text', values: null },
      ],
    })
  })

  check('FIELD-SET/success', 'sets and replaces a value', async () => {
    const world = await newWorld(servers, gateway)
    const [{ email, id }, field] = [await world.contact(), await world.customField('size', 'SELECT', ['S', 'M'])]
    for (const value of ['S', 'M']) {
      const response = await world.call('PUT', '/v1/contact-custom-field', {
        body: { email, custom_field_id: field.id, value },
      })
      expect(response.status).toBe(200)
      expect(response.body).toEqual({ success: true, data: { contact_id: id, custom_field_id: field.id, value } })
    }
    const { data } = (await world.call('GET', '/v1/contact', { query: { email } })).body
    expect(data.custom_fields).toEqual([{ label: 'size', value: 'M' }])
  })

  check(
    'FIELD-SET/VALIDATION_ERROR',
    'if the value is not a string, is too long, or is not one of the options',
    async () => {
      const world = await newWorld(servers, gateway)
      const { email } = await world.contact()
      const [note, size] = [await world.customField('note'), await world.customField('size', 'SELECT', ['S'])]
      const wrong = [
        [note.id, 5],
        [note.id, null],
        [note.id, true],
        [note.id, 'a\0b'],
        [note.id, 'x'.repeat(1001)],
        [size.id, 'XL'],
      ] as const
      for (const [custom_field_id, value] of wrong) {
        const answer = await world.call('PUT', '/v1/contact-custom-field', { body: { email, custom_field_id, value } })
        expectError(answer, 422, 'VALIDATION_ERROR', ['value'])
      }
      const body = { email, custom_field_id: note.id, value: 'x'.repeat(1000) }
      expect((await world.call('PUT', '/v1/contact-custom-field', { body })).status).toBe(200)
    },
  )
})
