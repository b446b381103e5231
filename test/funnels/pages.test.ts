import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import type { World } from '../support/world.ts'
import { ContentSet, newShop, page, StepUpdate, subdomain } from './documents.ts'
import { mmdb } from './mmdb.ts'
import { browser, requestPage } from './visiting.ts'

const hello = page(
  { type: 'title', text: 'Hello {{FIRST_NAME:friend}}' },
  { type: 'text', text: '[{{EMAIL}}] [{{CITY}}]' },
)

async function createPage(world: World, content: unknown = hello) {
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content })
  const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
    world.accountId,
  ])
  const base = `/p/${account?.subdomain}/${funnel.databaseId}`
  return { funnel, step, subdomain: account?.subdomain as string, base, path: `${base}/${step.path}` }
}

describe('a funnel page', () => {
  let world: World
  beforeAll(async () => {
    world = await newShop()
  })

  it('is shown at its URL to unknown visitors', async () => {
    const { path } = await createPage(world)
    const { status, headers, body } = await requestPage(world.server, path)
    expect(status).toBe(200)
    expect(body).toContain('Hello friend')
    expect(body).toContain('[] []')
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      vary: 'Cookie',
      'cache-control': 'private, no-cache',
    })
  })

  it('is shown on the host of the account', async () => {
    const { funnel, step, subdomain: name } = await createPage(world)
    const own = new URL(world.server.url)
    const at = (host: string, path = `/${funnel.databaseId}/${step.path}`) =>
      requestPage(world.server, path, { headers: { host } })
    expect((await at(`${name}.${own.host}`)).body).toContain('Hello friend')
    // The port of the proxy and the case of the name do not matter.
    expect((await at(`${name.toUpperCase()}.${own.hostname}`)).body).toContain('Hello friend')
    expect((await at(`${name}.elsewhere.example`)).status).toBe(404)
    expect((await at(`nobody.${own.host}`)).status).toBe(404)
    expect((await at(own.host)).status).toBe(404)
    const first = await at(`${name}.${own.host}`, `/${funnel.databaseId}`)
    expect([first.status, first.headers['location']]).toEqual([302, `/${funnel.databaseId}/${step.path}`])
  })

  it('is the target of the redirect from its funnel, with the query string', async () => {
    const { funnel, base } = await createPage(world)
    await world.step(funnel, { name: 'Second', content: hello })
    for (const path of [`${base}?utm_source=ads`, `${base}/?utm_source=ads`]) {
      const { status, headers } = await requestPage(world.server, path)
      expect([status, headers['location']]).toEqual([302, `${base}/welcome?utm_source=ads`])
    }
  })

  it('returns the same plain 404 page whatever is missing', async () => {
    const { base, path, subdomain: name, funnel } = await createPage(world)
    const draft = await world.step(funnel, { name: 'Draft' })
    const other = await world.other({ subdomain: subdomain() })
    const theirs = await createPage(other)
    const paths = [
      `${base}/nothing`,
      `${base}/${draft.path}`,
      `/p/${name}/999999/welcome`,
      `/p/${name}/99999999999/welcome`,
      `/p/${name}/2147483648/welcome`,
      `/p/nobody-at-all/${funnel.databaseId}/welcome`,
      // The name of one account with the funnel of another.
      `/p/${theirs.subdomain}/${funnel.databaseId}/welcome`,
      `/p/${name}/${theirs.funnel.databaseId}/welcome`,
      `${path}/more`,
      `/p/${name}/${funnel.databaseId}/%00`,
      '/p/',
      '/p/%zz',
    ]
    const bodies = new Set<string>()
    for (const each of paths) {
      const { status, body, cookie } = await requestPage(world.server, each)
      expect([each, status, cookie]).toEqual([each, 404, undefined])
      bodies.add(body)
    }
    expect([...bodies]).toHaveLength(1)
    expect([...bodies][0]).toContain('Page not found')
    const { status } = await requestPage(world.server, `/p/${name}/${(await world.funnel()).databaseId}`)
    expect(status).toBe(404)
    expect(world.server.errors).toEqual([])
  })

  it('accepts only GET, HEAD and POST', async () => {
    const { path } = await createPage(world)
    for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const { status, headers } = await requestPage(world.server, path, { method })
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST'])
    }
    const head = await requestPage(world.server, path, { method: 'HEAD' })
    expect([head.status, head.body, head.cookie]).toEqual([200, '', undefined])
  })

  it('changes immediately with its content', async () => {
    const { step, path, funnel, base } = await createPage(
      world,
      page({ type: 'form' }, { type: 'title', text: 'Before' }),
    )
    const body = async () => (await requestPage(world.server, path)).body
    expect(await body()).toContain('Before')
    await world.run(ContentSet, {
      input: { id: step.id, content: page({ type: 'form' }, { type: 'title', text: 'After' }) },
    })
    expect(await body()).toContain('After')
    await world.run(StepUpdate, { input: { id: step.id, title: 'A title of its own' } })
    expect(await body()).toContain('<title>A title of its own</title>')
    await world.run(
      'mutation ($input: FormQuestionCreateInput!) { formQuestionCreate(input: $input) { question { id } } }',
      {
        input: { formId: step.form.id, label: 'Your favourite bowl', type: 'SHORT_TEXT' },
      },
    )
    expect(await body()).toContain('Your favourite bowl')
    await world.run(StepUpdate, { input: { id: step.id, path: 'moved' } })
    expect((await requestPage(world.server, path)).status).toBe(404)
    expect((await requestPage(world.server, `${base}/moved`)).status).toBe(200)
    const name = subdomain()
    await world.run('mutation ($s: String) { accountUpdate(input: { subdomain: $s }) { account { id } } }', { s: name })
    expect((await requestPage(world.server, `${base}/moved`)).status).toBe(404)
    expect((await requestPage(world.server, `/p/${name}/${funnel.databaseId}/moved`)).status).toBe(200)
    await world.run('mutation ($id: ID!) { funnelStepDelete(input: { id: $id }) { deletedFunnelStepId } }', step)
    expect((await requestPage(world.server, `/p/${name}/${funnel.databaseId}/moved`)).status).toBe(404)
  })

  it('changes within a second if the notification was lost', async () => {
    const { step, path } = await createPage(world)
    expect((await requestPage(world.server, path)).body).toContain('Hello friend')
    await world.rows('UPDATE step_version SET content = $2 WHERE account_id = $1 AND step_id = $3', [
      world.accountId,
      JSON.stringify(page({ type: 'title', text: 'Silent' })),
      step.databaseId,
    ])
    await world.rows('UPDATE funnel_step SET name = name WHERE account_id = $1 AND id = $2', [
      world.accountId,
      step.databaseId,
    ])
    await vi.waitFor(async () => expect((await requestPage(world.server, path)).body).toContain('Silent'), {
      timeout: 100_000,
      interval: 50,
    })
  })

  it('runs no SQL statement while it is cached', async () => {
    const { path } = await createPage(world)
    const { cookie } = await requestPage(world.server, path)
    // The visit is written later, on other connections.
    expect(await world.statements(() => requestPage(world.server, path, { cookie }))).toBe(0)
  })
})

