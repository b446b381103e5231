import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

const modern = 'application/graphql-response+json'
const two = 'query A { viewer { email } } query B { viewer { email } }'

describe('an invalid document', () => {
  const wrong: [string, string, Record<string, unknown>, number][] = [
    ['a syntax error', '{ viewer { ', {}, 200],
    ['an empty selection', '{ }', {}, 200],
    ['a field that does not exist', '{ nothing }', {}, 200],
    ['a selection that is missing', '{ viewer }', {}, 200],
    ['a variable of the wrong type', 'query ($id: Int!) { tag(id: $id) { id } }', {}, 200],
    ['a fragment that spreads itself', '{ viewer { ...a } } fragment a on Viewer { email ...a }', {}, 200],
    ['several operations and no operationName', two, {}, 400],
    ['an operationName that is not there', two, { operationName: 'C' }, 400],
    ['no operation at all', 'fragment a on Viewer { email }', {}, 200],
    ['an unknown trusted document', '', { documentId: `sha256:${'0'.repeat(64)}` }, 400],
    ['an unknown persisted query', '', { extensions: { persistedQuery: { version: 1, sha256Hash: 'ff' } } }, 400],
    ['nothing to execute', '', {}, 400],
  ]
  it.each(wrong)(
    'with %s returns BAD_REQUEST, and 400 in application/graphql-response+json',
    async (_name, document, more, classic) => {
      const world = await newWorld()
      for (const [accept, status] of [
        ['application/json', classic],
        [modern, 400],
      ] as const) {
        // Again, because parsed and validated documents are cached.
        for (const time of ['first', 'again']) {
          const reply = await world.ask(document, {}, { more, headers: { accept } })
          expect(reply.headers.get('content-type')).toContain(accept)
          expect([reply.status, time, accept]).toEqual([status, time, accept])
          expect(reply.body).not.toHaveProperty('data')
          for (const error of reply.body.errors) expect(error.extensions).toEqual({ code: 'BAD_REQUEST' })
        }
      }
    },
  )

  it.each([
    ['variables that lack a value', 'query ($id: ID!) { tag(id: $id) { id } }', {}],
    ['a variable that is no Int', 'query ($n: Int) { tags(first: $n) { totalCount } }', { n: 'many' }],
    [
      'a day that does not exist',
      'query ($f: ContactFilterInput) { contacts(filter: $f) { totalCount } }',
      {
        f: { createdAt: { period: 'BETWEEN', range: { from: '2026-02-30', to: '2026-03-01' } } },
      },
    ],
    [
      'a field the input does not have',
      'mutation ($i: TagCreateInput!) { tagCreate(input: $i) { tag { id } } }',
      {
        i: { name: 'a', colour: 'red' },
      },
    ],
  ])('with %s returns BAD_REQUEST', async (_name, document, variables) => {
    const world = await newWorld()
    for (const [accept, status] of [
      ['application/json', 200],
      [modern, 400],
    ] as const) {
      const reply = await world.ask(document, variables, { headers: { accept } })
      expect(reply.status).toBe(status)
      expect(reply.body.errors).toMatchObject([{ extensions: { code: 'BAD_REQUEST' } }])
    }
    expect(world.server.errors).toEqual([])
  })

  it('returns the location of the error', async () => {
    const world = await newWorld()
    const fault = await world.fault('{\n  viewer { nothing }\n}')
    expect(fault).toMatchObject({ message: expect.stringContaining('nothing'), locations: [{ line: 2, column: 12 }] })
  })
})

describe('an invalid request', () => {
  it.each([
    ['no JSON', '{"query":', 400],
    ['an array', '[{"query":"{__typename}"}]', 400],
    ['text', '"{__typename}"', 400],
    ['null', 'null', 400],
    ['nothing', '', 400],
    ['variables that are a list', '{"query":"{__typename}","variables":[]}', 400],
    ['an operationName that is a number', '{"query":"{__typename}","operationName":1}', 400],
    ['a query that is a number', '{"query":5}', 400],
  ])('with %s returns BAD_REQUEST', async (_name, body, status) => {
    const { server, mainKey } = await newWorld()
    for (const accept of ['application/json', modern]) {
      const headers = { authorization: `Bearer ${mainKey}`, 'content-type': 'application/json', accept }
      const response = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body })
      expect(response.status).toBe(status)
      expect(await response.json()).toEqual({
        errors: [{ message: expect.any(String), extensions: { code: 'BAD_REQUEST' } }],
      })
    }
  })

  it('with another content type or compression returns 415', async () => {
    const { server, mainKey } = await newWorld()
    for (const more of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ]) {
      const headers = { authorization: `Bearer ${mainKey}`, ...more }
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers,
        body: '{"query":"{__typename}"}',
      })
      expect(response.status).toBe(415)
      expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_REQUEST' } }] })
    }
  })
})

