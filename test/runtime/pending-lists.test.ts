import { describe, expect, it } from 'vitest'
import { newServer } from '../support/server.ts'
import { newWorld } from '../support/world.ts'

describe('pending lists of GIN indexes', () => {
  it('are merged by workers, so that the change of a contact never merges what an import has added', async () => {
    const world = await newWorld({ server: await newServer({ ROLES: 'worker,api' }) })
    await world.rows('CREATE EXTENSION pgstattuple')
    const indexes = await world.rows<{ name: string }>(
      `SELECT i.relname AS name FROM pg_class i JOIN pg_am m ON m.oid = i.relam
       WHERE m.amname = 'gin' AND i.relkind = 'i' AND i.relnamespace = 'public'::regnamespace`,
    )
    const pending = async () => {
      const lists = indexes.map(
        ({ name }) => `SELECT '${name}' AS name, s.pending_pages FROM pgstatginindex('${name}') s`,
      )
      const rows = await world.rows<{ name: string; pending_pages: number }>(lists.join(' UNION ALL '))
      return rows.flatMap(({ name, pending_pages }) => (pending_pages > 0 ? name : []))
    }
    await world.rows(
      `INSERT INTO contact (account_id, email, created_at, updated_at)
       SELECT $1, 'c' || n || '@example.com', now(), now() FROM generate_series(1, 500) n`,
      [world.accountId],
    )
    await expect.poll(pending).toEqual([])
  })

  it('may grow to 32 MB before a statement merges them itself', async () => {
    const { rows } = await newWorld()
    expect(
      await rows(
        `SELECT i.relname FROM pg_class i JOIN pg_am m ON m.oid = i.relam
         WHERE m.amname = 'gin' AND i.relkind IN ('i', 'I') AND i.relnamespace = 'public'::regnamespace
           AND 'gin_pending_list_limit=32768' <> ALL (coalesce(i.reloptions, '{}'))`,
      ),
    ).toEqual([])
  })
})
