import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get as httpGet, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newTrustingServer } from '../support/trusting-server.ts'
import { newWorld, type World } from '../support/world.ts'

describe('a media type with the quality 0', () => {
  it.each([
    ['text/html;q=0, */*', 'application/json'],
    ['text/html ; Q=0.0, application/json', 'application/json'],
    ['application/graphql-response+json;q=0, application/json', 'application/json'],
    ['application/json;q=0, application/*', 'application/graphql-response+json'],
    ['text/event-stream;q=0, application/json', 'application/json'],
  ])('is not sent: %s', async (accept, type) => {
    const { server, mainKey } = await newWorld()
    const headers = { accept, authorization: `Bearer ${mainKey}` }
    for (const query of ['', '?query={account{id}}']) {
      const { headers: found } = await fetch(`${server.url}/graphql${query}`, { headers })
      expect(found.get('content-type')).toBe(`${type}; charset=utf-8`)
    }
  })

  it('refuses a subscription without server-sent events', async () => {
    const { server, mainKey } = await newWorld()
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        ...{ accept: 'text/event-stream;q=0, application/json', 'content-type': 'application/json' },
        authorization: `Bearer ${mainKey}`,
      },
      body: JSON.stringify({ query: 'subscription { events { cursor } }' }),
    })
    expect([response.status, (await response.json()).errors]).toEqual([406, [expect.anything()]])
  })
})

