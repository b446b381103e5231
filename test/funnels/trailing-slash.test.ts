import { beforeAll, expect, it } from 'vitest'
import type { World } from '../support/world.ts'
import { newShop, page } from './documents.ts'
import { requestPage } from './visiting.ts'

let world: World
let funnelPath: string
let form: string
let subdomain: string
const content = page({ type: 'title', text: 'Hello' })

beforeAll(async () => {
  world = await newShop()
  const funnel = await world.funnel()
  const step = await world.step(funnel, { content })
  const [account] = await world.rows<{ subdomain: string }>('SELECT subdomain FROM account WHERE id = $1', [
    world.accountId,
  ])
  subdomain = account?.subdomain as string
  funnelPath = `${funnel.databaseId}/${step.path}`
  const { databaseId } = await world.form({ questions: [{ label: 'Name', type: 'SHORT_TEXT' }] })
  form = `/f/${databaseId}`
})

const location = async (path: string, options = {}) => {
  const { status, headers } = await requestPage(world.server, path, options)
  return [status, headers['location']]
}

it('redirects to the path without the slash and keeps the query', async () => {
  const path = `/p/${subdomain}/${funnelPath}`
  expect(await location(`${path}/?utm_source=a%20b&x=/`)).toEqual([308, `${path}?utm_source=a%20b&x=/`])
  expect(await location(`${path}//`)).toEqual([308, path])
  expect(await location(`${form}/?q=1`)).toEqual([308, `${form}?q=1`])
  expect(await location(`${form}/`, { method: 'HEAD' })).toEqual([308, form])
  expect(await location('/u/some-token/')).toEqual([308, '/u/some-token'])
  const host = `${subdomain}.${new URL(world.server.url).host}`
  expect(await location(`/${funnelPath}/`, { headers: { host } })).toEqual([308, `/${funnelPath}`])
})

it('allows other sites to follow the redirect of a form', async () => {
  const { headers } = await requestPage(world.server, `${form}/`, { headers: { accept: 'application/json' } })
  expect(headers['access-control-allow-origin']).toBe('*')
  const preflight = await requestPage(world.server, `${form}/`, { method: 'OPTIONS' })
  expect(preflight.status).toBe(204)
})

it('accepts a POST at the path with the slash', async () => {
  const answers = {
    method: 'POST',
    headers: { accept: 'application/json' },
    json: { answers: {}, client_submission_id: 'a' },
  }
  expect((await requestPage(world.server, `${form}/`, answers)).status).toBe(200)
  const optIn = { method: 'POST', form: { email: 'slash@example.com' } }
  const bare = await requestPage(world.server, `/p/${subdomain}/${funnelPath}`, optIn)
  const slashed = await requestPage(world.server, `/p/${subdomain}/${funnelPath}/`, optIn)
  expect([slashed.status, slashed.headers['location']]).toEqual([bare.status, bare.headers['location']])
})

it.each(['//evil.example/', '//evil.example/f/1/', '/\\evil.example/', '/unknown/', '/v1/contacts/', '/p/unknown/'])(
  'does not redirect %s',
  async (path) => {
    const [status, target] = await location(path)
    expect([status, target]).toEqual([expect.toBeOneOf([400, 401, 404]), undefined])
  },
)
