import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { asUser, signIn } from '../support/session.ts'
import { newWorld } from '../support/world.ts'

const Keys =
  'query { apiKeys(orderBy: { field: NAME, direction: ASC }) { nodes { id name scopes lastUsedAt createdBy { email name } } } }'

describe('lastUsedAt of an API key', () => {
  it('is written by a request, at most once a minute, whatever process it reaches', async () => {
    const world = await newWorld()
    const lastUse = async () =>
      (
        await world.rows<{ at: Date | null }>('SELECT last_used_at AS at FROM api_key WHERE account_id = $1', [
          world.accountId,
        ])
      )[0]?.at
    await world.run('{ viewer { email } }')
    await expect.poll(lastUse).toBeInstanceOf(Date)
    const first = await lastUse()
    const second = await newServer({ DATABASE_URL: world.server.databaseUrl })
    await world.run('{ viewer { email } }', {}, { server: second })
    expect(await lastUse()).toEqual(first)

    await world.rows("UPDATE api_key SET last_used_at = now() - interval '61 seconds' WHERE account_id = $1", [
      world.accountId,
    ])
    const third = await newServer({ DATABASE_URL: world.server.databaseUrl })
    await world.run('{ viewer { email } }', {}, { server: third })
    await expect.poll(async () => ((await lastUse()) as Date) >= (first as Date)).toBe(true)
  })

  it('is null for a key that was never used', async () => {
    const world = await newWorld()
    await world.key()
    const { nodes } = (await world.run(Keys)).apiKeys
    expect(nodes[0]).toMatchObject({ name: '', lastUsedAt: null, createdBy: null })
  })
})

describe('apiKeyUpdate', () => {
  it('renames a key, which keeps its scopes and its creator', async () => {
    const world = await newWorld()
    const owner = await signIn(world, 'OWNER')
    const Create =
      'mutation { apiKeyCreate(input: { name: "old", scopes: [CONTACTS_READ] }) { apiKey { id createdBy { email } } } }'
    const { apiKey } = (await world.run(Create, {}, asUser(owner))).apiKeyCreate
    expect(apiKey.createdBy).toEqual({ email: owner.email })
    await world.run('mutation ($id: ID!) { apiKeyUpdate(input: { id: $id, name: "new" }) { apiKey { id } } }', apiKey)
    const { nodes } = (await world.run(Keys)).apiKeys
    expect(nodes.find(({ id }: { id: string }) => id === apiKey.id)).toMatchObject({
      name: 'new',
      scopes: ['CONTACTS_READ'],
      createdBy: { email: owner.email },
    })
  })
})

describe('the name of a user', () => {
  it('is set by the person', async () => {
    const world = await newWorld()
    const editor = await signIn(world, 'EDITOR')
    const Update = 'mutation { viewerUpdate(input: { name: "Ada Lovelace" }) { user { name } } }'
    expect((await world.run(Update, {}, asUser(editor))).viewerUpdate.user).toEqual({ name: 'Ada Lovelace' })
    expect(await world.announced('user.updated')).toHaveLength(1)
    const found = await world.run('{ users(filter: { search: "lovelace" }) { nodes { email } } }')
    expect(found.users.nodes).toEqual([{ email: editor.email }])
  })

  it('is set by an owner, and does not change the role', async () => {
    const world = await newWorld()
    const [owner, editor] = [await signIn(world, 'OWNER'), await signIn(world, 'EDITOR')]
    const Update = 'mutation ($id: ID!) { userUpdate(input: { id: $id, name: "Grace" }) { user { name role } } }'
    expect((await world.run(Update, editor, asUser(owner))).userUpdate.user).toEqual({ name: 'Grace', role: 'EDITOR' })
    expect((await world.run(Update, owner, asUser(owner))).userUpdate.user).toEqual({ name: 'Grace', role: 'OWNER' })
  })

  it('of an owner cannot be set by an administrator', async () => {
    const world = await newWorld()
    const [owner, admin] = [await signIn(world, 'OWNER'), await signIn(world, 'ADMIN')]
    const Update = 'mutation ($id: ID!) { userUpdate(input: { id: $id, name: "Grace" }) { user { name } } }'
    expect((await world.fault(Update, owner, asUser(admin))).extensions.code).toBe('FORBIDDEN')
  })
})
