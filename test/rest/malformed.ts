import { setTimeout } from 'node:timers/promises'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Route } from '../../rest-bridge/envelope/route.ts'
import { legacyRoutes, v1Routes } from '../../rest-bridge/routes.ts'
import { settled } from '../support/settled.ts'
import type { Answer, Sent } from './client.ts'
import { createRouteObjects, fieldsOf, idFieldsOf, namesContact, type RouteObjects, sampleOf } from './samples.ts'
import { ask, newWorld, type Servers, type World } from './support.ts'

const routes = [...v1Routes, ...legacyRoutes]
const writes = routes.filter(({ method }) => method !== 'GET')

/** The stage that refuses a request: its syntax, its fields, a rule of the operation, or the database. */
const layers = ['parse', 'input', 'operation', 'database'] as const
type Layer = (typeof layers)[number]

/** The same inputs in every run, so that a failure can be reproduced. */
const seed = 20_261_121

/** `passes` is true if the bridge's schema accepts the input, so that only an operation can refuse it. */
type Attempt = () => Promise<Answer & { passes?: boolean }>
type Attempts = Generator<fc.Arbitrary<Attempt>>

interface Place {
  world: World
  own: RouteObjects
  others: RouteObjects
  taken: { email: string; tag: string; contactId: number; select: number; note: number }
}

const anyRoute = (of: readonly Route[]) => fc.constantFrom(...of)
const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const notJsonObject = fc
  .oneof(
    anyText,
    fc.json(),
    fc.json().map((json) => `${json}}`),
    fc.constantFrom('{"a":}', "{'a':1}", '{"a":1,}', '[{}]'),
  )
  .filter((body) => body !== '' && !isJsonObject(body))

