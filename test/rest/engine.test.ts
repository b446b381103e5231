import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parse } from 'graphql'
import Koa from 'koa'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { allPages, one, route } from '../../rest-bridge/envelope/route.ts'
import { errorTable } from '../../rest-bridge/errors/errors.ts'
import { type Gateway, type GraphResponse, remoteGateway, restBridge } from '../../rest-bridge/index.ts'
import { newEmail } from '../../rest-bridge/input/input.ts'
import { v1Routes } from '../../rest-bridge/routes.ts'
import { errorCodes } from '../../src/kernel/errors.ts'
import { email } from '../../src/kernel/values/check.ts'
import { unusedPort } from '../support/unused-port.ts'
import { check } from './check.ts'
import { expectError, send } from './client.ts'

const open: Server[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

async function listening(server: Server): Promise<string> {
  open.push(server.listen(0, '127.0.0.1'))
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const read = route('GET /v1/thing', parse('{ thing }'), {
  id: 'THING',
  scopes: [],
  group: 'Things',
  summary: 'Read a thing',
  fieldNames: { id: 'thing_id' },
  variables: () => ({}),
  reply: one(z.unknown(), (data: unknown) => data),
})

const list = route('GET /things', parse('{ things }'), {
  id: 'THINGS',
  scopes: [],
  group: 'Things',
  summary: 'List all things',
  variables: ({ after }) => ({ after }),
  reply: allPages(
    z.unknown(),
    (data: unknown) => data as { nodes: number[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } },
    (node) => node,
  ),
})

/** Starts a bridge before a GraphQL server that returns what the test defines, and collects the log. */
async function bridgeTo(execute: (variables: unknown) => GraphResponse<unknown>) {
  const logged: string[] = []
  const keep = (facts: object, message: string) => logged.push(JSON.stringify({ ...facts, message }))
  const gateway: Gateway = {
    admit: async () => ({
      rateLimit: () => undefined,
      start: async () => undefined,
      leave: () => undefined,
      end: () => undefined,
      execute: async (_document, variables) => execute(variables) as GraphResponse<never>,
      confirm: async () => undefined,
    }),
  }
  const app = new Koa().use(
    restBridge({ gateway, legacy: true, routes: [read, list], log: { info: keep, error: keep } }),
  )
  return { base: await listening(createServer(app.callback())), logged }
}

const failing = (
  code: string | undefined,
  message = 'the reason',
  fields?: { path: string; member?: string; message: string }[],
) =>
  bridgeTo(() => ({
    data: null,
    errors: [{ message, extensions: { ...(code && { code }), ...(fields && { fields }) } }],
  }))

describe('errors of GraphQL', () => {
  it('are all in the table', () => {
    const elsewhere = ['CONFLICT', 'PERSISTED_QUERY_NOT_FOUND', 'RATE_LIMITED']
    expect(Object.keys(errorCodes).filter((code) => !(code in errorTable))).toEqual(elsewhere)
  })

  check('ENGINE/SERVER_ERROR', 'hides the cause of an internal error', async () => {
    for (const code of ['QUERY_TOO_COMPLEX', 'SOMETHING_NEW', undefined]) {
      const { base, logged } = await failing(code, 'relation "contact" does not exist')
      const response = await send(base, 'GET', '/v1/thing')
      expectError(response, 500, 'SERVER_ERROR')
      expect(JSON.stringify(response.body)).not.toContain('relation')
      expect(logged.join()).toContain('relation')
    }
  })

  check('ENGINE/SERVER_ERROR', 'if GraphQL throws or returns nothing', async () => {
    for (const execute of [
      () => ({ data: null }),
      () => {
        throw new Error('lost')
      },
    ] satisfies (() => GraphResponse<unknown>)[]) {
      const { base } = await bridgeTo(execute)
      expectError(await send(base, 'GET', '/v1/thing'), 500, 'SERVER_ERROR')
    }
  })

  it('keep their message and get the status of the table', async () => {
    for (const [code, status, rest] of [
      ['QUOTA_EXCEEDED', 403, 'FORBIDDEN'],
      ['FORBIDDEN', 403, 'FORBIDDEN'],
      ['CURSOR_EXPIRED', 400, 'VALIDATION_ERROR'],
      ['IDEMPOTENCY_CONFLICT', 409, 'IDEMPOTENCY_CONFLICT'],
      ['PATH_TAKEN', 409, 'PATH_TAKEN'],
      ['STAGE_NOT_EMAIL', 422, 'STAGE_NOT_EMAIL'],
    ] as const) {
      const { base } = await failing(code)
      const response = await send(base, 'GET', '/v1/thing')
      expectError(response, status, rest)
      expect(response.body.error.message).toBe('the reason')
    }
  })

  it('name fields as REST does', async () => {
    const fields = [
      { path: 'input.contact.id', message: 'a' },
      { path: 'input.tagId', message: 'b' },
      { path: 'ref.idAndEmail.email', message: 'c' },
      { path: 'input.id', message: 'd' },
      { path: 'input.contactIds.3', message: 'e' },
      { path: 'input.id', member: 'fromEmail', message: 'f' },
    ]
    const { base } = await failing('VALIDATION_ERROR', 'wrong', fields)
    const { body } = await send(base, 'GET', '/v1/thing')
    expect(body.error.details).toEqual({
      contact_id: ['a'],
      tag_id: ['b'],
      email: ['c'],
      thing_id: ['d'],
      contact_ids: ['e'],
      from_email: ['f'],
    })
    expect(body.error.message).toBe(
      'The given data was invalid: contact_id a; tag_id b; email c; thing_id d; contact_ids e; from_email f.',
    )
  })

  it('return 429 if the rate limit is reached between two queries', async () => {
    const { base } = await failing('RATE_LIMITED', 'Too many attempts.')
    const response = await send(base, 'GET', '/v1/thing')
    expect(response).toMatchObject({ status: 429, body: { message: 'Too many attempts.' } })
    expect(response.headers.get('retry-after')).toBe('60')
  })
})

describe('the e-mail address of a new contact', () => {
  it('is valid exactly if GraphQL accepts it', () => {
    const labels = ['a', 'a.b', '.a', 'a.', 'a..b', 'ü', 'a b', 'a@b', '"a"', 'a+b', '', 'x'.repeat(64), 'x'.repeat(65)]
    const domains = [
      'b.example',
      'b',
      '-b.example',
      'b-.example',
      'bücher.example',
      'b..example',
      'b.c',
      '',
      '1.2.3.44',
    ]
    const addresses = labels.flatMap((label) => domains.map((domain) => `${label}@${domain}`))
    const taken = addresses.filter((address) => newEmail.safeParse(address).success)
    expect(taken).toEqual(addresses.filter((address) => email.safeParse(address).success))
    expect(taken).toContain('a+b@bücher.example')
    expect(taken.length).toBeLessThan(addresses.length)
  })
})

describe('a contact with orders', () => {
  check('CON-DELETE/success', 'returns the reason', () => {
    const reply = v1Routes.find(({ id }) => id === 'CON-DELETE')?.reply
    const kept = { deleted: false, reason: 'The contact has orders.' }
    expect(reply?.read({ contactDelete: kept })).toEqual({ data: kept })
    expect(reply?.schema.safeParse(kept).success).toBe(true)
  })
})

describe('a list over several pages', () => {
  it('ends at 10,000 rows', async () => {
    let asked = 0
    const { base } = await bridgeTo(() => {
      asked += 1
      return {
        data: { nodes: Array.from({ length: 99 }, () => asked), pageInfo: { hasNextPage: true, endCursor: 'x' } },
      }
    })
    const { body } = await send(base, 'GET', '/things?api_key=k')
    expect(body).toHaveLength(10_000)
    expect(asked).toBe(102)
  })
})

describe('the log', () => {
  it('contains no key and no query string', async () => {
    const { base, logged } = await bridgeTo(() => ({ data: { thing: 1 } }))
    await send(base, 'GET', '/v1/thing?api_key=cmp_secret&email=ada@example.com', { key: 'cmp_secret' })
    await send(base, 'GET', '/things?api_key=cmp_secret')
    expect(logged.length).toBeGreaterThan(1)
    expect(logged.join()).not.toMatch(/cmp_secret|ada@/)
  })
})

describe('a remote GraphQL server', () => {
  const before = async (url: string, timeoutMilliseconds = 20_000) => {
    const gateway = remoteGateway({ url, timeoutMilliseconds })
    const quiet = { info: () => undefined, error: () => undefined }
    const app = new Koa().use(restBridge({ gateway, legacy: false, routes: [read], log: quiet }))
    return listening(createServer(app.callback()))
  }

  check('ENGINE/SERVER_ERROR', 'if GraphQL is down, does not respond, or does not exist', async () => {
    const silent = await listening(createServer(() => undefined))
    const html = await listening(createServer((_request, response) => response.end('<html>')))
    const elsewhere = await listening(
      createServer((_request, response) => response.writeHead(302, { location: '/' }).end()),
    )
    const down = `http://127.0.0.1:${await unusedPort()}`
    const cases: [url: string, status: number, timeoutMilliseconds?: number][] = [
      [down, 503],
      [silent, 503, 200],
      [html, 500],
      [elsewhere, 500],
    ]
    for (const [url, status, timeout] of cases) {
      const base = await before(url, timeout)
      expectError(await send(base, 'GET', '/v1/thing', { key: 'k' }), status, 'SERVER_ERROR')
      expectError(await send(base, 'GET', '/v1/nowhere', { key: 'k' }), status, 'SERVER_ERROR')
    }
    for (const server of open) server.closeAllConnections()
  })
})
