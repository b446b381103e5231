// @module-tag rows
import { expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { newMediaJobs, newMediaStore, type ObjectStore } from '../../src/content/index.ts'
import { start } from '../runtime/process.ts'
import { newServer } from '../support/server.ts'
import { newWorld, type World } from '../support/world.ts'
import { type FakeStore, newFakeStore } from './object-store.ts'
import { newLink, picture, put, upload } from './pictures.ts'

const wide = () => picture(700, 20).png().toBuffer()
const clean = async ({ server: { system } }: World, { url }: FakeStore) => {
  const { mediaStore } = readConfig({ MEDIA_URL: url, DATABASE_URL: 'postgres://x/x', SECRET: 'x'.repeat(16) })
  await newMediaJobs(newMediaStore(mediaStore) as ObjectStore)['media:clean'](system)
}

const open = async () => {
  const store = await newFakeStore()
  const server = await newServer({ MEDIA_URL: store.url })
  return { store, world: await newWorld({ server }) }
}

const removals = ({ accountId, rows }: World) => rows('SELECT FROM media_removal WHERE account_id = $1', [accountId])

it('an object store keeps the bytes of files, which the server reads and a job removes', async () => {
  const { store, world } = await open()
  const media = await upload(world, await wide())
  expect(store.objects.size).toBe(2)
  expect([...store.objects.keys()].every((key) => key.startsWith(`/bucket/folder/${world.accountId}/`))).toBe(true)
  expect(await world.rows('SELECT FROM media_file WHERE body IS NOT NULL')).toEqual([])
  expect(await removals(world)).toEqual([])
  for (const { url, bytes } of [media, ...media.variants]) {
    const response = await fetch(url)
    expect([response.status, response.headers.get('content-length')]).toEqual([200, String(bytes)])
    expect((await response.arrayBuffer()).byteLength).toBe(bytes)
  }
  await world.run('mutation ($id: ID!) { mediaDelete(input: { id: $id }) { deletedMediaId } }', { id: media.id })
  expect((await fetch(media.url)).status).toBe(404)
  store.failing.add('DELETE')
  await clean(world, store)
  expect([store.objects.size, await removals(world)]).toMatchObject([2, [{}, {}]])
  store.failing.clear()
  await clean(world, store)
  expect([store.objects.size, await removals(world)]).toEqual([0, []])
})

it('objects of uploads that were not committed are removed after an hour', async () => {
  const { store, world } = await open()
  await world.rows('UPDATE account SET limit_media_kilobytes = 0 WHERE id = $1', [world.accountId])
  expect(await put(await newLink(world), await wide())).toMatchObject({ status: 403 })
  expect(store.objects.size).toBe(2)
  await clean(world, store)
  expect(store.objects.size).toBe(2)
  await world.rows("UPDATE media_removal SET due_at = due_at - interval '1 hour'")
  await clean(world, store)
  expect([store.objects.size, await removals(world)]).toEqual([0, []])
})

it('an upload whose process is killed leaves nothing behind, and can be repeated', { timeout: 60_000 }, async () => {
  const { store, world } = await open()
  const { databaseUrl, url: ownUrl } = world.server
  const env = { DATABASE_URL: databaseUrl, SECRET: 'a secret that only tests know', ROLES: 'api', PORT: '0' }
  const killed = start('main', [], { ...env, MEDIA_URL: store.url })
  const address = (await killed.line(/^ready /)).replace('ready ', '')
  const link = await newLink(world)
  store.most = 1
  const sending = put(link.replace(ownUrl, address), await wide())
  await expect.poll(() => store.requests.length).toBe(1)
  killed.signal('SIGKILL')
  await expect(sending).rejects.toThrow()
  expect(await world.rows('SELECT FROM media')).toEqual([])
  expect(await removals(world)).toHaveLength(2)
  store.most = Number.POSITIVE_INFINITY
  expect(await put(link, await wide())).toMatchObject({ status: 200 })
  expect(store.objects.size).toBe(3)
  await world.rows("UPDATE media_removal SET due_at = due_at - interval '1 hour'")
  await clean(world, store)
  expect([store.objects.size, await removals(world)]).toEqual([2, []])
})

it('an upload fails if the object store does, without its secret in the log', async () => {
  const { store, world } = await open()
  store.failing.add('PUT')
  const link = await newLink(world)
  expect(await put(link, await wide())).toMatchObject({
    status: 503,
    body: { message: expect.stringContaining('does not respond') },
  })
  const log = JSON.stringify(world.server.errors)
  expect(world.server.errors).toHaveLength(1)
  expect(log).toContain('The media store responded to PUT with status 500.')
  expect(log).not.toMatch(/a secret|a%20secret|media-key/)
  world.server.errors.length = 0
  store.failing.clear()
  expect(await put(link, await wide())).toMatchObject({ status: 200 })
})

it('a file that the object store does not return is an error that is not cached', async () => {
  const { store, world } = await open()
  const { url } = await upload(world, await wide())
  store.failing.add('GET')
  const failed = await fetch(url)
  store.failing.clear()
  store.objects.clear()
  const missing = await fetch(url)
  for (const { status, headers } of [failed, missing])
    expect([status, headers.get('cache-control'), headers.get('etag')]).toEqual([503, 'no-cache', null])
  expect(world.server.errors).toHaveLength(2)
  world.server.errors.length = 0
})

it('requests with another secret are refused by the store of the tests', async () => {
  const { store } = await open()
  const { mediaStore } = readConfig({
    MEDIA_URL: store.url.replace('a%20secret', 'another'),
    DATABASE_URL: 'postgres://x/x',
    SECRET: 'x'.repeat(16),
  })
  const client = newMediaStore(mediaStore) as ObjectStore
  await expect(client.put('1/x', Buffer.from('x'), 'image/png')).rejects.toThrow('PUT with status 403')
})

it.each([
  's3://host/bucket',
  's3://key:secret@host',
  'https://key:secret@host/bucket',
  's3://key:secret@host/bucket?tls=maybe',
  's3://key:secret@host/bucket?zone=x',
  's3://key:%zz@host/bucket',
  's3://key:secret@host/../bucket name',
])('MEDIA_URL cannot be %s, and the message does not contain it', (url) => {
  expect(() => readConfig({ MEDIA_URL: url })).toThrow(/^MEDIA_URL must be s3:\/\/KEY:SECRET@HOST\/BUCKET(?!.*secret@)/)
})
