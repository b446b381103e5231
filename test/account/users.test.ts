import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { simpleParser } from 'mailparser'
import { describe, expect, it } from 'vitest'
import { temporaryFolder, until } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { follow, linkFor, newUser, type SignedIn, signIn } from '../support/session.ts'
import { newSocket } from '../support/socket.ts'
import { newWorld, type World } from '../support/world.ts'

const Invite =
  'mutation ($input: UserInviteInput!) { userInvite(input: $input) { user { id databaseId email role removedAt } } }'
const Update = 'mutation ($input: UserUpdateInput!) { userUpdate(input: $input) { user { id role } } }'
const Remove = 'mutation ($input: UserRemoveInput!) { userRemove(input: $input) { user { id removedAt } } }'

const as = (user: SignedIn) => ({ key: null, headers: user.headers })
const codeOf = async (world: World, user: SignedIn, document: string, input: object) =>
  (await world.ask(document, { input }, as(user))).body.errors?.[0]?.extensions?.code ?? 'OK'

describe('the roles', () => {
  const samples: [name: string, document: string, allowed: string][] = [
    ['contacts', '{ contacts { totalCount } }', 'OWNER ADMIN EDITOR ANALYST'],
    ['orders', '{ orders { totalCount } }', 'OWNER ADMIN EDITOR ANALYST'],
    ['users', '{ users { totalCount } }', 'OWNER ADMIN EDITOR ANALYST'],
    ['audit log', '{ auditLog { totalCount } }', 'OWNER ADMIN EDITOR ANALYST'],
    ['API keys', '{ apiKeys { totalCount } }', 'OWNER ADMIN'],
    ['a tag', 'mutation { tagCreate(input: { name: "x" }) { tag { id } } }', 'OWNER ADMIN EDITOR'],
    ['a sequence', 'mutation { sequenceCreate(input: { name: "x" }) { sequence { id } } }', 'OWNER ADMIN EDITOR'],
    ['an order', 'mutation { orderCancel(input: { id: 1 }) { order { id } } }', 'OWNER ADMIN'],
    ['a key', 'mutation { apiKeyCreate(input: { scopes: [CONTACTS_READ] }) { key } }', 'OWNER ADMIN'],
    [
      'a webhook',
      'mutation { webhookCreate(input: { url: "https://example.com/x" }) { webhook { id } } }',
      'OWNER ADMIN',
    ],
    ['the account', 'mutation { accountUpdate(input: { name: "New" }) { account { id } } }', 'OWNER ADMIN'],
    [
      'a user',
      'mutation { userInvite(input: { email: "x@example.com", role: ANALYST }) { user { id } } }',
      'OWNER ADMIN',
    ],
  ]
  it.each(['OWNER', 'ADMIN', 'EDITOR', 'ANALYST'] as const)('have the scopes of a role: %s', async (role) => {
    const world = await newWorld()
    const user = await signIn(world, role)
    for (const [name, document, allowed] of samples) {
      const { body } = await world.ask(document, {}, as(user))
      const code = body.errors?.[0]?.extensions.code ?? 'OK'
      expect([name, code === 'FORBIDDEN'], JSON.stringify(body)).toEqual([name, !allowed.includes(role)])
      if (code !== 'FORBIDDEN') expect([name, code]).toEqual([name, name === 'an order' ? 'NOT_FOUND' : 'OK'])
    }
  })
})

