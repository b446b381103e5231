import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCtx } from '../../src/db/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { forgetReports, senderProblems } from '../../src/mail/index.ts'
import { storedMedia } from '../content/stored.ts'
import { temporaryFolder, until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'
import { type Code, clients, type Data } from './cached-clients.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** Writes the files of the page, as a reader would do, and the schema that they need. Returns their folder. */
async function writePage(): Promise<string> {
  const folder = await temporaryFolder()
  const page = await readFile(join(root, 'src/docs/caches.md'), 'utf8')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [, file = '', text = ''] of page.matchAll(/^```ts ([^\n]+)\n(.*?)^```/gms)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  await cp(join(root, 'schema.graphql'), join(folder, 'schema.graphql'))
  await run(process.execPath, ['src/write-schema.ts'], { cwd: folder })
  return folder
}

/** Creates, edits and deletes an object of each list. `change` sends a mutation. */
async function changeEverything(
  change: (mutation: string) => Promise<Data>,
  name: string,
  [renamed, deleted]: readonly { readonly id: string }[],
): Promise<void> {
  const send = async (field: string, input: string, selection: string) =>
    (await change(`mutation { ${field}(input: { ${input} }) { ${selection} } }`))[field] as Record<
      string,
      { id: string }
    >
  const tag = 'tag { id name }'
  const contact = 'contact { id email firstName tags { id name } }'
  const campaign = 'campaign { id name status }'
  const form = 'form { id name status questions { id label } }'
  const kept = (await send('tagCreate', `name: "kept ${name}"`, tag))['tag']?.id
  const gone = (await send('tagCreate', `name: "gone ${name}"`, tag))['tag']?.id
  const tagIds = `addTagIds: ["${kept}", "${gone}"]`
  const ada = (await send('contactCreate', `email: "ada-${name}@example.com", ${tagIds}`, contact))['contact']?.id
  const bob = (await send('contactCreate', `email: "bob-${name}@example.com"`, contact))['contact']?.id
  await send('contactUpdate', `contact: { id: "${ada}" }, firstName: "Ada"`, contact)
  await send('contactTagAdd', `contact: { id: "${bob}" }, tagId: "${kept}"`, contact)
  await send('contactTagRemove', `contact: { id: "${ada}" }, tagId: "${kept}"`, contact)
  await send('tagUpdate', `id: "${kept}", name: "renamed ${name}"`, tag)
  await send('tagDelete', `id: "${gone}"`, 'deletedTagId')
  const carl = (await send('contactCreate', `email: "carl-${name}@example.com"`, contact))['contact']?.id
  await send('contactDelete', `contact: { id: "${carl}" }`, 'deletedContactId')
  const draft = (await send('campaignCreate', `name: "draft ${name}"`, campaign))['campaign']?.id
  const old = (await send('campaignCreate', `name: "old ${name}"`, campaign))['campaign']?.id
  await send('campaignUpdate', `id: "${draft}", name: "renamed ${name}"`, campaign)
  await send('campaignDelete', `id: "${old}"`, 'deletedCampaignId')
  const quiz = (await send('formCreate', `name: "quiz ${name}"`, form))['form']?.id
  await send(
    'formQuestionCreate',
    `formId: "${quiz}", label: "Why?", type: SHORT_TEXT`,
    'question { id label form { id questions { id label } } }',
  )
  await send('formUpdate', `id: "${quiz}", name: "renamed ${name}"`, form)
  await send('mediaUpdate', `id: "${renamed?.id}", name: "renamed ${name}"`, 'media { id name }')
  await send('mediaDelete', `id: "${deleted?.id}"`, 'deletedMediaId')
  await send('brandUpdate', `font: GEORGIA, address: "${name}"`, 'brand { accentColor font updatedAt }')
}

/** Has problems of the sender begin, one of them twice, and one of them end. */
async function changeProblems(world: World): Promise<void> {
  const { system } = world.server
  const ctx = newCtx(system, { accountId: world.accountId })
  for (const domain of ['kept.example', 'kept.example', 'gone.example'])
    await inTransaction(ctx, (tx) =>
      senderProblems.addProblem(tx, { email: `bob@${domain}`, cause: 'POLICY', detail: '550' }),
    )
  await world.rows("UPDATE sender_problem SET last_at = now() - interval '31 days' WHERE domain = 'gone.example'")
  await forgetReports(system)
}

/** The lists without the cursor, which is older in a cache. */
const listsIn = ({ eventCursor: _, ...lists }: Data) => lists

const withoutTypes = (data: unknown) =>
  JSON.parse(JSON.stringify(data, (key, value) => (key === '__typename' ? undefined : value)))

/** The compiler is slow on a busy machine. */
const compileTimeoutMs = 120_000

let folder = ''
const load = (file: string): Promise<Code> => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)

