import { once } from 'node:events'
import { createConnection } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { newMediaJobs } from '../../src/content/index.ts'
import { newWorld, type World } from '../support/world.ts'
import { animation, Create, newLink, pdf, picture, put, upload } from './pictures.ts'

const png = () => picture(20, 20).png().toBuffer()
const tables = ['media', 'media_file', 'media_removal']

/** A PNG of black pixels: its compressed data is small whatever its size. */
function blackPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 1
  const rows = Buffer.alloc((Math.ceil(width / 8) + 1) * height)
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

describe('the content of an upload', () => {
  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    ['SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'PNG, JPEG, GIF, WebP or PDF'],
    ['HTML', () => Buffer.from('<!doctype html><script>alert(1)</script>'), 'PNG, JPEG, GIF, WebP or PDF'],
    ['nothing', () => Buffer.alloc(0), 'PNG, JPEG, GIF, WebP or PDF'],
    ['a TIFF', () => picture(9, 9).tiff().toBuffer(), 'PNG, JPEG, GIF, WebP or PDF'],
    ['half of a PNG', async () => (await png()).subarray(0, 60), 'complete PNG'],
    ['a cut JPEG', async () => cut(await picture(300, 300, { noise: true }).jpeg().toBuffer()), 'complete JPEG'],
    ['a cut WebP', async () => cut(await picture(300, 300, { noise: true }).webp().toBuffer()), 'complete WEBP'],
    ['a cut PDF', () => pdf.subarray(0, 60), 'complete PDF'],
    [
      'a PDF after the signature of a PNG',
      async () => Buffer.concat([(await png()).subarray(0, 8), pdf]),
      'complete PNG',
    ],
    ['a PNG of 400 megapixels', () => blackPng(20_000, 20_000), '40 megapixels'],
    ['an animation of 48 megapixels', () => animation(2_000, 2_000, 12), '40 megapixels'],
    ['a JPEG in the place of a PNG', () => picture(9, 9).jpeg().toBuffer(), 'must be of the type PNG, but is JPEG'],
  ])('is refused if it is %s', async (_, bytes, message) => {
    const world = await newWorld()
    const body = await bytes()
    const refused = await put(await newLink(world, message.includes('of the type') ? { contentType: 'PNG' } : {}), body)
    expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining(message) } })
    for (const table of tables)
      expect(await world.rows(`SELECT FROM ${table} WHERE account_id = $1`, [world.accountId])).toEqual([])
  })

  it('loses what is not part of the picture', async () => {
    const world = await newWorld()
    const html = '<script>alert(document.domain)</script>'
    // A comment after the header of a GIF, and bytes after the end of a PNG.
    const gif = await picture(9, 9).gif().toBuffer()
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe, html.length]), Buffer.from(html), Buffer.from([0])])
    const place = gif.indexOf(Buffer.from([0x21, 0xf9]))
    const withComment = Buffer.concat([gif.subarray(0, place), comment, gif.subarray(place)])
    const withTail = Buffer.concat([await png(), Buffer.from(html)])
    for (const [body, name] of [
      [withComment, 'page.html'],
      [withTail, 'x'],
    ] as const) {
      const media = await upload(world, body, { name })
      expect(media.url).toMatch(/(page[.]html[.]gif|x[.]png)$/)
      const served = Buffer.from(await (await fetch(media.url)).arrayBuffer())
      expect(served.includes('script')).toBe(false)
    }
  })
})

const cut = (body: Buffer) => body.subarray(0, Math.floor(body.length / 2))