describe('userInvite', () => {
  it('creates a user, sends a link for seven days, and restores a removed user', async () => {
    const folder = await temporaryFolder()
    const server = await newServer({ ROLES: 'api,worker', DATA_DIR: folder })
    const world = await newWorld({ server })
    const { user } = (await world.run(Invite, { input: { email: 'New@Example.com', role: 'EDITOR' } })).userInvite
    expect(user).toMatchObject({ email: 'new@example.com', role: 'EDITOR' })
    const mails = async () =>
      (await readdir(join(folder, 'mail')).catch(() => []))
        .filter((name) => name.endsWith('.eml'))
        .map((name) => join(folder, 'mail', name))
    await until(async () => (await mails()).length === 1)
    const mail = await simpleParser(await readFile((await mails())[0] ?? ''))
    expect([mail.to, mail.subject]).toMatchObject([{ text: 'new@example.com' }, 'Invitation to Ada & Co'])
    expect((await follow(/http\S+/.exec(mail.text ?? '')?.[0] ?? '')).status).toBe(303)

    const again = await world.fault(Invite, { input: { email: 'NEW@example.com', role: 'ADMIN' } })
    expect(again.extensions).toMatchObject({ code: 'VALIDATION_ERROR' })
    await world.run(Remove, { input: { id: user.id } })
    const restored = (await world.run(Invite, { input: { email: 'new@example.com', role: 'ANALYST' } })).userInvite.user
    expect(restored).toMatchObject({ id: user.id, role: 'ANALYST', removedAt: null })
    expect((await world.announced('user.invited')).length).toBe(2)
    expect(await world.announced('user.removed')).toMatchObject([{ data: { userId: user.databaseId } }])
  })

  it('returns VALIDATION_ERROR for another text, and QUOTA_EXCEEDED after 100 invitations a day', async () => {
    const world = await newWorld()
    expect((await world.fault(Invite, { input: { email: 'x', role: 'ADMIN' } })).extensions.code).toBe(
      'VALIDATION_ERROR',
    )
    await world.run(Invite, { input: { email: 'a@example.com', role: 'ADMIN' } })
    await world.rows(`UPDATE quota_usage SET used = 100 WHERE account_id = $1 AND slot = 'invitations'`, [
      world.accountId,
    ])
    expect((await world.fault(Invite, { input: { email: 'b@example.com', role: 'ADMIN' } })).extensions.code).toBe(
      'QUOTA_EXCEEDED',
    )
  })
})

describe('the last owner and escalation', () => {
  it('lets only owners change who is an owner', async () => {
    const world = await newWorld()
    const [owner, admin, target] = [
      await signIn(world, 'OWNER'),
      await signIn(world, 'ADMIN'),
      await newUser(world, 'EDITOR'),
    ]
    expect(await codeOf(world, admin, Invite, { email: 'o@example.com', role: 'OWNER' })).toBe('FORBIDDEN')
    expect(await codeOf(world, admin, Update, { id: target.id, role: 'OWNER' })).toBe('FORBIDDEN')
    expect(await codeOf(world, admin, Update, { id: admin.id, role: 'OWNER' })).toBe('FORBIDDEN')
    expect(await codeOf(world, admin, Update, { id: owner.id, role: 'ANALYST' })).toBe('FORBIDDEN')
    expect(await codeOf(world, admin, Remove, { id: owner.id })).toBe('FORBIDDEN')
    for (const [document, input] of [
      [Update, { id: target.id, role: 'OWNER' }],
      [Remove, { id: owner.id }],
    ] as const)
      expect((await world.fault(document, { input })).extensions.code).toBe('FORBIDDEN')
    expect(await codeOf(world, admin, Update, { id: target.id, role: 'ADMIN' })).toBe('OK')
    expect(await codeOf(world, owner, Update, { id: target.id, role: 'OWNER' })).toBe('OK')
  })

  it('keeps an owner, also if two owners remove each other at the same time', async () => {
    const world = await newWorld()
    const one = await signIn(world, 'OWNER')
    expect(await codeOf(world, one, Remove, { id: one.id })).toBe('INVALID_STATE')
    expect(await codeOf(world, one, Update, { id: one.id, role: 'ADMIN' })).toBe('INVALID_STATE')
    for (let round = 0; round < 3; round += 1) {
      const other = await signIn(world, 'OWNER')
      const [last] = await world.rows<{ id: number }>(
        `SELECT id FROM "user" WHERE account_id = $1 AND role = 'OWNER' AND removed_at IS NULL AND id <> $2`,
        [world.accountId, other.id],
      )
      const [user] = await world.rows<{ email: string }>('SELECT email FROM "user" WHERE id = $1', [last?.id])
      const holder = round === 0 ? one : { ...one, id: last?.id ?? 0, email: user?.email ?? '' }
      await Promise.all([
        world.ask(Update, { input: { id: other.id, role: 'ADMIN' } }, as(holder)),
        world.ask(Remove, { input: { id: holder.id } }, as(other)),
      ])
      const owners = await world.rows(
        `SELECT id FROM "user" WHERE account_id = $1 AND role = 'OWNER' AND removed_at IS NULL`,
        [world.accountId],
      )
      expect(owners).toHaveLength(1)
      if (!(owners as { id: number }[]).some(({ id }) => id === one.id)) break
    }
  })

  it('returns NOT_FOUND for the users of another account, and for removed users', async () => {
    const world = await newWorld()
    const owner = await signIn(world, 'OWNER')
    const foreign = await newUser(await world.other(), 'EDITOR')
    for (const document of [Remove, Update]) {
      expect(
        await codeOf(world, owner, document, { id: foreign.id, ...(document === Update && { role: 'ADMIN' }) }),
      ).toBe('NOT_FOUND')
    }
    const removed = await newUser(world, 'EDITOR')
    await world.run(Remove, { input: { id: removed.id } })
    expect(await codeOf(world, owner, Remove, { id: removed.id })).toBe('NOT_FOUND')
  })
})

