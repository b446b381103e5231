import { describe, expect } from 'vitest'
import * as z from 'zod'
import type { Route } from '../../rest-bridge/envelope/route.ts'
import { fieldErrorCodes } from '../../rest-bridge/input/input.ts'
import { meta } from '../../rest-bridge/input/paging.ts'
import { legacyRoutes, v1Routes } from '../../rest-bridge/routes.ts'
import { type Scope, scopes } from '../../src/kernel/scopes.ts'
import { check } from './check.ts'
import { type Answer, expectError, send } from './client.ts'
import { createRouteObjects, fieldsOf, idFieldsOf, namesContact, sampleOf } from './samples.ts'
import { ask, type GatewayName, newWorld, type Servers } from './support.ts'

/** The only endpoint that requires no scope: clients use it to check a key. */
const needsNoScope = ['ACC-API']

function expectRefusal(answer: Answer, isLegacy: boolean, status: number, code: string, fields?: readonly string[]) {
  if (!isLegacy) return expectError(answer, status, code, fields)
  expect(answer.body).toEqual({ message: expect.any(String) })
  expect(answer.status).toBe(status)
}

/** Returns the declared scopes of a route for an input. */
function needsOf({ scopes: declared }: Route, input: Readonly<Record<string, unknown>>): readonly Scope[] {
  return typeof declared === 'function' ? declared(input) : declared
}

/** Returns a function that creates a value at its first call. */
function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let created: Promise<Made> | undefined
  return () => (created ??= make())
}