describe('values that cannot be stored or found', () => {
  it.each(['a\0b', 'a\ud800b', '\udc00'])(
    'return VALIDATION_ERROR or no rows for the text %j, and never INTERNAL_SERVER_ERROR',
    async (bad) => {
      const world = await newWorld()
      const { id } = await world.contact()
      const field = await world.customField()
      const documents: [string, Record<string, unknown>][] = [
        ['mutation ($v: String!) { tagCreate(input: { name: $v }) { tag { id } } }', {}],
        [
          'mutation ($v: String!) { contactCreate(input: { email: "n@example.com", city: $v }) { contact { id } } }',
          {},
        ],
        ['mutation ($v: String!) { contactCreate(input: { email: $v }) { contact { id } } }', {}],
        [
          'mutation ($v: String!) { contactCreate(input: { email: "n@example.com", gdpr: true, consent: { text: $v } }) { contact { id } } }',
          {},
        ],
        [
          'mutation ($v: String!, $id: ID!) { contactFieldSet(input: { contact: { id: $id }, customFieldId: "' +
            field.id +
            '", value: $v }) { value } }',
          { id },
        ],
        ['mutation ($v: String!) { contactDelete(input: { contact: { email: $v } }) { deleted } }', {}],
        ['mutation ($v: String!) { customFieldCreate(input: { name: $v, type: TEXT }) { customField { id } } }', {}],
        [
          'mutation ($v: String!) { customFieldCreate(input: { name: "a", type: SELECT, values: [$v] }) { customField { id } } }',
          {},
        ],
        ['mutation ($v: String!) { tagCreate(input: { name: "fine", idempotencyKey: $v }) { tag { id } } }', {}],
        ['mutation ($v: ID!) { tagDelete(input: { id: $v }) { deletedTagId } }', {}],
        ['query ($v: String!) { contact(ref: { email: $v }) { id } }', {}],
      ]
      for (const [document, more] of documents) {
        const fault = await world.fault(document, { v: bad, ...more })
        expect(fault.extensions.code, document).toBe('VALIDATION_ERROR')
      }
      for (const document of [
        'query ($v: String!) { contacts(filter: { search: $v }) { totalCount } }',
        'query ($v: String!) { contacts(filter: { email: { eq: $v } }) { nodes { id } } }',
        'query ($v: String!) { tags(filter: { search: $v }) { nodes { id } } }',
      ]) {
        const { body } = await world.ask(document, { v: bad })
        expect(body.errors?.[0].extensions.code ?? 'VALIDATION_ERROR', document).toBe('VALIDATION_ERROR')
        if (body.data) expect(JSON.stringify(body.data)).toMatch(/:0\}|\[\]/)
      }
      expect(world.server.errors).toEqual([])
      expect(await world.rows('SELECT FROM tag WHERE account_id = $1', [world.accountId])).toHaveLength(0)
    },
  )

  it.each(['0', '-1', '2147483648', '99999999999999999999', 2 ** 40])('return null for the id %s', async (id) => {
    const world = await newWorld()
    expect(
      await world.run(
        'query ($id: ID!) { tag(id: $id) { id } customField(id: $id) { id } contact(ref: { id: $id }) { id } node(id: $id) { id } contacts(filter: { tags: { any: [$id] } }) { totalCount } }',
        { id },
      ),
    ).toEqual({ tag: null, customField: null, contact: null, node: null, contacts: { totalCount: 0 } })
    expect(
      (await world.fault('mutation ($id: ID!) { tagDelete(input: { id: $id }) { deletedTagId } }', { id })).extensions
        .code,
    ).toBe('NOT_FOUND')
  })

  it.each(['abc', '', '1.5', 'VGFnOjV', 'Q29udGFjdDo1'])(
    'return VALIDATION_ERROR for %j as the id of a tag',
    async (id) => {
      const world = await newWorld()
      const fault = await world.fault('query ($id: ID!) { tag(id: $id) { id } }', { id })
      expect(fault.extensions).toEqual({
        code: 'VALIDATION_ERROR',
        details: { id: [expect.any(String)] },
        fields: [{ path: 'id', code: expect.any(String), message: expect.any(String) }],
      })
    },
  )

  it('return VALIDATION_ERROR for text of half a million characters if it is stored, and no rows in a search', async () => {
    const world = await newWorld()
    const long = 'x'.repeat(500_000)
    expect(
      (await world.fault('mutation ($v: String!) { tagCreate(input: { name: $v }) { tag { id } } }', { v: long }))
        .extensions.code,
    ).toBe('VALIDATION_ERROR')
    const { contacts } = await world.run('query ($v: String!) { contacts(filter: { search: $v }) { totalCount } }', {
      v: long,
    })
    expect(contacts.totalCount).toBe(0)
  })
})

