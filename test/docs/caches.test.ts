import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ApolloClient, ApolloLink, gql, HttpLink } from '@apollo/client'
import { GraphQLWsLink } from '@apollo/client/link/subscriptions'
import { Client, fetchExchange, subscriptionExchange } from '@urql/core'
import { OperationTypeNode } from 'graphql'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newClient } from '../events/stream.ts'
import { temporaryFolder, until } from '../runtime/process.ts'
import { newWorld, type World } from '../support/world.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: the code is that of the page
type Code = Record<string, any>

/** Loads the files of the page, as a reader would write them. */
async function codeOfPage(): Promise<(file: string) => Promise<Code>> {
  const folder = await temporaryFolder()
  const page = await readFile(join(root, 'src/docs/caches.md'), 'utf8')
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const [, file = '', text = ''] of page.matchAll(/^```ts ([^\n]+)\n(.*?)^```/gms)) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
  return (file) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href)
}

type Data = Record<string, unknown>

/** A client with a cache that follows the events of its account. */
interface CachedClient {
  /** Reads the lists: from the cache, or first from the network. */
  read(isCached: boolean): Promise<Data>
  change(mutation: string): Promise<Data>
  /** Subscribes to changes after a cursor. */
  follow(after: string): void
  /** Number of queries that were sent. */
  queries(): number
}

interface Page {
  readonly Lists: string
  readonly Changes: string
  load(file: string): Promise<Code>
  onEvent(type: string): void
}

/** Counts the queries that a client sends, and adds the key. */
function countingFetch(world: World) {
  let queries = 0
  const send: typeof fetch = (url, init) => {
    if (String(init?.body).includes('query Lists')) queries += 1
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${world.mainKey}` }
    return fetch(url, { ...init, headers })
  }
  return { send, queries: () => queries }
}

const clients: Record<string, (world: World, page: Page) => Promise<CachedClient>> = {
  urql: async (world, { Lists, Changes, load, onEvent }) => {
    const { send, queries } = countingFetch(world)
    const socket = newClient(world.server, world.mainKey)
    onTestFinished(() => void socket.dispose())
    const { graphcache } = await load('src/urql-cache.ts')
    const client = new Client({
      url: `${world.server.url}/graphql`,
      preferGetMethod: false,
      fetch: send,
      exchanges: [
        graphcache,
        fetchExchange,
        subscriptionExchange({
          forwardSubscription: ({ query = '', variables }) => ({
            subscribe: (sink) => ({
              unsubscribe: socket.subscribe({ query, variables: variables as Data }, sink as never),
            }),
          }),
        }),
      ],
    })
    return {
      queries,
      read: async (isCached) => {
        const requestPolicy = isCached ? 'cache-first' : 'network-only'
        const { data, error } = await client.query(Lists, {}, { requestPolicy }).toPromise()
        if (error) throw error
        return data
      },
      change: async (mutation) => {
        const { data, error } = await client.mutation(mutation, {}).toPromise()
        if (error) throw error
        return data
      },
      follow: (after) => {
        const { unsubscribe } = client
          .subscription(Changes, { after })
          .subscribe(({ data }) => onEvent(data?.events.type))
        onTestFinished(unsubscribe)
      },
    }
  },
  'Apollo Client': async (world, { Lists, Changes, load, onEvent }) => {
    const { send, queries } = countingFetch(world)
    const socket = newClient(world.server, world.mainKey)
    const { applyChanges, newCache } = await load('src/apollo-cache.ts')
    const client = new ApolloClient({
      cache: newCache(),
      link: ApolloLink.split(
        ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
        new GraphQLWsLink(socket),
        new HttpLink({ uri: `${world.server.url}/graphql`, fetch: send }),
      ),
    })
    onTestFinished(() => {
      client.stop()
      void socket.dispose()
    })
    return {
      queries,
      read: async (isCached) => {
        const fetchPolicy = isCached ? 'cache-first' : 'network-only'
        return (await client.query({ query: gql(Lists), fetchPolicy })).data as Data
      },
      change: async (mutation) => {
        const { data } = await client.mutate({
          mutation: gql(mutation),
          update: (cache, result) => {
            for (const [field, payload] of Object.entries(result.data as Data)) applyChanges(cache, payload, field)
          },
        })
        return data as Data
      },
      follow: (after) => {
        const subscription = client.subscribe({ query: gql(Changes), variables: { after } }).subscribe(({ data }) => {
          const { events } = data as { events: Data }
          applyChanges(client.cache, events)
          onEvent(String(events['type']))
        })
        onTestFinished(() => subscription.unsubscribe())
      },
    }
  },
}

/** Creates, edits and deletes an object of each list. `change` sends a mutation. */
async function changeEverything(change: (mutation: string) => Promise<Data>, name: string): Promise<void> {
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
}

/** The lists without the cursor, which is older in a cache. */
const listsIn = ({ eventCursor: _, ...lists }: Data) => lists

describe.each(Object.entries(clients))('the cache of %s', (_name, connect) => {
  let load: (file: string) => Promise<Code>
  beforeAll(async () => {
    load = await codeOfPage()
  })

  it('equals what the server returns after changes by itself and by another client, without reading again', async () => {
    const world = await newWorld()
    await world.contact()
    await world.tag()
    const { Lists = '', Changes = '' } = await load('src/documents.ts')
    const types: string[] = []
    const client = await connect(world, { Lists, Changes, load, onEvent: (type) => void types.push(type) })
    const start = await client.read(false)
    await changeEverything(client.change, 'own')
    const other = async (mutation: string) => (await world.run(mutation)) as Data
    const fresh = async () => listsIn((await world.run(Lists)) as Data)
    const withoutTypes = (data: Data) =>
      JSON.parse(JSON.stringify(data, (key, value) => (key === '__typename' ? undefined : value)))
    expect(withoutTypes(listsIn(await client.read(true)))).toEqual(await fresh())
    // An event is read before it is sent: beside an own change, it would show the state before until the next event arrives.
    client.follow(start['eventCursor'] as string)
    await changeEverything(other, 'other')
    await until(() => types.filter((type) => type === 'FORM_UPDATED').length === 4)
    expect(withoutTypes(listsIn(await client.read(true)))).toEqual(await fresh())
    expect(client.queries()).toBe(1)
  })
})
