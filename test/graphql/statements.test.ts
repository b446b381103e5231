import { beforeAll, describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/account/index.ts'
import { newWorld, type World } from '../support/world.ts'
import { documentOf, itemsOf, listFields, waysTo } from './lists.ts'

const sizes = [2, 50] as const

/** An account that has this many of everything, each tied to each. */
async function filled(count: number): Promise<World> {
  const world = await newWorld()
  const { accountId, rows, server } = world
  const sql = (text: string) => rows(text, [accountId, count])
  await sql(`INSERT INTO contact (account_id, email, created_at, updated_at)
    SELECT $1, n || '@example.com', now(), now() FROM generate_series(1, $2::int) n`)
  await sql(
    `INSERT INTO tag (account_id, name, created_at) SELECT $1, 'tag ' || n, now() FROM generate_series(1, $2::int) n`,
  )
  await sql(`INSERT INTO custom_field (account_id, name, type, "values", created_at)
    SELECT $1, 'field ' || n, 'SELECT', ARRAY['a', 'b'], now() FROM generate_series(1, $2::int) n`)
  await rows(
    'INSERT INTO contact_tag SELECT c.account_id, c.id, t.id, now() FROM contact c JOIN tag t USING (account_id) WHERE c.account_id = $1',
    [accountId],
  )
  await rows(
    "INSERT INTO contact_field SELECT c.account_id, c.id, f.id, 'a', now() FROM contact c JOIN custom_field f USING (account_id) WHERE c.account_id = $1",
    [accountId],
  )
  await rows(
    `INSERT INTO contact_consent (account_id, contact_id, kind, granted, source, created_at)
     SELECT account_id, id, 'GDPR', n % 2 = 0, 'api', now() FROM contact, generate_series(1, 5) n WHERE account_id = $1`,
    [accountId],
  )
  for (let made = 1; made < count; made += 1) {
    await apiKeys.create(server.system, { accountId, scopes: ['contacts:read', 'account:read', 'mail:read'] })
  }
  return world
}

describe('every list field of the schema', () => {
  const worlds = new Map<number, World>()
  beforeAll(async () => {
    for (const size of sizes) worlds.set(size, await filled(size))
  })

  it('has a way that leads to it, so that its statements can be counted', () => {
    expect(Object.keys(waysTo).sort()).toEqual(listFields().sort())
  })

  it.each(Object.entries(waysTo))('%s takes as many statements for 50 rows as for 2', async (field, steps) => {
    const counts: number[] = []
    for (const [size, world] of worlds) {
      const contacts = await world.rows<{ id: number }>('SELECT id FROM contact WHERE account_id = $1', [
        world.accountId,
      ])
      const ids = contacts.map(({ id }) => Buffer.from(`Contact:${id}`).toString('base64url'))
      const key =
        field === 'Viewer.scopes' ? await world.key({ scopes: ['contacts:read', 'mail:read'] }) : world.mainKey
      const ask = () => world.run(documentOf(steps), { n: size, ids }, { key })
      // The first time reads the key and the types.
      expect(itemsOf(await ask(), steps).length).toBeGreaterThanOrEqual(field === 'Viewer.scopes' ? 2 : size)
      counts.push(await world.statements(ask))
    }
    expect(counts[0]).toBeLessThanOrEqual(5)
    expect(counts[1]).toBe(counts[0])
  })

  it('takes no more where lists stand in lists, and where one document asks twice', async () => {
    const document = `query ($n: Int) {
      contacts(first: $n) { totalCount nodes { account { name } tags { name } customFields { label customField { name } }
        more: consents(last: 1) { nodes { kind } } consents(first: 2) { totalCount nodes { kind } } } }
      tags(first: 10) { nodes { contacts(first: 2) { totalCount nodes { email tags { name } } } } } }`
    const counts: number[] = []
    for (const [size, world] of worlds) {
      await world.run(document, { n: size })
      counts.push(await world.statements(() => world.run(document, { n: size })))
    }
    expect(counts[1]).toBe(counts[0])
  })

  it('shows only what is of the account', async () => {
    const empty = await newWorld()
    for (const [field, steps] of Object.entries(waysTo)) {
      const { id } = await (worlds.get(2) as World).tag()
      const found = itemsOf(await empty.run(documentOf(steps), { n: 100, ids: [id] }), steps).filter(Boolean)
      // Its own key is all that a new account has.
      const own = /^ApiKeyConnection\.|^Query\.apiKeys$/.test(field) ? 1 : 0
      expect(found, field).toHaveLength(own)
    }
  })
})