/** Defines the checks of every route through one gateway, and that of the order of checks. */
export function checkEveryRoute(servers: Servers, gateway: GatewayName): void {
  describe(`every route, ${gateway}`, () => {
    /** An account with an object of every type, which no test reads. */
    const otherAccount = once(async () => {
      const world = await newWorld(servers, gateway)
      return { world, belongings: await createRouteObjects(world) }
    })

    describe.each([...v1Routes, ...legacyRoutes])('$id $method $path', (route) => {
      const isLegacy = !route.path.startsWith('/v1/')
      const fields = fieldsOf(route)
      // The bridge's own checks run before it calls GraphQL over either gateway, so testing one gateway is enough.
      const checkOnce: typeof check = gateway === 'in-process' ? check : () => undefined
      const openWithObjects = async () => {
        const world = await newWorld(servers, gateway)
        return { world, sample: sampleOf(route, await createRouteObjects(world, route)) }
      }
      /** An account for refused and reading requests, which do not change it. */
      const standing = once(openWithObjects)
      /** An account for writing requests. */
      const another = route.method === 'GET' ? standing : openWithObjects

      check(`${route.id}/success`, 'returns exactly the declared properties', async () => {
        const { world, sample } = await another()
        const response = await ask(world, route, sample)

        const { schema, paginated } = route.reply
        const body = isLegacy
          ? schema
          : z.strictObject({
              success: z.literal(true),
              data: schema,
              ...(paginated && { meta: z.strictObject(meta.shape) }),
            })
        expect(body.safeParse(response.body).error, JSON.stringify(response.body)).toBeUndefined()
        expect(response.status).toBe(route.status)
        expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
        expect(response.headers.get('x-ratelimit-limit')).toBe('1000000')
        expect(Number(response.headers.get('x-ratelimit-remaining'))).toBeLessThan(1_000_000)
        expect(Number(response.headers.get('x-ratelimit-reset'))).toBeLessThanOrEqual(60)
        expect(response.headers.has('deprecation')).toBe(isLegacy)
      })

      check(`${route.id}/success`, 'ignores unknown fields', async () => {
        const { world, sample } = await another()
        expect((await ask(world, route, { ...sample, nonsense: 'x', __proto__x: '1' })).status).toBe(route.status)
      })

      check(`${route.id}/UNAUTHORIZED`, 'without a valid key', async () => {
        const { world } = await standing()
        for (const key of [null, 'nonsense', `${world.key}x`, await world.disabledKey()]) {
          expectRefusal(await ask(world, route, {}, { key }), isLegacy, 401, 'UNAUTHORIZED')
        }
        const headers = { authorization: `Basic ${Buffer.from(`x:${world.key}`).toString('base64')}` }
        expectRefusal(await ask(world, route, {}, { key: null, headers }), isLegacy, 401, 'UNAUTHORIZED')
      })

      if (!needsNoScope.includes(route.id)) {
        check(`${route.id}/FORBIDDEN`, 'with a key without its scopes', async () => {
          const { world, sample } = await standing()
          const other = route.path.startsWith('/v1/form') ? 'funnels' : 'forms'
          const others =
            route.method === 'GET' ? ([`${other}:read`] as const) : (['contacts:read', 'forms:write'] as const)
          const key = await world.keyWith(others)
          expectRefusal(await ask(world, route, sample, { key }), isLegacy, 403, 'FORBIDDEN')
        })
      }

      check(`${route.id}/success`, 'with a key that has exactly the declared scopes', async () => {
        const { world, sample } = await another()
        const needs = needsOf(route, sample)
        const key = await world.keyWith(needs.length > 0 ? needs : ['mail:read'])
        // A new URL or secret requires the scopes of all events of the webhook, which a route cannot declare.
        const input = route.id === 'WEB-UPDATE' ? { ...sample, url: undefined, rotate_secret: undefined } : sample
        const answer = await ask(world, route, input, { key })
        expect(answer.status, JSON.stringify(answer.body)).toBe(route.status)
      })

      for (const scope of needsOf(route, { list: 'contacts' })) {
        check(`${route.id}/FORBIDDEN`, `without ${scope}, with any input`, async () => {
          const { world, sample } = await standing()
          const key = await world.keyWith(scopes.filter((each) => each !== scope))
          const wrong = Object.fromEntries(Object.keys(fields).map((field) => [field, '\ud800']))
          for (const input of [sample, route.id === 'ACC-EXPORT' ? { list: 'contacts', format: 'x' } : wrong]) {
            expectRefusal(await ask(world, route, input, { key }), isLegacy, 403, 'FORBIDDEN')
          }
          if (route.method === 'GET') return
          for (const sent of [{ body: '{' }, { headers: { 'content-type': 'text/plain' } }]) {
            expectRefusal(await ask(world, route, sample, { key, ...sent }), isLegacy, 403, 'FORBIDDEN')
          }
        })
      }

      if (route.method === 'GET') {
        for (const [field, schema] of Object.entries(fields)) {
          checkOnce(`${route.id}/VALIDATION_ERROR`, `with ${field} in an invalid form`, async () => {
            const { world, sample } = await standing()
            const name = field.replace(/\[\]$/, '')
            const value = String(sample[field] ?? 1)
            const { [field]: _gone, ...rest } = sample
            const forms: Record<string, string | string[]>[] =
              name === field
                ? [
                    { [`${name}[]`]: value },
                    { [`${name}[x]`]: value },
                    { [`${name}[0]`]: value },
                    { [name]: [value, value] },
                  ]
                : [{ [name]: value }, { [`${name}[x]`]: value }, { [`${name}[0][1]`]: value }, { [`${name}[`]: value }]
            const own = fieldErrorCodes.get(schema)
            for (const query of forms) {
              const answer = await ask(world, route, rest, { query })
              if (own) expectRefusal(answer, isLegacy, 400, own.code)
              else expectRefusal(answer, isLegacy, 422, 'VALIDATION_ERROR', [name])
            }
          })
        }
      }

      for (const field of idFieldsOf(route)) {
        check(`${route.id}/NOT_FOUND`, `with another account's ${field}`, async () => {
          const [own, { world: other, belongings }] = [await standing(), await otherAccount()]
          const [world, sample] = [own.world, { ...own.sample, [field]: sampleOf(route, belongings)[field] }]
          const before = await other.announced()

          expectRefusal(await ask(world, route, sample), isLegacy, 404, 'NOT_FOUND')
          expect(await other.announced()).toEqual(before)
        })

        check(`${route.id}/NOT_FOUND`, `with an unknown ${field}`, async () => {
          const { world, sample } = await standing()
          for (const id of [0, -1, 2_147_483_647, 2_147_483_648, 2 ** 53, '9'.repeat(40)]) {
            if (route.method !== 'GET' && typeof id === 'string') continue
            const value = field.endsWith('s') ? [id] : id
            expectRefusal(await ask(world, route, { ...sample, [field]: value }), isLegacy, 404, 'NOT_FOUND')
          }
        })

        checkOnce(`${route.id}/VALIDATION_ERROR`, `with a ${field} that is not an integer`, async () => {
          const { world, sample } = await standing()
          const wrong =
            route.method === 'GET'
              ? ['', 'abc', '1.0', '1e3', '0x10', ' 1', '+1', '007']
              : ['1', 1.5, true, null, [], {}]
          for (const value of wrong) {
            const given = field.endsWith('s') ? [value] : value
            expectRefusal(await ask(world, route, { ...sample, [field]: given }), isLegacy, 422, 'VALIDATION_ERROR', [
              field,
            ])
          }
        })
      }

      if (namesContact(route)) {
        checkOnce(`${route.id}/VALIDATION_ERROR`, 'with neither email nor contact_id', async () => {
          const { world, sample } = await standing()
          const { contact_id: _gone, ...rest } = sample
          expectRefusal(await ask(world, route, rest), isLegacy, 422, 'VALIDATION_ERROR', ['email', 'contact_id'])
          for (const email of ['', 'x'.repeat(255), ...(route.method === 'GET' ? ['a\0b'] : [5, null, '\ud800'])]) {
            expectRefusal(await ask(world, route, { ...rest, email }), isLegacy, 422, 'VALIDATION_ERROR', ['email'])
          }
        })

        check(`${route.id}/success`, 'finds the contact by its e-mail address in any case', async () => {
          const { world, sample } = await another()
          const { contact_id: _gone, ...rest } = sample
          const contact = await world.contact({ email: 'Grace.Hopper@Example.com' })
          expect((await ask(world, route, { ...rest, email: 'grace.hopper@example.COM' })).status).toBe(route.status)
          const again = await world.contact({ email: 'Grace.Again@Example.com' })
          const both = { ...rest, email: again.email, contact_id: again.id }
          expect((await ask(world, route, both)).status).toBe(route.status)
          expect(contact.id).not.toBe(again.id)
        })

        check(`${route.id}/NOT_FOUND`, 'if email and contact_id belong to two contacts', async () => {
          const { world, sample } = await standing()
          const { email } = await world.contact()
          expectRefusal(await ask(world, route, { ...sample, email }), isLegacy, 404, 'NOT_FOUND')
          const { contact_id: _gone, ...rest } = sample
          const nobody = { ...rest, email: 'nobody@example.com' }
          expectRefusal(await ask(world, route, nobody), isLegacy, 404, 'NOT_FOUND')
        })
      }

      for (const [field, schema] of Object.entries(fields)) {
        if (schema.safeParse(undefined).success || field === 'period') continue
        checkOnce(`${route.id}/VALIDATION_ERROR`, `without ${field}`, async () => {
          const { world, sample } = await standing()
          const { [field]: _gone, ...rest } = sample
          expectRefusal(await ask(world, route, rest), isLegacy, 422, 'VALIDATION_ERROR', [field])
        })
      }

      if ('period' in fields) {
        checkOnce(
          `${route.id}/INVALID_PERIOD`,
          'with a period it does not know, or between without a good range',
          async () => {
            const { world, sample } = await standing()
            const wrong = [
              { period: 'last7day' },
              { period: '' },
              { period: 'ALL' },
              { period: 'between' },
              ...[
                '',
                '2026-01-01',
                '2026-01-01to',
                '2026-02-30to2026-03-01',
                '0000-01-01to2026-03-01',
                '2026-1-1to2026-1-2',
                '2026-01-02to2026-01-01',
                '2026-01-01 to 2026-01-02',
                '2026-01-01to2026-01-02to2026-01-03',
              ].map((range) => ({ period: 'between', range })),
            ]
            for (const input of wrong)
              expectRefusal(await ask(world, route, { ...sample, ...input }), isLegacy, 400, 'INVALID_PERIOD')
          },
        )

        check(`${route.id}/success`, 'with every period', async () => {
          const { world, sample } = await standing()
          const periods = ['all', 'today', 'yesterday', 'last7days', 'last30days']
          const ranges = ['2026-01-01to2026-01-01', '2024-02-29to2026-12-31', '0001-01-01to9999-12-31']
          const inputs = [
            ...periods.map((period) => ({ period })),
            ...periods.map((period) => ({ period, range: 'nonsense' })),
            ...ranges.map((range) => ({ period: 'between', range })),
          ]
          for (const input of inputs) {
            expect((await ask(world, route, { ...sample, ...input })).status, JSON.stringify(input)).toBe(200)
          }
        })
      }

      if ('page' in fields) {
        checkOnce(`${route.id}/VALIDATION_ERROR`, 'with a page or per_page out of range', async () => {
          const { world, sample } = await standing()
          const wrong: [string, string][] = [
            ...['0', '-1', 'x', '1.5', '', '1e1', '2147483648'].map((page): [string, string] => ['page', page]),
            ...['0', '101', '-5', 'x', '10.0'].map((perPage): [string, string] => ['per_page', perPage]),
          ]
          for (const [field, value] of wrong) {
            expectError(await ask(world, route, { ...sample, [field]: value }), 422, 'VALIDATION_ERROR', [field])
          }
          const twice = await ask(world, route, sample, { query: { page: ['1', '2'] } })
          expectError(twice, 422, 'VALIDATION_ERROR', ['page'])
        })
      }
    })
  })

  describe(`the order of checks, ${gateway}`, () => {
    check('HTTP/order', 'the key is checked before everything else', async () => {
      const world = await newWorld(servers, gateway)
      for (const [method, path] of [
        ['GET', '/v1/nowhere'],
        ['PATCH', '/v1/contact'],
        ['GET', '/v1'],
        ['GET', '/v1/contact'],
      ] as const) {
        expectError(await world.call(method, path, { key: null }), 401, 'UNAUTHORIZED')
      }
      expectError(await world.call('POST', '/v1/contact', { key: 'x', body: '{' }), 401, 'UNAUTHORIZED')
      const { status } = await send(servers.urls[gateway], 'GET', '/somewhere-else')
      expect(status).toBe(404)
    })
  })
}