describe('the GraphiQL page', () => {
  it('opens without a key, and loads nothing from other hosts', async () => {
    const { server } = await newWorld()
    const response = await fetch(`${server.url}/graphql`, { headers: { accept: 'text/html,*/*' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    const html = await response.text()
    expect(html).toContain('Campanile')
    const tags = html.match(/<(script|link|img|iframe|source|base|form)\b[^>]*>/gi) ?? []
    expect(tags.length).toBeGreaterThan(0)
    for (const tag of tags) {
      const address = /\b(?:src|href|action)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(tag)
      const input = address?.[1] ?? address?.[2] ?? address?.[3] ?? ''
      if (input.startsWith('data:')) continue
      expect(new URL(input, server.url).origin, tag).toBe(new URL(server.url).origin)
    }
    const styles = (html.match(/<style[^>]*>[\s\S]*?<\/style>/gi) ?? []).join('')
    expect(styles).not.toMatch(/(?:url\(|@import)\s*["']?(?:https?:)?\/\//i)
  })

  it('runs only its own script, does not store the key, and returns 304 unless it has changed', async () => {
    const { server } = await newWorld()
    const ask = (headers: Record<string, string> = {}) =>
      fetch(`${server.url}/graphql`, { headers: { accept: 'text/html', ...headers } })
    const response = await ask()
    const html = await response.text()
    const policy = response.headers.get('content-security-policy') ?? ''
    const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script)
    expect(scripts).toHaveLength(1)
    const digests = scripts.map((script) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`)
    expect(policy.split('; ')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        `script-src ${digests.join(' ')}`,
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ]),
    )
    expect(html).toContain('"shouldPersistHeaders":false')
    expect(response.headers.get('cache-control')).toBe('no-cache')
    const etag = response.headers.get('etag') ?? ''
    // `fetch` bypasses the HTTP cache if a condition is set.
    const statusFor = (tag: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { accept: 'text/html', 'if-none-match': tag }
        httpGet(`${server.url}/graphql`, { headers }, (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode))
        }).on('error', reject)
      })
    expect([await statusFor(etag), await statusFor('"other"')]).toEqual([304, 200])
  })
})

describe('a query over GET', () => {
  const get = async (world: World, query: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await fetch(`${world.server.url}/graphql?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${world.mainKey}`, accept: 'application/json', ...headers },
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  it('returns its result with variables', async () => {
    const world = await newWorld()
    const { id } = await world.tag('here')
    const query = 'query ($id: ID!) { tag(id: $id) { name } }'
    const reply = await get(world, { query, variables: JSON.stringify({ id }) })
    expect(reply).toMatchObject({ status: 200, body: { data: { tag: { name: 'here' } } } })
    expect(reply.body.extensions).toMatchObject({ cost: { requested: 1 }, rateLimit: { limit: 1_000_000 } })
  })

  it('cannot run mutations, which require POST', async () => {
    const world = await newWorld()
    const reply = await get(world, { query: 'mutation { tagCreate(input: { name: "a" }) { tag { id } } }' })
    expect(reply.status).toBe(405)
    expect(await world.rows('SELECT FROM tag WHERE account_id = $1', [world.accountId])).toHaveLength(0)
  })

  it.each([
    ['{', 'BAD_REQUEST'],
    ['{ nothing }', 'BAD_REQUEST'],
    ['query A { __typename } query B { __typename }', 'BAD_REQUEST'],
    [`{ ${'account { contacts { nodes { '.repeat(6)}id${' } } }'.repeat(6)} }`, 'QUERY_TOO_COMPLEX'],
  ])('returns the same error as over POST: %s', async (query, code) => {
    const world = await newWorld()
    for (const [accept, status] of [
      ['application/json', undefined],
      ['application/graphql-response+json', 400],
    ] as const) {
      const reply = await get(world, { query }, { accept })
      expect(reply.body.errors?.[0].extensions.code ?? reply.body, accept).toBe(code)
      if (status) expect(reply.status).toBe(status)
      const post = await world.ask(query, {}, { headers: { accept } })
      expect([post.status, post.body.errors[0].extensions.code]).toEqual([reply.status, code])
    }
  })

  it.each(['%zz localhost', '[', 'a:b', 'a.example:99999'])(
    'returns 400 to a preflight request for the host %s',
    async (host) => {
      const { server } = await newWorld()
      const status = await new Promise((resolve, reject) => {
        httpRequest(
          `${server.url}/graphql`,
          { method: 'OPTIONS', headers: { host, origin: 'https://a.example' } },
          (response) => {
            resolve(response.resume().statusCode)
          },
        )
          .on('error', reject)
          .end()
      })
      expect(status).toBe(400)
      expect(server.errors).toEqual([])
    },
  )

  it('allows cross-origin requests, with each header once', async () => {
    const world = await newWorld()
    const headers = { origin: 'https://shop.example' }
    const one = await get(world, { query: '{ __typename }' }, headers)
    expect(one.headers.get('access-control-allow-origin')).toBe('*')
    expect(one.headers.get('access-control-allow-credentials')).toBeNull()
    const post = await world.ask('{ __typename }', {}, { headers })
    expect(post.headers.get('access-control-allow-origin')).toBe('*')
    expect(post.headers.get('cache-control')).toBe('no-store')
    expect(post.headers.get('x-content-type-options')).toBe('nosniff')
    const preflight = await fetch(`${world.server.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,idempotency-key',
      },
    })
    expect(preflight.ok).toBe(true)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-credentials')).not.toBe('true')
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase()
    for (const name of ['authorization', 'content-type', 'idempotency-key']) expect(allowed).toContain(name)
  })
})

describe('server-sent events', () => {
  const events = async (world: World, body: Record<string, unknown>, more: Record<string, string> = {}) => {
    const response = await fetch(`${world.server.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.mainKey}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        origin: 'https://shop.example',
        ...more,
      },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const next = /event: next\ndata: (.*)\n/.exec(text)?.[1]
    return { response, text, next: next === undefined ? undefined : JSON.parse(next) }
  }

  it('return the result of a query as one event, and end', async () => {
    const world = await newWorld()
    const { response, text, next } = await events(world, { query: '{ viewer { email } }' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(['*', 'https://shop.example']).toContain(response.headers.get('access-control-allow-origin'))
    expect(next).toMatchObject({ data: { viewer: { email: 'ada@example.com' } } })
    expect(text).toContain('event: complete')
  })

  it('return an error of the document with its code', async () => {
    const world = await newWorld()
    for (const query of ['{', '{ nothing }']) {
      const { text } = await events(world, { query })
      expect(text).toContain('BAD_REQUEST')
      expect(text).not.toContain('SERVER_ERROR')
    }
  })

  it('respect the Idempotency-Key header', async () => {
    const world = await newWorld()
    const tag = { query: 'mutation { tagCreate(input: { name: "a" }) { tag { id } } }' }
    const first = await events(world, tag, { 'idempotency-key': 'k' })
    expect(first.next.data.tagCreate.tag.id).toBeTypeOf('string')
    expect((await events(world, tag, { 'idempotency-key': 'k' })).next.data).toEqual(first.next.data)
    expect((await world.fault(tag.query)).extensions.code).toBe('TAG_EXISTS')
  })
})

describe('trusted documents', () => {
  const text = 'query Who { viewer { accountName } }'
  const hash = createHash('sha256').update(text).digest('hex')
  let world: World

  beforeAll(async () => {
    world = await newWorld({ server: await newTrustingServer([text]) })
  })

  it.each([
    ['documentId', { documentId: hash }],
    ['documentId with its kind', { documentId: `sha256:${hash}` }],
    ['extensions.persistedQuery', { extensions: { persistedQuery: { version: 1, sha256Hash: hash } } }],
  ])('are selected by %s: over POST, GET, server-sent events and sockets', async (_name, named) => {
    const data = { viewer: { accountName: 'Ada & Co' } }
    const headers = { authorization: `Bearer ${world.mainKey}`, 'content-type': 'application/json' }
    const post = (accept: string) =>
      fetch(`${world.server.url}/graphql`, {
        method: 'POST',
        headers: { ...headers, accept },
        body: JSON.stringify(named),
      })
    expect(await (await post('application/json')).json()).toMatchObject({ data })

    const socket = world.socket()
    if ('extensions' in named) expect(await socket.ask('', {}, named.extensions)).toMatchObject({ data })

    expect(await (await post('text/event-stream')).text()).toContain('Ada & Co')

    const query = Object.entries(named).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ])
    const get = await fetch(`${world.server.url}/graphql?${new URLSearchParams(query)}`, {
      headers: { ...headers, accept: 'application/json' },
    })
    expect(await get.json()).toMatchObject({ data })
  })

  it('must match their hash, or the server does not start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'campanile-trusted-'))
    const manifest = join(folder, 'manifest.json')
    await writeFile(manifest, JSON.stringify({ [hash]: `${text} ` }))
    await expect(newServer({ TRUSTED_DOCUMENTS: manifest })).rejects.toThrow('TRUSTED_DOCUMENTS')
    await rm(folder, { recursive: true })
  })
})