describe('a removed user', () => {
  const Tags = 'subscription { events(types: [CONTACT_CREATED]) { cursor } }'

  it.each([
    ['removed', Remove, {}],
    ['given another role', Update, { role: 'ANALYST' }],
  ] as const)('loses sockets and requests immediately when %s', async (what, document, input) => {
    const world = await newWorld()
    const user = await signIn(world, 'EDITOR')
    const link = await linkFor(world, user.id)
    const socket = newSocket(world.server, undefined, { cookie: user.cookie, origin: world.server.url })
    const subscribed = socket.ask(Tags).catch(() => undefined)
    await until(async () =>
      /campanile_streams\{transport="websocket"\} 1/.test(await (await fetch(`${world.server.url}/metrics`)).text()),
    )
    await world.run(document, { input: { id: user.id, ...input } })
    const { status, body } = await world.ask(
      'mutation { tagCreate(input: { name: "late" }) { tag { id } } }',
      {},
      as(user),
    )
    expect([status, body.errors[0].extensions.code]).toEqual(
      what === 'removed' ? [401, 'UNAUTHORIZED'] : [200, 'FORBIDDEN'],
    )
    expect(await socket.closed).toBe(4401)
    await subscribed
    expect((await follow(link)).status).toBe(what === 'removed' ? 410 : 303)
  })
})

describe('the logs', () => {
  it('name the user in the audit log and in the changes of a contact', async () => {
    const world = await newWorld()
    const user = await signIn(world, 'EDITOR')
    const made = await world.ask(
      'mutation { contactCreate(input: { email: "c@example.com" }) { contact { id } } }',
      {},
      as(user),
    )
    const { id } = made.body.data.contactCreate.contact
    const { auditLog } = await world.run(
      'query ($id: ID!) { auditLog(filter: { users: { any: [$id] } }) { nodes { action apiKey { id } user { email } } } }',
      { id: user.id },
    )
    expect(auditLog.nodes).toEqual([{ action: 'contactCreate', apiKey: null, user: { email: user.email } }])
    const { contact } = await world.run(
      'query ($id: ID!) { contact(ref: { id: $id }) { timeline(first: 5) { nodes { ... on ContactChange { actor { kind object { ... on User { email } } } } } } } }',
      { id },
    )
    expect(contact.timeline.nodes[0].actor).toEqual({ kind: 'USER', object: { email: user.email } })
  })
})