describe('a visitor of a page', () => {
  let world: World
  let path: string
  beforeAll(async () => {
    world = await newShop()
    ;({ path } = await createPage(world))
  })

  it('is shown values of the URL, and no stored values', async () => {
    await world.contact({ email: 'ada@example.com', firstName: 'Secret', city: 'Bath' })
    const { body, headers } = await requestPage(world.server, `${path}?email=ada@example.com`)
    expect(body).toContain('Hello friend')
    expect(body).toContain('[ada@example.com] []')
    expect(body).not.toMatch(/Secret|Bath/)
    expect(headers['cache-control']).toBe('private, no-store')
    const named = await requestPage(
      world.server,
      `${path}?firstname=${encodeURIComponent('<b>Ada</b>{{EMAIL}}')}&lastname=L`,
    )
    expect(named.body).toContain('Hello &#60;b&#62;Ada&#60;/b&#62;{{EMAIL}}')
  })

  it('gets a cookie once, and the same ETag for the same page', async () => {
    const first = await requestPage(world.server, path)
    expect(first.headers['set-cookie']?.[0]).toMatch(
      new RegExp(`^campanile_${world.accountId}=[\\w-]{82}; path=/; expires=[^;]+; samesite=lax; httponly$`, 'i'),
    )
    const again = await requestPage(world.server, path, { cookie: first.cookie })
    expect([again.cookie, again.headers['cache-control']]).toEqual([undefined, 'public, no-cache'])
    const etag = String(again.headers['etag'])
    const same = await requestPage(world.server, path, { cookie: first.cookie, headers: { 'if-none-match': etag } })
    expect([same.status, same.body]).toEqual([304, ''])
  })

  it('is unknown with a forged cookie or a cookie of another account', async () => {
    const contact = await world.contact({ firstName: 'Grace' })
    const other = await newShop({ server: world.server })
    const theirs = await createPage(other)
    const { cookie = '' } = await requestPage(world.server, theirs.path)
    const value = cookie.slice(cookie.indexOf('=') + 1)
    const forged = [
      value,
      value.replace('.0.', `.${contact.databaseId}.`),
      `${'a'.repeat(22)}.${contact.databaseId}.${'b'.repeat(43)}`,
      'x',
      '',
    ]
    for (const each of forged) {
      const got = await requestPage(world.server, path, { cookie: `campanile_${world.accountId}=${each}` })
      expect(got.body).toContain('Hello friend')
      expect(got.cookie).toBeDefined()
    }
  })
})

