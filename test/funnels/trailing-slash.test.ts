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
  const path = `/p/${subdomain}/${funnelPath}`
  const optIn = { method: 'POST', form: { email: 'slash@example.com' } }
  expect(await targetOf(`${path}/`, optIn)).toEqual(await targetOf(path, optIn))
  expect(await targetOf(`${path}//?utm_source=x`, optIn)).toEqual(await targetOf(path, optIn))
})

it('redirects a POST at the path with the slash to a page that exists', async () => {
  const answers = { method: 'POST', form: { client_submission_id: 'b' } }
  const again = { method: 'POST', form: { again: '1' } }
  for (const post of [answers, again]) {
    const [status, target] = await targetOf(`${form}/`, post)
    expect([status, target?.split('?')[0]]).toEqual([303, form])
    expect((await requestPage(world.server, target as string)).status).toBe(200)
  }
})

it('has a form that posts to itself, also if its page is the response to a POST with the slash', async () => {
  const { body: text } = await requestPage(world.server, `${form}?q=1`)
  const action = /<form[^>]* action="([^"]*)"/.exec(text)?.[1] ?? ''
  expect(new URL(action, `${world.server.url}${form}/`).pathname).toBe(`${form}/`)
  expect(new URL(action, `${world.server.url}${form}?q=1`)).toMatchObject({ pathname: form, search: '' })
})

/** Returns the status of a response, and the path and query to which a browser would go. */
async function targetOf(path: string, options: object): Promise<[number, string | undefined]> {
  const [status, target] = await location(path, options)
  if (target === undefined) return [status as number, undefined]
  const { pathname, search } = new URL(target as string, `${world.server.url}${path}`)
  return [status as number, `${pathname}${search}`]
}

it.each(['//evil.example/', '//evil.example/f/1/', '/\\evil.example/', '/unknown/', '/v1/contacts/', '/p/unknown/'])(
  'does not redirect %s',
  async (path) => {
    const [status, target] = await location(path)
    expect([status, target]).toEqual([expect.toBeOneOf([400, 401, 404]), undefined])
  },
)
