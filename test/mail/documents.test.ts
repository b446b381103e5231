import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'

const set = `mutation ($id: ID!, $html: String!) {
  sequenceStageContentSet(input: { id: $id, html: $html, text: "plain" }) { email { htmlUrl textUrl } } }`

async function stored(world: World, html = '<p>Hello</p>') {
  const { id } = await world.stage(await world.sequence())
  const { email } = (await world.run(set, { id, html })).sequenceStageContentSet
  return { id, ...(email as { htmlUrl: string; textUrl: string }) }
}

describe('a stored document', () => {
  it('is served at its URL without an API key, in a sandbox', async () => {
    const world = await newWorld()
    const { htmlUrl, textUrl } = await stored(world, '<script>steal()</script>')
    expect(htmlUrl).toMatch(new RegExp(`^${world.server.url}/d/[0-9a-z]+-[\\w-]{24}$`))
    const response = await fetch(htmlUrl)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('<script>steal()</script>')
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'cache-control': 'no-cache',
    })
    const plain = await fetch(textUrl)
    expect([plain.headers.get('content-type'), await plain.text()]).toEqual(['text/plain; charset=utf-8', 'plain'])
  })

  it('returns 304 unless it has changed', async () => {
    const world = await newWorld()
    const { id, htmlUrl } = await stored(world)
    const etag = (await fetch(htmlUrl)).headers.get('etag') as string
    // Left to itself, this client asks for a copy that no cache has seen.
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
    const again = await fetch(htmlUrl, { headers })
    expect([again.status, await again.text()]).toEqual([304, ''])
    await world.run(set, { id, html: 'other' })
    expect((await fetch(htmlUrl, { headers })).status).toBe(200)
    const head = await fetch(htmlUrl, { method: 'HEAD' })
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '5', ''])
  })

  it('returns 404 for other tokens and after its stage was deleted', async () => {
    const world = await newWorld()
    const { id, htmlUrl } = await stored(world)
    const [account, secret] = (htmlUrl.split('/d/')[1] as string).split(/-(.*)/s)
    const other = Number.parseInt(account as string, 36) + 1
    const wrong = [
      'x',
      `${other.toString(36)}-${secret}`,
      `${account}-${'A'.repeat(24)}`,
      `${account}`,
      `zzzzzz-${secret}`,
      `0-${secret}`,
      '%00',
      '-',
      `${account}-${secret}x`,
    ]
    for (const token of wrong) expect((await fetch(`${world.server.url}/d/${token}`)).status, token).toBe(404)
    expect((await fetch(htmlUrl, { method: 'POST' })).status).toBe(404)
    await world.run('mutation ($id: ID!) { sequenceStageDelete(input: { id: $id }) { deletedSequenceStageId } }', {
      id,
    })
    expect((await fetch(htmlUrl)).status).toBe(404)
  })

  it('has the configured base URL', async () => {
    const server = await newServer({ BASE_URL: 'https://mail.example.com' })
    const url = `http://127.0.0.1:${server.app.address.port}`
    const { htmlUrl } = await stored(await newWorld({ server: { ...server, url } }))
    expect(htmlUrl).toMatch(/^https:\/\/mail\.example\.com\/d\//)
  })
})