describe('cookies behind HTTPS', () => {
  it('are secure', async () => {
    const world = await newShop()
    const server = await newServer({ BASE_URL: 'https://pages.example', DATABASE_URL: world.server.databaseUrl })
    const { path, funnel, subdomain: name } = await createPage(world)
    expect((await requestPage(server, path)).headers['set-cookie']?.[0]).toMatch(/; secure/i)
    const hosted = await requestPage(server, `/${funnel.databaseId}/welcome`, {
      headers: { host: `${name}.pages.example` },
    })
    expect(hosted.status).toBe(200)
  })
})

describe('the location of a visitor', () => {
  const where = page({ type: 'text', text: 'In {{VISITOR_CITY:a city}}, {{VISITOR_COUNTRY:a country}}.' })
  it('is read from the configured proxy headers only', async () => {
    const server = await newServer({ GEO_CITY_HEADER: 'X-City', GEO_COUNTRY_HEADER: 'X-Country' })
    const world = await newShop({ server })
    const { path } = await createPage(world, where)
    const headers = { 'x-city': 'Saint-%C3%89tienne <b>', 'x-country': 'FR', 'user-agent': browser }
    expect((await requestPage(server, path, { headers })).body).toContain('In Saint-Étienne &#60;b&#62;, France.')
    expect((await requestPage(server, path)).body).toContain('In a city, a country.')
    const plain = await newShop()
    const own = await createPage(plain, where)
    expect((await requestPage(plain.server, own.path, { headers })).body).toContain('In a city, a country.')
  })

  it('is read from a MaxMind database, with the address that trusted proxies report', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'city.mmdb')
    const paris = { city: { names: { en: 'Paris' } }, country: { iso_code: 'FR', names: { en: 'France' } } }
    await writeFile(file, mmdb(81, paris))
    const server = await newServer({ GEOIP_DATABASE: file, TRUST_PROXY: '1' })
    const world = await newShop({ server })
    const { path } = await createPage(world, where)
    const from = async (forwarded: string) =>
      (await requestPage(server, path, { headers: { 'x-forwarded-for': forwarded } })).body
    expect(await from('81.2.69.142')).toContain('In Paris, France.')
    expect(await from('::ffff:81.2.69.142')).toContain('In Paris, France.')
    // A header of the client comes before the entry that the proxy appends.
    expect(await from('81.2.69.142, 9.9.9.9')).toContain('In a city, a country.')
    expect(await from('nonsense')).toContain('In a city, a country.')
    expect(server.errors).toEqual([])
    await writeFile(file, 'no database')
    await expect(newServer({ GEOIP_DATABASE: file })).rejects.toThrow(/^GEOIP_DATABASE must be/)
    await expect(newServer({ GEOIP_DATABASE: join(folder, 'none') })).rejects.toThrow(/^GEOIP_DATABASE must be/)
  })
})
