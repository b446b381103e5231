import { describe, expect, it } from 'vitest'
import { schema } from '../../src/server/schema.ts'
import { announcements } from '../events/announcements.ts'
import { newFullWorld } from '../events/inhabited.ts'
import { mutationOf } from '../events/mutations.ts'
import { requestPage } from '../funnels/visiting.ts'
import { newServer } from '../support/server.ts'
import { asUser, newUser, signIn } from '../support/session.ts'
import { newWorld } from '../support/world.ts'

const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {})
const document = (name: string) => mutationOf(name, announcements[name]?.select ?? '')

describe('an analyst', () => {
  it('is refused by each mutation, except those that read, and those of the own sessions', {
    timeout: 120_000,
  }, async () => {
    const { world, ids } = await newFullWorld()
    const analyst = asUser(await signIn(world, 'ANALYST'))
    const allowed: string[] = []
    for (const name of mutations) {
      if (/^session/.test(name)) continue
      const { body } = await world.ask(document(name), { input: announcements[name]?.input(ids) ?? {} }, analyst)
      if (body.errors?.[0]?.extensions?.code !== 'FORBIDDEN') allowed.push(name)
    }
    // None gives more than what an analyst can read. The last one changes the name of the analyst only.
    expect(allowed.sort()).toEqual(['accessTokenCreate', 'contactExport', 'viewerUpdate'])
  })
})

describe('an administrator', () => {
  it('cannot send the invitation of an owner, which could go to a mailbox that the administrator reads', async () => {
    const world = await newWorld()
    const [owner, admin, editor] = [
      await newUser(world, 'OWNER'),
      await signIn(world, 'ADMIN'),
      await newUser(world, 'EDITOR'),
    ]
    const resend = async (id: number) =>
      (await world.ask(document('userInvitationResend'), { input: { id } }, asUser(admin))).body.errors?.[0]?.extensions
        .code
    expect(await resend(owner.id)).toBe('FORBIDDEN')
    expect(await resend(editor.id)).toBeUndefined()
    await world.run('mutation ($id: ID!) { userRemove(input: { id: $id }) { user { id } } }', { id: editor.id })
    expect(await resend(editor.id)).toBe('NOT_FOUND')
    const foreign = await newUser(await world.other(), 'EDITOR')
    expect(await resend(foreign.id)).toBe('NOT_FOUND')
  })
})

describe('a session', () => {
  it('is not accepted by the REST API and on the host of an account, which serves no console', async () => {
    const world = await newWorld()
    const { headers } = await signIn(world)
    for (const path of ['/v1/contacts', '/v1/tags'])
      expect((await fetch(world.server.url + path, { headers })).status, path).toBe(401)
    const other = await newServer({ BASE_URL: 'http://app.example.com', DATABASE_URL: world.server.databaseUrl })
    const viewer = { json: { query: '{ viewer { role } }' } }
    const statusOn = async (host: string) =>
      (await requestPage(other, '/graphql', { ...viewer, headers: { ...headers, host } })).status
    expect([await statusOn('app.example.com'), await statusOn('shop.app.example.com')]).toEqual([200, 401])
    const page = await requestPage(other, '/console', { headers: { host: 'shop.app.example.com' } })
    expect(page.status).toBe(404)
  })
})