describe('an internal error', () => {
  it('is masked, and logged under the ID that the response contains', async () => {
    const world = await newWorld({ server: await newServer() })
    await world.rows('DROP TABLE tag CASCADE')
    const { status, body } = await world.ask('{ viewer { email } tags { nodes { id } } }')
    expect(status).toBe(200)
    expect(body.errors).toHaveLength(1)
    expect(body.errors[0]).toMatchObject({ path: ['tags', 'nodes'], extensions: { code: 'SERVER_ERROR' } })
    expect(Object.keys(body.errors[0].extensions)).toEqual(['code'])
    expect(JSON.stringify(body.errors)).not.toMatch(/relation|FROM|SELECT|prisma|\.ts|stack/i)
    const id = /[0-9a-f-]{36}/.exec(body.errors[0].message)?.[0]
    expect(world.server.errors).toContainEqual(expect.objectContaining({ id }))

    await expect(world.fault('mutation { tagCreate(input: { name: "a" }) { tag { id } } }')).resolves.toMatchObject({
      extensions: { code: 'SERVER_ERROR' },
    })
    expect(await world.socket().ask('{ tags { nodes { id } } }')).toMatchObject({
      errors: [{ message: expect.stringContaining('Quote'), extensions: { code: 'SERVER_ERROR' } }],
    })
  })

  it('of a transport is masked, too, and returns 500', async () => {
    const world = await newWorld({ server: await newServer() })
    await world.rows('DROP TABLE api_key CASCADE')
    const reply = await world.ask('{ viewer { email } }')
    expect(reply.status).toBe(500)
    expect(reply.body).toEqual({
      errors: [{ message: expect.stringMatching(/^Something went wrong/), extensions: { code: 'SERVER_ERROR' } }],
    })
  })
})

describe('an invalid field', () => {
  it.each([
    ['mutation { tagCreate(input: { name: "" }) { tag { id } } }', 'input.name', 'REQUIRED'],
    [`mutation { tagCreate(input: { name: "${'x'.repeat(300)}" }) { tag { id } } }`, 'input.name', 'TOO_LONG'],
    ['mutation { tagDelete(input: { id: "x" }) { deletedTagId } }', 'input.id', 'INVALID_ID'],
    [
      'mutation { contactTagAdd(input: { contact: { id: "x" }, tagId: 1 }) { contactId } }',
      'input.contact.id',
      'INVALID_ID',
    ],
    [
      'mutation { orderRecord(input: { idOrder: "a", customer: { email: "a@example.com" } }) { orderId } }',
      'input.amount',
      'REQUIRED',
    ],
    ['{ tag(id: "x") { id } }', 'id', 'INVALID_ID'],
    ['{ contacts(filter: { tags: { any: ["x"] } }) { totalCount } }', 'filter.tags.any', 'INVALID_ID'],
    ['{ contacts(first: 1, last: 1) { totalCount } }', 'last', 'NOT_COMBINABLE'],
  ])('of %s has the path of the argument and a code', async (document, path, code) => {
    const world = await newWorld()
    const { extensions } = await world.fault(document)
    expect(extensions).toMatchObject({ code: 'VALIDATION_ERROR', fields: [{ path, code }] })
  })
})
