import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { ours } from '../../src/db/migrations/pending.ts'
import { follow } from '../events/stream.ts'
import { temporaryFolder } from '../runtime/process.ts'
import { newDemo } from '../support/demo.ts'
import { newServer, type Server } from '../support/server.ts'
import { type World, worldOf } from '../support/world.ts'

/** The migrations of a version after this one: it expands a table, which this version reads and writes meanwhile. */
const next = {
  '9_contact_nickname': "ALTER TABLE contact ADD COLUMN nickname TEXT NOT NULL DEFAULT '';",
  '9_contact_nickname_idx':
    '-- no-transaction\nCREATE INDEX CONCURRENTLY contact_nickname_idx ON contact (account_id, nickname);',
}

/** The migration of the version after that one, which contracts the table: no process that reads the column runs any more. */
const last = { '9_contact_without_nickname': 'ALTER TABLE contact DROP COLUMN nickname;' }

async function folderOf(added: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  await cp(ours, folder, { recursive: true })
  for (const [name, sql] of Object.entries(added)) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'migration.sql'), sql)
  }
  return folder
}

const read = `{ contacts(first: 100) { totalCount nodes { email tags { name } } }
  campaigns { nodes { name status stats { sent opened } } } orders { totalCount nodes { idOrder } } }`
const create = 'mutation ($email: String!) { contactCreate(input: { email: $email }) { contact { email } } }'

describe('an upgrade without a stop', () => {
  let old: World
  let before: unknown
  let newer: Server
  beforeAll(async () => {
    old = await newDemo()
    before = await old.run(read)
    newer = await newServer({ DATABASE_URL: old.server.databaseUrl }, { migrations: await folderOf(next) })
  })
  const beside = () => worldOf(newer, old.accountId, old.mainKey)
  const isReady = async (url: string) => (await fetch(`${url}/readyz`)).status === 200

  it('leaves the data of the version before as it was', async () => {
    expect(await beside().run(read)).toEqual(before)
    expect(await old.run(read)).toEqual(before)
  })

  it('leaves processes of both versions ready', async () => {
    expect([await isReady(old.server.url), await isReady(newer.url)]).toEqual([true, true])
  })

  it('shows changes of each version to the other one, and announces them', async () => {
    const start = (await old.run('{ eventCursor }')).eventCursor
    for (const [world, email] of [
      [old, 'old@people.example'],
      [beside(), 'new@people.example'],
    ] as const)
      await world.run(create, { email })
    const find = '{ contacts(filter: { email: { in: ["old@people.example", "new@people.example"] } }) { totalCount } }'
    for (const world of [old, beside()]) expect((await world.run(find)).contacts.totalCount).toBe(2)
    const document = `subscription ($after: String) { events(after: $after, types: [CONTACT_CREATED]) {
      ... on ContactEvent { contact { email } } } }`
    for (const world of [old, beside()]) {
      const following = await follow({ server: world.server, key: world.mainKey }, document, { after: start })
      await following.find(({ data }) => data.events.contact.email === 'new@people.example')
      expect(following.got.map(({ data }) => data.events.contact.email)).toEqual([
        'old@people.example',
        'new@people.example',
      ])
    }
  })

  it('keeps the version before from starting again', async () => {
    await expect(newServer({ DATABASE_URL: old.server.databaseUrl })).rejects.toThrow(
      /^The database is newer than this version/,
    )
  })

  it('contracts the schema in a later version, after the last process that needed the old form', async () => {
    const contracted = await newServer(
      { DATABASE_URL: old.server.databaseUrl },
      { migrations: await folderOf({ ...next, ...last }) },
    )
    expect(await isReady(contracted.url)).toBe(true)
    const { contacts } = await worldOf(contracted, old.accountId, old.mainKey).run(read)
    expect(contacts.totalCount).toBeGreaterThan(2)
  })
})
