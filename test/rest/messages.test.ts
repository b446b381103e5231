import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { messageOf } from '../../rest-bridge/errors/messages.ts'
import { check } from './check.ts'
import { gateways, newWorld, useServers } from './support.ts'

const servers = useServers()

describe('the message of an issue', () => {
  it.each([
    [z.string(), undefined, 'is required'],
    [z.string(), 5, 'must be a string'],
    [z.int(), 1.5, 'must be an integer'],
    [z.boolean(), 'x', 'must be true or false'],
    [z.object({}), [], 'must be an object'],
    [z.array(z.string()), {}, 'must be an array'],
    [z.date(), 'x', 'must be of another type'],
    [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
    [z.literal(7), 8, 'must be 7'],
    [z.string().min(1), '', 'must not be empty'],
    [z.string().min(3), 'x', 'must have at least 3 characters'],
    [z.string().max(1), 'xx', 'must have at most 1 characters'],
    [z.number().min(3), 1, 'must be at least 3'],
    [z.array(z.int()).max(1), [1, 2], 'must contain at most 1 elements'],
    [z.string().regex(/a/), 'b', 'must have the documented format'],
    [z.email(), 'b', 'must be an e-mail address'],
    [z.number().multipleOf(2), 3, 'must be a multiple of 2'],
    [z.strictObject({}), { a: 1 }, 'must not contain a'],
    [z.union([z.string(), z.int()]), true, 'must have one of the documented forms'],
    [z.record(z.enum(['a']), z.string()), { b: '' }, expect.stringMatching(/^(must|is) /)],
    [z.map(z.object({}), z.string()), new Map([[{}, 5]]), expect.stringMatching(/^must /)],
    [z.string().refine(() => false), 'x', 'must be valid'],
  ] as [z.ZodType, unknown, unknown][])('%# is a plain sentence', (schema, value, message) => {
    const [issue] = schema.safeParse(value, { error: messageOf }).error?.issues ?? []
    expect(issue?.message).toEqual(message)
  })
})

describe.each(gateways)('an import without a body, %s', (gateway) => {
  check('CON-IMPORT/success', 'waits for its file without a body, as with an empty object', async () => {
    const world = await newWorld(servers, gateway)
    for (const body of [undefined, {}]) {
      const response = await world.call('POST', '/v1/contacts-import', { body })
      expect(response.status).toBe(201)
      expect(response.body.data).toEqual({ id: expect.any(Number), status: 'waiting', upload_url: expect.any(String) })
    }
  })

  check('CON-IMPORT/VALIDATION_ERROR', 'returns a plain message for an invalid column', async () => {
    const world = await newWorld(servers, gateway)
    const answer = await world.call('POST', '/v1/contacts-import', { body: { mapping: [[]] } })
    expect(answer.body.error).toMatchObject({ code: 'VALIDATION_ERROR', details: { mapping: ['must be an object'] } })
  })
})