describe('the name of a media file', () => {
  it.each([
    ['two words.png', 'two%20words.png'],
    ['Größe ✓.png', 'Gr%C3%B6%C3%9Fe%20%E2%9C%93.png'],
    ['a?b#c%.png', 'a%3Fb%23c%25.png'],
    ['  trimmed.PNG ', 'trimmed.PNG'],
    ['.png', '.png'],
  ])('can be %j', async (name, path) => {
    const world = await newWorld()
    const media = await upload(world, await png(), { name })
    expect(media.name).toBe(name.trim())
    expect(media.url.split('/').at(-1)).toBe(path)
    expect((await fetch(media.url)).status).toBe(200)
  })

  it.each([
    ['..', 'dots'],
    ['../../etc/passwd', 'must not contain /'],
    ['a/b.png', 'must not contain /'],
    ['a\\b.png', 'must not contain /'],
    ['a\0.png', 'NUL'],
    ['a\nb.png', 'control characters'],
    ['gpj\u202efdp.png', 'control characters'],
    ['x'.repeat(300), 'at most 255'],
    ['  ', 'must not be empty'],
  ])('cannot be %j', async (name, message) => {
    const world = await newWorld()
    const { extensions, message: text } = await world.fault(Create, { input: { name } })
    expect(extensions.code).toBe('VALIDATION_ERROR')
    expect(text).toContain(message)
  })
})

describe('an upload link', () => {
  it('is used once', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    expect(await put(link, await png())).toMatchObject({ status: 200, body: { id: expect.any(Number) } })
    expect(await put(link, pdf)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('used already') },
    })
    expect((await world.run('{ media { totalCount } }')).media.totalCount).toBe(1)
  })

  it('stores one file of two that are sent at the same time', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    const bodies = [await picture(21, 20).png().toBuffer(), await picture(22, 20).png().toBuffer()]
    const statuses = (await Promise.all(bodies.map((body) => put(link, body)))).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, 409])
    expect((await world.run('{ media { totalCount } }')).media.totalCount).toBe(1)
  })

  it('can be used again after a file was refused or interrupted', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    expect(await put(link, Buffer.from('text'))).toMatchObject({ status: 422 })
    const { hostname, port, pathname } = new URL(link)
    const socket = createConnection(Number(port), hostname)
    socket.write(`PUT ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf`, () => socket.destroy())
    await new Promise((closed) => socket.once('close', closed))
    expect(await put(link, await png())).toMatchObject({ status: 200 })
  })

  it('belongs to a key that is still active, and cannot be changed', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['media:write'] })
    const { uploadUrl } = (await world.run(Create, { input: { name: 'a' } }, { key })).mediaCreate
    const body = await png()
    const wrong = await fetch(uploadUrl)
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'PUT, OPTIONS'])
    for (const url of [
      uploadUrl.replace(/.$/, (last: string) => (last === 'A' ? 'B' : 'A')),
      uploadUrl.replace(/\/m\/./, '/m/z'),
      `${world.server.url}/m/x`,
    ])
      expect(await put(url, body)).toMatchObject({ status: 404 })
    await world.rows(`UPDATE api_key SET disabled_at = now() WHERE account_id = $1 AND scopes = '{media:write}'`, [
      world.accountId,
    ])
    expect(await put(uploadUrl, body)).toMatchObject({ status: 404 })
  })

  it('expires, and its upload is removed', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    await world.rows(`UPDATE media_upload SET expires_at = now() - interval '1 second' WHERE account_id = $1`, [
      world.accountId,
    ])
    expect(await put(link, await png())).toMatchObject({ status: 409 })
    await newMediaJobs(undefined)['media:clean'](world.server.system)
    expect(await world.rows('SELECT FROM media_upload WHERE account_id = $1', [world.accountId])).toEqual([])
  })

  it('can be used by pages of other sites', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    const preflight = await fetch(link, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PUT' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    const sent = await put(link, await png(), { headers: { Origin: 'https://shop.example' } })
    expect(sent.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('is refused if 50 uploads are expected', async () => {
    const world = await newWorld()
    await world.rows(
      `INSERT INTO media_upload (account_id, name, alternative_text, expires_at)
       SELECT $1, 'x', '', now() + interval '1 minute' FROM generate_series(1, 50)`,
      [world.accountId],
    )
    const { extensions, message } = await world.fault(Create, { input: { name: 'a' } })
    expect([extensions.code, message]).toEqual(['QUOTA_EXCEEDED', expect.stringContaining('50 unfinished uploads')])
  })

  it('is refused if the account has 10,000 files', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    await world.rows(
      `INSERT INTO media (account_id, name, content_type, hash, bytes, is_animated, created_at, updated_at)
       SELECT $1, 'x', 'PNG', 'h' || n, 1, false, now(), now() FROM generate_series(1, 10000) n`,
      [world.accountId],
    )
    expect((await world.fault(Create, { input: { name: 'a' } })).message).toContain('10000 media files')
    expect(await put(link, await png())).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining('10000') },
    })
  })
})

