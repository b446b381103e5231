import { beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../../src/kernel/web/tokens.ts'
import { newTrustingServer } from '../support/trusting-server.ts'
import { newWorld, type World } from '../support/world.ts'

const query = 'query Contacts { contacts(first: 100) { nodes { id email firstName lastName city country } } }'

describe('the response to a query by GET and hash', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ server: await newTrustingServer([query]) })
    for (let n = 0; n < 20; n += 1) await world.contact()
  })

  const get = (
    headers: Record<string, string> = {},
    parameters: Record<string, string> = { documentId: hashOf(query) },
  ) =>
    fetch(`${world.server.url}/graphql?${new URLSearchParams(parameters)}`, {
      headers: { authorization: `Bearer ${world.mainKey}`, accept: 'application/json', ...headers },
    })

  it('has a tag of its data, with which the client asks whether they have changed', async () => {
    const first = await get()
    const etag = first.headers.get('etag') ?? ''
    expect([first.status, etag, first.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^W\/".{22}"$/),
      'private, no-cache',
    ])
    const same = await get({ 'if-none-match': `"other", ${etag}` })
    expect([same.status, await same.text(), same.headers.get('etag')]).toEqual([304, '', etag])
    await world.contact()
    const changed = await get({ 'if-none-match': etag })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect((await changed.json()).data.contacts.nodes).toHaveLength(21)
  })

  it.each(['br', 'gzip'])('is compressed: %s', async (encoding) => {
    const response = await get({ 'accept-encoding': encoding })
    expect(response.headers.get('content-encoding')).toBe(encoding)
    expect(Number(response.headers.get('content-length'))).toBeLessThan(1_500)
    expect((await response.json()).data.contacts.nodes.length).toBeGreaterThanOrEqual(20)
    expect(response.headers.get('vary')).toContain('Accept-Encoding')
    expect((await get({ 'accept-encoding': 'identity' })).headers.get('content-encoding')).toBeNull()
  })

  it('has no tag with an error, and neither has one to a query by its text', async () => {
    const key = await world.key({ scopes: ['forms:read'] })
    const refused = await get({ authorization: `Bearer ${key}` })
    expect([refused.headers.get('etag'), refused.headers.get('cache-control')]).toEqual([null, 'no-store'])
    const byText = await get({}, { query })
    expect([byText.headers.get('etag'), byText.headers.get('cache-control')]).toEqual([null, 'no-store'])
  })
})