beforeAll(async () => {
  folder = await writePage()
}, compileTimeoutMs)

describe('caches.md', () => {
  it(
    'contains programs that type-check strictly',
    async () => {
      const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true }
      const modules = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2023', 'dom'], types: ['node'] }
      const compilerOptions = {
        ...{ ...strict, ...modules, target: 'es2022' },
        ...{ noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
      const compiler = join(root, 'node_modules/.bin/tsc')
      const { stdout } = await run(compiler, ['-p', folder]).catch(({ stdout }) => ({ stdout }))
      expect(stdout).toBe('')
    },
    compileTimeoutMs,
  )

  it('changes a list once, with the total of the server or else its own', async () => {
    const { changeList } = await load('src/changes.ts')
    const list = { keys: ['a', 'b'], total: 2 }
    const entered = { kind: 'ENTERED', key: 'c' }
    const left = { kind: 'LEFT', key: 'a' }
    expect(changeList(list, entered)).toEqual({ keys: ['c', 'a', 'b'], total: 3 })
    expect(changeList(changeList(list, entered), entered)).toEqual({ keys: ['c', 'a', 'b'], total: 3 })
    expect(changeList(list, { ...entered, total: 9 })).toEqual({ keys: ['c', 'a', 'b'], total: 9 })
    expect(changeList(list, { ...entered, total: null })).toEqual({ keys: ['c', 'a', 'b'], total: 3 })
    expect(changeList(list, left)).toEqual({ keys: ['b'], total: 1 })
    expect(changeList(changeList(list, left), left)).toEqual({ keys: ['b'], total: 1 })
    expect(changeList({ keys: ['b'], total: undefined }, left)).toEqual({ keys: ['b'], total: undefined })
    expect(changeList(list, { kind: 'CHANGED', key: 'a' })).toEqual(list)
    expect(changeList(list, { kind: 'LISTED', keys: ['d'], total: 1 })).toEqual({ keys: ['d'], total: 1 })
    // Which of the objects that the cache does not have has left, and whether it was counted already, is not known.
    expect(changeList({ keys: ['b'], total: 2 }, left)).toBeUndefined()
    expect(changeList({ keys: ['b'], total: 2 }, { ...left, total: 1 })).toEqual({ keys: ['b'], total: 1 })
  })
})

describe.each(Object.entries(clients))('the cache of %s', (_name, connect) => {
  const newCachedClient = async (world: World, onEvent: (type: string) => void = () => undefined) => {
    const { Lists = '', Changes = '' } = await load('src/documents.ts')
    return connect(world, { Lists, Changes, load, onEvent })
  }

  it('equals what the server returns after changes by itself and by another client, without reading again', async () => {
    const world = await newWorld()
    await world.contact()
    await world.tag()
    const { Lists = '' } = await load('src/documents.ts')
    const types: string[] = []
    const client = await newCachedClient(world, (type) => void types.push(type))
    const files = [
      await storedMedia(world),
      await storedMedia(world),
      await storedMedia(world),
      await storedMedia(world),
    ]
    const start = await client.read(false)
    await changeEverything(client.change, 'own', files)
    const other = async (mutation: string) => (await world.run(mutation)) as Data
    const fresh = async () => listsIn((await world.run(Lists)) as Data)
    expect(withoutTypes(listsIn(await client.read(true)))).toEqual(await fresh())
    // An event is read before it is sent: beside an own change, it would show the state before until the next event arrives.
    client.follow(start['eventCursor'] as string)
    await changeEverything(other, 'other', files.slice(2))
    await changeProblems(world)
    await until(() => types.includes('SENDER_PROBLEM_DELETED'))
    expect(types.filter((type) => type === 'FORM_UPDATED')).toHaveLength(4)
    expect(withoutTypes(listsIn(await client.read(true)))).toEqual(await fresh())
    expect(client.queries()).toBe(1)
  })

  it('keeps a filtered list and its total right, by reading it again after changes of its type alone', async () => {
    const world = await newWorld()
    const { Lists, FilteredContacts } = await load('src/documents.ts')
    const types: string[] = []
    const client = await newCachedClient(world, (type) => void types.push(type))
    const variables = { filter: { firstName: { eq: 'Ada' } } }
    const ada = await world.contact({ firstName: 'Ada' })
    const bob = await world.contact({ firstName: 'Bob' })
    const { eventCursor } = (await client.read(false, Lists)) as { eventCursor: string }
    const matching = async () => listsIn(await client.read(true, FilteredContacts, variables))
    expect(withoutTypes(await matching())).toMatchObject({ contacts: { nodes: [{ id: ada.id }], totalCount: 1 } })
    expect([await matching(), client.queries()]).toMatchObject([{ contacts: { totalCount: 1 } }, 2])

    const rename = (id: string, name: string) =>
      `mutation { contactUpdate(input: { contact: { id: "${id}" }, firstName: "${name}" }) { contact { id firstName } } }`
    await client.change(rename(ada.id, 'Eve'))
    expect(withoutTypes(await matching())).toEqual({ contacts: { nodes: [], totalCount: 0 } })
    expect(client.queries()).toBe(3)
    client.follow(eventCursor)
    await world.run(rename(bob.id, 'Ada'))
    await world.tag()
    await until(() => types.includes('TAG_CREATED'))
    expect(withoutTypes(await matching())).toMatchObject({ contacts: { nodes: [{ id: bob.id }], totalCount: 1 } })
    expect(client.queries()).toBe(4)
    await world.tag()
    await until(() => types.filter((type) => type === 'TAG_CREATED').length === 2)
    await matching()
    expect(client.queries()).toBe(4)
    expect(withoutTypes(listsIn(await client.read(true)))).toEqual(listsIn((await world.run(Lists)) as Data))
    expect(client.queries()).toBe(4)
  })

  it('keeps a live list and its total right without reading it again', async () => {
    const world = await newWorld()
    const { FilteredContacts, LiveContacts } = await load('src/documents.ts')
    const kinds: string[] = []
    const client = await newCachedClient(world, (kind) => void kinds.push(kind))
    const filter = { firstName: { eq: 'Ada' } }
    const ada = await world.contact({ firstName: 'Ada' })
    const bob = await world.contact({ firstName: 'Bob' })
    const { eventCursor } = await client.read(false, FilteredContacts, { filter })
    const rename = (id: string, name: string) =>
      world.run(
        `mutation { contactUpdate(input: { contact: { id: "${id}" }, firstName: "${name}" }) { contact { id } } }`,
      )
    /** Waits until the list is that of the server. */
    const isRight = async () => {
      const fresh = listsIn((await world.run(FilteredContacts, { filter })) as Data)
      const cached = async () => withoutTypes(listsIn(await client.read(true, FilteredContacts, { filter })))
      await expect.poll(cached).toEqual(fresh)
      expect(client.queries()).toBe(1)
    }
    client.followList(LiveContacts, filter, eventCursor)
    await rename(bob.id, 'Ada')
    await isRight()
    await rename(ada.id, 'Eve')
    await isRight()
    await world.contact({ firstName: 'Ada' })
    await isRight()
    expect(kinds).toContain('LEFT')
  })

  it('replaces a live list by the list with which the stream begins', async () => {
    const world = await newWorld()
    const { FilteredContacts, LiveContacts } = await load('src/documents.ts')
    const kinds: string[] = []
    const client = await newCachedClient(world, (kind) => void kinds.push(kind))
    const filter = { firstName: { eq: 'Ada' } }
    await world.contact({ firstName: 'Ada' })
    await client.read(false, FilteredContacts, { filter })
    // A change that the cache has missed.
    await world.contact({ firstName: 'Ada' })
    client.followList(LiveContacts, filter)
    await until(() => kinds.length > 0)
    expect(kinds[0]).toBe('LISTED')
    const cached = withoutTypes(listsIn(await client.read(true, FilteredContacts, { filter })))
    expect(cached).toEqual(listsIn((await world.run(FilteredContacts, { filter })) as Data))
    expect([cached, client.queries()]).toMatchObject([{ contacts: { totalCount: 2 } }, 1])
  })

  it('merges the fields of objects without an id', async () => {
    const world = await newWorld()
    await world.contact()
    const client = await newCachedClient(world)
    const reading = (fields: string) =>
      client.read(true, `query Purchases { contacts { nodes { id purchases { ${fields} } } } }`)
    const counted = await reading('orders')
    await reading('lifetimeValue { amount currency }')
    expect(client.queries()).toBe(2)
    expect(withoutTypes(await reading('orders'))).toEqual(withoutTypes(counted))
    await reading('orders lifetimeValue { amount }')
    expect(client.queries()).toBe(2)
  })

  it('shows a query of which it has a part before the rest is read', async () => {
    const world = await newWorld()
    const { email } = await world.contact()
    const client = await newCachedClient(world)
    await client.read(false)
    const [first, last] = await client.readParts('query Part { contacts { nodes { id email lastActiveAt } } }')
    expect(first).toMatchObject({ contacts: { nodes: [{ email }] } })
    expect(last).toMatchObject({ contacts: { nodes: [{ email, lastActiveAt: null }] } })
    expect(client.queries()).toBe(2)
  })
})
