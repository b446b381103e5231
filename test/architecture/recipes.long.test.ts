import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Running, start, temporaryFolder, until } from '../runtime/process.ts'
import { newEmptyDatabase } from '../support/database.ts'
import { followRecipes, readRecipe } from './recipe.ts'

const recipes = ['Add an event type', 'Add a route']

/** The files that a recipe names, without those that it names for other cases. */
async function filesOf(name: string, others: readonly string[]): Promise<string[]> {
  const { text } = await readRecipe(name)
  const named = text.matchAll(/`((?:src|prisma|rest-bridge|test)\/[^`<]+\.[a-z]+)`/g)
  return [...new Set([...named].map(([, path = '']) => path))].filter((path) => !others.includes(path))
}

describe('the recipes for event types and routes of CONTRIBUTING', () => {
  let copy: string
  let compilation: Running['end']
  let address: string
  let key: string

  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of a response
  const send = async (path: string, init?: RequestInit): Promise<any> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
    return (await fetch(new URL(path, address), { ...init, headers })).json()
  }
  const run = async (query: string) => {
    const { data, errors } = await send('/graphql', { method: 'POST', body: JSON.stringify({ query }) })
    expect(errors).toBeUndefined()
    return data
  }

  beforeAll(async () => {
    copy = await followRecipes(recipes)
    // The slowest step, so it runs beside the others.
    compilation = start('node_modules/typescript/bin/tsc', ['--noEmit'], {}, copy).end
    const env = { DATABASE_URL: await newEmptyDatabase(), DATA_DIR: await temporaryFolder(), SECRET: 'x'.repeat(32) }
    const server = start('main', [], { ...env, PORT: '0' }, copy)
    address = (await server.line(/^ready /)).replace('ready ', '')
    const account = ['account', 'create', '--name', 'Ada', '--email', 'ada@example.com', '--plan', 'pro', '--json']
    key = JSON.parse((await start('cli', account, env, copy).end).stdout).key
  })

  it('name 5 files for an event type, and 3 for a route', async () => {
    const [events, routes] = await Promise.all(recipes.map(readRecipe))
    expect(events?.text).toContain('It takes 5 files')
    expect(await filesOf('Add an event type', ['rest-bridge/events/payloads.ts'])).toHaveLength(5)
    expect(routes?.text).toContain('A route takes 3 files')
    expect(await filesOf('Add a route', ['rest-bridge/errors/errors.ts'])).toHaveLength(3)
  })

  it('add the event to the list of events and to the types of webhooks', async () => {
    await run('mutation { segmentCreate(input: { name: "all", filter: { gdpr: true } }) { segment { id } } }')
    const list = `{ events(filter: { types: [SEGMENT_RESIZED] }) {
      nodes { type ... on SegmentSizeEvent { size segment { name } } } } }`
    await until(async () => (await run(list)).events.nodes.length > 0)
    expect((await run(list)).events.nodes).toEqual([{ type: 'SEGMENT_RESIZED', size: 1, segment: { name: 'all' } }])
    const kinds = await readFile(join(copy, 'src/client/event-kinds.ts'), 'utf8')
    expect(kinds).toContain("'segment.resized': 'SegmentSizeEvent'")
    expect(kinds).toContain('SegmentSizeEvent: { segment_id: number; size: number }')
    expect(await readFile(join(copy, 'src/console/generated/event-names.documents.ts'), 'utf8')).toContain(
      'segment.resized',
    )
  })

  it('add the route to the API, its OpenAPI document and the page on documents', async () => {
    const { data } = await send('/v1/tag', { method: 'POST', body: '{ "name": "vip" }' })
    expect((await send(`/v1/tag?tag_id=${data.id}`)).data).toMatchObject({ id: data.id, name: 'vip' })
    expect(await send('/v1/tag?tag_id=999')).toMatchObject({ error: { code: 'NOT_FOUND' } })
    expect((await send('/openapi.json')).paths['/v1/tag'].get.operationId).toBe('TAG-GET')
    expect(await readFile(join(copy, 'src/docs/rest-to-graphql.md'), 'utf8')).toContain('query TagRead')
  })

  it('compile', async () => {
    expect(await compilation).toMatchObject({ code: 0, stdout: '' })
  })
})