function isJsonObject(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function* malformedIn({ world, own }: Place): Attempts {
  const at = (route: Route, sent: Sent) => ask(world, route, sampleOf(route, own), sent)
  const type = fc.constantFrom('text/plain', 'application/xml', 'application/json; charset=utf-16', 'json', '*/*')
  const path = fc
    .stringMatching(/^[a-zA-Z0-9._~-]{1,20}$/)
    .filter((word) => !routes.some((route) => route.path === `/v1/${word}`))
  yield fc.tuple(anyRoute(writes), notJsonObject).map(
    ([route, body]): Attempt =>
      () =>
        at(route, { body }),
  )
  yield fc
    .tuple(
      anyRoute(writes),
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.constantFrom('gzip', 'br', 'deflate', 'rot13'),
    )
    .map(
      ([route, body, encoding]): Attempt =>
        () =>
          at(route, { body, headers: { 'content-encoding': encoding } }),
    )
  yield fc.tuple(anyRoute(writes), type).map(
    ([route, type]): Attempt =>
      () =>
        at(route, { headers: { 'content-type': type } }),
  )
  yield fc.tuple(path, fc.constantFrom('GET', 'POST', 'PUT', 'DELETE')).map(([word, method]): Attempt => {
    return () => world.call(method, `/v1/${word === '.' || word === '..' ? 'x' : word}`)
  })
  yield anyRoute(routes).map(
    (route): Attempt =>
      () =>
        at({ ...route, method: 'PATCH' } as unknown as Route, {}),
  )
}

/** Replaces one field of a valid input with a value that its schema refuses. */
function* wrongFieldsIn({ world, own }: Place): Attempts {
  const withFields = routes.filter((route) => Object.keys(fieldsOf(route)).length > 0)
  const inBody = fc.anything({ maxDepth: 2, withNullPrototype: false }).map(asJson)
  const inQuery = fc.oneof(
    anyText,
    fc.integer().map(String),
    fc.double().map(String),
    fc.constantFrom('1e3', '0x1', '01', '+1'),
  )
  for (const route of withFields) {
    for (const [field, schema] of Object.entries(fieldsOf(route))) {
      // A range is used only with `between`, and then the error is INVALID_PERIOD.
      const sample = sampleOf(route, own)
      const isRange = field === 'range'
      if (isRange) sample['period'] = 'between'
      yield (route.method === 'GET' ? inQuery : fc.oneof(inBody, anyText))
        .filter((value) =>
          isRange
            ? !/^\d{4}-\d\d-\d\dto/.test(String(value))
            : !schema.safeParse(field.endsWith('[]') ? [arriving(route, value)] : arriving(route, value)).success,
        )
        .filter((value) => value !== undefined)
        .map(
          (value): Attempt =>
            () =>
              ask(world, route, { ...sample, [field]: value }),
        )
    }
  }
  const badKey = fc.oneof(
    fc.stringMatching(/^[\x80-\xff]{1,20}$/),
    fc.string({ minLength: 256, maxLength: 300, unit: fc.constant('k') }),
  )
  yield fc.tuple(anyRoute(writes), badKey).map(([route, key]): Attempt => {
    return () => ask(world, route, sampleOf(route, own), { headers: { 'idempotency-key': key } })
  })
}

/** Returns a value as it arrives: a lone surrogate cannot be sent in a URL, which contains U+FFFD instead. */
function arriving({ method }: Route, value: unknown): unknown {
  return method === 'GET' && typeof value === 'string' ? value.toWellFormed() : value
}

/** Returns the value after JSON encoding, which replaces some values with null. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_key, each) => (typeof each === 'bigint' ? Number(each) : each)) ?? 'null')
}

/** Valid fields that break a rule of the operation. */
function* brokenRulesIn({ world, own, taken }: Place): Attempts {
  const storable = (text: string) => text !== '' && !text.includes('\0') && text.isWellFormed()
  const noAddress = anyText.filter((text) => storable(text) && !text.includes('@'))
  const twoAts = fc
    .tuple(anyText, anyText)
    .map(([a, b]) => `${a}@@${b}`)
    .filter(storable)
  const tooLong = (max: number) => fc.string({ minLength: max + 1, maxLength: max + 50, unit: 'grapheme-ascii' })
  const creating = routes.filter(({ path, method }) => path.endsWith('/contact') && ['POST', 'PUT'].includes(method))
  const naming = routes.filter((route) => 'name' in fieldsOf(route))
  const setField = routes.filter((route) => 'custom_field_id' in fieldsOf(route))
  const given = (of: readonly Route[], fields: fc.Arbitrary<Record<string, unknown>>) =>
    fc.tuple(anyRoute(of), fields).map(([route, more]): Attempt => {
      const input = { ...sampleOf(route, own), ...more }
      const passes = (route.method === 'GET' ? route.query : route.body).safeParse(input).success
      return async () => ({ ...(await ask(world, route, input)), passes })
    })
  yield given(
    creating,
    fc.oneof(noAddress, twoAts).map((email) => ({ email })),
  )
  yield given(
    creating,
    tooLong(255).map((name) => ({ first_name: name })),
  )
  yield given(
    naming,
    tooLong(255)
      .filter((name) => name.trim().length > 255)
      .map((name) => ({ name })),
  )
  yield given(
    naming,
    fc.stringMatching(/^[ \t\n]{1,20}$/).map((name) => ({ name })),
  )
  yield given(
    setField,
    tooLong(1000).map((value) => ({ custom_field_id: taken.note, value })),
  )
  yield given(
    setField,
    anyText.filter(storable).map((value) => ({ custom_field_id: taken.select, value: `no ${value}` })),
  )
}

/** Valid input with unknown, foreign or duplicate values. */
function* conflictsIn({ world, own, others, taken }: Place): Attempts {
  const anyCase = fc
    .array(fc.boolean(), { minLength: taken.email.length, maxLength: taken.email.length })
    .map((isUpper) => [...taken.email].map((each, at) => (isUpper[at] ? each.toUpperCase() : each)).join(''))
  const noId = fc.oneof(
    fc.integer({ max: 0 }),
    fc.integer({ min: 1_000_000_000 }),
    fc.maxSafeInteger().filter((id) => id > 2 ** 31),
  )
  for (const route of routes) {
    for (const field of idFieldsOf(route)) {
      yield fc.oneof(noId, fc.constant(others[field as keyof RouteObjects] ?? others.contact_id)).map((id): Attempt => {
        return () => ask(world, route, { ...sampleOf(route, own), [field]: field.endsWith('s') ? [id] : id })
      })
    }
    if (namesContact(route)) {
      const { contact_id: _gone, ...rest } = sampleOf(route, own)
      yield fc.emailAddress().map(
        (email): Attempt =>
          () =>
            ask(world, route, { ...rest, email }),
      )
    }
    const body = sampleOf(route, own)
    if (route.method === 'POST' && route.path.endsWith('/contact')) {
      yield anyCase.map(
        (email): Attempt =>
          () =>
            ask(world, route, { ...body, email }),
      )
    }
    if ('name' in body && route.path.endsWith('/tag'))
      yield fc.constant<Attempt>(() => ask(world, route, { ...body, name: taken.tag }))
  }
}

function layerOf({ status, body, passes }: Awaited<ReturnType<Attempt>>): Layer | undefined {
  const message: string = body?.error?.message ?? body?.message ?? ''
  if ([405, 413].includes(status) || message.includes('endpoint')) return 'parse'
  if (status === 404 || status === 409) return 'database'
  if (status === 422) return passes ? 'operation' : 'input'
  if (status === 400) return /^(The (body|content|charset))/.test(message) ? 'parse' : 'input'
  return undefined
}

/** Texts that must not be in a message: wording of libraries, codes of GraphQL only, repeated field names. */
function findForbiddenTexts({ body }: Answer): string[] {
  const details: Record<string, string[]> = body?.error?.details ?? {}
  const sentences = Object.entries(details).flatMap(([field, messages]) => messages.map((each) => `${field} ${each}`))
  const strange = /expected .*received|Invalid (?:input|option|string)|Too (?:big|small)|Unrecognized|INVALID_STATE/i
  return [...sentences, String(body?.error?.message ?? body?.message)].filter(
    (sentence) => strange.test(sentence) || /(?:^|[:;] )(\S+) \1 /.test(sentence),
  )
}

async function newPlace(servers: Servers): Promise<Place> {
  const [world, other] = [await newWorld(servers, 'in-process'), await newWorld(servers, 'in-process')]
  const [own, others] = [await createRouteObjects(world), await createRouteObjects(other)]
  const contact = await world.contact({ email: 'taken@example.com' })
  const tag = await world.tag('taken')
  const [select, note] = [await world.customField('size', 'SELECT', ['S', 'M']), await world.customField('note')]
  const taken = { email: contact.email, tag: tag.name, contactId: contact.id, select: select.id, note: note.id }
  return { world, own, others, taken }
}

/** Returns the number of rows and a digest of each table with data of accounts, after all events have their position. */
async function rowsOf({ world }: Place): Promise<Record<string, unknown>> {
  await settled(world)
  const tables = await world.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`,
  )
  const contents: Record<string, unknown> = {}
  for (const { name } of tables) {
    // When a key was last used is stored once a minute.
    const [row] = await world.rows(
      `SELECT count(*)::int, md5(string_agg(text, ' ' ORDER BY text)) AS digest
       FROM (SELECT (to_jsonb(each) - 'last_used_at')::text AS text FROM "${name}" each) AS rows`,
    )
    contents[name] = row
  }
  return contents
}

/** Repeats a request as its answer says while the server is overloaded: the tests are in the same process, and delay it. */
async function untilServed(attempt: Attempt): ReturnType<Attempt> {
  for (let left = 10; ; left -= 1) {
    const answer = await attempt()
    if (answer.status !== 503 || left === 0) return answer
    await setTimeout(Number(answer.headers.get('retry-after')) * 1_000)
  }
}

async function inTurns<Result>(attempts: readonly (() => Promise<Result>)[], width: number): Promise<Result[]> {
  const results: Result[] = []
  for (let start = 0; start < attempts.length; start += width) {
    results.push(...(await Promise.all(attempts.slice(start, start + width).map((attempt) => attempt()))))
  }
  return results
}

/**
 * Sends malformed requests, the same number for each layer. Expects of each a documented error, that nothing changed, and that
 * each layer refused four of ten of its number.
 */
export async function sendMalformed(servers: Servers, perLayer: number): Promise<void> {
  const place = await newPlace(servers)
  const before = await rowsOf(place)
  const sources = { parse: malformedIn, input: wrongFieldsIn, operation: brokenRulesIn, database: conflictsIn }
  const refusedIn: Record<Layer, number> = { parse: 0, input: 0, operation: 0, database: 0 }

  for (const layer of layers) {
    const arbitraries = [...sources[layer](place)]
    const each = Math.ceil(perLayer / arbitraries.length)
    const attempts = arbitraries.flatMap((arbitrary, index) =>
      fc.sample(arbitrary, { numRuns: each, seed: seed + index }),
    )
    for (const answer of await inTurns(
      attempts.map((attempt) => () => untilServed(attempt)),
      24,
    )) {
      const at = layerOf(answer)
      expect(at, `${answer.status} ${JSON.stringify(answer.body)}`).toBeDefined()
      expect(findForbiddenTexts(answer)).toEqual([])
      if (at) refusedIn[at] += 1
    }
    expect(await rowsOf(place), `after ${layer}`).toEqual(before)
  }

  const total = Object.values(refusedIn).reduce((sum, count) => sum + count, 0)
  expect(total).toBeGreaterThanOrEqual(layers.length * perLayer)
  for (const layer of layers) expect(refusedIn[layer], layer).toBeGreaterThanOrEqual(perLayer * 0.4)
}
