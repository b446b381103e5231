// @module-tag rows
import { isDeepStrictEqual } from 'node:util'
import { expect, it, onTestFinished, vi } from 'vitest'
import { start } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { applyChange, followContacts } from './live-view.ts'

/** Starts a server in a child process, which can be killed. */
async function child(databaseUrl: string) {
  const running = start('main', [], {
    PORT: '0',
    ROLES: 'api',
    SECRET: 'a secret that only tests know',
    RATE_LIMIT_PER_MINUTE: '1000000',
    DATABASE_URL: databaseUrl,
  })
  return { ...running, url: (await running.line(/^ready /)).replace('ready ', '') }
}

const pick = <Each>(from: readonly Each[]): Each => from[Math.floor(Math.random() * from.length)] as Each

/** Changes contacts at random: their tags, their names, and whether they exist. */
async function write(world: World, tags: readonly { id: string }[], changes: number) {
  const contacts = await Promise.all(Array.from({ length: 12 }, () => world.contact()))
  const run = (document: string, variables: object) => world.run(document, variables)
  for (let count = 0; count < changes; count += 1) {
    const [id, tag, name] = [pick(contacts).id, pick(tags).id, pick(['Ada', 'Bob', ''])]
    const chance = Math.random()
    if (chance < 0.35) {
      const document =
        'mutation ($id: ID!, $tag: ID!) { contactTagAdd(input: { contact: { id: $id }, tagId: $tag }) { __typename } }'
      await run(document, { id, tag })
    } else if (chance < 0.65) {
      const document =
        'mutation ($id: ID!, $tag: ID!) { contactTagRemove(input: { contact: { id: $id }, tagId: $tag }) { __typename } }'
      await run(document, { id, tag })
    } else if (chance < 0.95) {
      const document =
        'mutation ($id: ID!, $name: String) { contactUpdate(input: { contact: { id: $id }, firstName: $name }) { __typename } }'
      await run(document, { id, name })
    } else {
      await run('mutation ($id: ID!) { contactDelete(input: { contact: { id: $id } }) { __typename } }', { id })
      contacts.splice(
        contacts.findIndex((each) => each.id === id),
        1,
        await world.contact(),
      )
    }
  }
}

/** A client that holds the IDs of a list, and how often it connected. */
interface View {
  readonly filter: object
  held: ReadonlySet<string>
  connections: number
}

/** Follows a list until `isOver`, each time from another server and, while there are changes, for some of them only. */
async function keep(view: View, connect: (after?: string) => ReturnType<typeof followContacts>, state: State) {
  let after: string | undefined
  while (!state.isOver) {
    const followed = await connect(after).catch(() => undefined)
    if (!followed) continue
    view.connections += 1
    const limit = state.isWriting ? 1 + Math.floor(Math.random() * 30) : Number.POSITIVE_INFINITY
    let isEnded = false
    const ended = followed.end.then(() => {
      isEnded = true
    })
    for (let read = 0; !isEnded && !state.isOver && read < limit; ) {
      await Promise.race([followed.upTo(read + 1), ended])
      for (const { data } of followed.got.slice(read)) {
        view.held = applyChange(view.held, data.contactsChanged)
        after = data.contactsChanged.cursor
        read += 1
      }
    }
    followed.stop()
  }
}

interface State {
  isWriting: boolean
  isOver: boolean
}

it('fifty live lists are right after cuts of their connections and kills of their servers', async () => {
  const server = await newServer({ DATABASE_POOL_SIZE: '20' })
  const world = await newWorld({ server })
  const tags = await Promise.all(Array.from({ length: 3 }, () => world.tag()))
  const segment = await world.segment({ tags: { any: [tags[0]?.id] } })
  const filters: object[] = [
    {},
    { firstName: { eq: 'Ada' } },
    { not: { firstName: { eq: 'Ada' } } },
    { segments: { any: [segment.id] } },
    { or: [{ firstName: { eq: 'Bob' } }, { tags: { any: [tags[1]?.id] } }] },
    ...tags.flatMap(({ id }) => [
      { tags: { any: [id] } },
      { tags: { none: [id] } },
      { tags: { any: [id] }, firstName: { eq: 'Bob' } },
    ]),
  ]
  const state = { isWriting: true, isOver: false }
  onTestFinished(() => {
    state.isOver = true
  })
  const children = await Promise.all([child(server.databaseUrl), child(server.databaseUrl)])
  const kill = async () => {
    for (let round = 0; state.isWriting; round += 1) {
      const next = await child(server.databaseUrl)
      children[round % 2]?.signal('SIGKILL')
      children[round % 2] = next
    }
  }
  const views = Array.from(
    { length: 50 },
    (_, index): View => ({ filter: filters[index % filters.length] as object, held: new Set(), connections: 0 }),
  )
  const connect = (view: View) => (after?: string) =>
    followContacts(world, view.filter, {
      server: { ...server, url: pick(children).url },
      ...(after !== undefined && { after }),
    })
  const killing = kill()
  const keeping = views.map((view) => keep(view, connect(view), state))
  await Promise.all(Array.from({ length: 4 }, () => write(world, tags, 60)))
  state.isWriting = false
  await killing
  const document = 'query ($filter: ContactFilterInput) { contacts(first: 100, filter: $filter) { nodes { id } } }'
  const expected = await Promise.all(
    views.map(async ({ filter }) => {
      const { contacts } = await world.run(document, { filter })
      return contacts.nodes.map(({ id }: { id: string }) => id).sort()
    }),
  )
  const held = () => views.map((view) => [...view.held].sort())
  await vi
    .waitUntil(() => isDeepStrictEqual(held(), expected), { timeout: 30_000, interval: 50 })
    .catch(() => undefined)
  expect(held()).toEqual(expected)
  expect(views.reduce((sum, { connections }) => sum + connections, 0)).toBeGreaterThan(100)
  state.isOver = true
  for (const each of children) each.signal('SIGKILL')
  await Promise.all(keeping)
}, 240_000)

it('a list of more than 100,000 contacts is followed without its number', async () => {
  const world = await newWorld()
  await world.rows(`INSERT INTO contact (account_id, email, created_at, updated_at)
    SELECT ${world.accountId}, 'c' || n || '@example.com', now(), now() FROM generate_series(1, 100001) n`)
  const list = await followContacts(world, { firstName: { exists: false } })
  const [{ data }] = await list.upTo(1)
  expect(data.contactsChanged).toMatchObject({ kind: 'LISTED', totalCount: null })
  const { id } = data.contactsChanged.contacts.nodes[0]
  const rename = (firstName: string) =>
    world.run(
      'mutation ($id: ID!, $firstName: String) { contactUpdate(input: { contact: { id: $id }, firstName: $firstName }) { __typename } }',
      { id, firstName },
    )
  await rename('Ada')
  await list.upTo(2)
  await rename('')
  const kinds = (await list.upTo(3)).slice(1).map((each) => each.data.contactsChanged)
  expect(kinds).toMatchObject([
    { kind: 'LEFT', contactId: id, totalCount: null },
    { kind: 'CHANGED', contactId: id, totalCount: null },
  ])
}, 120_000)
