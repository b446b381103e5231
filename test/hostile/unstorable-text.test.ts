import { beforeAll, describe, expect, it } from 'vitest'
import { apiRoutes } from '../../src/server/routes.ts'
import { newSurvey } from '../forms/survey.ts'
import { newOptInFunnel } from '../funnels/opt-in.ts'
import { newServer, type Server } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

// Text that PostgreSQL cannot store, at every entry point: NUL in addresses and forms, and half of a surrogate pair in JSON.

const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { 'content-type': 'application/json' }
const bearer = 'a-key-that-only-tests-know'

let server: Server
let world: World
let lost = 0
beforeAll(async () => {
  server = await newServer({ BOUNCES_GENERIC_KEY: bearer, BOUNCES_DSN_KEY: bearer })
  world = await newWorld({ server, subdomain: 'unstorable' })
  const { pool } = server.app.database as unknown as { pool: { on(event: 'remove', listener: () => void): void } }
  pool.on('remove', () => {
    lost += 1
  })
})

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
}

async function ask(path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const response = await fetch(server.url + path, {
    method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${world.mainKey}`, ...headers },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await response.text() }
}

/** Sends requests and expects that each is refused or has no effect, without an error or a lost connection of the database. */
async function expectRefused(
  requests: readonly (readonly [path: string, request?: Sent])[],
  statuses: readonly number[],
) {
  const before = lost
  for (const [path, request] of requests) {
    const { status, text } = await ask(path, request)
    expect(statuses, `${request?.method ?? 'GET'} ${path} ${String(request?.body)}: ${status} ${text}`).toContain(
      status,
    )
  }
  expect(server.errors.splice(0)).toEqual([])
  expect(lost - before, 'lost connections').toBe(0)
}

describe('text that cannot be stored', () => {
  it('is invalid in every field of a post to a form', async () => {
    const { path, id } = await newSurvey(world)
    const texts = {
      client_submission_id: 'a\0b',
      [id(4)]: 'a\0b',
      utm_source: 'a\0b',
      pass: 'a\0b',
      'a\0b': 'x',
      other: '\0',
    }
    const forms = Object.entries(texts).map(
      ([name, value]) =>
        [
          path,
          { method: 'POST', headers: formType, body: String(new URLSearchParams({ [id(0)]: 'yes', [name]: value })) },
        ] as const,
    )
    const bodies = ['a\0b', 'a\ud800b'].flatMap((text) => [
      { answers: {}, client_submission_id: text },
      { answers: { [id(4)]: text } },
      { answers: { [id(1)]: ['Ads', text] } },
      { answers: [{ question_id: text, answer: 'x' }] },
      { answers: { [text]: 'x' } },
      { answers: {}, client_submission_id: 'a', attribution: { utm_source: text } },
      { answers: {}, client_submission_id: 'a', more: [{ [text]: 1 }] },
    ])
    const inJson = bodies.map((body) => [path, { method: 'POST', headers: json, body: JSON.stringify(body) }] as const)
    await expectRefused([...forms, ...inJson], [422])
    const named = await ask(path, { method: 'POST', headers: json, body: JSON.stringify(bodies[0]) })
    expect(JSON.parse(named.text)).toMatchObject({
      details: { client_submission_id: [expect.stringContaining('NUL')] },
    })
  })

  it('is invalid in every field of an opt-in', async () => {
    const { path, mail, first } = await newOptInFunnel({ world })
    const good = { form: 'join', [mail]: 'ada@example.com', consent: 'yes' }
    const fields = {
      form: 'a\0b',
      [mail]: 'a\0@example.com',
      [first]: 'a\0b',
      consent: '\0',
      utm_source: '\0',
      pass: '\0',
      'a\0b': 'x',
    }
    const forms = Object.entries(fields).map(
      ([name, value]) =>
        [
          path,
          { method: 'POST', headers: formType, body: String(new URLSearchParams({ ...good, [name]: value })) },
        ] as const,
    )
    const inJson = Object.keys(fields).flatMap((name) =>
      ['a\0b', 'a\ud800b'].map(
        (text) => [path, { method: 'POST', headers: json, body: JSON.stringify({ ...good, [name]: text }) }] as const,
      ),
    )
    await expectRefused([...forms, ...inJson], [422])
  })

  it('is invalid in the address of every route', async () => {
    const requests = apiRoutes.flatMap(({ path, methods = ['GET', 'POST'] }) =>
      methods.flatMap((method) => {
        const address = (path === '*' ? '/x' : path).replace('*', 'x').replace(/:\w+\??/g, 'a')
        const paths = [`${address}?a=%00`, `${address}?%00=a`, `${address}?api_key=%00`]
        if (path.includes(':')) paths.push(path.replace(/:\w+\??/g, 'a%00'))
        return paths.map(
          (each) => [each, { method, headers: formType, ...(method !== 'GET' && { body: '' }) }] as const,
        )
      }),
    )
    expect(requests.length).toBeGreaterThan(100)
    await expectRefused(requests, [200, 204, 302, 400, 401, 403, 404, 405, 409, 410, 415, 421, 422])
    await expectRefused([['/p/unstorable/a%00/b'], ['/f/1%00'], ['/d/%00'], ['/c/%00']], [404])
    await expectRefused([['/f/1?utm_source=%00'], ['/p/unstorable/1/welcome?first_name=%00'], ['/c/a?x=%00']], [422])
  })

  it('is invalid in sign-in, confirmations and reports of bounces', async () => {
    const origin = { ...formType, origin: server.url, 'sec-fetch-site': 'same-origin' }
    const report = { type: 'bounce', email: 'a\0@example.com', message_id: '\0', detail: 'x\0y\ud800' }
    const withKey = { ...json, authorization: `Bearer ${bearer}` }
    await expectRefused(
      [
        ['/console/sign-in', { method: 'POST', headers: origin, body: 'email=a%00%40example.com' }],
        ['/console/sign-in', { method: 'POST', headers: origin, body: 'email=a%40example.com&x=%00' }],
      ],
      [422],
    )
    // The text of a report only describes it, so it is cleaned.
    await expectRefused(
      [
        ['/hooks/bounces/generic', { method: 'POST', headers: withKey, body: JSON.stringify(report) }],
        ['/hooks/bounces/dsn', { method: 'POST', headers: withKey, body: 'To: a\0b@example.com\r\n\r\n\0' }],
      ],
      [200],
    )
  })

  it('is invalid in headers and tokens', async () => {
    const body = JSON.stringify({ query: 'mutation { tagCreate(input: { name: "x" }) { tag { id } } }' })
    const names = ['idempotency-key', 'user-agent', 'x-request-id', 'cookie', 'authorization', 'referer']
    const requests = names.map(
      (name) => ['/graphql', { method: 'POST', headers: { ...json, [name]: 'a\u00ff\u0080%00' }, body }] as const,
    )
    await expectRefused(requests, [200, 400, 401])
  })

  it('is an error of a line of an import', async () => {
    const create = (csv: string) =>
      [
        '/graphql',
        {
          method: 'POST',
          headers: json,
          body: JSON.stringify({
            query: 'mutation ($csv: String!) { contactImportCreate(input: { csv: $csv }) { contactImport { id } } }',
            variables: { csv },
          }),
        },
      ] as const
    await expectRefused(
      [
        'email,a\0b\nx@example.com,1',
        'email,a\ud800b\nx@example.com,1',
        'email,tags\nx@example.com,a\0b',
        'email\na\ud800@example.com',
      ].map(create),
      [200],
    )
  })
})

describe('an error of a statement', () => {
  it('does not cost a connection of the database', async () => {
    const { db } = server.system
    const before = lost
    const failing = [
      "SELECT 'x'::int",
      "SELECT convert_from('\\x00', 'UTF8')",
      `SELECT '"\\u0000"'::jsonb ->> 0`,
      'SELECT 1 / 0',
    ]
    for (const text of failing) {
      await expect(db.$unscoped('a test', { text, values: [] } as never)).rejects.toThrow()
      await expect(db.$queryRawUnsafe(text)).rejects.toThrow()
    }
    expect(await db.$queryRawUnsafe('SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(lost - before).toBe(0)
  })
})
