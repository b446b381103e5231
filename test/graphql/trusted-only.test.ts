import { beforeAll, describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { signIn } from '../support/session.ts'
import { newTrustingServer } from '../support/trusting-server.ts'
import { newWorld, type World } from '../support/world.ts'

const trusted = 'query Trusted { contacts(first: 1) { totalCount } }'
const other = '{ contacts(first: 2) { totalCount } }'
const forbidden = { extensions: { code: 'FORBIDDEN' } }

describe('with TRUSTED_DOCUMENTS_ONLY', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ server: await newTrustingServer([trusted], { TRUSTED_DOCUMENTS_ONLY: 'on' }) })
  })

  it('a key executes trusted documents and no others, over HTTP and sockets', async () => {
    expect((await world.run(trusted)).contacts.totalCount).toBe(0)
    expect(await world.fault(other)).toMatchObject(forbidden)
    const socket = world.socket()
    expect(await socket.ask(trusted)).toMatchObject({ data: { contacts: { totalCount: 0 } } })
    expect(await socket.ask(other)).toMatchObject({ errors: [forbidden] })
    expect(await world.fault('{')).toMatchObject(forbidden)
  })

  it('the REST API works, and so does the console of a person', async () => {
    const { url } = world.server
    const rest = await fetch(`${url}/v1/contacts`, { headers: { authorization: `Bearer ${world.mainKey}` } })
    expect(rest.status).toBe(200)
    const { cookie } = await signIn(world, 'EDITOR')
    const asked = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json', 'x-campanile-console': '1' },
      body: JSON.stringify({ query: other }),
    })
    expect(await asked.json()).toMatchObject({ data: { contacts: { totalCount: 0 } } })
  })

  it('the access token of a person executes no other document either', async () => {
    const { cookie } = await signIn(world, 'OWNER')
    const ask = async (query: string, headers: Record<string, string>) =>
      (
        await fetch(`${world.server.url}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json', ...headers },
          body: JSON.stringify({ query }),
        })
      ).text()
    const person = { cookie, 'x-campanile-console': '1', accept: 'application/json' }
    const created = await ask('mutation { accessTokenCreate(input: { scopes: [CONTACTS_READ] }) { token } }', person)
    const { token } = JSON.parse(created).data.accessTokenCreate
    const authorization = `Bearer ${token}`
    expect(await ask('subscription { events { cursor } }', { authorization, accept: 'text/event-stream' })).toContain(
      'executes trusted documents only',
    )
  })

  it('a server without a manifest does not start', async () => {
    await expect(newServer({ TRUSTED_DOCUMENTS_ONLY: 'on' })).rejects.toThrow('TRUSTED_DOCUMENTS must be set')
  })
})

describe('with INTROSPECTION=off', () => {
  it('the schema cannot be read, with or without a key', async () => {
    const world = await newWorld({ server: await newServer({ INTROSPECTION: 'off' }) })
    const document = '{ __schema { __typename } }'
    expect(await world.fault(document)).toMatchObject({ extensions: { code: 'BAD_REQUEST' } })
    const anonymous = await fetch(`${world.server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: document }),
    })
    expect(anonymous.status).toBe(401)
    expect((await world.run('{ __typename }')).__typename).toBe('Query')
  })
})