describe('the body of an upload', () => {
  it('is refused above 10 MB, whether its length is known or not', async () => {
    const world = await newWorld()
    const link = await newLink(world)
    const large = Buffer.alloc(10 * 1024 * 1024 + 1)
    expect(await put(link, large)).toMatchObject({ status: 413 })
    const chunks = new ReadableStream({
      start(stream) {
        for (let at = 0; at < large.length; at += 1_048_576) stream.enqueue(large.subarray(at, at + 1_048_576))
        stream.close()
      },
    })
    expect(await put(link, chunks)).toMatchObject({ status: 413 })
    expect(await put(link, await png(), { headers: { 'Content-Encoding': 'gzip' } })).toMatchObject({ status: 415 })
  })

  it('is refused if an account sends three others', async () => {
    const world = await newWorld()
    const links = await Promise.all(Array.from({ length: 4 }, () => newLink(world)))
    const { hostname, port } = new URL(links[0] as string)
    const open = links.map((link) => {
      const socket = createConnection(Number(port), hostname)
      socket.write(`PUT ${new URL(link).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf`)
      return socket
    })
    const refused = await Promise.race(open.map(async (socket) => String((await once(socket, 'data'))[0])))
    expect(refused).toMatch(/^HTTP\/1.1 429 .*Retry-After: 2\r\n.*Too many files/s)
    const body = await png()
    expect(await put(await newLink(await world.other()), body)).toMatchObject({ status: 200 })
    for (const socket of open) socket.destroy()
    await expect.poll(async () => (await put(links[3] as string, body)).status, { timeout: 20_000 }).toBe(200)
  })

  it('is received although slow clients of other accounts have all places', async () => {
    const worlds = [await newWorld()]
    while (worlds.length < 7) worlds.push(await (worlds[0] as World).other())
    const own = await newLink(worlds.pop() as World)
    const links = await Promise.all(worlds.flatMap((world) => [newLink(world), newLink(world), newLink(world)]))
    const { hostname, port } = new URL(own)
    const slow = links.map((link) => {
      const socket = createConnection(Number(port), hostname)
      socket.write(`PUT ${new URL(link).pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf`)
      return socket
    })
    const refused = await Promise.race(slow.map(async (socket) => String((await once(socket, 'data'))[0])))
    expect(refused).toContain('HTTP/1.1 429')
    const body = await png()
    await expect.poll(async () => (await put(own, body)).status, { timeout: 20_000, interval: 500 }).toBe(200)
    for (const socket of slow) socket.destroy()
  })
})

describe('the audit log', () => {
  it('contains each file that was stored, with the key that created its link', async () => {
    const world = await newWorld()
    const key = await world.key({ scopes: ['media:write'] })
    const { uploadUrl } = (await world.run(Create, { input: { name: 'a' } }, { key })).mediaCreate
    expect(await put(uploadUrl, Buffer.from('text'))).toMatchObject({ status: 422 })
    expect(await put(uploadUrl, await png())).toMatchObject({ status: 200 })
    const { nodes } = (
      await world.run('{ auditLog { nodes { action address objects { __typename } apiKey { scopes } } } }')
    ).auditLog
    const uploads = nodes.filter(({ action }: { action: string }) => action === 'mediaUpload')
    expect(uploads).toEqual([
      {
        action: 'mediaUpload',
        address: '127.0.0.1',
        objects: [{ __typename: 'Media' }],
        apiKey: { scopes: ['MEDIA_WRITE'] },
      },
    ])
  })
})
